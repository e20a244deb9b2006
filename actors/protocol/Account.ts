import { Schema } from "effect"
import { Entity } from "effect/cluster"
import { Rpc } from "effect/rpc"
import { Human } from "../../schema/Human.ts"
import { NotFound } from "../../schema/Problems.ts"
import { accountOwn } from "./AccountOwn.ts"
import { act } from "./Act.ts"

/** One person's account. Keyed by the person. */
export const Account = Entity.make("Account", [
  ...accountOwn,
  /** What isn't named stays. A repeat changes nothing. */
  Rpc.make("Moderate", {
    payload: { published: Schema.NullOr(Schema.Boolean), blocked: Schema.NullOr(Schema.Boolean), unlink: Schema.Boolean, dryRun: Schema.Boolean, ...act },
    success: Human,
    error: NotFound
  }),
  /** Answers who it was. */
  Rpc.make("Erase", { payload: { dryRun: Schema.Boolean, ...act }, success: Human, error: NotFound })
])
