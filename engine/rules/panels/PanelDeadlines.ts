import type { PanelSession, SessionDraft } from "../../../schema/panels/Panel.ts"
import {
  guestDeadlineHours,
  guestDeadlineMaxDays,
  guestDeadlineMinMin,
  guestsDefault,
  hardDeadlineHours,
  hardDeadlineMaxDays,
  produceDays,
  sessionMaxTurns,
  sessionMinTurns
} from "./limits.ts"
import {
  beginRecording,
  endSession,
  freeSeats,
  type Given,
  guestsOf,
  missTurn,
  pendingTurn,
  finishRecording,
  keepSession,
  type Step,
  submittedTurns
} from "./PanelTurns.ts"
import { dayMs, hourMs } from "../../../schema/time/Units.ts"

/** When a recording that isn't produced is abandoned. */
const abandonAtMs = ({ closedAtMs, hardDeadlineMs }: PanelSession): number =>
  (closedAtMs ?? hardDeadlineMs) + produceDays * dayMs
/** The session's next deadline; null if it has none. */
export const nextDeadlineMs = (session: PanelSession): number | null => {
  switch (session.status) {
    case "accepting_guests":
      return Math.min(session.guestDeadlineMs ?? session.hardDeadlineMs, session.hardDeadlineMs)
    case "recording":
      return Math.min(pendingTurn(session)?.dueAtMs ?? session.hardDeadlineMs, session.hardDeadlineMs)
    case "complete":
      return session.hardDeadlineMs
    case "ready_to_produce":
      return abandonAtMs(session)
    default:
      return null
  }
}
/** Until when a station agent can take a free seat without an invitation; null if none is free. */
export const joinableUntilMs = (session: PanelSession): number | null =>
  session.status === "accepting_guests" && session.isOpenCall && freeSeats(session) > 0 ? session.guestDeadlineMs : null
/** The session after all deadlines up to now. Idempotent, also for an earlier instant. */
export const settleDeadlines = (session: PanelSession, given: Given): Step => {
  const { nowMs } = given
  const enough = submittedTurns(session).length >= session.minTurns
  switch (session.status) {
    case "accepting_guests":
      return nowMs >= session.hardDeadlineMs
        ? endSession(session, "expired", "TOO_FEW_TURNS", given)
        : nowMs < (session.guestDeadlineMs ?? session.hardDeadlineMs)
          ? keepSession(session)
          : guestsOf(session).some(({ done }) => !done)
            ? beginRecording(session, given)
            : endSession(session, "cancelled", "NO_GUESTS", given)
    case "recording":
      return nowMs >= session.hardDeadlineMs
        ? enough
          ? finishRecording(session, given)
          : endSession(session, "expired", "TOO_FEW_TURNS", given)
        : nowMs >= (pendingTurn(session)?.dueAtMs ?? Number.POSITIVE_INFINITY)
          ? missTurn(session, given)
          : keepSession(session)
    case "complete":
      return nowMs >= session.hardDeadlineMs ? finishRecording(session, given) : keepSession(session)
    case "ready_to_produce":
      return nowMs >= abandonAtMs(session)
        ? endSession(session, "expired", "NOT_PRODUCED", given)
        : keepSession(session)
    default:
      return keepSession(session)
  }
}
export interface Bounds {
  readonly maxGuests: number
  readonly minTurns: number
  readonly maxTurns: number
  readonly guestDeadlineMs: number | null
  readonly hardDeadlineMs: number
}
export interface Fault {
  readonly pointer: string
  readonly detail: string
}
const minuteMs = 60_000
/** The bounds of a requested session with defaults filled in, or all their faults. */
export const boundsOf = (draft: SessionDraft, nowMs: number): Bounds | ReadonlyArray<Fault> => {
  const minTurns = draft.minTurns ?? sessionMinTurns[2]
  const maxTurns = draft.maxTurns ?? Math.max(sessionMaxTurns[1], minTurns)
  const maxGuests = draft.maxGuests ?? guestsDefault
  const guestDeadlineMs =
    draft.guestDeadlineMs ??
    (draft.isOpenCall
      ? Math.min(
          nowMs + guestDeadlineHours * hourMs,
          draft.hardDeadlineMs === null ? Number.POSITIVE_INFINITY : draft.hardDeadlineMs - minuteMs
        )
      : null)
  // A late guest deadline moves the default deadline of the recording too.
  const hardDeadlineMs =
    draft.hardDeadlineMs ??
    Math.max(
      nowMs + hardDeadlineHours * hourMs,
      (guestDeadlineMs ?? nowMs) + (hardDeadlineHours - guestDeadlineHours) * hourMs
    )
  const faults: Array<Fault> = []
  if (maxTurns < minTurns)
    faults.push({ pointer: "/maxTurns", detail: `must be at least minTurns, which is ${minTurns}` })
  if (new Set(draft.invitedAgentIds).size > maxGuests)
    faults.push({ pointer: "/invitedAgentIds", detail: `names more agents than maxGuests, which is ${maxGuests}` })
  if (
    guestDeadlineMs !== null &&
    (guestDeadlineMs < nowMs + guestDeadlineMinMin * minuteMs || guestDeadlineMs > nowMs + guestDeadlineMaxDays * dayMs)
  ) {
    faults.push({
      pointer: draft.guestDeadlineMs === null ? "/hardDeadline" : "/guestDeadline",
      detail: `must leave guests at least ${guestDeadlineMinMin} minutes and at most ${guestDeadlineMaxDays} days`
    })
  }
  if (hardDeadlineMs <= (guestDeadlineMs ?? nowMs) || hardDeadlineMs > nowMs + hardDeadlineMaxDays * dayMs) {
    faults.push({
      pointer: "/hardDeadline",
      detail: `must be later than ${guestDeadlineMs === null ? "now" : "guestDeadline"}, and at most ${hardDeadlineMaxDays} days ahead`
    })
  }
  return faults.length > 0 ? faults : { maxGuests, minTurns, maxTurns, guestDeadlineMs, hardDeadlineMs }
}
