import { Cause, Clock, Effect, Layer } from "effect"
import { StationConfig } from "../../engine/runtime/Config.ts"
import { rankPageRows, rankRetryMs } from "../../engine/rules/ranks/limits.ts"
import { lastBoardRun, nextBoardRun } from "../../engine/rules/ranks/Leaderboards.ts"
import { lastRankRun, lowestTierWeight, nextRankRun, settled } from "../../engine/rules/ranks/Rank.ts"
import { Ranks } from "../../engine/store/ranks/Ranks.ts"
import { Transaction } from "../../engine/store/sql/Transaction.ts"
import { makeLeaderboards } from "./Leaderboards.ts"
import { countedAll } from "../runtime/MessageCounters.ts"
import { settle } from "./inTransaction.ts"
import { transient } from "../runtime/EntityKinds.ts"
import { Steward } from "./protocol/Steward.ts"
import { superviseForEver } from "../runtime/Supervision.ts"
import { emitRank } from "../runtime/emit.ts"

const settleRanks = Effect.fn("Steward.settleRanks")(function* (dueAtMs: number) {
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

const StewardActor = Steward.toLayer(
  Effect.succeed(
    Steward.of(
      countedAll("Steward", {
        SettleRanks: ({ payload }) => settleRanks(payload.dueAtMs),
        MakeBoards: ({ payload }) => makeLeaderboards(payload.dueAtMs)
      })
    )
  ),
  transient
)

/** Sends the steward on a round whenever one is due, and at the start on one that came due while the station was down. */
const rounds = (
  round: "SettleRanks" | "MakeBoards",
  last: (nowMs: number) => number,
  next: (dueAtMs: number) => number
) =>
  Effect.gen(function* () {
    const { stationSlug } = yield* StationConfig
    const steward = (yield* Steward.client)(stationSlug)
    for (;;) {
      const dueAtMs = last(yield* Clock.currentTimeMillis)
      const isDone = yield* steward[round]({ dueAtMs }).pipe(
        Effect.as(true),
        Effect.catchCause((cause) =>
          Cause.hasInterruptsOnly(cause)
            ? Effect.interrupt
            : Effect.as(
                Effect.logWarning(`a round of the steward failed and will be tried again: ${round}`, cause),
                false
              )
        )
      )
      yield* Effect.sleep(isDone ? next(dueAtMs) - (yield* Clock.currentTimeMillis) : rankRetryMs)
    }
  })

/** Needs the repositories, `Bus`, `Ids` and the cluster. It sleeps for all but its rounds. */
export const StewardLive = Layer.effectDiscard(
  Effect.andThen(
    Effect.forkScoped(superviseForEver("Steward", rankRetryMs, rounds("SettleRanks", lastRankRun, nextRankRun))),
    Effect.forkScoped(superviseForEver("Leaderboards", rankRetryMs, rounds("MakeBoards", lastBoardRun, nextBoardRun)))
  )
).pipe(Layer.provideMerge(StewardActor))
