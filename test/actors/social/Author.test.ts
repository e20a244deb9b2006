import { layer } from "@effect/vitest"
import { Clock, Duration, Effect, Layer } from "effect"
import { TestRunner } from "effect/cluster"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { expect } from "vitest"
import { AuthorLive } from "../../../actors/social/Author.ts"
import { publish as written } from "../../../actors/social/Posts.ts"
import { commandHeaders } from "../../../actors/runtime/protocol.ts"
import { EventBus } from "../../../actors/runtime/EventBus.ts"
import { Author } from "../../../actors/social/protocol/Author.ts"
import { AsRunKey } from "../../../engine/runtime/AsRunKey.ts"
import { IdSource } from "../../../engine/runtime/IdSource.ts"
import { Keys } from "../../../engine/runtime/Keys.ts"
import { dayMs } from "../../../schema/time/Units.ts"
import { AgentsWriter } from "../../../engine/store/agents/Agents.ts"
import { Posts } from "../../../engine/store/social/Posts.ts"
import { Reviews } from "../../../engine/store/moderation/Reviews.ts"
import { Stores } from "../../../engine/store/Stores.ts"
import type { AgentId } from "../../../schema/Ids.ts"
import type { PostDraft } from "../../../schema/social/Post.ts"
import { TestConfig } from "../../support/agents/OnboardingWorld.ts"
import { TestPostgres } from "../../support/sql/Postgres.ts"
import { makeClaimedAgent } from "../../support/http/SegmentHttp.ts"

const draft = (over: Partial<PostDraft> = {}): PostDraft => ({
  body: "The fog horn sounded at six.",
  visibility: "public",
  mediaUrls: [],
  parentPostId: null,
  ...over
})
let notes = 0
const publish = Effect.fnUntraced(function* (agentId: string, over: Partial<PostDraft> = {}, commandKey?: string) {
  const id = commandKey === undefined ? null : { scopeSha256: commandKey, bodySha256: "the same" }
  return yield* (yield* Author.client)(agentId).Publish({ draft: draft(over) }, { headers: commandHeaders({ id }) })
})
const note = () => ({ body: `Note ${++notes} of the night.` })
const refusal = <A, E, R>(ask: Effect.Effect<A, E, R>) =>
  Effect.match(ask, {
    onSuccess: () => null,
    onFailure: (error) =>
      [
        (error as { readonly code?: string }).code,
        (error as { readonly retryAfterSec?: number }).retryAfterSec
      ] as const
  })
/** The store without actors: actors check the clock every few seconds, which would make a simulated day slow. */
const world = Stores.pipe(
  Layer.provideMerge(EventBus.layer),
  Layer.provideMerge(Layer.mergeAll(IdSource.layer, AsRunKey.layer).pipe(Layer.provideMerge(Keys.layer))),
  Layer.provideMerge(Layer.mergeAll(TestPostgres, TestConfig()))
)
/** An incarnation of all authors, for the duration of `work`. */
const incarnated = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.provide(work, Layer.fresh(AuthorLive.pipe(Layer.provideMerge(TestRunner.layer))))
layer(world)("an author's mailbox", (it) => {
  it.effect("counts by sliding hour and by UTC day", () =>
    Effect.gen(function* () {
      const untilMidnight = Effect.map(Clock.currentTimeMillis, (nowMs) => Duration.millis(dayMs - (nowMs % dayMs)))
      yield* TestClock.adjust(yield* untilMidnight)
      yield* TestClock.adjust("1 hour")
      const { id } = yield* makeClaimedAgent()
      const post = () => written(id as AgentId, { draft: draft(note()) })
      // Forty in one day: ten at first, one more whenever the limit allows it, and the rest over the hours.
      for (const [wait, times] of [
        ["0 minutes", 10],
        ["6 minutes", 1],
        ["1 hour", 10],
        ["1 hour", 10],
        ["1 hour", 9]
      ] as const) {
        yield* TestClock.adjust(wait)
        for (let n = 0; n < times; n++) yield* post()
        if (times === 10) expect(yield* refusal(post())).toEqual(["RATE_LIMITED", 360])
      }
      expect(yield* refusal(post())).toEqual(["RATE_LIMITED", (19 * 60 + 54) * 60])
      yield* TestClock.adjust(yield* untilMidnight)
      yield* post()
    })
  )

  it.effect("makes one post for a command, however often and in which order it arrives", () =>
    incarnated(
      Effect.gen(function* () {
        const { id } = yield* makeClaimedAgent()
        const keys = ["a", "b", "c"].flatMap((key) => Array.from({ length: 5 }, () => `${id} ${key}`))
        const posts = yield* Effect.forEach(
          keys.toSorted(),
          (key) => publish(id, { body: `Said once: ${key}.` }, key),
          { concurrency: "unbounded" }
        )
        const again = yield* Effect.forEach(keys.toReversed(), (key) =>
          publish(id, { body: `Said once: ${key}.` }, key)
        )
        expect(new Set([...posts, ...again].map((post) => post.id)).size).toBe(3)
        expect(again.map(({ counts, precheck }) => [counts.likes, precheck?.autoApproved])).toEqual(
          keys.map(() => [0, true])
        )
        const [row] = yield* (yield* SqlClient.SqlClient)<{
          n: number
        }>`SELECT count(*)::int AS n FROM posts WHERE agent_id = ${id}`
        expect(row!.n).toBe(3)
      })
    )
  )

  // Effect's issue 6508: after a lost lock, an actor ran in two processes. The database decides, not the mailbox.
  it.effect("makes one post for a command and keeps to its limits, also when it runs in two processes at once", () =>
    Effect.gen(function* () {
      const both = yield* Effect.all(
        [0, 1].map(() => Layer.build(Layer.fresh(AuthorLive.pipe(Layer.provideMerge(TestRunner.layer)))))
      )
      const { id } = yield* makeClaimedAgent()
      const sent = yield* Effect.forEach(
        Array.from({ length: 14 }, (_, n) => both.map((process) => [process, `${id} both ${n}`] as const)).flat(),
        ([process, key]) =>
          publish(id, { body: `Said by two: ${key}.` }, key).pipe(
            Effect.map((post) => `${key}: ${post.id}`),
            Effect.catchTag("RateLimited", () => Effect.succeed(null)),
            Effect.provideContext(process)
          ),
        { concurrency: "unbounded" }
      )
      const made = new Set(sent.filter((post) => post !== null))
      const [row] = yield* (yield* SqlClient.SqlClient)<{
        n: number
      }>`SELECT count(*)::int AS n FROM posts WHERE agent_id = ${id}`
      expect([made.size, row!.n]).toEqual([10, 10])
    }).pipe(Effect.scoped)
  )

  it.effect("treats the same text of an agent as a duplicate for a day, but not that of another agent", () =>
    Effect.gen(function* () {
      const [one, two] = [yield* makeClaimedAgent(), yield* makeClaimedAgent()]
      const codes = (agentId: string) =>
        Effect.map(
          written(agentId as AgentId, { draft: draft({ body: "Low water at four." }) }),
          ({ precheck, status }) => [status, ...precheck!.flags.map(({ code }) => code)]
        )
      expect(yield* codes(one.id)).toEqual(["approved"])
      expect(yield* codes(two.id)).toEqual(["approved"])
      yield* TestClock.adjust("23 hours")
      expect(yield* codes(one.id)).toEqual(["pending", "duplicate"])
      yield* TestClock.adjust("25 hours")
      expect(yield* codes(one.id)).toEqual(["approved"])
    })
  )

  it.effect("lets a decision be undone for ten minutes, and restores the earlier state", () =>
    incarnated(
      Effect.gen(function* () {
        const { id } = yield* makeClaimedAgent()
        const author = (yield* Author.client)(id)
        const act = { actor: "ada", reason: "Not here." }
        const made = yield* publish(id, { body: "Write to ada@example.org, she knows." })
        const review = (yield* (yield* Reviews).openFor("post", made.id))!
        const state = Effect.map((yield* Posts).find(made.id), (post) => [post!.status, post!.statusReason])
        yield* author.Decide({ reviewId: review.id, decision: "reject", note: null, ...act })
        expect(yield* state).toEqual(["rejected", "Not here."])
        yield* TestClock.adjust("9 minutes")
        yield* author.UndoDecision({ reviewId: review.id, ...act })
        expect(yield* state).toEqual(["pending", null])
        yield* author.Decide({ reviewId: review.id, decision: "approve", note: null, ...act })
        yield* TestClock.adjust("11 minutes")
        expect((yield* refusal(author.UndoDecision({ reviewId: review.id, ...act })))![0]).toBe("REVIEW_CONFLICT")
        expect(yield* state).toEqual(["approved", null])
        // Decided, judged, then undone: the operator's later judgement stays.
        const other = yield* publish(id, { body: "Or to bob@example.org, he knows more." })
        const second = (yield* (yield* Reviews).openFor("post", other.id))!
        yield* author.Decide({ reviewId: second.id, decision: "approve", note: null, ...act })
        yield* author.Judge({ type: "post", id: other.id, judgement: "remove", ...act })
        expect((yield* refusal(author.UndoDecision({ reviewId: second.id, ...act })))![0]).toBe("REVIEW_CONFLICT")
        expect((yield* (yield* Posts).find(other.id))!.status).toBe("removed")
        // A review can't be decided through another agent.
        const stranger = (yield* Author.client)((yield* makeClaimedAgent()).id)
        expect(
          (yield* refusal(stranger.Decide({ reviewId: review.id, decision: "approve", note: null, ...act })))![0]
        ).toBe("NOT_FOUND")
        expect((yield* refusal(stranger.Judge({ type: "post", id: made.id, judgement: "remove", ...act })))![0]).toBe(
          "NOT_FOUND"
        )
      })
    )
  )

  it.effect("refuses an agent that left or was suspended after its authentication", () =>
    incarnated(
      Effect.gen(function* () {
        const [left, suspended] = [yield* makeClaimedAgent(), yield* makeClaimedAgent()]
        const agents = yield* AgentsWriter
        yield* agents.remove(left.id, 0)
        yield* agents.shutOut(suspended.id as AgentId, "Noise.", null)
        expect((yield* refusal(publish(left.id)))![0]).toBe("AGENT_NOT_ACTIVE")
        expect((yield* refusal(publish(suspended.id)))![0]).toBe("AGENT_SUSPENDED")
      })
    )
  )

  it.effect("knows counts from before its activation", () =>
    incarnated(
      Effect.gen(function* () {
        const { id } = yield* makeClaimedAgent()
        for (let n = 0; n < 10; n++) yield* written(id as AgentId, { draft: draft(note()) })
        expect(yield* refusal(publish(id, note()))).toEqual(["RATE_LIMITED", 360])
      })
    )
  )
})
