import { layer } from "@effect/vitest"
import { Clock, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { expect } from "vitest"
import { EventBus } from "../../../actors/runtime/EventBus.ts"
import { rankJobs } from "../../../actors/ranks/RankWorker.ts"
import { workDue } from "../../../actors/runtime/JobWorker.ts"
import { addJob } from "../../../actors/runtime/Jobs.ts"
import { jobKind } from "../../../actors/runtime/protocol.ts"
import { emit } from "../../../actors/runtime/emit.ts"
import { IdSource } from "../../../engine/runtime/IdSource.ts"
import { positionIn, scoreAt, weightOf } from "../../../engine/rules/ranks/Rank.ts"
import { Outbox } from "../../../engine/store/sql/Outbox.ts"
import { Ranks, RanksWriter } from "../../../engine/store/ranks/Ranks.ts"
import { noGrants } from "../../../engine/store/agents/Agents.ts"
import { noGate, StandingsWriter } from "../../../engine/store/agents/Standings.ts"
import { Stores } from "../../../engine/store/Stores.ts"
import { type AgentId, makeId, type PostId, type SegmentId } from "../../../schema/Ids.ts"
import { Grants } from "../../../schema/moderation/Review.ts"
import { TestConfig } from "../../support/agents/OnboardingWorld.ts"
import { TestPostgres } from "../../support/sql/Postgres.ts"

/** The first minutes of a day: other users of the clock would advance it by hours. */
const World = Layer.mergeAll(EventBus.layer, IdSource.layer, Stores).pipe(
  Layer.provideMerge(Layer.mergeAll(TestPostgres, TestConfig()))
)
const t0 = 0
let ids = 0
const id = (prefix: string) => makeId(prefix, t0, new Uint8Array([9, 9, 9, 9, 9, 9, 9, 9, ++ids >> 8, ids & 255]))
const aired = (agentId: AgentId, segmentId = id("seg") as SegmentId) =>
  emit({ _tag: "SegmentAired", segmentId, agentId, title: "News", reason: null, airedAt: null, airedCompletely: true })
const rankOf = (agentId: AgentId) =>
  Effect.gen(function* () {
    const { tier, weight } = yield* (yield* Ranks).find(agentId)
    return { tier, rankScore: scoreAt(weight, yield* Clock.currentTimeMillis) }
  })
const toldOf = (agentId: AgentId) =>
  Effect.map(
    Effect.flatMap(Outbox, (outbox) => outbox.listAfter(0, 10_000)),
    (rows) =>
      rows.flatMap(({ event }) => (event._tag === "AgentRankChanged" && event.agentId === agentId ? [event.tier] : []))
  )
/** An agent whose first air is cleared. */
const cleared = Effect.gen(function* () {
  const agentId = id("agt") as AgentId
  yield* (yield* StandingsWriter).saveGate(agentId, { ...noGate, state: "cleared" })
  return agentId
})
layer(World)("ranks", (it) => {
  it.effect("count one check-in per agent and day, also of concurrent ones", () =>
    Effect.gen(function* () {
      const agentId = id("agt") as AgentId
      yield* Effect.forEach(Array.from({ length: 200 }), () => emit({ _tag: "AgentCheckedIn", agentId }), {
        concurrency: "unbounded"
      })
      expect(yield* rankOf(agentId)).toEqual({ tier: 0, rankScore: 1 })
    })
  )

  it.effect("book earned points once, up to the daily cap, and raise the tier with them", () =>
    Effect.gen(function* () {
      const agentId = yield* cleared
      const segmentId = id("seg") as SegmentId
      yield* Effect.forEach(Array.from({ length: 20 }), () => aired(agentId, segmentId), { concurrency: "unbounded" })
      expect(yield* rankOf(agentId)).toEqual({ tier: 0, rankScore: 10 })
      yield* Effect.forEach(
        Array.from({ length: 200 }),
        () => emit({ _tag: "PostPublished", agentId, postId: id("post") as PostId }),
        { concurrency: "unbounded" }
      )
      expect((yield* rankOf(agentId)).rankScore).toBe(15)
      yield* Effect.forEach(Array.from({ length: 9 }), () => aired(agentId), { concurrency: "unbounded" })
      expect(yield* rankOf(agentId)).toEqual({ tier: 1, rankScore: 55 })
      expect(yield* toldOf(agentId)).toEqual([1])
      const sql = yield* SqlClient.SqlClient
      expect(yield* sql`SELECT sum(points)::int AS sum FROM points WHERE agent_id = ${agentId}`).toEqual([{ sum: 55 }])
      expect(positionIn(yield* (yield* Ranks).weights, (yield* (yield* Ranks).find(agentId)).weight)).toBe(1)
    })
  )

  it.effect("keep nothing of a rolled-back transaction", () =>
    Effect.gen(function* () {
      const agentId = yield* cleared
      const sql = yield* SqlClient.SqlClient
      yield* Effect.exit(sql.withTransaction(Effect.andThen(aired(agentId), Effect.fail("refused"))))
      expect(yield* rankOf(agentId)).toEqual({ tier: 0, rankScore: 0 })
    })
  )

  it.effect("wait for the first air, and are recomputed once it is cleared", () =>
    Effect.gen(function* () {
      const agentId = id("agt") as AgentId
      yield* Effect.forEach(Array.from({ length: 5 }), () => aired(agentId), { discard: true })
      expect(yield* rankOf(agentId)).toEqual({ tier: 0, rankScore: 50 })
      yield* (yield* StandingsWriter).saveGate(agentId, { ...noGate, state: "cleared" })
      yield* emit({
        _tag: "FirstAirDecided",
        agentId,
        segmentId: id("seg") as SegmentId,
        decision: "approve",
        reason: null
      })
      expect((yield* rankOf(agentId)).tier).toBe(1)
    })
  )

  it.effect("subtract points for a rejection and return them when it is undone", () =>
    Effect.gen(function* () {
      const agentId = yield* cleared
      const postId = id("post") as PostId
      yield* Effect.forEach(Array.from({ length: 5 }), () => aired(agentId), { discard: true })
      const moderated = (status: string) => emit({ _tag: "PostModerated", postId, agentId, status, reason: null })
      yield* moderated("approved")
      yield* moderated("rejected")
      yield* moderated("rejected")
      expect((yield* rankOf(agentId)).rankScore).toBe(40)
      expect((yield* (yield* Ranks).find(agentId)).lastViolationAtMs).not.toBe(null)
      yield* moderated("approved")
      yield* moderated("approved")
      expect((yield* rankOf(agentId)).rankScore).toBe(50)
      expect((yield* (yield* Ranks).find(agentId)).lastViolationAtMs).toBe(null)
      yield* emit({ _tag: "AgentSuspended", agentId, reason: "spam" })
      expect(yield* rankOf(agentId)).toEqual({ tier: 1, rankScore: 0 })
    })
  )

  it.effect("let a pinned tier win, and say so", () =>
    Effect.gen(function* () {
      const agentId = yield* cleared
      const standings = yield* StandingsWriter
      const pin = (tierPin: 3 | null) =>
        Effect.andThen(
          standings.saveGrants(agentId, Grants.make({ ...noGrants, tierPin }), t0),
          emit({ _tag: "AgentGrantsChanged", agentId })
        )
      yield* pin(3)
      expect((yield* rankOf(agentId)).tier).toBe(3)
      yield* Effect.forEach(Array.from({ length: 5 }), () => aired(agentId), { discard: true })
      expect(yield* rankOf(agentId)).toEqual({ tier: 3, rankScore: 50 })
      yield* pin(null)
      expect((yield* rankOf(agentId)).tier).toBe(1)
      expect(yield* toldOf(agentId)).toEqual([3, 1])
    })
  )

  it.effect("lower agents at ten past midnight only, once", () =>
    Effect.gen(function* () {
      const ranks = yield* RanksWriter
      const [settle] = rankJobs
      // The run at the first start.
      yield* addJob(jobKind(settle.name, Schema.Null), { key: "", payload: null })
      expect(yield* workDue([settle])).toBe(1)
      const [falls, stays] = [yield* cleared, yield* cleared]
      for (const agentId of [falls, stays])
        yield* Effect.forEach(Array.from({ length: 5 }), () => aired(agentId), { discard: true })
      // Makes the points so old that 80 % of 40, which is 32, remain.
      const age = Effect.fnUntraced(function* (agentId: AgentId, score: number) {
        yield* ranks.save(agentId, {
          ...(yield* ranks.find(agentId)),
          weight: weightOf(score, yield* Clock.currentTimeMillis)
        })
      })
      yield* age(falls, 31)
      yield* age(stays, 32)
      yield* aired(id("agt") as AgentId)
      yield* TestClock.setTime(599_999)
      expect(yield* workDue([settle])).toBe(0)
      expect([yield* rankOf(falls), yield* rankOf(stays)]).toEqual([
        { tier: 1, rankScore: 31 },
        { tier: 1, rankScore: 32 }
      ])
      yield* TestClock.adjust(1)
      expect(yield* workDue([settle])).toBe(1)
      expect([yield* rankOf(falls), yield* rankOf(stays)]).toEqual([
        { tier: 0, rankScore: 31 },
        { tier: 1, rankScore: 32 }
      ])
      expect([yield* toldOf(falls), yield* toldOf(stays)]).toEqual([[1, 0], [1]])
      yield* age(stays, 31)
      expect(yield* workDue([settle])).toBe(0)
      expect((yield* rankOf(stays)).tier).toBe(1)
    })
  )
})
