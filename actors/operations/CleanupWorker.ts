import { Clock, Effect } from "effect"
import { jobsEndedKeptDays } from "../../engine/rules/runtime/limits.ts"
import { IdempotencyKeys } from "../../engine/store/sql/IdempotencyKeys.ts"
import { Jobs } from "../../engine/store/sql/Jobs.ts"
import { dayMs, hourMs } from "../../schema/time/Units.ts"
import { every, periodicJob } from "../runtime/Jobs.ts"

const keys = Effect.flatMap(IdempotencyKeys, ({ purge }) => Effect.flatMap(Clock.currentTimeMillis, purge))
const ended = Effect.flatMap(Jobs, ({ purge }) =>
  Effect.flatMap(Clock.currentTimeMillis, (nowMs) => purge(nowMs - jobsEndedKeptDays * dayMs))
)

/** Deletes expired idempotency keys and ended jobs. */
export const cleanupJobs = [
  periodicJob("operations.purge_idempotency_keys", { next: every(600_000), work: keys }),
  periodicJob("operations.purge_jobs", { next: every(hourMs), work: ended })
] as const
