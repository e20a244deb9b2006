import type { AgentId, TurnId } from "../../../schema/Ids.ts"
import {
  PanelSession,
  type Participant,
  type SessionReason,
  type SessionStatus,
  type Turn
} from "../../../schema/panels/Panel.ts"
import { turnsMissedMax } from "./limits.ts"

/** Events of a step, in order. */
export type Happening =
  | { readonly _tag: "TurnReady" | "TurnTaken" | "TurnSkipped"; readonly turn: Turn }
  | { readonly _tag: "ReadyToProduce" }
  | { readonly _tag: "Ended"; readonly status: "stitched" | "expired" | "cancelled" }

export interface Step {
  readonly session: PanelSession
  readonly happened: ReadonlyArray<Happening>
}

/** The current time, and the id for a new turn. A step begins at most one turn. */
export interface Given {
  readonly nowMs: number
  readonly turnId: TurnId
}

export const keepSession = (session: PanelSession): Step => ({ session, happened: [] })

export const changeSession = (session: PanelSession, change: Partial<PanelSession>): PanelSession =>
  PanelSession.make({ ...session, ...change })

export const pendingTurn = ({ turns }: Pick<PanelSession, "turns">): Turn | null =>
  turns.find(({ status }) => status === "pending") ?? null

export const submittedTurns = ({ turns }: Pick<PanelSession, "turns">): ReadonlyArray<Turn> =>
  turns.filter(({ status }) => status === "submitted")

export const participantOf = (
  { participants }: Pick<PanelSession, "participants">,
  agentId: AgentId
): Participant | null => participants.find((one) => one.agentId === agentId) ?? null

export const hostOf = ({ participants }: PanelSession): Participant => participants.find(({ role }) => role === "host")!

export const guestsOf = ({ participants }: PanelSession): ReadonlyArray<Participant> =>
  participants.filter(({ role }) => role === "guest")

export const freeSeats = (session: PanelSession): number =>
  session.maxGuests - guestsOf(session).filter(({ done }) => !done).length

export const isOver = (status: SessionStatus): boolean =>
  status === "stitched" || status === "expired" || status === "cancelled"

/** Whether every turn has its sound, or never will. */
export const isSounded = (session: PanelSession): boolean =>
  submittedTurns(session).every(({ unvoiced, voiced }) => voiced || unvoiced !== null)

export const withParticipant = (
  session: PanelSession,
  participantId: string,
  change: Partial<Participant>
): PanelSession =>
  changeSession(session, {
    participants: session.participants.map((one) => (one.participantId === participantId ? { ...one, ...change } : one))
  })

export const withTurn = (session: PanelSession, turnId: string, change: Partial<Turn>): PanelSession =>
  changeSession(session, {
    turns: session.turns.map((turn) => (turn.turnId === turnId ? { ...turn, ...change } : turn))
  })

/** Participants who take turns, by seat. A host who lost the chair is asked again only if nobody else is left. */
const speakers = (session: PanelSession): ReadonlyArray<Participant> => {
  const guests = guestsOf(session).filter(({ done }) => !done)
  const host = hostOf(session)
  return guests.length === 0 || host.missedInARow < turnsMissedMax ? [host, ...guests] : guests
}

/** Asks the participant after `seat`. A host alone after two missed turns has until the hard deadline. */
const askNext = (session: PanelSession, seat: number, { nowMs, turnId }: Given): Step => {
  const circle = [...speakers(session)].sort((a, b) => a.seat - b.seat)
  const speaker = circle.find((one) => one.seat > seat) ?? circle[0]!
  const dueAtMs =
    speaker.role === "host" && speaker.missedInARow >= turnsMissedMax
      ? session.hardDeadlineMs
      : Math.min(nowMs + session.turnDeadlineMin * 60_000, session.hardDeadlineMs)
  const turn: Turn = {
    turnId,
    turnIndex: session.turns.length,
    participantId: speaker.participantId,
    status: "pending",
    commandKey: null,
    scriptText: null,
    segmentId: null,
    durationSec: null,
    assetId: null,
    voiced: false,
    unvoiced: null,
    dueAtMs,
    submittedAtMs: null
  }
  return {
    session: changeSession(session, { turns: [...session.turns, turn] }),
    happened: [{ _tag: "TurnReady", turn }]
  }
}

/** The pending turn is dropped. */
const dropPendingTurn = (session: PanelSession): Step => {
  const pending = pendingTurn(session)
  if (pending === null) return keepSession(session)
  return {
    session: withTurn(session, pending.turnId, { status: "skipped" }),
    happened: [{ _tag: "TurnSkipped", turn: { ...pending, status: "skipped" } }]
  }
}

const continueWith = ({ happened, session }: Step, next: (session: PanelSession) => Step): Step => {
  const step = next(session)
  return { session: step.session, happened: [...happened, ...step.happened] }
}

/** The panel can be produced now. */
export const finishRecording = (session: PanelSession, { nowMs }: Given): Step =>
  continueWith(dropPendingTurn(session), (left) => ({
    session: changeSession(left, { status: "ready_to_produce", closedAtMs: left.closedAtMs ?? nowMs }),
    happened: [{ _tag: "ReadyToProduce" }]
  }))

/** The session ends without a panel. */
export const endSession = (
  session: PanelSession,
  status: "expired" | "cancelled",
  statusReason: SessionReason,
  { nowMs }: Given
): Step =>
  continueWith(dropPendingTurn(session), (left) => ({
    session: changeSession(left, { status, statusReason, closedAtMs: left.closedAtMs ?? nowMs }),
    happened: [{ _tag: "Ended", status }]
  }))

const isComplete = (session: PanelSession): boolean => {
  const submitted = submittedTurns(session).length
  const guests = guestsOf(session)
  return (
    submitted >= session.maxTurns ||
    (guests.length > 0 && guests.every(({ done }) => done) && submitted >= session.minTurns)
  )
}

/** Continues after the turn at `seat` is settled: the next turn, or the end of the recording. */
const advance = (session: PanelSession, seat: number, given: Given): Step =>
  !isComplete(session)
    ? pendingTurn(session) === null
      ? askNext(session, seat, given)
      : keepSession(session)
    : isSounded(session)
      ? finishRecording(session, given)
      : continueWith(dropPendingTurn(session), (left) =>
          keepSession(changeSession(left, { status: "complete", closedAtMs: given.nowMs }))
        )

/** Recording begins with the host. */
export const beginRecording = (session: PanelSession, given: Given): Step =>
  advance(changeSession(session, { status: "recording" }), -1, given)

/** A turn was missed. Two in a row remove a guest; a host is skipped as long as there are guests. */
export const missTurn = (session: PanelSession, given: Given): Step => {
  const pending = pendingTurn(session)
  if (pending === null) return keepSession(session)
  const who = session.participants.find(({ participantId }) => participantId === pending.participantId)!
  const missedInARow = who.missedInARow + 1
  const after = withParticipant(session, who.participantId, {
    missedTurns: who.missedTurns + 1,
    missedInARow,
    done: who.done || (who.role === "guest" && missedInARow >= turnsMissedMax)
  })
  return continueWith(dropPendingTurn(after), (left) => advance(left, who.seat, given))
}

/** A guest withdraws. Its pending turn passes to the next participant. */
export const withdrawGuest = (session: PanelSession, guest: Participant, given: Given): Step => {
  if (guest.done) return keepSession(session)
  const left = withParticipant(session, guest.participantId, { done: true, invited: false })
  if (session.status !== "recording") return keepSession(left)
  return continueWith(
    pendingTurn(left)?.participantId === guest.participantId ? dropPendingTurn(left) : keepSession(left),
    (rest) => advance(rest, guest.seat, given)
  )
}

/** A turn was submitted. Its sound follows later. */
export const takeTurn = (
  session: PanelSession,
  pending: Turn,
  said: Pick<Turn, "commandKey" | "scriptText" | "segmentId">,
  given: Given
): Step => {
  const turn: Turn = { ...pending, ...said, status: "submitted", submittedAtMs: given.nowMs }
  const who = session.participants.find(({ participantId }) => participantId === pending.participantId)!
  const after = withParticipant(withTurn(session, pending.turnId, turn), who.participantId, {
    missedInARow: 0,
    invited: false
  })
  return continueWith({ session: after, happened: [{ _tag: "TurnTaken", turn }] }, (left) =>
    advance(left, who.seat, given)
  )
}

/** Stores the sound of a turn, or the reason there is none. The last one ends the wait for sound. */
export const addSound = (session: PanelSession, turnId: string, sound: Partial<Turn>, given: Given): Step => {
  const after = withTurn(session, turnId, sound)
  return after.status === "complete" && isSounded(after) ? finishRecording(after, given) : keepSession(after)
}
