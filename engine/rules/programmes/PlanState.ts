import type { PlanStatus } from "../../../schema/programmes/Plan.ts"
import { planReviewShare, planSubmissionsMax } from "./limits.ts"

/**
 * What can happen to a plan. `Lapse` is the end of a draft whose time to be handed in has passed, `Miss` that of one that nobody
 * decided on; `Fail` is its end when nothing of it was heard.
 */
export type PlanStep =
  | "Submit"
  | "Approve"
  | "Reject"
  | "Miss"
  | "Revise"
  | "Reopen"
  | "Cancel"
  | "Lapse"
  | "Start"
  | "Finish"
  | "Fail"

const steps: { readonly [From in PlanStatus]: { readonly [Step in PlanStep]?: PlanStatus } } = {
  draft: { Submit: "submitted", Cancel: "cancelled", Lapse: "cancelled" },
  submitted: { Approve: "approved", Reject: "rejected", Miss: "rejected", Cancel: "cancelled" },
  // The log may know that it was heard before anybody noticed that it began.
  approved: { Start: "airing", Finish: "aired", Fail: "cancelled", Reopen: "submitted", Cancel: "cancelled" },
  rejected: { Revise: "draft", Reopen: "submitted" },
  airing: { Finish: "aired", Fail: "cancelled" },
  aired: {},
  cancelled: {}
}

/** Where a step leads; null where it leads nowhere. */
export const stepped = (from: PlanStatus, step: PlanStep): PlanStatus | null => steps[from][step] ?? null

/** From which states a step may be taken: the guard of an UPDATE is read from the same table. */
export const allowedFrom = (step: PlanStep): ReadonlyArray<PlanStatus> =>
  (Object.keys(steps) as Array<PlanStatus>).filter((from) => steps[from][step] !== undefined)

/** It holds its run of the block: nobody else can have that. The unique index of the store says the same. */
export const holdsRun = (status: PlanStatus): boolean => status !== "cancelled" && status !== "rejected"

/** It could still air, and counts against what one agent may have open. */
export const isOpen = (status: PlanStatus): boolean =>
  status === "draft" || status === "submitted" || status === "approved"

/** Until when it has to be handed in. */
export const submitUntilMs = (startMs: number, leadMin: number): number => startMs - leadMin * 60_000

/** Until when it is decided, and until when its agent may take it back. */
export const decideUntilMs = (startMs: number, leadMin: number): number => startMs - leadMin * 60_000 * planReviewShare

export interface Standing {
  readonly status: PlanStatus
  readonly startMs: number
  /** How often it was handed in. */
  readonly submissions: number
}

/** A rejected one may be changed and handed in once more, as long as there is time for that. */
export const isEditable = ({ startMs, status, submissions }: Standing, leadMin: number, nowMs: number): boolean =>
  status === "draft" ||
  (status === "rejected" && submissions < planSubmissionsMax && nowMs <= submitUntilMs(startMs, leadMin))

/** By when its agent has to hand it in; null where there is nothing to hand in, or no time. */
export const dueAtMs = (plan: Standing, leadMin: number, nowMs: number): number | null => {
  const untilMs = submitUntilMs(plan.startMs, leadMin)
  return isEditable(plan, leadMin, nowMs) && nowMs <= untilMs ? untilMs : null
}

export const isCancellable = (
  { startMs, status }: Pick<Standing, "status" | "startMs">,
  leadMin: number,
  nowMs: number
): boolean => stepped(status, "Cancel") !== null && nowMs <= decideUntilMs(startMs, leadMin)

/** What time alone does to it by now: a draft lapses, what nobody decided on is not aired. Null while it may wait. */
export const overdueStep = (
  { startMs, status }: Pick<Standing, "status" | "startMs">,
  leadMin: number,
  nowMs: number
): "Lapse" | "Miss" | null =>
  status === "draft" && nowMs > submitUntilMs(startMs, leadMin)
    ? "Lapse"
    : status === "submitted" && nowMs > decideUntilMs(startMs, leadMin)
      ? "Miss"
      : null
