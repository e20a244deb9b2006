import { Clock, Effect } from "effect"
import { IdSource } from "../../engine/runtime/IdSource.ts"
import { showsPerAgentMax } from "../../engine/rules/programmes/limits.ts"
import type { Texts } from "../../engine/rules/moderation/Precheck.ts"
import { canHaveAnother, slugOf } from "../../engine/rules/programmes/Show.ts"
import { Agents } from "../../engine/store/agents/Agents.ts"
import { ShowsWriter } from "../../engine/store/programmes/Shows.ts"
import type { AgentId, ShowId } from "../../schema/Ids.ts"
import { AgentNotFound, Forbidden } from "../../schema/Problems.ts"
import type { ShowDraft } from "../../schema/programmes/Show.ts"
import { findFlaggedTexts, refuseFlagged } from "../moderation/TextChecks.ts"

/** Fails when the agent has no room for another active show. Holds the room for the caller's transaction. */
export const roomForShow = Effect.fnUntraced(function* (agentId: AgentId) {
  if (!canHaveAnother(yield* (yield* ShowsWriter).activeOf(agentId))) {
    return yield* new Forbidden({
      detail: `An agent has at most ${showsPerAgentMax} active shows. Pause one first.`
    })
  }
})

/** A title with its slug, which may spell a word that the title's punctuation hides. */
export const withSlug = (title: string): string => `${title}\n${slugOf(title)}`

/** Refuses unacceptable texts of a show, which are public at once and not reviewed. */
export const refuseShow = (texts: Texts) =>
  refuseFlagged("Nothing was made: this title or description is not allowed for a show.", findFlaggedTexts(texts))

/** Makes an agent's show in the caller's transaction. The caller checks whether the agent may have one. */
export const makeShow = Effect.fnUntraced(function* (
  agentId: AgentId,
  draft: ShowDraft,
  wantedSlug = slugOf(draft.title)
) {
  yield* roomForShow(agentId)
  return yield* (yield* ShowsWriter).add({
    ...draft,
    id: (yield* (yield* IdSource).make("show")) as ShowId,
    wantedSlug,
    hostAgentId: agentId,
    status: "active",
    blockId: null,
    reservedVoiceIds: [],
    createdAtMs: yield* Clock.currentTimeMillis
  })
})

/** The agent, if it is claimed and can host. */
export const hostAtLarge = Effect.fnUntraced(function* (agentId: AgentId) {
  const agent = yield* (yield* Agents).find(agentId)
  return agent?.status === "claimed"
    ? agent
    : yield* new AgentNotFound({ detail: `There is no agent ${agentId} that could host a show.` })
})
