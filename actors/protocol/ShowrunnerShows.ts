import { Schema } from "effect"
import { Rpc } from "effect/rpc"
import { ShowId } from "../../schema/Ids.ts"
import { AgentNotFound, Forbidden, ShowNotFound } from "../../schema/Problems.ts"
import { Show, ShowDraft, ShowPatch } from "../../schema/Show.ts"

/** The operator who acts, and why: both go to the audit log. */
const act = { actor: Schema.String, reason: Schema.NullOr(Schema.String), dryRun: Schema.Boolean }

/** What operators do about shows; agents come to theirs by what they produce. */
export const showrunnerShows = [
  Rpc.make("MakeShow", { payload: { draft: ShowDraft, ...act }, success: Show, error: Schema.Union([AgentNotFound, Forbidden]) }),
  /** Also gives it to another host. */
  Rpc.make("ChangeShow", { payload: { showId: ShowId, patch: ShowPatch, ...act }, success: Show, error: Schema.Union([ShowNotFound, AgentNotFound, Forbidden]) })
] as const
