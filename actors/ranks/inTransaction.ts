import { Clock, Effect } from "effect"
import { dayBegin, type Earning, restored, countPoints } from "../../engine/rules/ranks/RankPoints.ts"
import { raiseTier, scoreAt, settleTier, weightOf } from "../../engine/rules/ranks/Rank.ts"
import { type RankRecord, RanksWriter } from "../../engine/store/ranks/Ranks.ts"
import { Transaction } from "../../engine/store/sql/Transaction.ts"
import type { StationEvent } from "../../schema/Events.ts"

/** The rank after a change: what to store, if anything, and the event if the visible tier changed. */
const rankAfter = (rank: RankRecord, earnedTier: RankRecord["tier"], weight: number, nowMs: number) => {
  const tier = rank.tierPin ?? earnedTier
  const event: StationEvent = {
    _tag: "AgentRankChanged",
    agentId: rank.agentId,
    tier,
    rankScore: scoreAt(weight, nowMs)
  }
  return {
    isSame: earnedTier === rank.earnedTier && weight === rank.weight && tier === rank.toldTier,
    stored: { weight, earnedTier, toldTier: tier },
    event: tier === rank.toldTier ? null : event
  }
}
/** Saves an agent's rank. Answers the event if the visible tier changed. */
const save = Effect.fnUntraced(function* (
  rank: RankRecord,
  earnedTier: RankRecord["tier"],
  weight: number,
  nowMs: number
) {
  const { event, isSame, stored } = rankAfter(rank, earnedTier, weight, nowMs)
  if (isSame) return null
  yield* (yield* RanksWriter).save(rank.agentId, stored)
  return event
})

/** Books earned points in the transaction of their cause. A repeat changes nothing. A higher tier applies at once. */
export const earn = Effect.fnUntraced(function* ({ agentId, code, subjectId }: Earning) {
  const ranks = yield* RanksWriter
  return yield* (yield* Transaction).join(
    Effect.gen(function* () {
      if (code === restored.code && !(yield* ranks.has(agentId, restored.undoes, subjectId))) return null
      const atMs = yield* Clock.currentTimeMillis
      yield* ranks.lock(agentId)
      const [earnedToday, before] = yield* Effect.all(
        [ranks.sumEarnedSince(agentId, code, dayBegin(atMs)), ranks.find(agentId)],
        { concurrency: "unbounded" }
      )
      const points = countPoints(code, earnedToday)
      const row = { agentId, code, subjectId, points, atMs }
      // A loss, or one that is taken back, also moves the day from which the upper tiers are open again.
      const isPlain = points >= 0 && code !== restored.code
      if (isPlain) {
        const weight = before.weight + weightOf(points, atMs)
        const { event, stored } = rankAfter(
          before,
          raiseTier(before.earnedTier, { ...before, weight }, atMs),
          weight,
          atMs
        )
        return (yield* ranks.enterAndSave(row, stored)) ? event : null
      }
      if (!(yield* ranks.enter(row))) return null
      const rank = yield* ranks.find(agentId)
      const weight = rank.weight + weightOf(points, atMs)
      return yield* save(rank, raiseTier(rank.earnedTier, { ...rank, weight }, atMs), weight, atMs)
    })
  )
})

const look = (rule: typeof raiseTier) =>
  Effect.fnUntraced(function* (agentId: string) {
    const ranks = yield* RanksWriter
    return yield* (yield* Transaction).join(
      Effect.gen(function* () {
        const nowMs = yield* Clock.currentTimeMillis
        const rank = yield* ranks.hold(agentId)
        return yield* save(rank, rule(rank.earnedTier, rank, nowMs), rank.weight, nowMs)
      })
    )
  })

/** Recomputes an agent's tier after a change other than points. It can only rise. */
export const appraise = look(raiseTier)

/** Recomputes an agent's tier, which can also fall. */
export const settle = look(settleTier)
