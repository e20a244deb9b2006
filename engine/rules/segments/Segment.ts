import { Data, Result } from "effect"
import type { AiringState } from "../../../schema/air/Airing.ts"
import type { Precheck } from "../../../schema/moderation/Precheck.ts"
import type { Judgement, ReviewCard } from "../../../schema/moderation/Review.ts"
import type { Segment, SegmentStatus } from "../../../schema/segments/Segment.ts"
import {
  scheduledForAheadDays,
  scheduledForLateHours,
  segmentQueuedDays,
  segmentUnreviewedDays,
  showBoundDays
} from "./limits.ts"
import { isEscalating } from "../moderation/Precheck.ts"

/** Status of a segment by the state of its airing. */
export const segmentStatus = {
  waiting: "queued",
  placed: "scheduled",
  airing: "airing",
  aired: "aired"
} satisfies { readonly [State in AiringState]?: SegmentStatus }

/** Steps of a segment. `Cut` is an early end; the heard part decides whether the segment airs again. */
export type SegmentStep =
  | "Approve"
  | "Reject"
  | "Hold"
  | "Release"
  | "Cancel"
  | "Expire"
  | "Schedule"
  | "Displace"
  | "Start"
  | "Finish"
  | "CutEarly"
  | "Fail"
  | "Rerender"
  | "Reopen"
const steps: { readonly [From in SegmentStatus]: { readonly [Step in SegmentStep]?: SegmentStatus } } = {
  pending_review: { Approve: "queued", Reject: "rejected", Cancel: "cancelled", Expire: "expired" },
  queued: {
    Schedule: "scheduled",
    Hold: "held",
    Expire: "expired",
    Cancel: "cancelled",
    Fail: "failed",
    Reopen: "pending_review"
  },
  scheduled: { Start: "airing", Displace: "queued", Hold: "held", Cancel: "cancelled", Reopen: "pending_review" },
  airing: { Finish: "aired", CutEarly: "queued" },
  held: { Release: "queued", Approve: "queued", Reject: "rejected", Reopen: "pending_review" },
  failed: { Rerender: "queued" },
  rejected: { Reopen: "pending_review" },
  aired: {},
  expired: {},
  cancelled: {}
}
/** The state that refused the step; nothing was changed. */
export class IllegalStep extends Data.TaggedError("IllegalStep")<{
  readonly from: SegmentStatus
  readonly step: SegmentStep
}> {}
/** State after a step. Steps that the table doesn't list are refused. */
export const advance = (from: SegmentStatus, step: SegmentStep): Result.Result<SegmentStatus, IllegalStep> => {
  const next = steps[from][step]
  return next === undefined ? Result.fail(new IllegalStep({ from, step })) : Result.succeed(next)
}
/** States in which a step is allowed, for the guard of an UPDATE. */
export const statesAllowing = (step: SegmentStep): ReadonlyArray<SegmentStatus> =>
  (Object.keys(steps) as Array<SegmentStatus>).filter((from) => steps[from][step] !== undefined)
export const isTerminal = (status: SegmentStatus): boolean => Object.keys(steps[status]).length === 0
const hourMs = 3_600_000
const dayMs = 24 * hourMs
/** When the segment expires without progress; null if it doesn't. */
export const expiresAtMs = (segment: {
  readonly status: SegmentStatus
  readonly statusChangedAtMs: number
  readonly scheduledForMs: number | null
  /** It waits for a block of its show. */
  readonly agentShowId?: string | null
  readonly planId?: string | null
}): number | null => {
  if (segment.status === "pending_review") return segment.statusChangedAtMs + segmentUnreviewedDays * dayMs
  if (segment.status !== "queued") return null
  const patience =
    segment.statusChangedAtMs +
    (segment.agentShowId != null && segment.planId == null ? showBoundDays : segmentQueuedDays) * dayMs
  return segment.scheduledForMs === null
    ? patience
    : Math.min(patience, Math.max(segment.scheduledForMs, segment.statusChangedAtMs) + scheduledForLateHours * hourMs)
}
/** `scheduledFor` means "not before": from now up to thirty days ahead. */
export const isSchedulable = (scheduledForMs: number, nowMs: number): boolean =>
  scheduledForMs >= nowMs && scheduledForMs <= nowMs + scheduledForAheadDays * dayMs
/** First state of a new segment: pending review, held or queued. The sender can't choose it. */
export const openingStatusOf = (reviewed: boolean, precheck: Precheck): "pending_review" | "held" | "queued" =>
  reviewed ? "pending_review" : isEscalating(precheck.flags) ? "held" : "queued"
/** Effect of a judgement. A segment that aired stays aired; only its copies can be hidden or shown. */
export type Ruling =
  | { readonly _tag: "Step"; readonly step: SegmentStep }
  | { readonly _tag: "Copies"; readonly hidden: boolean }
  | { readonly _tag: "Unchanged" }
const step = (taken: SegmentStep): Ruling => ({ _tag: "Step", step: taken })
const copies = (hidden: boolean): Ruling => ({ _tag: "Copies", hidden })
const unchanged: Ruling = { _tag: "Unchanged" }
const rulings: { readonly [From in SegmentStatus]: { readonly [J in Judgement]?: Ruling } } = {
  // The review decides; a judgement can only remove it.
  pending_review: { remove: step("Cancel"), hold: unchanged },
  queued: { remove: step("Cancel"), hold: step("Hold"), release: unchanged },
  scheduled: { remove: step("Cancel"), hold: step("Hold"), release: unchanged },
  held: { remove: step("Reject"), hold: unchanged, release: step("Release") },
  airing: { remove: copies(true), hold: copies(true), release: copies(false) },
  aired: { remove: copies(true), hold: copies(true), release: copies(false) },
  failed: { remove: unchanged },
  rejected: { remove: unchanged },
  expired: { remove: unchanged },
  cancelled: { remove: unchanged }
}
/** A segment in a review, with title and text unchanged. */
export const segmentCard = (
  { agentId, flags, id }: Pick<ReviewCard, "agentId" | "flags"> & Pick<Segment, "id">,
  kind: "first_air" | "segment"
): ReviewCard => ({ kind, type: "segment", id, agentId, flags, title: null, body: null })
/** Null if the judgement doesn't apply: a segment that has ended is neither held nor released. */
export const rulingOf = (status: SegmentStatus, judgement: Judgement): Ruling | null =>
  rulings[status][judgement] ?? null
