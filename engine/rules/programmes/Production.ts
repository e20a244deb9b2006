import type { JobId, PlanId, SegmentId, ShowId } from "../../../schema/Ids.ts"
import type { PlanStatus } from "../../../schema/programmes/Plan.ts"
import {
  Production,
  type ProductionAsk,
  type ProductionPart,
  type ProductionPatch,
  ProductionRecord,
  type ProductionRun,
  type ProductionStatus,
  type ProductionStepName
} from "../../../schema/programmes/Production.ts"
import type { Broadcaster } from "../../../schema/segments/Submission.ts"
import { productionSkipMin, productionTriesMax, productionsPerDay } from "./limits.ts"
import type { Allowance } from "../allowance/Allowance.ts"
import { wordsFor } from "./ProductionOutline.ts"
import { isoOrNull } from "../../../schema/time/Instant.ts"

export const productionAllowance: Allowance = { name: "productions", perDay: productionsPerDay }

/** The current run. */
export const runOf = (production: ProductionRecord): ProductionRun => production.runs[production.current]!

/** Nothing is left to do. */
export const isOver = ({ current, runs, status }: ProductionRecord): boolean =>
  (status === "aired" || status === "cancelled" || status === "skipped" || status === "failed") &&
  current === runs.length - 1

const change = (production: ProductionRecord, to: Partial<ProductionRecord>): ProductionRecord =>
  new ProductionRecord({ ...production, ...to })
const withRun = (production: ProductionRecord, to: Partial<ProductionRun>): Pick<ProductionRecord, "runs"> => ({
  runs: production.runs.map((run, i) => (i === production.current ? { ...run, ...to } : run))
})

const isWritten = (parts: ReadonlyArray<ProductionPart>): boolean =>
  parts.every(({ scriptText }) => scriptText !== null)

/** Every spoken part has its text. */
export const hasScript = ({ parts }: ProductionRecord): boolean => isWritten(parts)

/** The first state. `starts` are the requested times; a missing one is found when the run is planned. */
export const beginProduction = (
  id: JobId,
  by: Broadcaster,
  ask: ProductionAsk,
  showId: ShowId | null,
  starts: ReadonlyArray<Pick<ProductionRun, "startMs" | "endMs">>,
  isWriterThere: boolean,
  createdAtMs: number
): ProductionRecord => {
  const { audience, format, idea, includeMusic, kind, parts, recurring, title, uploadIds } = ask
  return new ProductionRecord({
    id,
    agentId: by.agentId,
    by,
    kind,
    title,
    format,
    audience,
    idea,
    uploadIds,
    includeMusic,
    showId,
    recurring: recurring === null ? null : { ...recurring, count: starts.length },
    runs: starts.map((start) => ({
      ...start,
      isFixed: start.startMs !== null,
      status: "waiting",
      planId: null,
      attempt: 0,
      detail: null
    })),
    current: 0,
    status: isWritten(parts) || isWriterThere ? "queued" : "needs_script",
    failedAt: null,
    error: null,
    parts,
    voiced: 0,
    voices: 0,
    segmentIds: [],
    tries: 0,
    revision: 0,
    createdAtMs
  })
}

/** Idempotency key of a run's plan. */
export const planOriginOf = (production: ProductionRecord): string =>
  `${production.id}:${production.current}:${runOf(production).attempt}`

export const addScripts = (production: ProductionRecord, parts: ReadonlyArray<ProductionPart>): ProductionRecord =>
  change(production, { parts, status: "queued", error: null })

/** Waits for the agent's script. */
export const awaitScripts = (production: ProductionRecord, why: string | null): ProductionRecord =>
  change(production, { status: "needs_script", error: why })

export const addPlan = (
  production: ProductionRecord,
  plan: { readonly id: PlanId; readonly startMs: number; readonly endMs: number }
): ProductionRecord =>
  change(production, { ...withRun(production, { planId: plan.id, startMs: plan.startMs, endMs: plan.endMs }) })

export const beginAssembly = (production: ProductionRecord): ProductionRecord =>
  change(production, { status: "assembling" })
export const awaitPlan = (production: ProductionRecord): ProductionRecord =>
  change(production, {
    status: production.status === "needs_script" && !hasScript(production) ? "needs_script" : "queued"
  })

/** Its plan is unusable: another one is made, for the same time if one was requested. */
export const replan = (production: ProductionRecord): ProductionRecord => {
  const { attempt, endMs, isFixed, startMs } = runOf(production)
  return change(
    production,
    withRun(production, {
      planId: null,
      attempt: attempt + 1,
      startMs: isFixed ? startMs : null,
      endMs: isFixed ? endMs : null
    })
  )
}

export const failProduction = (production: ProductionRecord, at: ProductionStepName, error: string): ProductionRecord =>
  change(production, {
    status: "failed",
    failedAt: at,
    error,
    ...withRun(production, { status: "failed", detail: error })
  })

const endProduction = (
  production: ProductionRecord,
  status: "aired" | "cancelled" | "skipped",
  detail: string | null
): ProductionRecord =>
  change(production, { status, error: null, failedAt: null, ...withRun(production, { status, detail }) })

/** State after a change of its plan. */
export const followPlan = (
  production: ProductionRecord,
  plan: { readonly status: PlanStatus; readonly statusReason: string | null },
  voices: { readonly segmentIds: ReadonlyArray<SegmentId>; readonly voiced: number }
): ProductionRecord => {
  const heard = change(production, {
    segmentIds: voices.segmentIds,
    voiced: voices.voiced,
    voices: voices.segmentIds.length
  })
  switch (plan.status) {
    case "draft":
      return change(heard, { status: "assembling" })
    case "submitted":
      return change(heard, { status: "review" })
    case "approved":
      return change(heard, { status: voices.voiced < voices.segmentIds.length ? "rendering" : "scheduled" })
    case "airing":
      return change(heard, { status: "scheduled" })
    case "aired":
      return endProduction(heard, "aired", null)
    case "rejected":
      return failProduction(production, "review", plan.statusReason ?? "The station rejected the plan.")
    // Cancelled by its agent, without a reason, or by the station, with one.
    case "cancelled":
      return plan.statusReason === null
        ? endProduction(heard, "cancelled", null)
        : failProduction(production, plan.statusReason === "LEAD_TIME_PASSED" ? "plan" : "review", plan.statusReason)
  }
}

/** Moves to the next run. With a writer the script is written anew, otherwise the words stay. */
export const moveToNextRun = (production: ProductionRecord, isWriterThere: boolean): ProductionRecord => {
  const parts =
    isWriterThere && production.idea !== null
      ? production.parts.map((part) => ({ ...part, scriptText: null }))
      : production.parts
  return change(production, {
    current: production.current + 1,
    parts,
    status: isWritten(parts) || isWriterThere ? "queued" : "needs_script",
    error: null,
    failedAt: null,
    voiced: 0,
    voices: 0,
    segmentIds: [],
    tries: 0
  })
}

/** Retries from the step that failed; null if that isn't allowed. */
export const retryProduction = (
  production: ProductionRecord,
  nowMs: number,
  isWriterThere: boolean
): ProductionRecord | null => {
  const { isFixed, startMs } = runOf(production)
  if (production.status !== "failed" || production.tries >= productionTriesMax || (isFixed && startMs! <= nowMs))
    return null
  const ready = hasScript(production) || (production.idea !== null && isWriterThere)
  return change(production, {
    status: ready ? "queued" : "needs_script",
    failedAt: null,
    error: null,
    tries: production.tries + 1,
    ...withRun(production, { status: "waiting", detail: null })
  })
}

/** Whether the next run can still be skipped. */
export const isSkippable = (production: ProductionRecord, nowMs: number): boolean => {
  const { startMs, status } = runOf(production)
  return (
    production.recurring !== null &&
    (status === "waiting" || status === "failed") &&
    startMs !== null &&
    nowMs <= startMs - productionSkipMin * 60_000
  )
}

/** Moves to the last run and drops those between. */
export const moveToLastRun = (production: ProductionRecord): ProductionRecord =>
  change(production, {
    runs: production.runs.map((run, i) =>
      i > production.current && run.status === "waiting" ? { ...run, status: "cancelled" } : run
    ),
    current: production.runs.length - 1
  })

export const skipRun = (production: ProductionRecord): ProductionRecord => endProduction(production, "skipped", null)
export const cancelProduction = (production: ProductionRecord, reason: string): ProductionRecord =>
  endProduction(production, "cancelled", reason)

const open: ReadonlySet<ProductionStatus> = new Set(["queued", "needs_script", "failed"])

/** Whether its script may be changed: until the plan is submitted. */
export const isRevisable = (production: ProductionRecord): boolean =>
  open.has(production.status) && runOf(production).status !== "skipped"

export const reviseProduction = (
  production: ProductionRecord,
  { includeMusic, outline = [] }: ProductionPatch
): ProductionRecord => {
  const parts = production.parts.map((part, i) => {
    const change = outline.findLast(({ index }) => index === i)
    return change === undefined
      ? part
      : { ...part, title: change.title ?? part.title, scriptText: change.scriptText ?? part.scriptText }
  })
  const next = change(production, { parts, ...(includeMusic === undefined ? {} : { includeMusic }) })
  return production.status === "failed"
    ? next
    : change(next, { status: isWritten(parts) ? "queued" : "needs_script", error: null })
}

type StepStatus = Production["steps"][number]["status"]

const order: ReadonlyArray<ProductionStepName> = ["script", "plan", "music", "review", "speech", "air"]

/** The step of each status. */
const at: { readonly [S in ProductionStatus]: ProductionStepName | null } = {
  queued: "script",
  needs_script: "script",
  assembling: "plan",
  review: "review",
  rendering: "speech",
  scheduled: "air",
  aired: null,
  failed: null,
  cancelled: null,
  skipped: null
}

const stepsOf = (production: ProductionRecord): Production["steps"] => {
  const { failedAt, includeMusic, status, voiced, voices } = production
  const isWaiting = status === "queued" && hasScript(production)
  const here = order.indexOf(status === "failed" ? (failedAt ?? "plan") : isWaiting ? "plan" : (at[status] ?? "air"))
  const detailOf = (name: ProductionStepName): string | null => {
    if (name === "script" && status === "needs_script")
      return production.error ?? "Write the scripts of the outline: PATCH the production."
    if (name === "speech" && voices > 0) return `${voiced} of ${voices} parts are spoken.`
    return status === "failed" && name === failedAt ? production.error : null
  }
  return order.map((name, i) => {
    const reached: StepStatus =
      status === "cancelled" || status === "skipped"
        ? "skipped"
        : i < here || status === "aired"
          ? "done"
          : i > here
            ? "waiting"
            : status === "failed"
              ? "failed"
              : isWaiting || status === "needs_script"
                ? "waiting"
                : "running"
    return { name, status: name === "music" && !includeMusic ? "skipped" : reached, detail: detailOf(name) }
  })
}

/** Progress of the current run. */
export const progressOf = (production: ProductionRecord): number => {
  const steps = stepsOf(production).filter(({ status }) => status !== "skipped")
  return production.status === "aired"
    ? 1
    : steps.length === 0
      ? 0
      : Math.round((steps.filter(({ status }) => status === "done").length / steps.length) * 100) / 100
}

/** A production as its agent sees it. */
export const productionView = (production: ProductionRecord): Production => {
  const {
    agentId,
    createdAtMs,
    error,
    id,
    includeMusic,
    kind,
    parts,
    recurring,
    runs,
    segmentIds,
    showId,
    status,
    title,
    tries
  } = production
  return Production.make({
    id,
    agentId,
    kind,
    title,
    status,
    progress: progressOf(production),
    steps: stepsOf(production),
    showId,
    planId: runOf(production).planId,
    segmentIds,
    recurring,
    outline: parts.map((part, index) => ({ index, ...part, words: wordsFor(part.minutes) })),
    includeMusic,
    occurrences: runs.map(({ detail, endMs, planId, startMs, status }) => ({
      occurrenceStart: isoOrNull(startMs),
      occurrenceEnd: isoOrNull(endMs),
      status,
      planId,
      detail
    })),
    triesLeft: productionTriesMax - tries,
    error,
    createdAt: isoOrNull(createdAtMs)!
  })
}
