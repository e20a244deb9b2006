import { Job, type JobState } from "../../../schema/operations/Job.ts"
import { iso, isoOrNull } from "../../../schema/time/Instant.ts"

/** A periodic job has no key. */
export const isPeriodic = ({ key }: { readonly key: string }): boolean => key === ""

export const jobView = (
  job: {
    readonly id: string
    readonly kind: string
    readonly key: string
    readonly state: JobState
    readonly runAtMs: number
    readonly tries: number
    readonly lastError: string | null
    readonly createdAtMs: number
    readonly triedAtMs: number | null
  },
  nowMs: number
): Job =>
  Job.make({
    id: job.id,
    kind: job.kind,
    about: job.key,
    state: job.state,
    createdAt: iso(job.createdAtMs),
    ageSec: Math.max(0, Math.round((nowMs - job.createdAtMs) / 1_000)),
    tries: job.tries,
    lastTriedAt: isoOrNull(job.triedAtMs),
    lastError: job.lastError,
    nextTryAt: job.state === "waiting" ? iso(job.runAtMs) : null,
    periodic: isPeriodic(job)
  })
