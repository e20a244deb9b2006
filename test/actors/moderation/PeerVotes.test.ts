import { layer } from "@effect/vitest"
import { Clock, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { expect } from "vitest"
import { closePeerCase, peerDecide, subjectOwner } from "../../../actors/moderation/PeerVotes.ts"
import { EventBus } from "../../../actors/runtime/EventBus.ts"
import { publish } from "../../../actors/social/Posts.ts"
import { postReview } from "../../../actors/social/WritingReview.ts"
import { AsRunKey } from "../../../engine/runtime/AsRunKey.ts"
import { IdSource } from "../../../engine/runtime/IdSource.ts"
import { Keys } from "../../../engine/runtime/Keys.ts"
import { noGrants } from "../../../engine/store/agents/Agents.ts"
import { StandingsWriter } from "../../../engine/store/agents/Standings.ts"
import { Posts } from "../../../engine/store/social/Posts.ts"
import { Stores } from "../../../engine/store/Stores.ts"
import type { AgentId, PeerCaseId } from "../../../schema/Ids.ts"
import { Grants } from "../../../schema/moderation/Review.ts"
import { Broadcaster } from "../../../schema/segments/Submission.ts"
import { dayMs } from "../../../schema/time/Units.ts"
import { TestConfig } from "../../support/agents/OnboardingWorld.ts"
import { makeClaimedAgent } from "../../support/http/SegmentHttp.ts"
import { TestPostgres } from "../../support/sql/Postgres.ts"

const world = Stores.pipe(
  Layer.provideMerge(EventBus.layer),
  Layer.provideMerge(Layer.mergeAll(IdSource.layer, AsRunKey.layer).pipe(Layer.provideMerge(Keys.layer))),
  Layer.provideMerge(Layer.mergeAll(TestPostgres, TestConfig()))
)
const owner = subjectOwner(() => postReview)
const reviewer = Effect.gen(function* () {
  const { handle, id } = yield* makeClaimedAgent()
  const grants = Grants.make({ ...noGrants, tierPin: 4, peerReviewScopes: ["post"] })
  yield* (yield* StandingsWriter).saveGrants(id as AgentId, grants, 0)
  return Broadcaster.make({ agentId: id as AgentId, handle, displayName: handle, ownerKey: null })
})
let posts = 0
const waiting = Effect.gen(function* () {
  const { id } = yield* makeClaimedAgent()
  const body = `Note ${++posts}: write to me at ada${posts}@example.org.`
  const draft = { body, visibility: "public" as const, mediaUrls: [], parentPostId: null }
  return yield* publish(id as AgentId, { draft })
})
const decide = (by: Broadcaster, subjectId: string) =>
  Effect.match(peerDecide(owner, { by, subjectType: "post", subjectId, decision: "approved", reason: null }), {
    onSuccess: ({ outcome }) => outcome as string,
    onFailure: ({ code }) => code as string
  })
const caseOf = (subjectId: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(
      sql<{ id: PeerCaseId; status: string }>`SELECT id, status FROM peer_cases WHERE subject_id = ${subjectId}`,
      ([row]) => row!
    )
  )

layer(world)("the deadline of the peers", (it) => {
  it.effect("admits a decision in the millisecond before it, and none at it", () =>
    Effect.gen(function* () {
      const [one, two, three] = [yield* reviewer, yield* reviewer, yield* reviewer]
      const [early, late] = [yield* waiting, yield* waiting]
      expect([yield* decide(one, early.id), yield* decide(one, late.id)]).toEqual(["pending", "pending"])
      yield* TestClock.adjust(dayMs - 1)
      expect(yield* decide(two, early.id)).toBe("approved")
      yield* TestClock.adjust(1)
      expect([yield* decide(two, late.id), yield* decide(three, late.id)]).toEqual([
        "ADMIN_ONLY_SUBJECT",
        "ADMIN_ONLY_SUBJECT"
      ])
      // The one who decided in time is told so, not that it came too late.
      expect(yield* decide(one, late.id)).toBe("PEER_REVIEW_ALREADY_SUBMITTED")
      expect((yield* (yield* Posts).find(early.id))!.status).toBe("approved")
      expect((yield* (yield* Posts).find(late.id))!.status).toBe("pending")
    })
  )

  it.effect("ends a case at its millisecond, once", () =>
    Effect.gen(function* () {
      const one = yield* reviewer
      const made = yield* waiting
      yield* decide(one, made.id)
      const { id } = yield* caseOf(made.id)
      const dueAtMs = (yield* Clock.currentTimeMillis) + dayMs
      yield* TestClock.adjust(dayMs - 1)
      expect(yield* closePeerCase(owner, id)).toBe(dueAtMs)
      expect((yield* caseOf(made.id)).status).toBe("pending")
      yield* TestClock.adjust(1)
      for (let n = 0; n < 3; n++) expect(yield* closePeerCase(owner, id)).toBeNull()
      expect((yield* caseOf(made.id)).status).toBe("escalated")
      expect((yield* (yield* Posts).find(made.id))!.status).toBe("escalated")
      const sql = yield* SqlClient.SqlClient
      const told =
        yield* sql`SELECT 1 FROM outbox WHERE event->>'_tag' = 'PostModerated' AND event->>'postId' = ${made.id}`
      expect(told.length).toBe(1)
    })
  )
})
