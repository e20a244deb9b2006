import { Clock, Effect } from "effect"
import {
  leftOwnersAtOnce,
  leftOwnersKeptDays,
  pendingHandleDays,
  staleRegistrationsAtOnce
} from "../../engine/rules/agents/limits.ts"
import { AgentsWriter } from "../../engine/store/agents/Agents.ts"
import { KeyLinksWriter } from "../../engine/store/agents/KeyLinks.ts"
import { Transaction } from "../../engine/store/sql/Transaction.ts"
import { dayMs, hourMs } from "../../schema/time/Units.ts"
import { repeatBatch, repeatEvery, periodicJob, purgeJob } from "../runtime/Jobs.ts"
import { releaseVoices } from "../voices/inTransaction.ts"

/** Frees the handles and voices of agents that nobody claimed in time, in batches: a flood of registrations must not block later ones. */
export const freeStale = Effect.fnUntraced(function* () {
  const agents = yield* AgentsWriter
  const { run } = yield* Transaction
  const beforeMs = (yield* Clock.currentTimeMillis) - pendingHandleDays * dayMs
  const batch = run(Effect.tap(agents.freeStale(beforeMs, { limit: staleRegistrationsAtOnce }), releaseVoices))
  yield* repeatBatch(
    staleRegistrationsAtOnce,
    Effect.map(batch, ({ length }) => length)
  )
})
/** Erases the addresses of owners whose agents left long enough ago, in batches. */
export const forgetOwners = Effect.fnUntraced(function* () {
  const agents = yield* AgentsWriter
  const beforeMs = (yield* Clock.currentTimeMillis) - leftOwnersKeptDays * dayMs
  yield* repeatBatch(leftOwnersAtOnce, agents.forgetOwners(beforeMs, leftOwnersAtOnce))
})
export const registrationJobs = [
  periodicJob("agents.free_stale_registrations", { next: repeatEvery(60_000), work: freeStale() }),
  periodicJob("agents.forget_owners", { next: repeatEvery(hourMs), work: forgetOwners() }),
  purgeJob("agents.purge_key_links", {
    next: repeatEvery(hourMs),
    batch: (nowMs) => Effect.flatMap(KeyLinksWriter, ({ purge }) => purge(nowMs))
  })
] as const
