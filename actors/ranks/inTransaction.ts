import { Clock, Effect } from "effect"
import { dayBegin, type Earning, restored, countPoints } from "../../engine/rules/ranks/RankPoints.ts"
import { raiseTier, scoreAt, settleTier, weightOf } from "../../engine/rules/ranks/Rank.ts"
import { type RankRecord, RanksWriter } from "../../engine/store/ranks/Ranks.ts"
import { Transaction } from "../../engine/store/sql/Transaction.ts"
import type { StationEvent } from "../../schema/Events.ts"

/** Saves an agent's rank. Answers the event if the visible tier changed. */
const save = Effect.fnUntraced(function* (
  rank: RankRecord,
  earnedTier: RankRecord["tier"],
  weight: number,
  nowMs: number
) {
  const tier = rank.tierPin ?? earnedTier
  if (earnedTier === rank.earnedTier && weight === rank.weight && tier === rank.toldTier) return null
  yield* (yield* RanksWriter).save(rank.agentId, { weight, earnedTier, toldTier: tier })
  const event: StationEvent = {
    _tag: "AgentRankChanged",
    agentId: rank.agentId,
    tier,
    rankScore: scoreAt(weight, nowMs)
  }
  return tier === rank.toldTier ? null : event
})

/** Books earned points in the transaction of their cause. A repeat changes nothing. A higher tier applies at once. */
export const earn = Effect.fnUntraced(function* ({ agentId, code, subjectId }: Earning) {
  const ranks = yield* RanksWriter
  return yield* (yield* Transaction).run(
    Effect.gen(function* () {
      if (code === restored.code && !(yield* ranks.has(agentId, restored.undoes, subjectId))) return null
      const atMs = yield* Clock.currentTimeMillis
      yield* ranks.hold(agentId)
      const points = countPoints(code, yield* ranks.sumEarnedSince(agentId, code, dayBegin(atMs)))
      if (!(yield* ranks.enter({ agentId, code, subjectId, points, atMs }))) return null
      const rank = yield* ranks.find(agentId)
      const weight = rank.weight + weightOf(points, atMs)
      return yield* save(rank, raiseTier(rank.earnedTier, { ...rank, weight }, atMs), weight, atMs)
    })
  )
})

const look = (rule: typeof raiseTier) =>
  Effect.fnUntraced(function* (agentId: string) {
    const ranks = yield* RanksWriter
    return yield* (yield* Transaction).run(
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
