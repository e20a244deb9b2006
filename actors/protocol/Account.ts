import { Schema } from "effect"
import { Entity } from "effect/cluster"
import { Rpc } from "effect/rpc"
import { accountOwn } from "./AccountOwn.ts"
import { Human } from "../../schema/Human.ts"
import { NotFound } from "../../schema/Problems.ts"

/** The operator who acts, and why: both go to the audit log. */
const act = { actor: Schema.String, reason: Schema.NullOr(Schema.String), dryRun: Schema.Boolean }

/** One person's account. Keyed by the person. */
export const Account = Entity.make("Account", [
  ...accountOwn,
  /** What isn't named stays. A repeat changes nothing. */
  Rpc.make("Moderate", {
    payload: { published: Schema.NullOr(Schema.Boolean), blocked: Schema.NullOr(Schema.Boolean), unlink: Schema.Boolean, ...act },
    success: Human,
    error: NotFound
  }),
  /** Answers who it was. */
  Rpc.make("Erase", { payload: act, success: Human, error: NotFound })
])
