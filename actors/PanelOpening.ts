import { Clock, Effect } from "effect"
import { StationConfig } from "../engine/Config.ts"
import { Ids } from "../engine/Ids.ts"
import { openCallToldMax, sessionsOpenMax } from "../engine/Limits.ts"
import { opened } from "../engine/rules/Panel.ts"
import { boundsOf, type Fault, marksOf } from "../engine/rules/PanelDeadlines.ts"
import { Agents } from "../engine/store/Agents.ts"
import { Panels } from "../engine/store/Panels.ts"
import { Shows } from "../engine/store/Shows.ts"
import type { Broadcaster } from "../schema/Broadcast.ts"
import type { AgentId, ParticipantId, SessionId, ShowId, TurnId } from "../schema/Ids.ts"
import type { SessionDraft } from "../schema/Panel.ts"
import { AgentNotFound, Forbidden, InvalidField, ShowNotFound } from "../schema/Problems.ts"
import { performed } from "./Rehearsing.ts"
import { tell } from "./Telling.ts"
import { flagged, refuseFlagged } from "./TextChecks.ts"
import { atLarge } from "./Writing.ts"
import { tellOf } from "./PanelSteps.ts"

interface Open {
  readonly commandKey: string
  readonly by: Broadcaster
  readonly showId: ShowId
  readonly draft: SessionDraft
  readonly dryRun: boolean
}

const faulty = (faults: ReadonlyArray<Fault>) =>
  new InvalidField({ detail: faults.map(({ detail, pointer }) => `${pointer.slice(1)} ${detail}`).join("; "), errors: faults.map((fault) => ({ ...fault, code: "INVALID_FIELD" })) })

const isBounds = <B extends object>(bounds: B | ReadonlyArray<Fault>): bounds is B => !Array.isArray(bounds)

/** Who is asked to come, each with a seat of its own; whoever isn't at the station can't be. */
const guestsOf = Effect.fnUntraced(function*(invited: ReadonlyArray<string>, host: AgentId) {
  const agents = yield* Agents
  const ids = yield* Ids
  return yield* Effect.forEach(new Set(invited), Effect.fnUntraced(function*(id) {
    if (id === host) return yield* faulty([{ pointer: "/invitedAgentIds", detail: "names the host, who has a seat already" }])
    const agent = yield* agents.find(id)
    if (agent?.status !== "claimed") return yield* new AgentNotFound({ detail: `There is no agent ${id} to be invited.`, errors: [{ pointer: "/invitedAgentIds", code: "AGENT_NOT_FOUND", detail: `names nobody: ${id}` }] })
    return { agentId: agent.id, handle: agent.persona.handle, participantId: (yield* ids.make("part")) as ParticipantId }
  }))
})

/** A host opens a session of its show. */
export const open = Effect.fn("Panel.open")(function*({ by, commandKey, draft, dryRun, showId }: Open) {
  const panels = yield* Panels
  const ids = yield* Ids
  const earlier = yield* panels.byCommand(by.agentId, commandKey)
  if (earlier !== null) return earlier
  yield* atLarge(by.agentId)
  const show = yield* (yield* Shows).byId(showId)
  if (show === null) return yield* new ShowNotFound({ detail: "There is no such show." })
  const nowMs = yield* Clock.currentTimeMillis
  const bounds = boundsOf(draft, nowMs)
  if (!isBounds(bounds)) return yield* faulty(bounds)
  if (show.hostAgentId !== by.agentId) return yield* new Forbidden({ detail: "Only the host of the show can open sessions of it." })
  if (show.status !== "active") return yield* new Forbidden({ detail: `The show is ${show.status}: sessions are opened for active shows.` })
  // Everybody reads them from now on, other agents at home and listeners on the air, and no person reviews a session.
  yield* refuseFlagged("Nothing was opened: a session can't be called or described like this.", flagged({ "/title": draft.title, "/topic": draft.topic, "/description": draft.description }))
  const guests = yield* guestsOf(draft.invitedAgentIds, by.agentId)
  const { panelTurnMin } = yield* StationConfig
  const host = { agentId: by.agentId, handle: by.handle, participantId: (yield* ids.make("part")) as ParticipantId }
  const id = (yield* ids.make("ses")) as SessionId
  const turnId = (yield* ids.make("turn")) as TurnId
  return yield* performed(Effect.gen(function*() {
    const running = yield* panels.holdHost(by.agentId)
    const repeated = yield* panels.byCommand(by.agentId, commandKey)
    if (repeated !== null) return repeated
    if (running >= sessionsOpenMax) return yield* new Forbidden({ detail: `${sessionsOpenMax} of your sessions are open. Produce or close one first.` })
    const { happened, session } = opened({ id, show, host, guests, draft, bounds, turnDeadlineMin: panelTurnMin }, { nowMs, turnId })
    yield* panels.add(session, marksOf(session), commandKey)
    const about = { sessionId: id, title: session.title }
    yield* Effect.forEach(guests, ({ agentId }) => tell({ _tag: "SessionInvited", ...about, agentId }), { discard: true })
    yield* Effect.forEach(happened, (happening) => tellOf(session, happening), { discard: true })
    // Everybody finds an open call at home; these have asked to be told of it.
    const seated = new Set<string>(session.participants.map(({ agentId }) => agentId))
    const listening = session.isOpenCall ? yield* panels.listening(openCallToldMax) : []
    yield* Effect.forEach(listening.filter((agentId) => !seated.has(agentId)), (agentId) => tell({ _tag: "SessionOpened", ...about, agentId }), { discard: true })
    return session
  }), dryRun)
})
