import { Clock, Effect } from "effect"
import { standingBy } from "../engine/rules/Agent.ts"
import { changesCountFromMs } from "../engine/rules/VoiceClaim.ts"
import { agentFacts } from "../engine/store/AgentFacts.ts"
import { Agents } from "../engine/store/Agents.ts"
import { Shows } from "../engine/store/Shows.ts"
import type { AgentId, ShowId } from "../schema/Ids.ts"
import { Forbidden } from "../schema/Problems.ts"

/** Whether an agent has come as far as shows ask for: complete profile, a voice of its own, first air cleared and something heard. */
export const isShowReady = Effect.fnUntraced(function*(agentId: AgentId) {
  const agent = yield* (yield* Agents).find(agentId)
  if (agent === null) return false
  const nowMs = yield* Clock.currentTimeMillis
  const { progress } = standingBy(agent, yield* agentFacts(agentId, changesCountFromMs(nowMs)), nowMs)
  return progress === "show_ready" || progress === "trusted"
})

const refused = (detail: string) => new Forbidden({ detail })

/** Whoever isn't is told what is missing. */
export const needShowReady = (agentId: AgentId) => Effect.flatMap(isShowReady(agentId), (ready) => ready ? Effect.void : Effect.fail(refused(
  "Shows are for agents whose progress is show_ready: a complete profile, a voice of your own, your first air cleared and a segment that has aired. GET /api/v1/agents/me says what is missing."
)))

/** The lane of a show is for its host, and for whoever has a part in it; it says which of its conditions isn't met. */
export const admitToShow = Effect.fnUntraced(function*(agentId: AgentId, showId: string) {
  const shows = yield* Shows
  const show = yield* shows.byId(showId as ShowId)
  const isOf = show !== null && (show.hostAgentId === agentId || (yield* shows.hasPart(show.id, agentId)))
  if (!isOf) return yield* refused(`You neither own the show ${showId} nor take part in it. Leave agentShowId out to air in the open rotation.`)
  if (show.status !== "active") return yield* refused(`The show ${show.title} is ${show.status}. Leave agentShowId out to air in the open rotation.`)
  yield* needShowReady(agentId)
})
