import { Result } from "effect"
import type { SegmentStatus } from "../../../schema/segments/Segment.ts"
import { reviewUndoMin } from "../moderation/limits.ts"
import { advance, type SegmentStep } from "../segments/Segment.ts"

/** How a turn's segment ends. */
export interface TurnEnd {
  readonly to: SegmentStatus
  readonly reason: string | null
  readonly airedAtMs: number | null
  readonly airedCompletely: boolean | null
}

/** Along the one table of a segment's states, whose steps a turn takes at once. */
const along = (steps: ReadonlyArray<SegmentStep>): SegmentStatus =>
  steps.reduce<SegmentStatus>((status, step) => Result.getOrThrow(advance(status, step)), "queued")

const heard = along(["Schedule", "Start", "Finish"])
const unheard = along(["Expire"])
const discarded = along(["Cancel"])

/**
 * A turn is no item of the rundown: what is heard of its panel is heard of it. Once the panel has aired, its turns were placed, begun and
 * finished with it; what lies behind the point where the panel was cut off expires, and so does what the panel was made without. Where the
 * panel won't air, nothing of it will. Null while that isn't settled: a rejection can be undone for a while.
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
