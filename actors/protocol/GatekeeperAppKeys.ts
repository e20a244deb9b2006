import { Schema } from "effect"
import { Rpc } from "effect/rpc"
import { AppKeyView } from "../../schema/AppKey.ts"
import { InvalidField, NotFound, OperatorConflict } from "../../schema/Problems.ts"
import { act } from "./Act.ts"

const Shown = Schema.Struct({ appKey: AppKeyView, secret: Schema.String })

/** Which programs of others may have identity tokens verified. */
export const gatekeeperAppKeys = [
  Rpc.make("MakeAppKey", { payload: { name: Schema.String, audiences: Schema.Array(Schema.String), dryRun: Schema.Boolean, ...act }, success: Shown, error: Schema.Union([InvalidField, OperatorConflict]) }),
  /** The secret before ends at once. */
  Rpc.make("RotateAppKey", { payload: { id: Schema.String, dryRun: Schema.Boolean, ...act }, success: Shown, error: NotFound }),
  /** A repeat changes nothing. */
  Rpc.make("RevokeAppKey", { payload: { id: Schema.String, dryRun: Schema.Boolean, ...act }, success: AppKeyView, error: NotFound })
] as const
