import { layer } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { expect } from "vitest"
import { answersLost } from "../../support/http/AnswersLost.ts"
import { topicRound } from "../../../actors/programmes/TopicWorker.ts"
import { IdSource } from "../../../engine/runtime/IdSource.ts"
import { Audit } from "../../../engine/store/sql/Audit.ts"
import { Topics } from "../../../engine/store/programmes/Topics.ts"
import { AgentHttp } from "../../support/http/AgentHttp.ts"
import { call, makeClaimedAgent, operator } from "../../support/http/SegmentHttp.ts"
import { arriveGranted } from "../../support/scenes/Scene.ts"
import { setSegments } from "../../support/air/Airings.ts"

const topics = "/api/v1/catalog/topics"
const plain = { title: "What the tide brings", category: "local", description: "Things found on the beach." }

interface Own {
  readonly id: string
  readonly handle: string
  readonly key: string
}
const open = (by: Own, over: object = {}, query = "") =>
  call("POST", `${topics}${query}`, { key: by.key, body: { ...plain, ...over } })
const contribute = (by: Own, topicId: string, segmentId: string, query = "") =>
  call("POST", `${topics}/${topicId}/contributions${query}`, { key: by.key, body: { segmentId } })
const listed = (query = "") =>
  Effect.map(call("GET", `${topics}${query}`), ({ body }) =>
    (body.topics as ReadonlyArray<{ readonly id: string }>).map(({ id }) => id)
  )
const spoken = Effect.fnUntraced(function* (by: Own) {
  const { body } = yield* call("POST", "/api/segments", {
    key: by.key,
    body: {
      stationSlug: "longwave",
      category: "story",
      title: "Found",
      scriptText: `A bottle lay there, said ${by.handle}, and a shoe.`
    }
  })
  return body.segment.id as string
})
const aloud = (by: Own, over: object = {}) => Effect.map(say(by, over), ({ body }) => body.segment.id as string)
const say = (by: Own, over: object = {}, query = "") =>
  call("POST", `/api/v1/agents/me/tts/station/generate${query}`, {
    key: by.key,
    body: { category: "story", title: "Found", scriptText: "A bottle lay there, and a shoe.", ...over }
  })
/** The same words by another agent: this test doesn't depend on them. */
const likewise = Effect.fnUntraced(function* (by: Own, segmentId: string, over: object = {}) {
  const sql = yield* SqlClient.SqlClient
  const id = yield* (yield* IdSource).make("seg")
  yield* sql`INSERT INTO segments SELECT (jsonb_populate_record(s, ${JSON.stringify({ id, agent_id: by.id, handle: by.handle, command_key: id, ...over })}::text::jsonb)).* FROM segments s WHERE s.id = ${segmentId}`
  yield* setSegments(sql`id = ${id}`, "waiting", { atMs: null })
  return id
})
const told = Effect.map(
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) =>
      sql<{
        agentId: string
        topicId: string
      }>`SELECT event->>'agentId' AS agent_id, event->>'topicId' AS topic_id FROM outbox WHERE event->>'_tag' = 'TopicFilled'`
  ),
  (rows) => (topicId: string) => rows.flatMap((row) => (row.topicId === topicId ? [row.agentId] : []))
)

layer(AgentHttp(), { excludeTestServices: true, timeout: 300_000 })("topics", (it) => {
  it.effect("are opened, found and filled by as many agents as requested", () =>
    Effect.gen(function* () {
      const host = yield* arriveGranted()
      const made = yield* open(host, { agentsNeeded: 2, ttlHours: 6 })
      expect([made.status, made.body.topic]).toEqual([
        201,
        {
          id: expect.stringMatching(/^top_/),
          ...plain,
          status: "active",
          agentsNeeded: 2,
          contributors: [],
          createdBy: { agentId: host.id, handle: host.handle },
          createdAt: expect.any(String),
          expiresAt: new Date(Date.parse(made.body.topic.createdAt) + 6 * 3_600_000).toISOString(),
          metadata: { source: "agent_suggested" }
        }
      ])
      const id = made.body.topic.id as string
      expect([
        (yield* listed())[0],
        (yield* listed("?category=music")).includes(id),
        (yield* listed("?source=agent_suggested")).includes(id),
        (yield* listed("?source=station_seed")).includes(id),
        (yield* listed("?status=filled")).includes(id)
      ]).toEqual([id, false, true, false, false])
      for (const source of ["seed", "trend_feed", "recent_search"])
        expect(yield* listed(`?source=${source}`)).toEqual([])
      const guest = yield* arriveGranted()
      const [ofHost, ofGuest] = [yield* spoken(host), yield* spoken(guest)]
      expect((yield* contribute(guest, id, ofHost)).body.code).toBe("SEGMENT_NOT_FOUND")
      const first = yield* contribute(guest, id, ofGuest)
      expect([first.status, first.body.topic.status, first.body.topic.contributors]).toEqual([
        200,
        "active",
        [{ handle: guest.handle, segmentId: ofGuest }]
      ])
      for (const again of [ofGuest, yield* likewise(guest, ofGuest)]) {
        const { body, status } = yield* contribute(guest, id, again)
        expect([status, body.code]).toEqual([409, "DUPLICATE_TOPIC_CONTRIBUTION"])
      }
      expect(
        (yield* call("GET", "/api/segments", { key: guest.key })).body.segments.find(
          (each: { id: string }) => each.id === ofGuest
        ).topicIds
      ).toEqual([id])
      expect((yield* contribute(host, id, ofHost, "?dryRun=true")).body).toMatchObject({
        dryRun: true,
        status: 200,
        wouldBe: { status: "filled" }
      })
      expect((yield* told)(id)).toEqual([])
      expect((yield* contribute(host, id, ofHost)).body.topic).toMatchObject({
        status: "filled",
        contributors: [{ handle: guest.handle }, { handle: host.handle }]
      })
      // The proposer has also contributed: it is notified once.
      expect([(yield* told)(id).sort(), yield* listed("?status=filled"), (yield* listed()).includes(id)]).toEqual([
        [guest.id, host.id].sort(),
        [id],
        false
      ])
      const late = yield* arriveGranted()
      expect((yield* contribute(late, id, yield* spoken(late))).body.code).toBe("TOPIC_CLOSED")
    })
  )

  it.effect("are also opened by the station, filled by agents, and closed by operators", () =>
    Effect.gen(function* () {
      const key = yield* operator("producer")
      const ask = (body: object, headers: Record<string, string> = {}) =>
        call("POST", "/api/ops/topics", { key, headers, body: { ...plain, reason: "the storm", ...body } })
      expect((yield* call("POST", "/api/ops/topics", { key: yield* operator("reviewer"), body: plain })).status).toBe(
        403
      )
      expect([
        (yield* ask({ agentsNeeded: 9 })).body.code,
        (yield* ask({ ttlHours: 5 })).body.code,
        (yield* ask({ title: "" })).body.code
      ]).toEqual(["INVALID_AGENTS_NEEDED", "INVALID_TTL_HOURS", "MISSING_FIELDS"])
      const once = yield* ask({ agentsNeeded: 1 }, { "idempotency-key": "storm" })
      expect([
        once.status,
        once.body.topic,
        (yield* ask({ agentsNeeded: 1 }, { "idempotency-key": "storm" })).body.topic.id
      ]).toMatchObject([
        200,
        { status: "active", createdBy: null, metadata: { source: "station_seed" } },
        once.body.topic.id
      ])
      const { id } = once.body.topic
      const other = (yield* ask({ title: "What the storm took" })).body.topic.id
      expect(yield* listed("?source=station_seed")).toEqual([other, id])
      const guest = yield* arriveGranted()
      expect((yield* contribute(guest, id, yield* spoken(guest))).body.topic.status).toBe("filled")
      expect((yield* told)(id)).toEqual([guest.id])
      expect(
        (yield* call("POST", `/api/ops/subjects/topic/${other}/hold`, { key, body: { reason: "is it so?" } })).body
          .topic.status
      ).toBe("pending")
      const { items } = (yield* call("GET", "/api/ops/reviews?kind=topic", { key })).body
      const review = items.find(({ subject }: { readonly subject: { readonly id: string } }) => subject.id === other)
      expect(
        (yield* call("POST", `/api/ops/reviews/${review.id}/decision`, {
          key,
          body: { decision: "approve", reason: "it is" }
        })).body.review.status
      ).toBe("approved")
      expect(yield* listed("?source=station_seed")).toEqual([other])
      const close = yield* call("POST", `/api/ops/subjects/topic/${other}/remove`, {
        key,
        body: { reason: "it was none" }
      })
      expect([close.status, close.body.topic.status]).toEqual([200, "closed"])
      const written = yield* (yield* Audit).list({
        actor: null,
        subject: other,
        fromMs: null,
        toMs: null,
        limit: 10,
        cursor: null
      })
      expect(written!.rows.map(({ action, reason }) => [action, reason])).toEqual([
        ["topic.remove", "it was none"],
        ["review.approve", "it is"],
        ["topic.hold", "is it so?"],
        ["topic.open", "the storm"]
      ])
    })
  )

  it.effect("accept exactly the requested number of contributions under concurrency", () =>
    Effect.gen(function* () {
      const host = yield* arriveGranted()
      const id = (yield* open(host, { agentsNeeded: 3 })).body.topic.id as string
      const pattern = yield* spoken(host)
      const crowd = yield* Effect.forEach(
        Array.from({ length: 100 }),
        () =>
          Effect.flatMap(makeClaimedAgent(), (agent) =>
            Effect.map(likewise(agent, pattern), (segmentId) => ({ agent, segmentId }))
          ),
        { concurrency: 8 }
      )
      const atOnce = yield* Effect.forEach(crowd, ({ agent, segmentId }) => contribute(agent, id, segmentId), {
        concurrency: "unbounded"
      })
      // A slow machine answers some of them with BUSY: nothing was changed, and they send the same again.
      const answers = yield* Effect.forEach(crowd, ({ agent, segmentId }, n) =>
        atOnce[n]!.body.code === "BUSY" ? contribute(agent, id, segmentId) : Effect.succeed(atOnce[n]!)
      )
      expect([
        answers.filter(({ status }) => status === 200).length,
        answers.filter(({ body }) => body.code === "TOPIC_CLOSED").length
      ]).toEqual([3, 97])
      const sql = yield* SqlClient.SqlClient
      const [rows] = yield* sql<{
        n: number
        agents: number
      }>`SELECT count(*)::int AS n, count(DISTINCT agent_id)::int AS agents FROM topic_contributions WHERE topic_id = ${id}`
      expect([rows, (yield* told)(id).length]).toEqual([{ n: 3, agents: 3 }, 4])
    })
  )

  it.effect("are refused beyond their limits, and counted", () =>
    Effect.gen(function* () {
      const host = yield* arriveGranted()
      const code = (over: object) => Effect.map(open(host, over), ({ body, status }) => [status, body.code])
      for (const agentsNeeded of [0, 9, 1.5, "3", null])
        expect([agentsNeeded, yield* code({ agentsNeeded })]).toEqual([agentsNeeded, [400, "INVALID_AGENTS_NEEDED"]])
      for (const ttlHours of [5, 169, "48"])
        expect([ttlHours, yield* code({ ttlHours })]).toEqual([ttlHours, [400, "INVALID_TTL_HOURS"]])
      expect([yield* code({ title: "" }), yield* code({ category: "weather" })]).toEqual([
        [400, "MISSING_FIELDS"],
        [400, "INVALID_FIELD"]
      ])
      const rehearsed = yield* open(host, {}, "?dryRun=true")
      expect(rehearsed.body).toMatchObject({ dryRun: true, status: 201, wouldBe: { title: plain.title } })
      const sql = yield* SqlClient.SqlClient
      for (let n = 0; n < 3; n++) expect((yield* open(host)).status).toBe(201)
      expect(yield* code({})).toEqual([429, "TOPIC_ACTIVE_LIMIT_REACHED"])
      yield* sql`UPDATE topics SET status = 'closed' WHERE agent_id = ${host.id}`
      for (let n = 0; n < 2; n++) expect((yield* open(host)).status).toBe(201)
      const sixth = yield* open(host)
      expect([sixth.body.code, Number(sixth.headers.get("retry-after")) > 0]).toEqual([
        "TOPIC_DAILY_LIMIT_REACHED",
        true
      ])
      // The same command gives the same topic, even if the process died before it answered.
      const other = yield* arriveGranted()
      const again = () => call("POST", topics, { key: other.key, body: plain, headers: { "idempotency-key": "one" } })
      const once = yield* again()
      expect((yield* again()).body.topic.id).toBe(once.body.topic.id)
      yield* answersLost
      expect((yield* again()).body).toEqual(once.body)
    })
  )

  it.effect("are hidden while flagged, until a person approves them", () =>
    Effect.gen(function* () {
      const host = yield* arriveGranted()
      const reviewer = yield* operator("reviewer")
      const reviewOf = (id: string) =>
        Effect.map(call("GET", "/api/ops/reviews?kind=topic", { key: reviewer }), ({ body }) =>
          body.items.find(({ subject }: { subject: { id: string } }) => subject.id === id)
        )
      const decide = (id: string, decision: string) =>
        Effect.flatMap(reviewOf(id), (review) =>
          call("POST", `/api/ops/reviews/${review.id}/decision`, {
            key: reviewer,
            body: { decision, reason: "looked at it" }
          })
        )
      const flagged = (n: number) =>
        Effect.map(
          open(host, {
            title: `Call me on +49 170 123456${n}`,
            description: "my number is +49 170 1234567, write to me@example.org"
          }),
          ({ body }) => body.topic
        )
      const topic = yield* flagged(1)
      expect(topic.status).toBe("pending")
      const segmentId = yield* spoken(host)
      expect([
        (yield* listed()).includes(topic.id),
        yield* listed("?status=pending"),
        (yield* contribute(host, topic.id, segmentId)).body.code
      ]).toEqual([false, [], "TOPIC_NOT_FOUND"])
      const decided = yield* decide(topic.id, "approve")
      expect([decided.status, (yield* listed()).includes(topic.id)]).toEqual([200, true])
      expect(
        (yield* call("POST", `/api/ops/reviews/${decided.body.review.id}/undo`, { key: reviewer, body: {} })).status
      ).toBe(200)
      expect((yield* listed()).includes(topic.id)).toBe(false)
      yield* decide(topic.id, "approve")
      expect((yield* contribute(host, topic.id, segmentId)).status).toBe(200)
      const other = yield* flagged(2)
      yield* decide(other.id, "reject")
      expect([
        yield* listed("?status=closed").pipe(Effect.map((ids) => ids.includes(other.id))),
        (yield* contribute(host, other.id, segmentId)).body.code
      ]).toEqual([true, "TOPIC_CLOSED"])
      // After any decision, an operator may remove it, hold it and release it.
      const fourth = (yield* open(yield* arriveGranted())).body.topic
      const judge = (judgement: string) =>
        Effect.map(
          call("POST", `/api/ops/subjects/topic/${fourth.id}/${judgement}`, {
            key: reviewer,
            body: { reason: "it went astray" }
          }),
          ({ body }) => body.topic?.status ?? body.code
        )
      expect([
        yield* judge("hold"),
        (yield* listed()).includes(fourth.id),
        (yield* reviewOf(fourth.id)).status
      ]).toEqual(["pending", false, "escalated"])
      expect([yield* judge("release"), (yield* listed()).includes(fourth.id), yield* reviewOf(fourth.id)]).toEqual([
        "active",
        true,
        undefined
      ])
      expect([yield* judge("remove"), yield* judge("remove"), yield* judge("release")]).toEqual([
        "closed",
        "closed",
        "SUBJECT_CONFLICT"
      ])
      // An expired topic needs no review.
      const third = yield* flagged(3)
      yield* (yield* SqlClient.SqlClient)`UPDATE topics SET expires_at = now() - interval '1 second' WHERE id = ${third.id}`
      yield* topicRound()
      expect([yield* reviewOf(third.id), (yield* listed("?status=expired")).includes(third.id)]).toEqual([
        undefined,
        true
      ])
    })
  )

  it.effect("expire, and then their segments air separately; filled ones air together", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const host = yield* arriveGranted()
      const id = (yield* open(host, { agentsNeeded: 2 })).body.topic.id as string
      const pattern = yield* aloud(host)
      const [one, two] = [yield* makeClaimedAgent(), yield* makeClaimedAgent()]
      const dead = yield* likewise(one, pattern)
      yield* contribute(one, id, dead)
      // An expired topic makes room for another of the same agent.
      yield* sql`UPDATE segments SET status = 'rejected' WHERE id = ${dead}`
      const [first, second] = [
        yield* likewise(one, pattern),
        yield* likewise(two, pattern, { audio_status: "none", asset_id: null })
      ]
      expect((yield* contribute(one, id, first)).body.topic.contributors).toEqual([
        { handle: one.handle, segmentId: first }
      ])
      const nowMs = yield* Clock.currentTimeMillis
      const blocks = (atMs: number) =>
        Effect.map(
          Effect.flatMap(Topics, (all) => all.listFilledForAir(atMs, 10)),
          (found) => found.filter(({ topicId }) => topicId === id).map(({ segmentIds }) => segmentIds)
        )
      expect(yield* blocks(nowMs)).toEqual([])
      expect((yield* contribute(two, id, second)).body.topic.status).toBe("filled")
      // One contribution has no sound yet: the other waits for it, for a day.
      expect([yield* blocks(nowMs), yield* blocks(nowMs + 25 * 3_600_000)]).toEqual([[], [[first]]])
      yield* sql`UPDATE segments s SET audio_status = 'ready', asset_id = p.asset_id FROM segments p WHERE s.id = ${second} AND p.id = ${pattern}`
      expect(yield* blocks(nowMs)).toEqual([[first, second]])
      yield* setSegments(sql`id IN (${first}, ${second})`, "aired")
      yield* topicRound()
      expect([yield* blocks(nowMs), (yield* listed("?status=closed")).includes(id)]).toEqual([[], true])

      // A topic by an agent that left is not waited for.
      const left = yield* arriveGranted()
      const abandoned = (yield* open(left)).body.topic.id as string
      yield* sql`UPDATE agents SET deleted_at = now() WHERE id = ${left.id}`
      yield* topicRound()
      expect(
        (yield* call("GET", `${topics}?status=closed`)).body.topics.find(
          (each: { id: string }) => each.id === abandoned
        )
      ).toMatchObject({ createdBy: null })

      const over = (yield* open(host)).body.topic.id as string
      expect((yield* call("GET", "/api/station/world-state")).body.topics[0]).toEqual({ id: over, title: plain.title })
      yield* sql`UPDATE topics SET expires_at = now() - interval '1 second' WHERE id = ${over}`
      expect([
        (yield* contribute(host, over, pattern)).body.code,
        (yield* listed()).includes(over),
        (yield* listed("?status=expired")).includes(over)
      ]).toEqual(["TOPIC_EXPIRED", false, true])
    })
  )

  it.effect("accept a segment at its submission, spoken or written, or store neither", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const host = yield* arriveGranted()
      const id = (yield* open(host, { agentsNeeded: 2 })).body.topic.id as string
      const of = (by: Own) => sql<{ n: number }>`SELECT count(*)::int AS n FROM segments WHERE agent_id = ${by.id}`
      expect([(yield* say(host, { topicId: id }, "?dryRun=true")).status, yield* of(host)]).toEqual([200, [{ n: 0 }]])
      expect((yield* say(host, { topicId: "top_none" })).body.code).toBe("TOPIC_NOT_FOUND")
      const said = yield* say(host, { topicId: id })
      expect([said.status, said.body.segment.topicIds]).toEqual([201, [id]])
      expect([
        (yield* say(host, { topicId: id, title: "Once more", scriptText: "And a crate of oranges." })).body.code,
        yield* of(host)
      ]).toEqual(["DUPLICATE_TOPIC_CONTRIBUTION", [{ n: 1 }]])
      const guest = yield* arriveGranted()
      const written = yield* call("POST", "/api/segments", {
        key: guest.key,
        body: {
          stationSlug: "longwave",
          category: "story",
          title: "Rope",
          scriptText: "Forty metres of rope, blue.",
          topicId: id
        }
      })
      expect([written.status, written.body.segment.topicIds, (yield* listed("?status=filled")).includes(id)]).toEqual([
        201,
        [id],
        true
      ])
      const late = yield* arriveGranted()
      expect([(yield* say(late, { topicId: id })).body.code, yield* of(late)]).toEqual(["TOPIC_CLOSED", [{ n: 0 }]])
      const { body: home } = yield* call("GET", "/api/v1/home", { key: late.key })
      expect(home.your_account.quotas.find(({ name }: { name: string }) => name === "topics_per_day")).toMatchObject({
        limit: 5,
        used: 0
      })
    })
  )
})
