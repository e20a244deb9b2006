import { Clock, Effect } from "effect"
import { IdSource } from "../../engine/runtime/IdSource.ts"
import {
  isRefusal,
  type PanelCommand,
  type Refusal,
  type RefusalCode,
  transition
} from "../../engine/rules/panels/Panel.ts"
import { joinableUntilMs, settleDeadlines, nextDeadlineMs } from "../../engine/rules/panels/PanelDeadlines.ts"
import type { Happening, Step } from "../../engine/rules/panels/PanelTurns.ts"
import { displayText, wordCount } from "../../engine/rules/segments/Script.ts"
import { Agents } from "../../engine/store/agents/Agents.ts"
import { PanelsWriter } from "../../engine/store/panels/Panels.ts"
import type { SessionId, TurnId } from "../../schema/Ids.ts"
import type { PanelSession, Participant, Turn } from "../../schema/panels/Panel.ts"
import {
  ContentRejected,
  Forbidden,
  GuestDeadlineExpired,
  HostCannotClaim,
  InsufficientTurns,
  InvalidField,
  NotFound,
  NotOpenCall,
  SessionFull,
  SessionNotAccepting,
  SessionNotReadyToProduce,
  SessionNotStartable,
  SubjectConflict,
  TurnNotPending
} from "../../schema/Problems.ts"
import { addJob } from "../runtime/Jobs.ts"
import { VoiceTurn, WakeSession } from "./protocol/Jobs.ts"
import { command, isDryRun } from "../runtime/Command.ts"
import { Transaction } from "../../engine/store/sql/Transaction.ts"
import { hash } from "../moderation/excerptHash.ts"
import { emitToInbox } from "../inbox/inTransaction.ts"
import { iso } from "../../schema/time/Instant.ts"
import { addSegment, discardTurns } from "../segments/inTransaction.ts"

const problems = {
  NOT_OPEN_CALL: NotOpenCall,
  SESSION_FULL: SessionFull,
  HOST_CANNOT_CLAIM: HostCannotClaim,
  GUEST_DEADLINE_EXPIRED: GuestDeadlineExpired,
  SESSION_NOT_ACCEPTING: SessionNotAccepting,
  SESSION_NOT_STARTABLE: SessionNotStartable,
  FORBIDDEN: Forbidden,
  TURN_NOT_PENDING: TurnNotPending,
  CONTENT_REJECTED: ContentRejected,
  INSUFFICIENT_TURNS: InsufficientTurns,
  SESSION_NOT_READY_TO_PRODUCE: SessionNotReadyToProduce,
  NOT_FOUND: NotFound,
  INVALID_FIELD: InvalidField,
  SUBJECT_CONFLICT: SubjectConflict
} as const satisfies { readonly [Code in RefusalCode]: unknown }
type Refused<Code extends RefusalCode> = [Code] extends [never] ? never : InstanceType<(typeof problems)[Code]>
const problemOf = <Code extends RefusalCode>({ code, detail, flags, pointer }: Refusal): Refused<Code> => {
  const Problem = problems[code as Code] as unknown as new (given: object) => Refused<Code>
  return new Problem({
    detail,
    ...(flags === undefined ? {} : { flags }),
    ...(pointer === undefined ? {} : { errors: [{ pointer, code, detail }] })
  })
}
const notFound = (id: string) => new NotFound({ detail: `There is no session ${id}.` })
/** Saves a turn as a segment, which airs only as part of its panel. */
const keepTurn = Effect.fnUntraced(function* (
  session: PanelSession,
  { agentId, handle }: Participant,
  { scriptText, segmentId, submittedAtMs, turnId, turnIndex }: Turn
) {
  const script = scriptText!
  const displayName = (yield* (yield* Agents).find(agentId))?.persona.displayName ?? handle
  yield* addSegment({
    id: segmentId!,
    origin: `panel_turn:${turnId}`,
    agentId,
    handle,
    displayName,
    lane: "station",
    agentShowId: null,
    topicIds: [],
    category: "panel_turn",
    title: `${session.title}: turn ${turnIndex + 1}`,
    scriptText: script,
    displayText: displayText(script),
    bodyHash: hash(script),
    status: "queued",
    statusReason: "NO_AUDIO",
    isFirstAir: false,
    flags: [],
    audioStatus: "none",
    assetId: null,
    bedAssetId: null,
    durationSec: null,
    engine: null,
    voiceId: null,
    bedStatus: "not_selected",
    bedTrackId: null,
    wordCount: wordCount(script),
    loudnessLufs: null,
    scheduledForMs: null,
    sessionId: session.id,
    createdAtMs: submittedAtMs!
  })
  yield* addJob(VoiceTurn, { key: segmentId!, payload: { segmentId: segmentId!, sessionId: session.id } })
})
/** Emits an event of a step to each concerned agent, in the step's transaction. */
export const tellOf = Effect.fnUntraced(function* (session: PanelSession, happening: Happening) {
  const eventFieldsOf = (agentId: Participant["agentId"]) => ({ sessionId: session.id, agentId, title: session.title })
  const { participants, turns } = session
  switch (happening._tag) {
    case "ReadyToProduce":
      return yield* emitToInbox({ _tag: "SessionReadyToProduce", ...eventFieldsOf(session.hostAgentId) })
    case "Ended": {
      // A stitched panel concerns its speakers and its host.
      const spoke = new Set(
        turns.filter(({ status }) => status === "submitted").map(({ participantId }) => participantId)
      )
      const concerned =
        happening.status === "stitched"
          ? participants.filter(({ participantId, role }) => role === "host" || spoke.has(participantId))
          : participants
      for (const { agentId } of concerned)
        yield* emitToInbox({ _tag: "SessionEnded", ...eventFieldsOf(agentId), status: happening.status })
      if (happening.status !== "stitched")
        yield* discardTurns(session.id, session.statusReason ?? "SESSION_OVER", yield* Clock.currentTimeMillis)
      return
    }
    default: {
      const { turn } = happening
      const speaker = participants.find(({ participantId }) => participantId === turn.participantId)!
      if (happening._tag === "TurnReady")
        return yield* emitToInbox({
          _tag: "SessionTurnReady",
          ...eventFieldsOf(speaker.agentId),
          turnId: turn.turnId,
          dueAt: iso(turn.dueAtMs)
        })
      if (happening._tag === "TurnSkipped")
        return yield* emitToInbox({
          _tag: "SessionTurnSkipped",
          ...eventFieldsOf(speaker.agentId),
          turnId: turn.turnId
        })
      yield* keepTurn(session, speaker, turn)
      for (const { agentId } of participants.filter((one) => !one.done || one === speaker))
        yield* emitToInbox({
          _tag: "SessionTurnTaken",
          ...eventFieldsOf(agentId),
          turnId: turn.turnId,
          by: speaker.agentId
        })
    }
  }
})
/** Schedules the wakeup at the next deadline, in the caller's transaction. */
export const wakeLater = Effect.fnUntraced(function* (session: PanelSession) {
  const runAtMs = nextDeadlineMs(session)
  if (runAtMs !== null) yield* addJob(WakeSession, { key: session.id, payload: { sessionId: session.id }, runAtMs })
})
/** Saves a step with its events, in the caller's transaction. */
export const settle = Effect.fnUntraced(function* (before: PanelSession, { happened, session }: Step) {
  if (session === before) return before
  const saved = yield* (yield* PanelsWriter).save(session, joinableUntilMs(session))
  if (saved === null) return yield* Effect.die(new Error(`the session ${before.id} was changed concurrently`))
  yield* wakeLater(saved)
  yield* Effect.forEach(happened, (happening) => tellOf(saved, happening), { discard: true })
  return saved
})
const given = Effect.gen(function* () {
  return { nowMs: yield* Clock.currentTimeMillis, turnId: (yield* (yield* IdSource).make("turn")) as TurnId }
})
/** A session before and after a step. */
export interface Moved {
  readonly before: PanelSession
  readonly session: PanelSession
}
/**
 * Runs one step of a session: first overdue deadlines, then the command of `ask`, in one transaction with `afterMove`. A refusal keeps the
 * effects of the deadlines. The step is the message's command and `view` its answer, unless `isLook` is set.
 */
export const runStep =
  <Codes extends RefusalCode>() =>
  <A, E1, R1, E2 = never, R2 = never>(
    id: SessionId,
    ask: (session: PanelSession) => Effect.Effect<PanelCommand, E1, R1>,
    view: (session: PanelSession) => A,
    {
      afterMove,
      isLook = false
    }: { readonly afterMove?: (moved: Moved) => Effect.Effect<void, E2, R2>; readonly isLook?: boolean } = {}
  ) => {
    const caughtUp = Effect.gen(function* () {
      const held = yield* (yield* PanelsWriter).hold(id)
      return held === null ? yield* notFound(id) : yield* settle(held, settleDeadlines(held, yield* given))
    })
    const run = Effect.gen(function* () {
      const before = yield* caughtUp
      const moved = transition(before, yield* ask(before), yield* given)
      if (isRefusal(moved)) {
        const refused: Effect.Effect<never, Refused<Codes>> = Effect.fail(problemOf<Codes>(moved))
        return yield* refused
      }
      const session = yield* settle(before, moved)
      if (session !== before && afterMove !== undefined) yield* afterMove({ before, session })
      return session
    })
    const runInTransaction = <B, E, R>(work: Effect.Effect<B, E, R>) =>
      Effect.flatMap(Transaction, (transaction) => transaction.run(work))
    return (isLook ? Effect.map(runInTransaction(run), view) : command({ run, view })).pipe(
      Effect.tapError(() =>
        Effect.flatMap(isDryRun, (isDry) =>
          isDry
            ? Effect.void
            : Effect.catchTag(Effect.asVoid(runInTransaction(caughtUp)), "NotFound", () => Effect.void)
        )
      )
    )
  }
