import { Clock, Effect } from "effect"
import { rankPageRows } from "../../engine/rules/ranks/limits.ts"
import { lastBoardRun, nextBoardRun } from "../../engine/rules/ranks/Leaderboards.ts"
import { lastRankRun, lowestTierWeight, nextRankRun, settled } from "../../engine/rules/ranks/Rank.ts"
import { Ranks } from "../../engine/store/ranks/Ranks.ts"
import { Transaction } from "../../engine/store/sql/Transaction.ts"
import { makeLeaderboards } from "./Leaderboards.ts"
import { settle } from "./inTransaction.ts"
import { periodicJob } from "../runtime/Jobs.ts"
import { emitRank } from "../runtime/emit.ts"

/**
 * Looks at every tier that time may have changed: the one run at which an agent can fall. A run that was carried out is not repeated.
 * Answers how many it changed.
 */
export const settleTiers = Effect.fn("Ranks.settleTiers")(function* (dueAtMs: number) {
  const ranks = yield* Ranks
  const transaction = yield* Transaction
  const last = yield* ranks.lastRun("ranks")
  if (last !== null && last >= dueAtMs) return 0
  yield* ranks.forgetLeft
  const nowMs = yield* Clock.currentTimeMillis
  let changed = 0
  let after = ""
  for (;;) {
    const page = yield* ranks.unsettled(lowestTierWeight(nowMs), after, rankPageRows)
    for (const rank of page) {
      if (settled(rank.earnedTier, rank, nowMs) === rank.earnedTier) continue
      // Looked at once more with nobody else at it: it may have earned something since the page was read.
      yield* transaction.run(Effect.flatMap(settle(rank.agentId), emitRank))
      changed++
    }
    if (page.length < rankPageRows) break
    after = page.at(-1)!.agentId
  }
  yield* ranks.ran("ranks", dueAtMs)
  return changed
})

/** What the station does by the clock: who stands where. At the start it makes up for a run that came due while it was down. */
export const rankJobs = [
  periodicJob("ranks.settle_tiers", {
    next: (nowMs) => nextRankRun(lastRankRun(nowMs)),
    work: Effect.flatMap(Clock.currentTimeMillis, (nowMs) => settleTiers(lastRankRun(nowMs)))
  }),
  periodicJob("ranks.make_leaderboards", {
    next: (nowMs) => nextBoardRun(lastBoardRun(nowMs)),
    work: Effect.flatMap(Clock.currentTimeMillis, (nowMs) => makeLeaderboards(lastBoardRun(nowMs)))
  })
] as const
