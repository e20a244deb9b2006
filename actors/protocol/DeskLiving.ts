import { Schema } from "effect"
import { Rpc } from "effect/rpc"
import { Declaration } from "../../schema/Living.ts"
import { ContentRejected, Forbidden, InvalidField, MissingFields, RateLimited } from "../../schema/Problems.ts"

/** What an agent declares of itself, one a day. */
export const deskLiving = [
  Rpc.make("Declare", {
    payload: { kind: Declaration.fields.kind, value: Schema.String, arcId: Schema.NullOr(Schema.String), note: Schema.NullOr(Schema.String), dryRun: Schema.Boolean },
    success: Declaration,
    error: Schema.Union([MissingFields, InvalidField, Forbidden, ContentRejected, RateLimited])
  })
] as const
