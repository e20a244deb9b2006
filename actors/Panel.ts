import { Effect, Fiber, Layer, Option, type Scope } from "effect"
import { Entity } from "effect/cluster"
import { Rpc } from "effect/rpc"
import { Ids } from "../engine/Ids.ts"
import { producePatienceMs, produceRetrySec, turnWordsMax } from "../engine/Limits.ts"
import { type PanelCommand, turnOf } from "../engine/rules/Panel.ts"
import { pendingTurn, submittedTurns } from "../engine/rules/PanelTurns.ts"
import { precheck } from "../engine/rules/Precheck.ts"
import { fits, lint, suggestedSplit, tidied, wordCount } from "../engine/rules/Script.ts"
import { Segments } from "../engine/store/Segments.ts"
import type { Broadcaster } from "../schema/Broadcast.ts"
import type { AgentId, ParticipantId, SegmentId, SessionId, TurnId } from "../schema/Ids.ts"
import type { PanelSession } from "../schema/Panel.ts"
import { Busy, InvalidField, ScriptTooLong } from "../schema/Problems.ts"
import { type Act, record } from "./Auditing.ts"
import { countedAll } from "./Counting.ts"
import { transient } from "./Kinds.ts"
import { open } from "./PanelOpening.ts"
import { PanelProduction } from "./PanelProduction.ts"
import { PanelSpeech } from "./PanelSpeech.ts"
import { type Moved, stepped } from "./PanelSteps.ts"
import { Panel, type TurnTaken } from "./protocol/Panel.ts"
import { excerptHash } from "./Submission.ts"
import { atLarge } from "./Writing.ts"

interface Sent<Payload> {
  readonly payload: Payload
}

interface Command {
  readonly commandKey: string
  readonly by: Broadcaster
  readonly dryRun: boolean
}

const only = (command: PanelCommand) => () => Effect.succeed(command)
const shown = <E, R>(step: Effect.Effect<Moved, E, R>) => Effect.map(step, ({ session }) => session)

const claim = Effect.fn("Panel.claim")(function*(id: SessionId, { by, dryRun }: Command) {
  yield* atLarge(by.agentId)
  const participantId = (yield* (yield* Ids).make("part")) as ParticipantId
  return yield* shown(stepped<"NOT_OPEN_CALL" | "SESSION_FULL" | "HOST_CANNOT_CLAIM" | "GUEST_DEADLINE_EXPIRED" | "SESSION_NOT_ACCEPTING">()(id, only({ _tag: "Claim", by: by.agentId, handle: by.handle, participantId }), { dryRun }))
})

const start = Effect.fn("Panel.start")(function*(id: SessionId, { by, dryRun }: Command) {
  yield* atLarge(by.agentId)
  return yield* shown(stepped<"FORBIDDEN" | "SESSION_NOT_STARTABLE">()(id, only({ _tag: "Start", by: by.agentId }), { dryRun }))
})

const done = Effect.fn("Panel.done")(function*(id: SessionId, { by, dryRun }: Command) {
  yield* atLarge(by.agentId)
  return yield* shown(stepped<"FORBIDDEN" | "INSUFFICIENT_TURNS">()(id, only({ _tag: "Done", by: by.agentId }), { dryRun }))
})

/** What can be said against a turn by reading it, whoever's turn it is. */
const read = Effect.fnUntraced(function*(sent: string) {
  const script = tidied(sent)
  if (wordCount(script) > turnWordsMax || !fits(script, false)) {
    return yield* new ScriptTooLong({ detail: `A turn has at most ${turnWordsMax} words; this one has ${wordCount(script)}. Hand in the parts of suggestedSplit as turns of their own.`, suggestedSplit: suggestedSplit(sent) })
  }
  const faults = lint(script)
  if (faults[0] !== undefined) return yield* new InvalidField({ detail: faults[0].detail, errors: faults.map(({ code, detail }) => ({ pointer: "/scriptText", code, detail })) })
  return script
})

const takenTurn = (session: PanelSession, commandKey: string): TurnTaken => ({
  turn: turnOf(session, commandKey)!, next: pendingTurn(session), status: session.status, submitted: submittedTurns(session).length,
  handles: Object.fromEntries(session.participants.map(({ handle, participantId }) => [participantId, handle]))
})

const submitTurn = Effect.fn("Panel.submitTurn")(function*(id: SessionId, { by, commandKey, dryRun, scriptText, turnId, turnIndex }: Command & { readonly scriptText: string; readonly turnId: string | null; readonly turnIndex: number | null }) {
  yield* atLarge(by.agentId)
  const script = yield* read(scriptText)
  const segmentId = (yield* (yield* Ids).make("seg")) as SegmentId
  // In a conversation, the same words may be said again.
  const { flags } = precheck(script, excerptHash)
  const { session } = yield* stepped<"CONTENT_REJECTED" | "FORBIDDEN" | "TURN_NOT_PENDING">()(id, only({ _tag: "Submit", by: by.agentId, commandKey, turnId, turnIndex, scriptText: script, flags, segmentId }), { dryRun })
  return takenTurn(session, commandKey)
})

const notYet = (detail: string) => new Busy({ detail, retryAfterSec: produceRetrySec })

/** Once its sound is made, whoever still waits for it: the segment, the recording and the state are there together, or not at all. */
const stitched = Effect.fnUntraced(function*(asked: PanelSession, by: Broadcaster) {
  const production = yield* PanelProduction
  const produced = yield* production.produce(asked).pipe(Effect.catchTags({ Unvoiced: ({ detail }) => Effect.fail(notYet(detail)), VoicingBusy: ({ detail }) => Effect.fail(notYet(detail)) }))
  const { assetId, durationSec } = produced
  return yield* shown(stepped<"FORBIDDEN" | "INSUFFICIENT_TURNS" | "SESSION_NOT_READY_TO_PRODUCE">()(asked.id, (session) => Effect.gen(function*() {
    const made = session.status === "ready_to_produce" ? { segmentId: yield* production.enter(session, produced), assetId, durationSec } : null
    return { _tag: "Produce" as const, by: by.agentId, made }
  })))
})

const produce = Effect.fn("Panel.produce")(function*(id: SessionId, { by, dryRun }: Command, scope: Scope.Scope) {
  yield* atLarge(by.agentId)
  const { session } = yield* stepped<"FORBIDDEN" | "INSUFFICIENT_TURNS" | "SESSION_NOT_READY_TO_PRODUCE">()(id, only({ _tag: "Produce", by: by.agentId, made: null }), { dryRun })
  if (session.status === "stitched" || dryRun) return session
  const making = yield* Effect.forkIn(stitched(session, by), scope)
  const made = yield* Effect.timeoutOption(Fiber.join(making), producePatienceMs)
  return Option.isSome(made) ? made.value : yield* notYet("Its sound is still being made, and goes on being made. Ask again: nothing is done twice.")
})

const voiced = Effect.fn("Panel.voiced")(function*(id: SessionId, turnId: TurnId, durationSec: number) {
  const segments = yield* Segments
  yield* stepped<never>()(id, (session) => Effect.gen(function*() {
    const segmentId = session.turns.find((turn) => turn.turnId === turnId)?.segmentId ?? null
    const segment = segmentId === null ? null : yield* segments.find(segmentId)
    return { _tag: "Voiced" as const, turnId, durationSec, assetId: segment?.assetId ?? null }
  }))
}, Effect.catchTag("NotFound", () => Effect.void))

/** What an operator did to it, with how it stood before and stands now. */
const audited = (action: string, { actor, reason }: Act) => ({ before, session }: Moved) => {
  const noted = ({ guestDeadlineMs, hardDeadlineMs, participants, status, turns }: PanelSession) =>
    ({ status, guestDeadlineMs, hardDeadlineMs, turnDueMs: pendingTurn({ turns })?.dueAtMs ?? null, seated: participants.filter((one) => !one.done).map(({ handle }) => handle) })
  return record({ actor, reason }, `session.${action}`, { type: "session", id: session.id }, noted(before), noted(session))
}

/** What is told to a session that isn't there concerns nobody. */
const told = (id: SessionId, command: PanelCommand) => Effect.catchTag(Effect.asVoid(stepped<never>()(id, only(command))), "NotFound", () => Effect.void)

/** One panel. It keeps nothing in memory that isn't in the store: whoever answers next knows as much. */
const PanelActor = Panel.toLayer(Effect.gen(function*() {
  const id = (yield* Entity.CurrentAddress).entityId as unknown as SessionId
  const scope = yield* Effect.scope
  const behaviours = countedAll("Panel", {
    Open: ({ payload }: Sent<Parameters<typeof open>[0]>) => open(payload),
    Claim: ({ payload }: Sent<Command>) => claim(id, payload),
    Start: ({ payload }: Sent<Command>) => start(id, payload),
    SubmitTurn: ({ payload }: Sent<Parameters<typeof submitTurn>[1]>) => submitTurn(id, payload),
    Done: ({ payload }: Sent<Command>) => done(id, payload),
    Produce: ({ payload }: Sent<Command>) => produce(id, payload, scope),
    TurnVoiced: ({ payload }: Sent<{ readonly turnId: TurnId; readonly durationSec: number }>) => voiced(id, payload.turnId, payload.durationSec),
    TurnUnvoiced: ({ payload }: Sent<{ readonly turnId: TurnId; readonly detail: string }>) => told(id, { _tag: "Unvoiced", ...payload }),
    Wake: () => told(id, { _tag: "Wake" }),
    Leave: ({ payload }: Sent<{ readonly agentId: AgentId }>) => told(id, { _tag: "Leave", by: payload.agentId }),
    Extend: ({ payload: { actor, reason, ...to } }: Sent<Act & Omit<Extract<PanelCommand, { readonly _tag: "Extend" }>, "_tag">>) =>
      shown(stepped<"INVALID_FIELD" | "SUBJECT_CONFLICT">()(id, only({ _tag: "Extend", ...to }), { follows: audited("extend", { actor, reason }) })),
    Close: ({ payload }: Sent<Act>) => shown(stepped<never>()(id, only({ _tag: "Close" }), { follows: audited("close", payload) })),
    RemoveSeat: ({ payload: { participantId, ...act } }: Sent<Act & { readonly participantId: ParticipantId }>) =>
      shown(stepped<"NOT_FOUND" | "SUBJECT_CONFLICT">()(id, only({ _tag: "RemoveSeat", participantId }), { follows: audited("remove_seat", act) }))
  })
  // Sound takes its time: meanwhile others are heard.
  return Panel.of({ ...behaviours, Produce: (message) => Rpc.fork(behaviours.Produce(message)) })
}), transient)

export const PanelLive = PanelActor.pipe(Layer.provide(Layer.mergeAll(PanelProduction.layer, PanelSpeech.layer)))
