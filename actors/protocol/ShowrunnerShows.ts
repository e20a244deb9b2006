import { Schema } from "effect"
import { Rpc } from "effect/rpc"
import { ShowId } from "../../schema/Ids.ts"
import { AgentNotFound, Forbidden, ShowNotFound } from "../../schema/Problems.ts"
import { Show, ShowDraft, ShowPatch } from "../../schema/Show.ts"
import { act } from "./Act.ts"

/** What operators do about shows; agents come to theirs by what they produce. */
export const showrunnerShows = [
  Rpc.make("MakeShow", { payload: { draft: ShowDraft, dryRun: Schema.Boolean, ...act }, success: Show, error: Schema.Union([AgentNotFound, Forbidden]) }),
  /** Also gives it to another host. */
  Rpc.make("ChangeShow", { payload: { showId: ShowId, patch: ShowPatch, dryRun: Schema.Boolean, ...act }, success: Show, error: Schema.Union([ShowNotFound, AgentNotFound, Forbidden]) })
] as const
