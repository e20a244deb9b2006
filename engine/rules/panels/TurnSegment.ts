import { Result } from "effect"
import type { SegmentStatus } from "../../../schema/segments/Segment.ts"
import { reviewUndoMin } from "../moderation/limits.ts"
import { advance, type SegmentStep } from "../segments/Segment.ts"

/** The end of a turn's segment. */
export interface TurnEnd {
  readonly to: SegmentStatus
  readonly reason: string | null
  readonly airedAtMs: number | null
  readonly airedCompletely: boolean | null
}

/** Follows several steps of the segment table at once. */
const applySteps = (steps: ReadonlyArray<SegmentStep>): SegmentStatus =>
  steps.reduce<SegmentStatus>((status, step) => Result.getOrThrow(advance(status, step)), "queued")

const heard = applySteps(["Schedule", "Start", "Finish"])
const unheard = applySteps(["Expire"])
const discarded = applySteps(["Cancel"])

/**
 * A turn is no item of the rundown: its airing follows its panel's. After the panel aired, its turns are placed, begun and finished. Turns behind a
 * cut, or not used in the panel, expire. If the panel won't air, its turns won't. Null while that is open, because a rejection can be undone for a
 * while.
 */
export const turnEnd = (
  panel: { readonly status: SegmentStatus; readonly airedAtMs: number | null; readonly statusChangedAtMs: number },
  turn: { readonly startSec: number; readonly durationSec: number } | null,
  nowMs: number
): TurnEnd | null => {
  if (panel.status === "aired" && panel.airedAtMs !== null) {
    const from = turn === null ? Infinity : panel.airedAtMs + turn.startSec * 1_000
    const airedCompletely = turn !== null && from + turn.durationSec * 1_000 <= panel.statusChangedAtMs
    return from >= panel.statusChangedAtMs
      ? { to: unheard, reason: "NOT_HEARD", airedAtMs: null, airedCompletely: null }
      : { to: heard, reason: null, airedAtMs: Math.round(from), airedCompletely }
  }
  const settled =
    panel.status === "expired" ||
    panel.status === "cancelled" ||
    (panel.status === "rejected" && nowMs - panel.statusChangedAtMs > reviewUndoMin * 60_000)
  return settled ? { to: discarded, reason: "PANEL_NOT_AIRED", airedAtMs: null, airedCompletely: null } : null
}
