import type { AgentId, AssetId, ParticipantId, SegmentId, SessionId, ShowId, TurnId } from "../../../schema/Ids.ts"
import {
  PanelSession,
  type Participant,
  type SessionDraft,
  type SessionStatus,
  type Turn
} from "../../../schema/panels/Panel.ts"
import type { Flag } from "../../../schema/moderation/Precheck.ts"
import { hardDeadlineMaxDays, seatsEverMax } from "./limits.ts"
import type { Bounds } from "./PanelDeadlines.ts"
import {
  beginRecording,
  changeSession,
  endSession,
  freeSeats,
  type Given,
  participantOf,
  pendingTurn,
  finishRecording,
  keepSession,
  addSound,
  type Step,
  submittedTurns,
  takeTurn,
  withdrawGuest,
  withParticipant,
  withTurn
} from "./PanelTurns.ts"
import { dayMs } from "../../../schema/time/Units.ts"

/** Commands of a session, from its participants, the station and operators. */
export type PanelCommand =
  | { readonly _tag: "Claim"; readonly by: AgentId; readonly handle: string; readonly participantId: ParticipantId }
  | { readonly _tag: "Start"; readonly by: AgentId }
  | {
      readonly _tag: "Submit"
      readonly by: AgentId
      readonly commandKey: string
      readonly turnId: string | null
      readonly turnIndex: number | null
      readonly scriptText: string
      readonly flags: ReadonlyArray<Flag>
      readonly segmentId: SegmentId
    }
  | { readonly _tag: "Voiced"; readonly turnId: TurnId; readonly durationSec: number; readonly assetId: AssetId | null }
  | { readonly _tag: "Unvoiced"; readonly turnId: TurnId; readonly detail: string }
  | { readonly _tag: "Done"; readonly by: AgentId }
  /** `made` null asks whether the panel may be produced now. */
  | {
      readonly _tag: "Produce"
      readonly by: AgentId
      readonly made: { readonly segmentId: SegmentId; readonly assetId: AssetId; readonly durationSec: number } | null
    }
  | { readonly _tag: "Wake" }
  | { readonly _tag: "Leave"; readonly by: AgentId }
  | {
      readonly _tag: "Extend"
      readonly guestDeadlineMs: number | null
      readonly hardDeadlineMs: number | null
      readonly turnDueMs: number | null
    }
  | { readonly _tag: "Close" }
  | { readonly _tag: "RemoveSeat"; readonly participantId: string }
export type RefusalCode =
  | "NOT_OPEN_CALL"
  | "SESSION_FULL"
  | "HOST_CANNOT_CLAIM"
  | "GUEST_DEADLINE_EXPIRED"
  | "SESSION_NOT_ACCEPTING"
  | "SESSION_NOT_STARTABLE"
  | "FORBIDDEN"
  | "TURN_NOT_PENDING"
  | "CONTENT_REJECTED"
  | "INSUFFICIENT_TURNS"
  | "SESSION_NOT_READY_TO_PRODUCE"
  | "NOT_FOUND"
  | "INVALID_FIELD"
  | "SUBJECT_CONFLICT"
/** The reason a command is refused; the session is unchanged. */
export interface Refusal {
  readonly code: RefusalCode
  readonly detail: string
  readonly pointer?: string
  readonly flags?: ReadonlyArray<Flag>
}
type Outcome = Step | Refusal
type Of<Tag extends PanelCommand["_tag"]> = Extract<PanelCommand, { readonly _tag: Tag }>
type Cell<Tag extends PanelCommand["_tag"]> = (session: PanelSession, command: Of<Tag>, given: Given) => Outcome
export const isRefusal = (outcome: Outcome): outcome is Refusal => "code" in outcome
const refuseWith =
  (code: RefusalCode, detail: string, more: Partial<Refusal> = {}) =>
  (): Refusal => ({ code, detail, ...more })
const refuse = (code: RefusalCode, detail: string, more: Partial<Refusal> = {}): Refusal => ({ code, detail, ...more })
const ignore = (session: PanelSession): Step => keepSession(session)
const isHost = (session: PanelSession, by: AgentId) => session.hostAgentId === by
const hostOnly = refuse("FORBIDDEN", "Only the host of the session can do this.")
const notIn = refuse("FORBIDDEN", "You don't take part in this session.")
const newcomer = (
  session: Pick<PanelSession, "participants">,
  {
    agentId,
    handle,
    invited,
    participantId,
    role
  }: Pick<Participant, "participantId" | "agentId" | "handle" | "role" | "invited">,
  nowMs: number
): Participant => ({
  participantId,
  agentId,
  handle,
  role,
  seat: session.participants.reduce((highest, { seat }) => Math.max(highest, seat + 1), 0),
  done: false,
  invited,
  joinedAtMs: nowMs,
  missedTurns: 0,
  missedInARow: 0
})
const seat: Cell<"Claim"> = (session, { by, handle, participantId }, { nowMs }) =>
  keepSession(
    changeSession(session, {
      participants: [
        ...session.participants,
        newcomer(session, { participantId, agentId: by, handle, role: "guest", invited: false }, nowMs)
      ]
    })
  )
const submit: Cell<"Submit"> = (
  session,
  { by, commandKey, flags, scriptText, segmentId, turnId, turnIndex },
  given
) => {
  const pending = pendingTurn(session)!
  const who = participantOf(session, by)!
  if ((turnId !== null && turnId !== pending.turnId) || (turnIndex !== null && turnIndex !== pending.turnIndex)) {
    return refuse("TURN_NOT_PENDING", `The pending turn is number ${pending.turnIndex}, ${pending.turnId}.`)
  }
  if (pending.participantId !== who.participantId) return refuse("FORBIDDEN", "It is another participant's turn.")
  if (flags.length > 0)
    return refuse(
      "CONTENT_REJECTED",
      "The text was rejected: see flags. Your turn is still pending. Submit another text.",
      { flags }
    )
  return takeTurn(session, pending, { commandKey, scriptText, segmentId }, given)
}
const sound = (session: PanelSession, command: Of<"Voiced"> | Of<"Unvoiced">, given: Given): Outcome => {
  const turn = session.turns.find(({ turnId }) => turnId === command.turnId)
  if (
    turn === undefined ||
    turn.status !== "submitted" ||
    turn.voiced ||
    (command._tag === "Unvoiced" && turn.unvoiced !== null)
  )
    return keepSession(session)
  return addSound(
    session,
    turn.turnId,
    command._tag === "Voiced"
      ? { voiced: true, unvoiced: null, durationSec: command.durationSec, assetId: command.assetId }
      : { unvoiced: command.detail },
    given
  )
}
const close: Cell<"Done"> = (session, { by }, given) =>
  !isHost(session, by)
    ? withdrawGuest(session, participantOf(session, by)!, given)
    : submittedTurns(session).length < session.minTurns
      ? refuse(
          "INSUFFICIENT_TURNS",
          `Only ${submittedTurns(session).length} of at least ${session.minTurns} turns are in.`
        )
      : finishRecording(session, given)
const refuseEarly: Cell<"Produce"> = (session) =>
  submittedTurns(session).length < session.minTurns
    ? refuse(
        "INSUFFICIENT_TURNS",
        `Only ${submittedTurns(session).length} of at least ${session.minTurns} turns are in.`
      )
    : refuseNotReady()
const refuseNotReady = refuseWith(
  "SESSION_NOT_READY_TO_PRODUCE",
  "The session must be ready_to_produce. The host's done closes a recording that has minTurns."
)
const stitch: Cell<"Produce"> = (session, { made }) =>
  made === null
    ? keepSession(session)
    : {
        session: changeSession(session, {
          status: "stitched",
          stitchedSegmentId: made.segmentId,
          assetId: made.assetId,
          durationSec: made.durationSec
        }),
        happened: [{ _tag: "Ended", status: "stitched" }]
      }
const extend: Cell<"Extend"> = (session, { guestDeadlineMs, hardDeadlineMs, turnDueMs }, { nowMs }) => {
  const hard = hardDeadlineMs ?? session.hardDeadlineMs
  const guest = guestDeadlineMs ?? session.guestDeadlineMs
  const pending = pendingTurn(session)
  if (hard <= nowMs || hard > nowMs + hardDeadlineMaxDays * dayMs)
    return refuse("INVALID_FIELD", `must be later than now, and at most ${hardDeadlineMaxDays} days ahead`, {
      pointer: "/hardDeadline"
    })
  if (guestDeadlineMs !== null && session.status !== "accepting_guests")
    return refuse("SUBJECT_CONFLICT", `The session is ${session.status} and takes no more guests.`)
  if (session.status === "accepting_guests" && guest !== null && (guest <= nowMs || guest >= hard))
    return refuse("INVALID_FIELD", "must be later than now, and before hardDeadline", { pointer: "/guestDeadline" })
  if (turnDueMs !== null && pending === null) return refuse("SUBJECT_CONFLICT", "No turn is waited for.")
  if (turnDueMs !== null && (turnDueMs <= nowMs || turnDueMs > hard))
    return refuse("INVALID_FIELD", "must be later than now, and not after hardDeadline", { pointer: "/turnDue" })
  const moved = changeSession(session, { guestDeadlineMs: guest, hardDeadlineMs: hard })
  return keepSession(
    pending === null
      ? moved
      : withTurn(moved, pending.turnId, { dueAtMs: Math.min(turnDueMs ?? pending.dueAtMs, hard) })
  )
}
const closePanel: Cell<"Close"> = (session, _, given) =>
  session.status !== "accepting_guests" && submittedTurns(session).length >= session.minTurns
    ? finishRecording(session, given)
    : endSession(session, "cancelled", "OPERATOR", given)
const unseat: Cell<"RemoveSeat"> = (session, { participantId }, given) =>
  withdrawGuest(
    session,
    session.participants.find((one) => one.participantId === participantId)!,
    given
  )
/** Only the host may produce a panel, so without a host there is nothing to wait for. A guest's earlier turns stay. */
const leave: Cell<"Leave"> = (session, { by }, given) =>
  isHost(session, by)
    ? endSession(session, "cancelled", "HOST_LEFT", given)
    : withdrawGuest(session, participantOf(session, by)!, given)
const refuseOver = refuseWith("SUBJECT_CONFLICT", "The session is over, or all its turns are in.")
const refuseNotAccepting = refuseWith(
  "SESSION_NOT_ACCEPTING",
  "The session takes no more guests: it is being recorded or is over."
)
const refuseNotStartable = refuseWith("SESSION_NOT_STARTABLE", "The recording of this session is over.")
const refuseNonePending = refuseWith("TURN_NOT_PENDING", "No turn is waited for in this session.")
const refuseTooFew = refuseWith(
  "INSUFFICIENT_TURNS",
  "Nothing has been recorded yet. An open call without guests ends at its deadline."
)
const forEveryState = <Tag extends PanelCommand["_tag"]>(
  cell: Cell<Tag>
): { readonly [Status in SessionStatus]: Cell<Tag> } => ({
  accepting_guests: cell,
  recording: cell,
  complete: cell,
  ready_to_produce: cell,
  stitched: cell,
  expired: cell,
  cancelled: cell
})
/** The effect of each command in each state. A command without effect is refused with a reason or was done before. */
const table: { readonly [Tag in PanelCommand["_tag"]]: { readonly [Status in SessionStatus]: Cell<Tag> } } = {
  Claim: { ...forEveryState<"Claim">(refuseNotAccepting), accepting_guests: seat },
  Start: {
    ...forEveryState<"Start">(refuseNotStartable),
    accepting_guests: (session, _, given) => beginRecording(session, given),
    recording: ignore
  },
  Submit: { ...forEveryState<"Submit">(refuseNonePending), recording: submit },
  Voiced: { ...forEveryState<"Voiced">(ignore), recording: sound, complete: sound, ready_to_produce: sound },
  Unvoiced: { ...forEveryState<"Unvoiced">(ignore), recording: sound, complete: sound, ready_to_produce: sound },
  Done: {
    ...forEveryState<"Done">(ignore),
    accepting_guests: (session, command, given) =>
      isHost(session, command.by) ? refuseTooFew() : close(session, command, given),
    recording: close,
    complete: (session, command, given) =>
      isHost(session, command.by) ? close(session, command, given) : keepSession(session)
  },
  Produce: {
    ...forEveryState<"Produce">(refuseNotReady),
    recording: refuseEarly,
    ready_to_produce: stitch,
    stitched: ignore
  },
  Wake: forEveryState<"Wake">(ignore),
  Leave: {
    accepting_guests: leave,
    recording: leave,
    complete: leave,
    ready_to_produce: leave,
    stitched: ignore,
    expired: ignore,
    cancelled: ignore
  },
  Extend: { ...forEveryState<"Extend">(refuseOver), accepting_guests: extend, recording: extend },
  Close: {
    ...forEveryState<"Close">(ignore),
    accepting_guests: closePanel,
    recording: closePanel,
    complete: closePanel
  },
  RemoveSeat: { ...forEveryState<"RemoveSeat">(refuseOver), accepting_guests: unseat, recording: unseat }
}
/** Rules for every state: permissions and repeated commands. Null continues with the table. */
const applyCommonRules = (session: PanelSession, command: PanelCommand, { nowMs }: Given): Outcome | null => {
  switch (command._tag) {
    case "Claim": {
      const seated = participantOf(session, command.by)
      if (seated?.role === "guest")
        return keepSession(
          seated.invited ? withParticipant(session, seated.participantId, { invited: false }) : session
        )
      if (!session.isOpenCall) return refuse("NOT_OPEN_CALL", "Its guests are invited by the host.")
      if (freeSeats(session) <= 0 || session.participants.length > seatsEverMax)
        return refuse("SESSION_FULL", `All ${session.maxGuests} seats are taken.`)
      if (isHost(session, command.by))
        return refuse("HOST_CANNOT_CLAIM", "You host this session, and have a seat in it.")
      return nowMs >= (session.guestDeadlineMs ?? session.hardDeadlineMs)
        ? refuse("GUEST_DEADLINE_EXPIRED", "Guests could join until its guestDeadline, which has passed.")
        : null
    }
    case "Start":
      return isHost(session, command.by) ? null : hostOnly
    case "Produce":
      return isHost(session, command.by) ? null : hostOnly
    case "Submit":
      return participantOf(session, command.by) === null
        ? notIn
        : submittedTurns(session).some(({ commandKey }) => commandKey === command.commandKey)
          ? keepSession(session)
          : null
    case "Done":
      return participantOf(session, command.by) === null ? notIn : null
    case "Leave":
      return participantOf(session, command.by) === null ? keepSession(session) : null
    case "RemoveSeat": {
      const found = session.participants.find(({ participantId }) => participantId === command.participantId)
      return found === undefined
        ? refuse("NOT_FOUND", `There is no participant ${command.participantId} in this session.`)
        : found.role === "host"
          ? refuse("SUBJECT_CONFLICT", "The host's seat can't be taken away. Close the session instead.")
          : found.done
            ? keepSession(session)
            : null
    }
    default:
      return null
  }
}
/** The next session and its events, or a refusal. Apply `settled` first, so that no deadline is due here. */
export const transition = (session: PanelSession, command: PanelCommand, given: Given): Outcome =>
  applyCommonRules(session, command, given) ??
  (table[command._tag][session.status] as Cell<PanelCommand["_tag"]>)(session, command as never, given)
export interface Opening {
  readonly id: SessionId
  readonly show: { readonly id: ShowId; readonly slug: string }
  readonly host: { readonly agentId: AgentId; readonly handle: string; readonly participantId: ParticipantId }
  readonly guests: ReadonlyArray<{
    readonly agentId: AgentId
    readonly handle: string
    readonly participantId: ParticipantId
  }>
  readonly draft: SessionDraft
  readonly bounds: Bounds
  readonly turnDeadlineMin: number
}
/** A new session: an open call waits for guests, any other begins at once. */
export const openSession = (
  { bounds, draft, guests, host, id, show, turnDeadlineMin }: Opening,
  given: Given
): Step => {
  const seats = [
    { ...host, role: "host" as const, invited: false },
    ...guests.map((guest) => ({ ...guest, role: "guest" as const, invited: true }))
  ]
  const participants = seats.reduce<ReadonlyArray<Participant>>(
    (taken, one) => [...taken, newcomer({ participants: taken }, one, given.nowMs)],
    []
  )
  const session = PanelSession.make({
    id,
    showId: show.id,
    showSlug: show.slug,
    hostAgentId: host.agentId,
    title: draft.title,
    topic: draft.topic ?? draft.title,
    description: draft.description,
    status: "accepting_guests",
    statusReason: null,
    isOpenCall: draft.isOpenCall,
    ...bounds,
    turnDeadlineMin,
    participants,
    turns: [],
    closedAtMs: null,
    durationSec: null,
    assetId: null,
    stitchedSegmentId: null,
    createdAtMs: given.nowMs,
    revision: 0
  })
  return draft.isOpenCall ? keepSession(session) : beginRecording(session, given)
}
/** The turn that a command submitted, at any time. */
export const turnOf = (session: PanelSession, commandKey: string): Turn | null =>
  session.turns.find((turn) => turn.commandKey === commandKey) ?? null
