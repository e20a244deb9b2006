import { layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { expect } from "vitest"
import { ReviewRegistry } from "../../../actors/moderation/protocol.ts"
import { findDecidedSide } from "../../../engine/rules/moderation/PeerReview.ts"
import type { PeerCaseId } from "../../../schema/Ids.ts"
import { AgentHttp, arrive } from "../../support/http/AgentHttp.ts"
import { type Answer, call, operator, askUntil } from "../../support/http/SegmentHttp.ts"
import {
  decide,
  decisions,
  grantPeer,
  peerRecord,
  queuePath,
  reviewer,
  publishFlagged
} from "../../support/scenes/Peers.ts"
import { post, promote } from "../../support/scenes/Scene.ts"
import { flaggedPost, publish } from "../../support/social/SocialWorld.ts"

const ops = "/api/ops/peer-moderation"
const codes = ({ body, status }: Answer) => [status, body.code]
const ended = ({ body: { review } }: Answer) => [review.outcome, review.binding]
const record = (key: string) => Effect.map(call("GET", peerRecord, { key }), ({ body }) => body)
const context = (key: string, id: string) => call("GET", queuePath("post", id), { key })
/** The post as its author sees it. */
const own = ({ author, id }: Effect.Success<ReturnType<typeof publishFlagged>>) =>
  Effect.map(call("GET", "/api/v1/agents/me/feed?limit=100", { key: author.key }), ({ body }) =>
    body.posts.find((each: { id: string }) => each.id === id)
  )
const isPublic = (handle: string, id: string) =>
  Effect.map(call("GET", `/api/v1/agents/${handle}/posts`), ({ body }) => JSON.stringify(body.posts).includes(id))
const reviewOf = (id: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const [row] = yield* sql<{ id: string; status: string; decidedBy: string | null }>`
      SELECT id, status, decided_by FROM reviews WHERE subject_id = ${id} ORDER BY created_at DESC LIMIT 1`
    return row!
  })
const caseOf = Effect.fnUntraced(function* (id: string) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ id: PeerCaseId }>`
    SELECT id FROM peer_cases WHERE subject_id = ${id} ORDER BY created_at DESC, id DESC LIMIT 1`
  const { body } = yield* call("GET", `${ops}/cases/${row!.id}`, { key: yield* operator("reviewer") })
  return body.case
})
const judged = Effect.fnUntraced(function* (caseId: string, verdict: string, query = "") {
  return yield* post(
    `${ops}/cases/${caseId}/verdict${query}`,
    { verdict, reason: "we looked" },
    yield* operator("reviewer")
  )
})
const byOperator = Effect.fnUntraced(function* (id: string, decision: string) {
  const { id: reviewId } = yield* reviewOf(id)
  return yield* post(
    `/api/ops/reviews/${reviewId}/decision`,
    { decision, reason: "we looked" },
    yield* operator("reviewer")
  )
})
const pointsOf = (agentId: string, code: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(
      sql<{
        sum: number
      }>`SELECT coalesce(sum(points), 0)::int AS sum FROM points WHERE agent_id = ${agentId} AND code = ${code}`,
      ([row]) => row!.sum
    )
  )
const planted = Effect.fnUntraced(function* (over: object = {}) {
  return yield* post(
    `${ops}/planted`,
    { subjectType: "post", body: flaggedPost(), answer: "denied", ...over },
    yield* operator("reviewer")
  )
})

layer(AgentHttp(), { excludeTestServices: true })("peers", (it) => {
  it.effect("decide together: with weight 3 by two owners and a lead of 2, at once and with reward", () =>
    Effect.gen(function* () {
      const given = yield* publishFlagged()
      const [two, three, against] = [yield* reviewer(2), yield* reviewer(3), yield* reviewer(2)]
      expect((yield* record(two.key)).queuePreview).toContainEqual({ subjectType: "post", subjectId: given.id })
      const seen = yield* context(two.key, given.id)
      expect(seen.body).toMatchObject({
        subject: { type: "post", id: given.id, author: { handle: given.author.handle, tier: "T0" } },
        precheck: { autoApproved: false, flags: [{ code: "personal_data" }] },
        priorDecisions: { count: 0 },
        binding: { binds: true, detail: null }
      })
      expect(Date.parse(seen.body.deadline) - Date.parse(seen.body.subject.createdAt)).toBe(86_400_000)
      // Weight 1 against, then 2: no lead of 2 until the third.
      expect(ended(yield* decide(against.key, given.id, "denied"))).toEqual(["pending", false])
      expect(ended(yield* decide(three.key, given.id, "approved"))).toEqual(["pending", false])
      expect((yield* context(two.key, given.id)).body.priorDecisions).toEqual({ count: 2 })
      expect((yield* own(given)).status).toBe("pending")
      const last = yield* decide(two.key, given.id, "approved")
      expect([last.body.review.weight, ...ended(last)]).toEqual([1, "approved", true])
      expect((yield* own(given)).status).toBe("approved")
      expect(yield* isPublic(given.author.handle, given.id)).toBe(true)
      expect(yield* reviewOf(given.id)).toMatchObject({ status: "approved", decidedBy: "peer review" })
      for (const [who, binding] of [
        [two, 1],
        [three, 1],
        [against, 0]
      ] as const) {
        const { queuePreview, recentDecisions, stats } = yield* record(who.key)
        expect([stats.total, stats.binding, recentDecisions[0].outcome, recentDecisions[0].binding]).toEqual([
          1,
          binding,
          "approved",
          binding === 1
        ])
        expect(queuePreview.some(({ subjectId }: { subjectId: string }) => subjectId === given.id)).toBe(false)
        expect(yield* pointsOf(who.id, "peer_decision_binding")).toBe(3 * binding)
      }
      // What is decided waits for nobody.
      expect(codes(yield* decide((yield* reviewer()).key, given.id, "approved"))).toEqual([
        404,
        "PEER_MODERATION_SUBJECT_NOT_FOUND"
      ])
      // A denial reaches the author with the reviewer's words.
      const other = yield* publishFlagged()
      yield* decide(three.key, other.id, "denied", { reason: "Somebody lives there." })
      expect(ended(yield* decide(two.key, other.id, "denied", { reason: "It is an address." }))).toEqual([
        "denied",
        true
      ])
      expect(yield* own(other)).toMatchObject({ status: "rejected", statusReason: "It is an address." })
    })
  )

  it.effect("have one seat for each owner, never on their own, and no second decision", () =>
    Effect.gen(function* () {
      const given = yield* publishFlagged()
      const email = `twins-${given.id}@example.org`
      const [first, second] = [yield* reviewer(3, ["post"], email), yield* reviewer(4, ["post"], email)]
      const itself = yield* Effect.tap(Effect.succeed(given.author), ({ id }) =>
        Effect.andThen(promote(id, 4), grantPeer(id, ["post"]))
      )
      expect(codes(yield* decide(itself.key, given.id, "approved"))).toEqual([403, "SELF_REVIEW_NOT_ALLOWED"])
      expect(codes(yield* context(itself.key, given.id))).toEqual([403, "SELF_REVIEW_NOT_ALLOWED"])
      // Both at once: one of them is heard.
      const both = yield* Effect.forEach([first, second], ({ key }) => decide(key, given.id, "approved"), {
        concurrency: 2
      })
      expect(both.map(({ status }) => status).toSorted()).toEqual([200, 409])
      expect((yield* caseOf(given.id)).votes.length).toBe(1)
      for (const { key } of [first, second]) {
        expect(codes(yield* decide(key, given.id, "denied"))).toEqual([409, "PEER_REVIEW_ALREADY_SUBMITTED"])
        expect((yield* record(key)).queuePreview.some((one: { subjectId: string }) => one.subjectId === given.id)).toBe(
          false
        )
      }
      // The same request again is the same decision; another body under its key is none.
      const { key } = yield* reviewer()
      const headers = { "idempotency-key": "once" }
      const once = yield* decide(key, given.id, "denied", {}, headers)
      const again = yield* decide(key, given.id, "denied", {}, headers)
      expect([again.body, again.headers.get("idempotent-replayed")]).toEqual([once.body, "true"])
      expect(codes(yield* decide(key, given.id, "approved", {}, headers))).toEqual([409, "IDEMPOTENCY_KEY_CONFLICT"])
      expect((yield* caseOf(given.id)).votes.length).toBe(2)
    })
  )

  it.effect("refuse forged decisions, and what isn't theirs to decide", () =>
    Effect.gen(function* () {
      const given = yield* publishFlagged()
      const { key } = yield* reviewer(2, ["post", "lore"])
      const wrong: ReadonlyArray<readonly [object, number, string, string?]> = [
        [{ decision: "crowned" }, 400, "INVALID_FIELD", "/decision"],
        [{ decision: ["approved"] }, 400, "INVALID_FIELD", "/decision"],
        [{ decision: undefined }, 400, "MISSING_FIELDS", "/decision"],
        [{ subjectId: 7 }, 400, "INVALID_FIELD", "/subjectId"],
        [{ decision: "denied", reason: "" }, 400, "PEER_REVIEW_REASON_REQUIRED", "/reason"],
        [{ decision: "deferred" }, 400, "PEER_REVIEW_REASON_REQUIRED", "/reason"],
        [{ reason: "x".repeat(501) }, 400, "INVALID_FIELD", "/reason"],
        [{ subjectType: "poem" }, 404, "PEER_MODERATION_SUBJECT_NOT_FOUND"],
        [{ subjectType: "lore" }, 404, "PEER_MODERATION_SUBJECT_NOT_FOUND"],
        [{ subjectType: "comment" }, 403, "PEER_REVIEW_SCOPE_DENIED"],
        [{ decision: "denied", reason: "I will kill you." }, 422, "CONTENT_REJECTED", "/reason"]
      ]
      for (const [over, status, code, pointer] of wrong) {
        const answer = yield* post(
          decisions,
          { subjectType: "post", subjectId: given.id, decision: "approved", ...over },
          key
        )
        expect([over, answer.status, answer.body.code, answer.body.errors[0]?.pointer]).toEqual([
          over,
          status,
          code,
          pointer
        ])
      }
      // A weight of one's own is ignored.
      const heavy = yield* decide(key, given.id, "approved", { weight: 1_000, binding: true })
      expect([heavy.body.review.weight, heavy.headers.get("x-ignored-fields")]).toEqual([1, "weight, binding"])
      // What the precheck escalated is the operators', and so is a first air.
      const grave = yield* publish(given.author.key, { body: `${flaggedPost()} I will kill you.` })
      expect(grave.body.post.status).toBe("escalated")
      const strong = [yield* reviewer(4, ["post", "segment"]), yield* reviewer(4, ["post", "segment"])]
      for (const { key: each } of strong) {
        expect(codes(yield* decide(each, grave.body.post.id, "approved"))).toEqual([403, "ADMIN_ONLY_SUBJECT"])
        expect(codes(yield* context(each, grave.body.post.id))).toEqual([403, "ADMIN_ONLY_SUBJECT"])
      }
      const segment = yield* post(
        "/api/segments",
        { stationSlug: "longwave", category: "news", title: "News", scriptText: "Good evening." },
        (yield* arrive()).key
      )
      const first = { subjectType: "segment", subjectId: segment.body.segment.id, decision: "approved" }
      expect(codes(yield* post(decisions, first, strong[0]!.key))).toEqual([403, "ADMIN_ONLY_SUBJECT"])
      // Flags that are raised during the vote end it.
      const sql = yield* SqlClient.SqlClient
      const late = yield* publishFlagged()
      yield* decide(strong[0]!.key, late.id, "approved")
      yield* sql`UPDATE reviews SET flags = '[{"code": "threat", "severity": "low", "excerptHash": "x"}]'::jsonb WHERE subject_id = ${late.id}`
      expect(codes(yield* decide(strong[1]!.key, late.id, "approved"))).toEqual([403, "ADMIN_ONLY_SUBJECT"])
      expect((yield* own(late)).status).toBe("pending")
    })
  )

  it.effect("pass a case to the operators by a deferral, whose verdict measures them", () =>
    Effect.gen(function* () {
      const given = yield* publishFlagged()
      const [right, wrong, unsure] = [yield* reviewer(2), yield* reviewer(2), yield* reviewer(4)]
      yield* decide(right.key, given.id, "denied")
      yield* decide(wrong.key, given.id, "approved")
      expect(ended(yield* decide(unsure.key, given.id, "deferred"))).toEqual(["escalated", false])
      expect((yield* own(given)).status).toBe("escalated")
      expect(codes(yield* decide((yield* reviewer()).key, given.id, "approved"))).toEqual([403, "ADMIN_ONLY_SUBJECT"])
      expect((yield* byOperator(given.id, "reject")).status).toBe(200)
      const pct = (key: string) => Effect.map(record(key), ({ stats }) => [stats.agreementPct, stats.deferred])
      expect([yield* pct(right.key), yield* pct(wrong.key), yield* pct(unsure.key)]).toEqual([
        [100, 0],
        [0, 0],
        [null, 1]
      ])
      expect(yield* caseOf(given.id)).toMatchObject({ status: "escalated", decidedByPeers: false, verdict: "denied" })
      const { body } = yield* call("GET", `${ops}/reviewers?limit=100`, { key: yield* operator("reviewer") })
      const found = body.reviewers.find(({ agentId }: { agentId: string }) => agentId === right.id)
      expect(found).toMatchObject({
        handle: right.handle,
        tier: "T2",
        scopes: ["post"],
        stats: { total: 1, agreementPct: 100 }
      })
      // Taken back, it measures nobody.
      const { id: reviewId } = yield* reviewOf(given.id)
      yield* post(`/api/ops/reviews/${reviewId}/undo`, { reason: "a slip" }, yield* operator("reviewer"))
      expect(yield* pct(right.key)).toEqual([null, 0])
    })
  )

  it.effect("count only while their grant lasts", () =>
    Effect.gen(function* () {
      const given = yield* publishFlagged()
      const [gone, fallen, left, last, more] = yield* Effect.forEach([2, 2, 2, 3, 2] as const, (tier) => reviewer(tier))
      yield* decide(gone!.key, given.id, "approved")
      yield* decide(fallen!.key, given.id, "denied")
      yield* decide(left!.key, given.id, "denied")
      yield* grantPeer(gone!.id, ["comment"])
      yield* promote(fallen!.id, 1)
      yield* call("DELETE", "/api/v1/agents/me", { key: left!.key })
      expect((yield* record(fallen!.key)).granted).toBe(false)
      expect(codes(yield* context(gone!.key, given.id))).toEqual([403, "PEER_REVIEW_SCOPE_DENIED"])
      // Without those three there are 2 to 0; with the next 3 to 0 by two owners.
      expect(ended(yield* decide(last!.key, given.id, "approved"))).toEqual(["pending", false])
      expect((yield* caseOf(given.id)).votes.map(({ counted }: { counted: boolean }) => counted)).toEqual([
        false,
        false,
        false,
        true
      ])
      expect(ended(yield* decide(more!.key, given.id, "approved"))).toEqual(["approved", true])
      expect(yield* pointsOf(gone!.id, "peer_decision_binding")).toBe(0)
      // Nobody gets a grant below T2, nor keeps one that counts.
      const low = yield* arrive()
      expect(codes(yield* grantPeer(low.id, ["post"]))).toEqual([409, "SUBJECT_CONFLICT"])
    })
  )

  it.effect("find nothing left of a subject that was taken down, taken back or changed meanwhile", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const registry = yield* ReviewRegistry
      const [one, two] = [yield* reviewer(3), yield* reviewer(3)]
      // Removed by an operator.
      const removed = yield* publishFlagged()
      yield* decide(one.key, removed.id, "approved")
      yield* post(`/api/ops/subjects/post/${removed.id}/remove`, { reason: "an address" }, yield* operator("reviewer"))
      expect(codes(yield* decide(two.key, removed.id, "approved"))).toEqual([404, "PEER_MODERATION_SUBJECT_NOT_FOUND"])
      expect(yield* caseOf(removed.id)).toMatchObject({ status: "denied", decidedByPeers: false, verdict: "denied" })
      // Its author has left.
      const left = yield* publishFlagged()
      yield* decide(one.key, left.id, "approved")
      yield* call("DELETE", "/api/v1/agents/me", { key: left.author.key })
      yield* askUntil(reviewOf(left.id), ({ status }) => status === "withdrawn")
      expect(codes(yield* decide(two.key, left.id, "approved"))).toEqual([404, "PEER_MODERATION_SUBJECT_NOT_FOUND"])
      const { id } = yield* caseOf(left.id)
      yield* sql`UPDATE peer_cases SET closes_at = now() WHERE id = ${id}`
      expect(yield* registry.closePeerCase(id)).toBeNull()
      expect(yield* caseOf(left.id)).toMatchObject({ status: "withdrawn", verdict: null })
      expect((yield* record(one.key)).recentDecisions[0]).toMatchObject({ outcome: "escalated", binding: false })
      // Another text: decisions on the former don't count for it.
      const changed = yield* publishFlagged()
      yield* decide(one.key, changed.id, "approved")
      yield* sql`UPDATE reviews SET body = 'Another text altogether.' WHERE subject_id = ${changed.id}`
      expect(ended(yield* decide(two.key, changed.id, "approved"))).toEqual(["pending", false])
      expect((yield* caseOf(changed.id)).votes.length).toBe(1)
      expect(ended(yield* decide(one.key, changed.id, "approved"))).toEqual(["approved", true])
    })
  )

  it.effect("have until the deadline, which ends each case once, whenever it is killed", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const registry = yield* ReviewRegistry
      const [one, two] = [yield* reviewer(3), yield* reviewer(3)]
      const given = yield* publishFlagged()
      yield* decide(one.key, given.id, "approved")
      const { id } = yield* caseOf(given.id)
      expect(yield* registry.closePeerCase(id)).toBeGreaterThan(Date.now())
      yield* sql`UPDATE reviews SET peers_until = now() WHERE subject_id = ${given.id}`
      expect(codes(yield* decide(two.key, given.id, "approved"))).toEqual([403, "ADMIN_ONLY_SUBJECT"])
      expect(
        (yield* record(two.key)).queuePreview.some((each: { subjectId: string }) => each.subjectId === given.id)
      ).toBe(false)
      yield* sql`UPDATE peer_cases SET closes_at = now() WHERE id = ${id}`
      // Interrupted at some instant of its work, as a process that dies: nothing is stored, or all.
      for (let ms = 0; ms < 12; ms++) {
        const fiber = yield* Effect.forkChild(Effect.exit(registry.closePeerCase(id)))
        yield* Effect.sleep(ms)
        yield* Fiber.interrupt(fiber)
        const [row] = yield* sql<{ case: string; review: string; post: string }>`
          SELECT c.status AS case, r.status AS review, p.status AS post FROM peer_cases c JOIN reviews r ON r.id = c.review_id JOIN posts p ON p.id = c.subject_id WHERE c.id = ${id}`
        expect([
          ["pending", "open", "pending"],
          ["escalated", "escalated", "escalated"]
        ]).toContainEqual([row!.case, row!.review, row!.post])
      }
      yield* Effect.forEach(Array.from({ length: 8 }), () => registry.closePeerCase(id), { concurrency: 8 })
      const told =
        yield* sql`SELECT 1 FROM outbox WHERE event->>'_tag' = 'PostModerated' AND event->>'postId' = ${given.id}`
      expect([(yield* own(given)).status, told.length]).toEqual(["escalated", 1])
      // Its own job ends a case, and an operator who comes first leaves it nothing to do.
      const other = yield* publishFlagged()
      yield* decide(one.key, other.id, "approved")
      const { id: next } = yield* caseOf(other.id)
      yield* byOperator(other.id, "approve")
      yield* sql`UPDATE peer_cases SET closes_at = now() WHERE id = ${next}`
      expect(yield* registry.closePeerCase(next)).toBeNull()
      expect(yield* caseOf(other.id)).toMatchObject({ status: "approved", decidedByPeers: false, verdict: "approved" })
    })
  )

  it.effect("are confirmed or overturned by operators, for 30 days", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [one, two, dissent] = [yield* reviewer(3), yield* reviewer(3), yield* reviewer(2)]
      const bound = Effect.fnUntraced(function* (decision: "approved" | "denied") {
        const given = yield* publishFlagged()
        yield* decide(dissent.key, given.id, decision === "approved" ? "denied" : "approved")
        yield* decide(one.key, given.id, decision)
        expect(ended(yield* decide(two.key, given.id, decision))).toEqual([decision, true])
        return { ...given, caseId: (yield* caseOf(given.id)).id as string }
      })
      const [kept, wrongly, denied, old] = [
        yield* bound("approved"),
        yield* bound("approved"),
        yield* bound("denied"),
        yield* bound("approved")
      ]
      // A dry run changes nothing.
      const dry = yield* judged(wrongly.caseId, "denied", "?dryRun=true")
      expect([dry.status, dry.body.dryRun, (yield* own(wrongly)).status]).toEqual([200, true, "approved"])
      expect((yield* judged(kept.caseId, "approved")).body.case).toMatchObject({
        verdict: "approved",
        decidedByPeers: true
      })
      expect((yield* record(dissent.key)).stats.agreementPct).toBe(0)
      expect((yield* judged(wrongly.caseId, "denied")).status).toBe(200)
      expect(yield* own(wrongly)).toMatchObject({ status: "removed", statusReason: "we looked" })
      expect(yield* isPublic(wrongly.author.handle, wrongly.id)).toBe(false)
      expect((yield* judged(denied.caseId, "approved")).status).toBe(200)
      expect((yield* own(denied)).status).toBe("approved")
      for (const who of [one, two]) {
        expect((yield* record(who.key)).stats).toMatchObject({
          total: 4,
          binding: 4,
          overturned: 2,
          agreementPct: 33.3
        })
        expect(yield* pointsOf(who.id, "peer_decision_overturned")).toBe(-10)
      }
      expect(yield* pointsOf(dissent.id, "peer_decision_overturned")).toBe(0)
      expect((yield* record(dissent.key)).stats).toMatchObject({ overturned: 0, agreementPct: 66.7 })
      // Once only, and neither both ways nor after 30 days.
      expect((yield* judged(wrongly.caseId, "denied")).status).toBe(200)
      expect(codes(yield* judged(wrongly.caseId, "approved"))).toEqual([409, "SUBJECT_CONFLICT"])
      expect(yield* pointsOf(one.id, "peer_decision_overturned")).toBe(-10)
      yield* sql`UPDATE peer_cases SET closed_at = now() - interval '30 days 1 second' WHERE id = ${old.caseId}`
      expect(codes(yield* judged(old.caseId, "denied"))).toEqual([409, "SUBJECT_CONFLICT"])
      expect((yield* own(old)).status).toBe("approved")
      // Operators decide on reviews where peers have not.
      const open = yield* publishFlagged()
      yield* decide(one.key, open.id, "approved")
      expect(codes(yield* judged((yield* caseOf(open.id)).id, "denied"))).toEqual([409, "SUBJECT_CONFLICT"])
      expect(codes(yield* judged("pmc_01j8zq4v7c3n5m2k9x6t0r1w8e", "denied"))).toEqual([404, "NOT_FOUND"])
      // The public board tells agreement, too.
      const { body } = yield* call("GET", "/api/v1/peer-moderation/leaderboard?limit=100")
      const place = body.rows.find(({ agent }: { agent: { id: string } }) => agent.id === one.id)
      expect([place.bindingDecisions, place.agreementPct]).toEqual([4, 33.3])
    })
  )

  it.effect("are measured by planted cases, which nobody can tell from others and no public figure counts", () =>
    Effect.gen(function* () {
      const [one, two] = [yield* reviewer(4, ["post", "write_in"]), yield* reviewer(4, ["post", "write_in"])]
      const author = yield* arrive()
      const { body: made } = yield* planted({ authorHandle: author.handle })
      expect(made.case).toMatchObject({ planted: true, reviewId: null, verdict: "denied", status: "pending" })
      const id = made.case.subject.id as string
      const real = yield* publishFlagged()
      const shape = (value: unknown): unknown =>
        Array.isArray(value)
          ? value.map(shape).slice(0, 1)
          : typeof value === "object" && value !== null
            ? Object.fromEntries(
                Object.entries(value).map(([name, part]) => [name, name === "evidence" ? "" : shape(part)])
              )
            : typeof value
      expect(shape((yield* context(one.key, id)).body)).toEqual(shape((yield* context(one.key, real.id)).body))
      expect(id.length).toBe(real.id.length)
      expect((yield* record(one.key)).queuePreview).toContainEqual({ subjectType: "post", subjectId: id })
      // Enough weight for both sides of the rule, and nothing happens.
      expect(ended(yield* decide(one.key, id, "denied"))).toEqual(["pending", false])
      expect(ended(yield* decide(two.key, id, "approved"))).toEqual(["pending", false])
      expect(codes(yield* decide(two.key, id, "denied"))).toEqual([409, "PEER_REVIEW_ALREADY_SUBMITTED"])
      for (const { id: agentId, key } of [one, two]) {
        expect(yield* record(key)).toMatchObject({ recentDecisions: [], stats: { total: 0, agreementPct: null } })
        expect(yield* pointsOf(agentId, "peer_decision_binding")).toBe(0)
      }
      const reviewers = Effect.map(
        Effect.flatMap(operator("reviewer"), (key) => call("GET", `${ops}/reviewers?limit=100`, { key })),
        ({ body }) =>
          [one, two].map((who) => body.reviewers.find(({ agentId }: { agentId: string }) => agentId === who.id).planted)
      )
      expect(yield* reviewers).toEqual([
        { decided: 1, right: 1, accuracyPct: 100 },
        { decided: 1, right: 0, accuracyPct: 0 }
      ])
      // Never public, and not among the operators' reviews.
      expect(yield* isPublic(author.handle, id)).toBe(false)
      const queue = yield* call("GET", "/api/ops/reviews?limit=100", { key: yield* operator("reviewer") })
      expect(JSON.stringify(queue.body).includes(id)).toBe(false)
      // Withdrawn, it measures nobody and waits for nobody.
      const taken = yield* post(`${ops}/planted/${made.case.id}/withdraw`, {}, yield* operator("reviewer"))
      expect([taken.status, taken.body.case.status]).toEqual([200, "withdrawn"])
      expect(yield* reviewers).toEqual([
        { decided: 0, right: 0, accuracyPct: null },
        { decided: 0, right: 0, accuracyPct: null }
      ])
      expect(codes(yield* context((yield* reviewer()).key, id))).toEqual([404, "PEER_MODERATION_SUBJECT_NOT_FOUND"])
      // A listener's words are by a listener; grave flags, unknown authors and real cases are refused.
      const letter = yield* planted({ subjectType: "write_in", answer: "approved" })
      const read = yield* call("GET", queuePath("write_in", letter.body.case.subject.id), { key: one.key })
      expect(read.body.subject.author).toEqual({ handle: "a listener", tier: null })
      expect(codes(yield* planted({ body: "I will kill you." }))).toEqual([400, "INVALID_FIELD"])
      expect(codes(yield* planted({ flags: [{ code: "secret", severity: "low" }] }))).toEqual([400, "INVALID_FIELD"])
      expect(codes(yield* planted({ authorHandle: "nobody-at-all" }))).toEqual([404, "AGENT_NOT_FOUND"])
      yield* decide(one.key, real.id, "approved")
      const { id: realCase } = yield* caseOf(real.id)
      expect(codes(yield* post(`${ops}/planted/${realCase}/withdraw`, {}, yield* operator("reviewer")))).toEqual([
        404,
        "NOT_FOUND"
      ])
    })
  )

  it.effect("learn nothing of others' decisions by a dry run", () =>
    Effect.gen(function* () {
      const given = yield* publishFlagged()
      const [one, two] = [yield* reviewer(3), yield* reviewer(3)]
      yield* decide(one.key, given.id, "approved")
      const tried = yield* Effect.forEach(["approved", "denied", "deferred"], (decision) =>
        decide(two.key, given.id, decision, {}, {}, "?dryRun=true")
      )
      for (const { body, status } of tried)
        expect([status, body.status, body.wouldBe.review.outcome, body.wouldBe.review.binding]).toEqual([
          200,
          200,
          "pending",
          false
        ])
      expect((yield* caseOf(given.id)).votes.length).toBe(1)
      expect(ended(yield* decide(two.key, given.id, "approved"))).toEqual(["approved", true])
    })
  )

  it.effect("are asked: one agent of each owner but the author's", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const email = `asked-${Date.now()}@example.org`
      const twins = [yield* reviewer(2, ["topic"], email), yield* reviewer(2, ["topic"], email)]
      const other = yield* reviewer(3, ["topic"])
      const author = yield* reviewer(2, ["topic"])
      yield* call("PUT", `/api/ops/agents/${author.id}/grants`, {
        key: yield* operator("producer"),
        body: { freeAir: true }
      })
      const topic = { title: "What the tide brings", category: "local", description: flaggedPost() }
      const { body } = yield* post("/api/v1/catalog/topics", topic, author.key)
      expect(body.topic?.status ?? body).toBe("pending")
      const told = yield* sql<{ agentId: string; subjectId: string }>`
        SELECT event->>'agentId' AS agent_id, event->>'subjectId' AS subject_id FROM outbox WHERE event->>'_tag' = 'PeerReviewWaiting' AND event->>'subjectId' = ${body.topic.id}`
      const names = told.map(({ agentId }) => agentId)
      expect([names.length, names.includes(other.id), twins.filter(({ id }) => names.includes(id)).length]).toEqual([
        2,
        true,
        1
      ])
      const home = yield* call("GET", "/api/v1/home", { key: other.key })
      expect(home.body.actions.map(({ code }: { code: string }) => code)).toContain("PEER_REVIEW_WAITING")
      // Peers let a topic in as an operator does.
      const of = { subjectType: "topic", subjectId: body.topic.id, decision: "approved" }
      yield* post(decisions, of, twins[0]!.key)
      expect(ended(yield* post(decisions, of, other.key))).toEqual(["approved", true])
      expect(yield* sql`SELECT status FROM topics WHERE id = ${body.topic.id}`).toEqual([{ status: "active" }])
    })
  )
})

layer(AgentHttp(), { excludeTestServices: true })("a generated walk of peer moderation", (it) => {
  it.effect("answers every caller as the rules foresee, and keeps what it answered", () =>
    Effect.gen(function* () {
      let seed = 20260507
      const pick = <A>(all: ReadonlyArray<A>): A => {
        seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0
        return all[Math.floor((seed / 4_294_967_296) * all.length)]!
      }
      const twins = `walk-${Date.now()}@example.org`
      const authors = [yield* publishFlagged(), yield* publishFlagged()]
      const reviewers = yield* Effect.forEach(
        [
          [2, undefined],
          [2, undefined],
          [3, twins],
          [4, twins],
          [3, undefined],
          [2, `${authors[0]!.author.handle}@example.org`],
          [2, undefined]
        ] as const,
        ([tier, owner]) =>
          Effect.map(reviewer(tier, ["post"], owner), (one) => ({ ...one, tier, owner: owner ?? one.id }))
      )
      const granted = new Set(reviewers.slice(0, 6).map(({ id }) => id))
      yield* grantPeer(reviewers[6]!.id, [])
      interface Vote {
        readonly id: string
        readonly decision: "approved" | "denied" | "deferred"
        readonly weight: number
        readonly ownerKey: string
      }
      const posts = authors.flatMap((one, n) => [
        { id: one.id, owner: `${one.author.handle}@example.org`, status: "open", votes: [] as Array<Vote> },
        ...[0, 1].map((m) => ({
          id: `${n}${m}`,
          owner: `${one.author.handle}@example.org`,
          status: "open",
          votes: [] as Array<Vote>
        }))
      ])
      for (const [n, one] of posts.entries())
        if (!one.id.startsWith("post_"))
          one.id = (yield* publish(authors[Math.floor(n / 3)]!.author.key, { body: flaggedPost() })).body.post.id
      const bound = new Map<string, number>()
      const listener = (yield* post("/api/listeners/session")).body.listenerToken as string
      const strangers: ReadonlyArray<Parameters<typeof call>[2]> = [
        {},
        { key: listener },
        { key: yield* operator("admin") },
        { headers: { "x-app-key": "svc_app_nobody" } }
      ]
      for (let n = 0; n < 120; n++) {
        const one = pick(posts)
        const who = pick(reviewers)
        const act = pick([
          "decide",
          "decide",
          "decide",
          "decide",
          "look",
          "look",
          "stranger",
          "grant",
          "operator"
        ] as const)
        const told = (answer: Answer) => [n, act, answer.status, answer.body.code ?? null]
        const refusal = !granted.has(who.id)
          ? [403, "PEER_REVIEW_NOT_GRANTED"]
          : one.status === "approved" || one.status === "denied"
            ? [404, "PEER_MODERATION_SUBJECT_NOT_FOUND"]
            : one.owner === who.owner
              ? [403, "SELF_REVIEW_NOT_ALLOWED"]
              : one.status === "escalated"
                ? [403, "ADMIN_ONLY_SUBJECT"]
                : [200, null]
        if (act === "stranger") {
          const ask = pick(strangers)!
          const method = pick(["GET", "POST"])
          const path = method === "POST" ? decisions : pick([peerRecord, queuePath("post", one.id)])
          const body = { subjectType: "post", subjectId: one.id, decision: "approved" }
          expect(told(yield* call(method, path, { ...ask, ...(method === "POST" ? { body } : {}) }))).toEqual([
            n,
            act,
            401,
            "INVALID_API_KEY"
          ])
        } else if (act === "look") expect(told(yield* context(who.key, one.id))).toEqual([n, act, ...refusal])
        else if (act === "grant") {
          const isGiven = !granted.has(who.id)
          expect((yield* grantPeer(who.id, isGiven ? ["post"] : [])).status).toBe(200)
          if (isGiven) granted.add(who.id)
          else granted.delete(who.id)
        } else if (act === "operator") {
          // Rarely, or nothing is left to the peers.
          if (pick([true, false, false, false]) && (one.status === "open" || one.status === "escalated")) {
            const decision = pick(["approve", "reject"] as const)
            expect((yield* byOperator(one.id, decision)).status).toBe(200)
            one.status = decision === "approve" ? "approved" : "denied"
          }
        } else {
          const decision = pick(["approved", "approved", "denied", "denied", "denied", "deferred"] as const)
          const isRepeat = granted.has(who.id) && one.votes.some(({ ownerKey }) => ownerKey === who.owner)
          const expected = isRepeat ? [409, "PEER_REVIEW_ALREADY_SUBMITTED"] : refusal
          const answer = yield* decide(who.key, one.id, decision)
          expect(told(answer)).toEqual([n, act, ...expected])
          if (answer.status !== 200) continue
          one.votes.push({ id: who.id, decision, weight: who.tier - 1, ownerKey: who.owner })
          const counted = one.votes.filter(({ id }) => granted.has(id))
          const side = decision === "deferred" ? null : findDecidedSide(counted)
          if (decision === "deferred") one.status = "escalated"
          if (side !== null) {
            one.status = side
            for (const { decision: mine, id } of counted) if (mine === side) bound.set(id, (bound.get(id) ?? 0) + 1)
          }
          expect([n, ...ended(answer)]).toEqual([n, one.status === "open" ? "pending" : one.status, side === decision])
        }
      }
      for (const who of reviewers) {
        const { granted: isGranted, stats } = yield* record(who.key)
        const mine = posts.flatMap(({ votes }) => votes).filter(({ id }) => id === who.id)
        const count = (decision: string) => mine.filter((vote) => vote.decision === decision).length
        expect([who.handle, isGranted, stats]).toMatchObject([
          who.handle,
          granted.has(who.id),
          {
            total: mine.length,
            approved: count("approved"),
            denied: count("denied"),
            deferred: count("deferred"),
            binding: bound.get(who.id) ?? 0
          }
        ])
      }
      expect(posts.some(({ status }) => status === "approved" || status === "denied")).toBe(true)
    })
  )
})

layer(AgentHttp(), { excludeTestServices: true })("what peers' decisions are worth", (it) => {
  let cases = 0
  /** Planted cases with a decision of each, as if they had been made; `errors` says who errs on the n-th. */
  const history = Effect.fnUntraced(function* (
    count: number,
    by: ReadonlyArray<{ readonly id: string }>,
    errors: (n: number) => ReadonlyArray<boolean>
  ) {
    const sql = yield* SqlClient.SqlClient
    for (let n = 0; n < count; n++) {
      const id = `pmc_${++cases}`
      const [right, wrong] = n % 2 === 0 ? ["approved", "denied"] : ["denied", "approved"]
      yield* sql`
        INSERT INTO peer_cases (id, subject_type, subject_id, body, content_md5, status, verdict, verdict_at, closes_at, created_at)
        VALUES (${id}, 'post', ${id}, 'A case', 'x', 'escalated', ${right!}, now(), now(), now())`
      yield* Effect.forEach(by, (each, place) => {
        const decision = errors(n)[place]! ? wrong! : right!
        return sql`INSERT INTO peer_decisions (id, case_id, agent_id, owner_key, decision, weight, created_at) VALUES (${`rev_${cases}_${place}`}, ${id}, ${each.id}, ${each.id}, ${decision}, 1, now())`
      })
    }
  })
  const figures = Effect.map(
    Effect.flatMap(operator("reviewer"), (key) => call("GET", ops, { key })),
    ({ body }) => body.kinds.find(({ subjectType }: { subjectType: string }) => subjectType === "post")
  )

  it.effect("ends their binding force where they make the same errors, says so, and begins again", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [one, two] = [yield* reviewer(4), yield* reviewer(4)]
      expect(yield* figures).toMatchObject({ decisions: 0, effectiveVotes: null, binds: true, computedAt: null })
      // A real verdict measures anew; before a hundred decisions it changes nothing.
      const measured = Effect.gen(function* () {
        const given = yield* publishFlagged()
        yield* decide(one.key, given.id, "approved")
        yield* byOperator(given.id, "approve")
        return yield* figures
      })
      yield* history(49, [one, two], (n) => (n % 3 === 0 ? [true, true] : [false, false]))
      expect(yield* measured).toMatchObject({ decisions: 98, binds: true })
      yield* history(1, [one, two], () => [false, false])
      const worthless = yield* measured
      expect(worthless).toMatchObject({
        cases: 50,
        decisions: 100,
        votesPerCase: 2,
        correlation: expect.closeTo(1, 9),
        effectiveVotes: expect.closeTo(1, 9),
        binds: false
      })
      expect(worthless.detail).toContain("1.00 independent votes")
      // The same decisions are advice now, and everybody reads why.
      const given = yield* publishFlagged()
      expect((yield* context(one.key, given.id)).body.binding).toMatchObject({
        subjectType: "post",
        binds: false,
        detail: worthless.detail
      })
      expect((yield* record(two.key)).binding).toEqual([
        { subjectType: "post", binds: false, detail: worthless.detail }
      ])
      yield* decide(one.key, given.id, "approved")
      expect(ended(yield* decide(two.key, given.id, "approved"))).toEqual(["pending", false])
      expect((yield* own(given)).status).toBe("pending")
      expect(yield* caseOf(given.id)).toMatchObject({ status: "pending", advice: "approved", decidedByPeers: false })
      yield* byOperator(given.id, "reject")
      expect((yield* caseOf(given.id)).votes.map(({ overturned }: { overturned: boolean }) => overturned)).toEqual([
        false,
        false
      ])
      // Other kinds are as they were.
      expect(
        (yield* call("GET", ops, { key: yield* operator("reviewer") })).body.kinds.filter(
          ({ binds }: { binds: boolean }) => !binds
        ).length
      ).toBe(1)
      // Errors of their own, each for itself: the decisions bind again.
      yield* sql`DELETE FROM peer_decisions d USING peer_cases c WHERE c.id = d.case_id AND c.review_id IS NULL`
      yield* history(60, [one, two], (n) => [n % 3 === 0, n % 4 === 0])
      const independent = yield* measured
      expect([independent.binds, independent.effectiveVotes > 1.5]).toEqual([true, true])
      const next = yield* publishFlagged()
      yield* decide(one.key, next.id, "approved")
      expect(ended(yield* decide(two.key, next.id, "approved"))).toEqual(["approved", true])
    })
  )

  it.effect("keeps each grant that one of two operators gives at the same time", () =>
    Effect.gen(function* () {
      const agent = yield* reviewer(2, [])
      const producers = [yield* operator("producer"), yield* operator("producer")]
      const sets = [["post"], ["lore", "topic"]]
      const answers = yield* Effect.forEach(
        Array.from({ length: 12 }, (_, n) => n),
        (n) =>
          call("PUT", `/api/ops/agents/${agent.id}/grants`, {
            key: producers[n % 2]!,
            body: n % 2 === 0 ? { peerReviewScopes: sets[(n / 2) % 2] } : { stationMusic: true }
          }),
        { concurrency: 12 }
      )
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
      const { body } = yield* call("GET", `/api/ops/agents/${agent.id}`, { key: producers[0]! })
      expect([
        body.agent.grants.stationMusic,
        sets.map((set) => set.join()).includes(body.agent.grants.peerReviewScopes.join())
      ]).toEqual([true, true])
      expect((yield* record(agent.key)).scopes).toEqual(body.agent.grants.peerReviewScopes)
      const sql = yield* SqlClient.SqlClient
      const audit = yield* sql`SELECT 1 FROM audit WHERE action = 'agent.grants' AND subject_id = ${agent.id}`
      expect(audit.length).toBe(14)
    })
  )
})
