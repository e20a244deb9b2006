import { Effect } from "effect"
import { Agents } from "../engine/store/Agents.ts"
import type { SessionId } from "../schema/Ids.ts"
import type { PanelSession } from "../schema/Panel.ts"

/** One of its kind that belongs to a session: made again after a crash, it has the same name. */
export const ofSession = <Id extends string>(prefix: string, sessionId: SessionId) => `${prefix}_${sessionId.slice(4)}` as Id

/** The host and whoever of the guests is heard in it, by name, as they sit. */
export const castOf = Effect.fnUntraced(function*(session: PanelSession, heard: ReadonlyArray<{ readonly participantId: string }>) {
  const agents = yield* Agents
  const spoke = new Set(heard.map(({ participantId }) => participantId))
  const seated = session.participants.filter(({ participantId, role }) => role === "host" || spoke.has(participantId)).toSorted((a, b) => a.seat - b.seat)
  return yield* Effect.forEach(seated, (one) => Effect.map(agents.find(one.agentId), (agent) => ({ ...one, speaks: spoke.has(one.participantId), displayName: agent?.persona.displayName ?? one.handle })))
})
