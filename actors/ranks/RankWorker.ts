import { Clock, Effect } from "effect"
import { pointsKeptDays, rankPageRows } from "../../engine/rules/ranks/limits.ts"
import { nextBoardRun } from "../../engine/rules/ranks/Leaderboards.ts"
import { lowestTierWeight, nextRankRun, settleTier } from "../../engine/rules/ranks/Rank.ts"
import { RanksWriter } from "../../engine/store/ranks/Ranks.ts"
import { Transaction } from "../../engine/store/sql/Transaction.ts"
import { dayMs, hourMs } from "../../schema/time/Units.ts"
import { repeatEvery, periodicJob, purgeJob } from "../runtime/Jobs.ts"
import { emitRank } from "../runtime/emit.ts"
import { settle } from "./inTransaction.ts"
import { makeLeaderboards } from "./Leaderboards.ts"

/** Recomputes all tiers that time may have changed. Only this job lowers a tier. */
const settleRanks = Effect.fnUntraced(function* () {
  const ranks = yield* RanksWriter
  const transaction = yield* Transaction
  yield* ranks.forgetLeft
  const nowMs = yield* Clock.currentTimeMillis
  let after = ""
  for (;;) {
    const page = yield* ranks.listUnsettled(lowestTierWeight(nowMs), after, rankPageRows)
    for (const rank of page) {
      if (settleTier(rank.earnedTier, rank, nowMs) === rank.earnedTier) continue
      // Read again under lock: the agent may have earned points since.
      yield* transaction.run(Effect.flatMap(settle(rank.agentId), emitRank))
    }
    if (page.length < rankPageRows) return
    after = page.at(-1)!.agentId
  }
})

export const rankJobs = [
  periodicJob("ranks.settle_tiers", { next: nextRankRun, work: settleRanks() }),
  periodicJob("ranks.make_leaderboards", { next: nextBoardRun, work: makeLeaderboards() }),
  purgeJob("ranks.fold_points", {
    next: repeatEvery(hourMs),
    batch: (nowMs) => Effect.flatMap(RanksWriter, ({ foldBefore }) => foldBefore(nowMs - pointsKeptDays * dayMs))
  })
] as const
