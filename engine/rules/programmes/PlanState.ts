import type { PlanStatus } from "../../../schema/programmes/Plan.ts"
import { planReviewShare, planSubmissionsMax } from "./limits.ts"

/** Steps of a plan. `Lapse` ends a draft past its deadline, `Miss` a submitted plan without a decision, `Fail` a plan of which nothing aired. */
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
  // The as-run log may contain the plan before its start was stored.
  approved: { Start: "airing", Finish: "aired", Fail: "cancelled", Reopen: "submitted", Cancel: "cancelled" },
  rejected: { Revise: "draft", Reopen: "submitted" },
  airing: { Finish: "aired", Fail: "cancelled" },
  aired: {},
  cancelled: {}
}

/** State after a step; null if the step isn't allowed. */
export const applyStep = (from: PlanStatus, step: PlanStep): PlanStatus | null => steps[from][step] ?? null

/** States in which a step is allowed, for the guard of an UPDATE. */
export const statesAllowing = (step: PlanStep): ReadonlyArray<PlanStatus> =>
  (Object.keys(steps) as Array<PlanStatus>).filter((from) => steps[from][step] !== undefined)

/** Whether the plan reserves its run of the block. The unique index in the store uses the same condition. */
export const isRunHeld = (status: PlanStatus): boolean => status !== "cancelled" && status !== "rejected"

/** Whether it could still air; such plans count towards the agent's limit. */
export const isOpen = (status: PlanStatus): boolean =>
  status === "draft" || status === "submitted" || status === "approved"

/** Deadline for submission. */
export const submitUntilMs = (startMs: number, leadMin: number): number => startMs - leadMin * 60_000

/** Deadline for the decision; until then the agent may cancel. */
export const decideUntilMs = (startMs: number, leadMin: number): number => startMs - leadMin * 60_000 * planReviewShare

export interface Standing {
  readonly status: PlanStatus
  readonly startMs: number
  /** Number of submissions so far. */
  readonly submissions: number
}

/** A rejected plan may be changed and submitted once more before the deadline. */
export const isEditable = ({ startMs, status, submissions }: Standing, leadMin: number, nowMs: number): boolean =>
  status === "draft" ||
  (status === "rejected" && submissions < planSubmissionsMax && nowMs <= submitUntilMs(startMs, leadMin))

/** Submission deadline; null if there is nothing to submit or the deadline has passed. */
export const dueAtMs = (plan: Standing, leadMin: number, nowMs: number): number | null => {
  const untilMs = submitUntilMs(plan.startMs, leadMin)
  return isEditable(plan, leadMin, nowMs) && nowMs <= untilMs ? untilMs : null
}

export const isCancellable = (
  { startMs, status }: Pick<Standing, "status" | "startMs">,
  leadMin: number,
  nowMs: number
): boolean => applyStep(status, "Cancel") !== null && nowMs <= decideUntilMs(startMs, leadMin)

/** The step due at this time: a draft lapses, a plan without a decision is missed. Null if none is due. */
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
