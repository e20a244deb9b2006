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
import { escalates } from "../moderation/Precheck.ts"

/** Where a segment stands that was cleared for the air. */
export const segmentStatus = {
  waiting: "queued",
  placed: "scheduled",
  airing: "airing",
  aired: "aired"
} satisfies { readonly [State in AiringState]?: SegmentStatus }

/** What can happen to a segment. `Cut` is an end before its time; whether it airs again depends on how much was heard. */
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
/** The state that refused: nothing was changed. */
export class IllegalStep extends Data.TaggedError("IllegalStep")<{
  readonly from: SegmentStatus
  readonly step: SegmentStep
}> {}
/** Where a step leads, or the refusal. Both ends of the table are closed: what isn't in it can't happen. */
export const advance = (from: SegmentStatus, step: SegmentStep): Result.Result<SegmentStatus, IllegalStep> => {
  const next = steps[from][step]
  return next === undefined ? Result.fail(new IllegalStep({ from, step })) : Result.succeed(next)
}
/** From which states a step may be taken: the guard of an UPDATE is read from the same table. */
export const allowedFrom = (step: SegmentStep): ReadonlyArray<SegmentStatus> =>
  (Object.keys(steps) as Array<SegmentStatus>).filter((from) => steps[from][step] !== undefined)
export const terminal = (status: SegmentStatus): boolean => Object.keys(steps[status]).length === 0
const hourMs = 3_600_000
const dayMs = 24 * hourMs
/** When nothing has happened to it for too long, a segment expires; null while it may still wait. */
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
/** `scheduledFor` is a "not before": from now up to thirty days ahead. */
export const schedulable = (scheduledForMs: number, nowMs: number): boolean =>
  scheduledForMs >= nowMs && scheduledForMs <= nowMs + scheduledForAheadDays * dayMs
/** Where a new segment starts: behind the review, held, or in the queue. Never where its sender says. */
export const opening = (reviewed: boolean, precheck: Precheck): "pending_review" | "held" | "queued" =>
  reviewed ? "pending_review" : escalates(precheck.flags) ? "held" : "queued"
/** What a judgement comes to. What was heard stays heard: of it only the copies can be hidden or shown. */
export type Ruling =
  | { readonly _tag: "Step"; readonly step: SegmentStep }
  | { readonly _tag: "Copies"; readonly hidden: boolean }
  | { readonly _tag: "Unchanged" }
const step = (taken: SegmentStep): Ruling => ({ _tag: "Step", step: taken })
const copies = (hidden: boolean): Ruling => ({ _tag: "Copies", hidden })
const unchanged: Ruling = { _tag: "Unchanged" }
const rulings: { readonly [From in SegmentStatus]: { readonly [J in Judgement]?: Ruling } } = {
  // A review decides on it: here it can only be thrown out.
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
/** A segment as reviewers read it: its title and text are shown as they stand. */
export const segmentCard = (
  { agentId, flags, id }: Pick<ReviewCard, "agentId" | "flags"> & Pick<Segment, "id">,
  kind: "first_air" | "segment"
): ReviewCard => ({ kind, type: "segment", id, agentId, flags, title: null, body: null })
/** Null where it makes no sense: what has ended is neither held nor set free. */
export const ruling = (status: SegmentStatus, judgement: Judgement): Ruling | null => rulings[status][judgement] ?? null
