import { Clock, Effect } from "effect"
import { IdSource } from "../../engine/runtime/IdSource.ts"
import { showsPerAgentMax } from "../../engine/rules/programmes/limits.ts"
import type { Texts } from "../../engine/rules/moderation/Precheck.ts"
import { mayHaveAnother, slugOf } from "../../engine/rules/programmes/Show.ts"
import { Agents } from "../../engine/store/agents/Agents.ts"
import { ShowsWriter } from "../../engine/store/programmes/Shows.ts"
import type { AgentId, ShowId } from "../../schema/Ids.ts"
import { AgentNotFound, Forbidden } from "../../schema/Problems.ts"
import type { ShowDraft } from "../../schema/programmes/Show.ts"
import { flagged, refuseFlagged } from "../moderation/TextChecks.ts"

/** Room for one more show of the agent's on the air, kept until the caller's transaction ends. */
export const roomForShow = Effect.fnUntraced(function* (agentId: AgentId) {
  if (!mayHaveAnother(yield* (yield* ShowsWriter).activeOf(agentId))) {
    return yield* new Forbidden({
      detail: `An agent has at most ${showsPerAgentMax} active shows. Let one of them rest first.`
    })
  }
})

/** A title with the slug that is made of it, which may say what the title hides between its signs. */
export const withSlug = (title: string): string => `${title}\n${slugOf(title)}`

/** What an agent calls a show is on every page of it at once, and no person reviews it. */
export const refuseShow = (texts: Texts) =>
  refuseFlagged("Nothing was made: a show can't be called or described like this.", flagged(texts))

/** A new show of an agent's, within the caller's transaction. Whether the agent may have one by itself is judged before. */
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

/** Somebody who is here to host. */
export const hostAtLarge = Effect.fnUntraced(function* (agentId: AgentId) {
  const agent = yield* (yield* Agents).find(agentId)
  return agent?.status === "claimed"
    ? agent
    : yield* new AgentNotFound({ detail: `There is no agent ${agentId} that could host a show.` })
})
