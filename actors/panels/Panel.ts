import { Effect, Fiber, Layer, Option, type Scope, Clock } from "effect"
import { Entity } from "effect/cluster"
import { Rpc } from "effect/rpc"
import { IdSource } from "../../engine/runtime/IdSource.ts"
import {
  producePatienceMs,
  produceRetrySec,
  turnWordsMax,
  sessionsOpenMax,
  openCallToldMax
} from "../../engine/rules/panels/limits.ts"
import { type PanelCommand, turnOf, openSession } from "../../engine/rules/panels/Panel.ts"
import { pendingTurn, submittedTurns } from "../../engine/rules/panels/PanelTurns.ts"
import { precheck } from "../../engine/rules/moderation/Precheck.ts"
import { isWithinLimits, lint, suggestSplit, tidyScript, wordCount } from "../../engine/rules/segments/Script.ts"
import { Segments } from "../../engine/store/segments/Segments.ts"
import type { Broadcaster } from "../../schema/segments/Submission.ts"
import type { AgentId, ParticipantId, SegmentId, SessionId, TurnId, ShowId } from "../../schema/Ids.ts"
import type { PanelSession, SessionDraft } from "../../schema/panels/Panel.ts"
import { Busy, InvalidField, ScriptTooLong, AgentNotFound, ShowNotFound, Forbidden } from "../../schema/Problems.ts"
import { type Act, record } from "../runtime/audit.ts"
import { actorLayer } from "../runtime/actorLayer.ts"
import { transient } from "../runtime/EntityKinds.ts"
import { PanelProduction } from "./PanelProduction.ts"
import { type Moved, runStep, tellOf, wakeLater } from "./PanelSteps.ts"
import { Panel, type TurnTaken } from "./protocol/Panel.ts"
import { excerptHash } from "../moderation/excerptHash.ts"
import { activeAgent } from "../agents/activeAgent.ts"
import { type Fault, boundsOf, joinableUntilMs } from "../../engine/rules/panels/PanelDeadlines.ts"
import { Agents } from "../../engine/store/agents/Agents.ts"
import { PanelsWriter } from "../../engine/store/panels/Panels.ts"
import { Shows } from "../../engine/store/programmes/Shows.ts"
import { refuseFlagged, findFlaggedTexts } from "../moderation/TextChecks.ts"
import { StationConfig } from "../../engine/runtime/Config.ts"
import { behaviours, command, isDryRun } from "../runtime/Command.ts"
import { emit } from "../runtime/emit.ts"

interface Open {
  readonly commandKey: string
  readonly by: Broadcaster
  readonly showId: ShowId
  readonly draft: SessionDraft
}

const invalidField = (faults: ReadonlyArray<Fault>) =>
  new InvalidField({
    detail: faults.map(({ detail, pointer }) => `${pointer.slice(1)} ${detail}`).join("; "),
    errors: faults.map((fault) => ({ ...fault, code: "INVALID_FIELD" }))
  })

const isBounds = <B extends object>(bounds: B | ReadonlyArray<Fault>): bounds is B => !Array.isArray(bounds)

/** The invited agents with their seats. Fails for the host and for agents that aren't claimed. */
const guestsOf = Effect.fnUntraced(function* (invited: ReadonlyArray<string>, host: AgentId) {
  const agents = yield* Agents
  const ids = yield* IdSource
  return yield* Effect.forEach(
    new Set(invited),
    Effect.fnUntraced(function* (id) {
      if (id === host)
        return yield* invalidField([
          { pointer: "/invitedAgentIds", detail: "includes the host, who already has a seat" }
        ])
      const agent = yield* agents.find(id)
      if (agent?.status !== "claimed")
        return yield* new AgentNotFound({
          detail: `There is no agent ${id} to invite.`,
          errors: [{ pointer: "/invitedAgentIds", code: "AGENT_NOT_FOUND", detail: `unknown agent: ${id}` }]
        })
      return {
        agentId: agent.id,
        handle: agent.persona.handle,
        participantId: (yield* ids.make("part")) as ParticipantId
      }
    })
  )
})

/** Opens a session of a show. */
export const open = Effect.fnUntraced(function* ({ by, commandKey, draft, showId }: Open) {
  const panels = yield* PanelsWriter
  const ids = yield* IdSource
  const earlier = yield* panels.findByCommand(by.agentId, commandKey)
  if (earlier !== null) return earlier
  yield* activeAgent(by.agentId)
  const show = yield* (yield* Shows).findById(showId)
  if (show === null) return yield* new ShowNotFound({ detail: "There is no such show." })
  const nowMs = yield* Clock.currentTimeMillis
  const bounds = boundsOf(draft, nowMs)
  if (!isBounds(bounds)) return yield* invalidField(bounds)
  if (show.hostAgentId !== by.agentId)
    return yield* new Forbidden({ detail: "Only the show's host can open its sessions." })
  if (show.status !== "active")
    return yield* new Forbidden({ detail: `The show is ${show.status}: sessions are opened for active shows.` })
  // The texts are public at once and not reviewed.
  yield* refuseFlagged(
    "Nothing was opened: the title, topic or description is not allowed.",
    findFlaggedTexts({ "/title": draft.title, "/topic": draft.topic, "/description": draft.description })
  )
  const guests = yield* guestsOf(draft.invitedAgentIds, by.agentId)
  const { panelTurnMin } = yield* StationConfig
  const host = { agentId: by.agentId, handle: by.handle, participantId: (yield* ids.make("part")) as ParticipantId }
  const id = (yield* ids.make("ses")) as SessionId
  const turnId = (yield* ids.make("turn")) as TurnId
  return yield* command({
    run: Effect.gen(function* () {
      const running = yield* panels.holdHost(by.agentId)
      const repeated = yield* panels.findByCommand(by.agentId, commandKey)
      if (repeated !== null) return repeated
      if (running >= sessionsOpenMax)
        return yield* new Forbidden({
          detail: `${sessionsOpenMax} of your sessions are open. Produce or close one first.`
        })
      const { happened, session } = openSession(
        { id, show, host, guests, draft, bounds, turnDeadlineMin: panelTurnMin },
        { nowMs, turnId }
      )
      yield* panels.add(session, joinableUntilMs(session), commandKey)
      yield* wakeLater(session)
      const about = { sessionId: id, title: session.title }
      yield* Effect.forEach(guests, ({ agentId }) => emit({ _tag: "SessionInvited", ...about, agentId }), {
        discard: true
      })
      yield* Effect.forEach(happened, (happening) => tellOf(session, happening), { discard: true })
      // Every agent sees an open call at home; these agents also get an event.
      const seated = new Set<string>(session.participants.map(({ agentId }) => agentId))
      const listening = session.isOpenCall ? yield* panels.listListening(openCallToldMax) : []
      yield* Effect.forEach(
        listening.filter((agentId) => !seated.has(agentId)),
        (agentId) => emit({ _tag: "SessionOpened", ...about, agentId }),
        { discard: true }
      )
      return session
    })
  })
})

interface Sent<Payload> {
  readonly payload: Payload
}
interface Command {
  readonly commandKey: string
  readonly by: Broadcaster
}
const just = (asked: PanelCommand) => () => Effect.succeed(asked)
const identity = (session: PanelSession) => session
const claim = Effect.fnUntraced(function* (id: SessionId, { by }: Command) {
  yield* activeAgent(by.agentId)
  const participantId = (yield* (yield* IdSource).make("part")) as ParticipantId
  return yield* runStep<
    "NOT_OPEN_CALL" | "SESSION_FULL" | "HOST_CANNOT_CLAIM" | "GUEST_DEADLINE_EXPIRED" | "SESSION_NOT_ACCEPTING"
  >()(id, just({ _tag: "Claim", by: by.agentId, handle: by.handle, participantId }), identity)
})
const start = Effect.fnUntraced(function* (id: SessionId, { by }: Command) {
  yield* activeAgent(by.agentId)
  return yield* runStep<"FORBIDDEN" | "SESSION_NOT_STARTABLE">()(id, just({ _tag: "Start", by: by.agentId }), identity)
})
const done = Effect.fnUntraced(function* (id: SessionId, { by }: Command) {
  yield* activeAgent(by.agentId)
  return yield* runStep<"FORBIDDEN" | "INSUFFICIENT_TURNS">()(id, just({ _tag: "Done", by: by.agentId }), identity)
})
/** Checks a turn's script. Fails with ScriptTooLong or InvalidField. */
const readScript = Effect.fnUntraced(function* (sent: string) {
  const script = tidyScript(sent)
  if (wordCount(script) > turnWordsMax || !isWithinLimits(script, false)) {
    return yield* new ScriptTooLong({
      detail: `A turn has at most ${turnWordsMax} words; this one has ${wordCount(script)}. Submit the parts of suggestedSplit as separate turns.`,
      suggestedSplit: suggestSplit(sent)
    })
  }
  const faults = lint(script)
  if (faults[0] !== undefined)
    return yield* new InvalidField({
      detail: faults[0].detail,
      errors: faults.map(({ code, detail }) => ({ pointer: "/scriptText", code, detail }))
    })
  return script
})
const turnTakenOf = (session: PanelSession, commandKey: string): TurnTaken => ({
  turn: turnOf(session, commandKey)!,
  next: pendingTurn(session),
  status: session.status,
  submitted: submittedTurns(session).length,
  handles: Object.fromEntries(session.participants.map(({ handle, participantId }) => [participantId, handle]))
})
const submitTurn = Effect.fnUntraced(function* (
  id: SessionId,
  {
    by,
    commandKey,
    scriptText,
    turnId,
    turnIndex
  }: Command & { readonly scriptText: string; readonly turnId: string | null; readonly turnIndex: number | null }
) {
  yield* activeAgent(by.agentId)
  const script = yield* readScript(scriptText)
  const segmentId = (yield* (yield* IdSource).make("seg")) as SegmentId
  // No duplicate check: a conversation may repeat words.
  const { flags } = precheck(script, excerptHash)
  return yield* runStep<"CONTENT_REJECTED" | "FORBIDDEN" | "TURN_NOT_PENDING">()(
    id,
    just({ _tag: "Submit", by: by.agentId, commandKey, turnId, turnIndex, scriptText: script, flags, segmentId }),
    (session) => turnTakenOf(session, commandKey)
  )
})
const busy = (detail: string) => new Busy({ detail, retryAfterSec: produceRetrySec })
/** Produces the panel. Segment, recording and session state are stored in one transaction. */
const stitch = Effect.fnUntraced(function* (asked: PanelSession, by: Broadcaster) {
  const production = yield* PanelProduction
  const produced = yield* production.produce(asked).pipe(
    Effect.catchTags({
      Unvoiced: ({ detail }) => Effect.fail(busy(detail)),
      VoicingBusy: ({ detail }) => Effect.fail(busy(detail))
    })
  )
  const { assetId, durationSec } = produced
  return yield* runStep<"FORBIDDEN" | "INSUFFICIENT_TURNS" | "SESSION_NOT_READY_TO_PRODUCE">()(
    asked.id,
    (session) =>
      Effect.gen(function* () {
        const made =
          session.status === "ready_to_produce"
            ? { segmentId: yield* production.enter(session, produced), assetId, durationSec }
            : null
        return { _tag: "Produce" as const, by: by.agentId, made }
      }),
    identity
  )
})
const produce = Effect.fnUntraced(function* (id: SessionId, { by }: Command, scope: Scope.Scope) {
  yield* activeAgent(by.agentId)
  const isDry = yield* isDryRun
  const session = yield* runStep<"FORBIDDEN" | "INSUFFICIENT_TURNS" | "SESSION_NOT_READY_TO_PRODUCE">()(
    id,
    just({ _tag: "Produce", by: by.agentId, made: null }),
    identity,
    { isLook: !isDry }
  )
  if (session.status === "stitched" || isDry) return session
  const making = yield* Effect.forkIn(stitch(session, by), scope)
  const made = yield* Effect.timeoutOption(Fiber.join(making), producePatienceMs)
  return Option.isSome(made)
    ? made.value
    : yield* busy("The audio is still being produced. Send the request again; nothing is done twice.")
})
const settleVoiced = Effect.fnUntraced(
  function* (id: SessionId, turnId: TurnId, durationSec: number) {
    const segments = yield* Segments
    yield* runStep<never>()(
      id,
      (session) =>
        Effect.gen(function* () {
          const segmentId = session.turns.find((turn) => turn.turnId === turnId)?.segmentId ?? null
          const segment = segmentId === null ? null : yield* segments.find(segmentId)
          return { _tag: "Voiced" as const, turnId, durationSec, assetId: segment?.assetId ?? null }
        }),
      () => undefined
    )
  },
  Effect.catchTag("NotFound", () => Effect.void)
)
/** Records an operator's change with the state before and after. */
const auditChange =
  (action: string, { actor, reason }: Act) =>
  ({ before, session }: Moved) => {
    const auditViewOf = ({ guestDeadlineMs, hardDeadlineMs, participants, status, turns }: PanelSession) => ({
      status,
      guestDeadlineMs,
      hardDeadlineMs,
      turnDueMs: pendingTurn({ turns })?.dueAtMs ?? null,
      seated: participants.filter((one) => !one.done).map(({ handle }) => handle)
    })
    return record(
      { actor, reason },
      `session.${action}`,
      { type: "session", id: session.id },
      auditViewOf(before),
      auditViewOf(session)
    )
  }
/** Runs a command and ignores an unknown session. */
const runQuietly = (id: SessionId, asked: PanelCommand) =>
  Effect.catchTag(Effect.asVoid(runStep<never>()(id, just(asked), () => undefined)), "NotFound", () => Effect.void)
/** One panel session. All its state is in the store. */
const PanelActor = actorLayer(
  Panel,
  Effect.gen(function* () {
    const id = (yield* Entity.CurrentAddress).entityId as unknown as SessionId
    const scope = yield* Effect.scope
    const { lookAgain } = yield* PanelProduction
    const all = yield* behaviours(Panel, {
      Open: ({ payload }: Sent<Parameters<typeof open>[0]>) => open(payload),
      Claim: ({ payload }: Sent<Command>) => claim(id, payload),
      Start: ({ payload }: Sent<Command>) => start(id, payload),
      SubmitTurn: ({ payload }: Sent<Parameters<typeof submitTurn>[1]>) => submitTurn(id, payload),
      Done: ({ payload }: Sent<Command>) => done(id, payload),
      Produce: ({ payload }: Sent<Command>) => produce(id, payload, scope),
      TurnVoiced: ({ payload }: Sent<{ readonly turnId: TurnId; readonly durationSec: number }>) =>
        Effect.asVoid(Effect.andThen(settleVoiced(id, payload.turnId, payload.durationSec), lookAgain(id))),
      TurnUnvoiced: ({ payload }: Sent<{ readonly turnId: TurnId; readonly detail: string }>) =>
        Effect.asVoid(Effect.andThen(runQuietly(id, { _tag: "Unvoiced", ...payload }), lookAgain(id))),
      Wake: () => runQuietly(id, { _tag: "Wake" }),
      Leave: ({ payload }: Sent<{ readonly agentId: AgentId }>) =>
        runQuietly(id, { _tag: "Leave", by: payload.agentId }),
      Extend: ({
        payload: { actor, reason, ...to }
      }: Sent<Act & Omit<Extract<PanelCommand, { readonly _tag: "Extend" }>, "_tag">>) =>
        runStep<"INVALID_FIELD" | "SUBJECT_CONFLICT">()(id, just({ _tag: "Extend", ...to }), identity, {
          afterMove: auditChange("extend", { actor, reason })
        }),
      Close: ({ payload }: Sent<Act>) =>
        runStep<never>()(id, just({ _tag: "Close" }), identity, { afterMove: auditChange("close", payload) }),
      RemoveSeat: ({ payload: { participantId, ...act } }: Sent<Act & { readonly participantId: ParticipantId }>) =>
        runStep<"NOT_FOUND" | "SUBJECT_CONFLICT">()(id, just({ _tag: "RemoveSeat", participantId }), identity, {
          afterMove: auditChange("remove_seat", act)
        })
    })
    // Producing is slow and runs outside the mailbox.
    return Panel.of({ ...all, Produce: (message) => Rpc.fork(all.Produce(message)) })
  }),
  transient
)
export const PanelLive = PanelActor.pipe(Layer.provide(PanelProduction.layer))
