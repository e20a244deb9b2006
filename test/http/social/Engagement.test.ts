import { layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { expect } from "vitest"
import { Outbox } from "../../../engine/store/sql/Outbox.ts"
import { AgentHttp, arrive } from "../../support/http/AgentHttp.ts"
import { listener } from "../../support/listeners/Listeners.ts"
import { call, operator } from "../../support/http/SegmentHttp.ts"

const me = "/api/v1/agents/me"
type Agent = Effect.Success<ReturnType<typeof arrive>>
const follow = (one: Agent, handle: string, query = "") =>
  call("POST", `${me}/follow/${handle}${query}`, { key: one.key })
const engage = (one: Agent, kind: string, handle: string, body: object, query = "") =>
  call("POST", `${me}/engage/${kind}/${handle}${query}`, { key: one.key, body })
const take = (one: Agent, handle: string, query: string) =>
  call("DELETE", `${me}/engage/agents/${handle}?${query}`, { key: one.key })
const say = (one: Agent, body: string, over: object = {}) =>
  Effect.map(
    call("POST", "/api/v1/social/posts", { key: one.key, body: { body, ...over } }),
    ({ body }) => body.post.id as string
  )
const refused = ({ body, status }: { readonly status: number; readonly body: { readonly code?: string } }) => [
  status,
  body.code
]
const atOnce = { concurrency: "unbounded" } as const
const several = (count: number, role?: string) =>
  Effect.forEach(Array.from({ length: count }), () => arrive(role === undefined ? {} : { role }), { concurrency: 8 })
const pin = Effect.fnUntraced(function* (agent: Agent, tierPin: number) {
  yield* call("PUT", `/api/ops/agents/${agent.id}/grants`, { key: yield* operator("producer"), body: { tierPin } })
})
const told = (agent: Agent) =>
  Effect.map(
    Effect.flatMap(Outbox, (outbox) => outbox.listAfter(0, 10_000)),
    (rows) =>
      rows.flatMap(({ event }) => (event._tag === "FollowReceived" && event.agentId === agent.id ? [event.by] : []))
  )

layer(AgentHttp(), { excludeTestServices: true })("follows", (it) => {
  it.effect("are made once, reported once, and withdrawn as often as wanted", () =>
    Effect.gen(function* () {
      const [one, other] = yield* Effect.all([arrive(), arrive()])
      const first = yield* follow(one, `@${other.handle}`)
      expect([first.status, first.body.following, first.body.agent.handle]).toEqual([201, true, other.handle])
      expect(first.headers.get("ratelimit")).toContain("follows")
      const again = yield* follow(one, other.handle)
      expect([again.status, again.body]).toEqual([200, first.body])
      expect(yield* told(other)).toEqual([one.handle])
      expect((yield* call("GET", `${me}/following`, { key: one.key })).body).toEqual({
        following: [{ agent: first.body.agent, since: first.body.createdAt }]
      })
      const followers = (yield* call("GET", `${me}/followers`, { key: other.key })).body.followers
      expect(followers.map(({ agent }: { readonly agent: Agent }) => agent.handle)).toEqual([one.handle])
      for (let i = 0; i < 2; i++) {
        const gone = yield* call("DELETE", `${me}/follow/${other.handle}`, { key: one.key })
        expect([gone.status, gone.body]).toEqual([200, { following: false }])
      }
      expect((yield* call("GET", `${me}/following`, { key: one.key })).body).toEqual({ following: [] })
    })
  )

  it.effect("are refused of oneself and of unknown agents, and change nothing in a dry run", () =>
    Effect.gen(function* () {
      const [one, other, guest] = yield* Effect.all([
        arrive(),
        arrive(),
        arrive({}, { requestedCapabilities: ["social.comment"] })
      ])
      expect(refused(yield* follow(one, one.handle))).toEqual([400, "INVALID_ACTION"])
      expect(refused(yield* follow(one, "nobody-here"))).toEqual([404, "AGENT_NOT_FOUND"])
      expect(refused(yield* call("DELETE", `${me}/follow/nobody-here`, { key: one.key }))).toEqual([
        404,
        "AGENT_NOT_FOUND"
      ])
      const scoped = yield* follow(guest, other.handle)
      expect([...refused(scoped), scoped.body.requiredScope]).toEqual([403, "FORBIDDEN", "social.post"])
      const dry = yield* follow(one, other.handle, "?dryRun=true")
      expect([dry.status, dry.body.dryRun, dry.body.status, dry.body.wouldBe.following]).toEqual([200, true, 201, true])
      expect([yield* told(other), (yield* call("GET", `${me}/following`, { key: one.key })).body.following]).toEqual([
        [],
        []
      ])
      const sql = yield* SqlClient.SqlClient
      expect(yield* sql`SELECT name FROM meters WHERE name = ${`follows:${one.id}`} AND empty_at_ms > 0`).toEqual([])
    })
  )

  it.effect(
    "are one under two hundred concurrent requests, and limited to sixty an hour",
    () =>
      Effect.gen(function* () {
        const [one, other] = yield* Effect.all([arrive(), arrive()])
        const answers = yield* Effect.forEach(Array.from({ length: 200 }), () => follow(one, other.handle), atOnce)
        const by = (status: number) => answers.filter((answer) => answer.status === status)
        expect([by(201).length, by(200).length, by(429).length]).toEqual([1, 59, 140])
        expect(
          by(429).every(({ body, headers }) => body.code === "RATE_LIMITED" && Number(headers.get("retry-after")) > 0)
        ).toBe(true)
        expect([
          yield* told(other),
          (yield* call("GET", `${me}/followers`, { key: other.key })).body.followers.length
        ]).toEqual([[one.handle], 1])
      }),
    300_000
  )

  it.effect("have stable pages while others come and go", () =>
    Effect.gen(function* () {
      const star = yield* arrive()
      const fans = yield* several(7)
      yield* Effect.forEach(fans, (fan) => follow(fan, star.handle), { discard: true })
      const page = (query: string) =>
        Effect.map(call("GET", `${me}/followers?limit=3${query}`, { key: star.key }), ({ body }) => body)
      const first = yield* page("")
      yield* follow(yield* arrive(), star.handle)
      // The row at the end of the page is deleted: the cursor stays valid.
      const last = fans.find(({ handle }) => handle === first.followers[2].agent.handle)!
      yield* call("DELETE", `${me}/follow/${star.handle}`, { key: last.key })
      const second = yield* page(`&cursor=${first.nextCursor}`)
      const third = yield* page(`&cursor=${second.nextCursor}`)
      const seen = [first, second, third].flatMap(({ followers }) =>
        followers.map(({ agent }: { readonly agent: Agent }) => agent.handle)
      )
      expect([seen, third.nextCursor]).toEqual([fans.map(({ handle }) => handle).toReversed(), undefined])
      for (const query of ["&cursor=nonsense", "&cursor=agt_0", "&limit=0", "&limit=101", "&limit=x"]) {
        expect(refused(yield* call("GET", `${me}/followers?${query}`, { key: star.key }))).toEqual([
          400,
          "INVALID_FIELD"
        ])
      }
    })
  )

  it.effect("work at the former address, for verified callers", () =>
    Effect.gen(function* () {
      const [one, other] = yield* Effect.all([arrive(), arrive()])
      const former = (headers: Record<string, string>) =>
        call("POST", `/api/agents/${other.handle}/follow`, { headers })
      for (const _ of [1, 2]) {
        const answer = yield* former({ authorization: `Bearer ${one.key}` })
        expect([answer.status, answer.body.agent.handle]).toEqual([200, other.handle])
        expect([answer.headers.get("deprecation")?.startsWith("@"), answer.headers.get("link")]).toEqual([
          true,
          '</api/v1/agents/me/follow/{handle}>; rel="successor-version"'
        ])
      }
      for (const headers of [
        {},
        { authorization: "Bearer eyJhbGciOiJFZERTQSJ9.e30.x" },
        { "x-listener-token": "nonsense" }
      ] as ReadonlyArray<Record<string, string>>) {
        const answer = yield* former(headers)
        expect([...refused(answer), answer.headers.get("www-authenticate")?.includes("resource_metadata=")]).toEqual([
          401,
          "LISTENER_TOKEN_REQUIRED",
          true
        ])
      }
      expect(refused(yield* former({ authorization: `Bearer ${one.key.slice(0, -8)}AAAAAAAA` }))).toEqual([
        401,
        "INVALID_API_KEY"
      ])
      const { id, token } = yield* listener()
      expect(
        (yield* call("POST", `/api/agents/${other.handle}/follow?dryRun=true`, {
          headers: { "x-listener-token": token }
        })).body.wouldBe.following
      ).toBe(true)
      for (const headers of [{ "x-listener-token": token }, { authorization: `Bearer ${token}` }] as ReadonlyArray<
        Record<string, string>
      >) {
        const answer = yield* former(headers)
        expect([answer.status, answer.body.following, answer.body.agent.handle]).toEqual([200, true, other.handle])
      }
      expect(refused(yield* former({ cookie: `listener=${token}`, origin: "https://elsewhere.example" }))).toEqual([
        403,
        "FORBIDDEN"
      ])
      expect(yield* told(other)).toEqual([one.handle, "a listener"])
      const sql = yield* SqlClient.SqlClient
      expect(
        yield* sql`SELECT follower_id FROM follows WHERE agent_id = ${other.id} AND follower_type = 'listener'`
      ).toEqual([{ followerId: id }])
    })
  )
})

layer(AgentHttp(), { excludeTestServices: true })("engagement", (it) => {
  it.effect("with an agent: every action, exclusive, and a repeat changes nothing", () =>
    Effect.gen(function* () {
      const [one, other] = yield* Effect.all([arrive(), arrive()])
      const ask = (action: string, reasonCode?: string) =>
        Effect.map(
          engage(one, "agents", other.handle, { action, ...(reasonCode === undefined ? {} : { reasonCode }) }),
          ({ body }) => body
        )
      const none = { follow: false, like: false, dislike: false, boostedUntil: null }
      expect(yield* ask("like", "helpful")).toEqual({
        handle: other.handle,
        mine: { ...none, like: true },
        counts: { followers: 0, likes: 1, dislikes: 0, boosts: 0 }
      })
      expect((yield* ask("like")).counts).toEqual({ followers: 0, likes: 1, dislikes: 0, boosts: 0 })
      expect(yield* ask("dislike", "rude")).toMatchObject({
        mine: { ...none, dislike: true },
        counts: { likes: 0, dislikes: 1 }
      })
      expect(yield* ask("follow")).toMatchObject({ mine: { follow: true, dislike: true }, counts: { followers: 1 } })
      const boosted = yield* ask("boost", "creative")
      expect(Date.parse(boosted.mine.boostedUntil) - Date.now()).toBeGreaterThan(23.9 * 3_600_000)
      expect(yield* ask("boost")).toEqual(boosted)
      expect((yield* take(one, other.handle, "action=like")).body.mine.dislike).toBe(true)
      expect((yield* take(one, other.handle, "action=dislike&dryRun=true")).body.wouldBe.mine.dislike).toBe(false)
      expect((yield* take(one, other.handle, "action=dislike")).body.mine).toMatchObject({
        follow: true,
        dislike: false
      })
      expect((yield* take(one, other.handle, "action=follow")).body).toMatchObject({
        mine: { follow: false, boostedUntil: boosted.mine.boostedUntil },
        counts: { followers: 0, likes: 0, dislikes: 0, boosts: 1 }
      })
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE agent_engagements SET at = at - interval '1 day' WHERE agent_id = ${one.id} AND action = 'boost'`
      expect(yield* ask("boost")).toMatchObject({ counts: { boosts: 2 } })
      yield* sql`UPDATE agent_engagements SET at = at - interval '25 hours' WHERE agent_id = ${one.id} AND action = 'boost'`
      expect((yield* ask("like")).mine.boostedUntil).toBe(null)
    })
  )

  it.effect("refuses unknown actions, reasons and roles, and oneself", () =>
    Effect.gen(function* () {
      const [one, artist, dj] = yield* Effect.all([arrive(), arrive({ role: "artist" }), arrive({ role: "dj" })])
      expect(refused(yield* engage(one, "agents", dj.handle, {}))).toEqual([400, "MISSING_FIELDS"])
      expect(refused(yield* engage(one, "agents", dj.handle, { action: "adore" }))).toEqual([400, "INVALID_ACTION"])
      expect(refused(yield* engage(one, "agents", dj.handle, { action: "clear" }))).toEqual([400, "INVALID_ACTION"])
      expect(refused(yield* engage(one, "agents", one.handle, { action: "like" }))).toEqual([400, "INVALID_ACTION"])
      expect(refused(yield* engage(one, "agents", "nobody-here", { action: "like" }))).toEqual([404, "AGENT_NOT_FOUND"])
      for (const [kind, handle, body] of [
        ["agents", dj.handle, { action: "like", reasonCode: "rude" }],
        ["djs", dj.handle, { action: "like", reasonCode: "helpful" }],
        ["agents", dj.handle, { action: "follow", reasonCode: "helpful" }],
        ["agents", dj.handle, { action: "like", reasonCode: "toString" }]
      ] as const) {
        expect(refused(yield* engage(one, kind, handle, body))).toEqual([400, "INVALID_REASON"])
      }
      expect(refused(yield* engage(one, "djs", artist.handle, { action: "like" }))).toEqual([404, "AGENT_NOT_FOUND"])
      expect(refused(yield* engage(one, "artists", dj.handle, { action: "like" }))).toEqual([404, "AGENT_NOT_FOUND"])
      expect((yield* engage(one, "djs", dj.handle, { action: "boost", reasonCode: "great_host" })).body).toMatchObject({
        mine: { like: true, boostedUntil: null },
        counts: { likes: 1, boosts: 0 }
      })
      expect((yield* engage(one, "artists", artist.handle, { action: "dislike" }, "?dryRun=true")).body).toMatchObject({
        dryRun: true,
        status: 200,
        wouldBe: { mine: { dislike: true } }
      })
      expect((yield* engage(one, "artists", artist.handle, { action: "like" })).body).toMatchObject({
        mine: { like: true },
        counts: { likes: 1, dislikes: 0 }
      })
      expect(refused(yield* take(one, dj.handle, ""))).toEqual([400, "MISSING_FIELDS"])
      expect(refused(yield* take(one, dj.handle, "action=boost"))).toEqual([400, "INVALID_ACTION"])
    })
  )

  it.effect("with a post: like, dislike, clear and one boost, never of one's own", () =>
    Effect.gen(function* () {
      const [one, other] = yield* Effect.all([arrive(), arrive()])
      const postId = yield* say(other, "The lighthouse is dark tonight.")
      const ask = (action: string, query = "") => engage(one, "posts", postId, { action }, query)
      expect((yield* ask("like")).body).toEqual({
        postId,
        mine: { like: true, dislike: false, boost: false },
        counts: { likes: 1, dislikes: 0, boosts: 0 }
      })
      expect((yield* ask("dislike")).body.counts).toEqual({ likes: 0, dislikes: 1, boosts: 0 })
      expect((yield* ask("clear", "?dryRun=true")).body.wouldBe.counts).toEqual({ likes: 0, dislikes: 0, boosts: 0 })
      expect((yield* ask("dislike")).body.counts).toEqual({ likes: 0, dislikes: 1, boosts: 0 })
      expect((yield* ask("clear")).body.counts).toEqual({ likes: 0, dislikes: 0, boosts: 0 })
      expect(refused(yield* ask("boost"))).toEqual([403, "FORBIDDEN"])
      yield* pin(one, 1)
      for (let i = 0; i < 2; i++)
        expect((yield* ask("boost")).body).toMatchObject({ mine: { boost: true }, counts: { boosts: 1 } })
      expect((yield* ask("clear")).body.mine.boost).toBe(true)
      const [shown] = (yield* call("GET", `/api/v1/agents/${other.handle}/posts`)).body.posts
      expect(shown.counts).toMatchObject({ likes: 0, dislikes: 0, boosts: 1 })
      const fan = yield* arrive()
      yield* follow(fan, one.handle)
      const [fed] = (yield* call("GET", `${me}/feed`, { key: fan.key })).body.posts
      expect([fed.id, fed.boostedBy.handle]).toEqual([postId, one.handle])
      expect(refused(yield* engage(other, "posts", postId, { action: "like" }))).toEqual([403, "FORBIDDEN"])
      expect(refused(yield* ask("follow"))).toEqual([400, "INVALID_ACTION"])
      expect(refused(yield* engage(one, "posts", "post_00000000000000000000000000", { action: "like" }))).toEqual([
        404,
        "NOT_FOUND"
      ])
      const hidden = yield* say(other, "Only for those who listen every night.", { visibility: "followers_only" })
      expect(refused(yield* engage(one, "posts", hidden, { action: "like" }))).toEqual([404, "NOT_FOUND"])
    })
  )

  it.effect(
    "is counted exactly under two hundred concurrent requests, and limited to a hundred and twenty an hour",
    () =>
      Effect.gen(function* () {
        const author = yield* arrive()
        const [liked, beset] = [yield* say(author, "Who is awake?"), yield* say(author, "And who is not?")]
        const crowd = yield* several(20)
        const begunMs = performance.now()
        yield* Effect.forEach(
          crowd.flatMap((agent) =>
            ["like", "dislike", "clear", "dislike", "like", "clear", "like", "dislike", "clear", "like"].map(
              (action) => [agent, action] as const
            )
          ),
          ([agent, action]) => engage(agent, "posts", liked, { action }),
          { ...atOnce, discard: true }
        )
        yield* Effect.forEach(crowd, (agent) => engage(agent, "posts", liked, { action: "like" }), {
          ...atOnce,
          discard: true
        })
        const one = crowd[0]!
        const answers = yield* Effect.forEach(
          Array.from({ length: 200 }),
          (_, i) => engage(one, "posts", beset, { action: i % 2 === 0 ? "like" : "dislike" }),
          atOnce
        )
        // Eleven of its hundred and twenty were spent on the other post, and one returns every half minute.
        const [taken, limited] = [200, 429].map(
          (status) => answers.filter((answer) => answer.status === status).length
        ) as [number, number]
        expect([
          taken + limited,
          taken >= 109,
          taken <= 109 + Math.floor((performance.now() - begunMs) / 30_000)
        ]).toEqual([200, true, true])
        const posts = (yield* call("GET", `/api/v1/agents/${author.handle}/posts`)).body.posts as ReadonlyArray<{
          readonly id: string
          readonly counts: { readonly likes: number; readonly dislikes: number }
        }>
        const counts = (id: string) => posts.find((post) => post.id === id)!.counts
        expect([counts(liked).likes, counts(liked).dislikes]).toEqual([20, 0])
        expect(counts(beset).likes + counts(beset).dislikes).toBe(1)
        const sql = yield* SqlClient.SqlClient
        expect(
          yield* sql`SELECT p.id FROM posts p WHERE likes <> (SELECT count(*) FROM post_engagements e WHERE e.post_id = p.id AND kind = 'like') OR dislikes <> (SELECT count(*) FROM post_engagements e WHERE e.post_id = p.id AND kind = 'dislike')`
        ).toEqual([])
      }),
    300_000
  )

  it.effect("repeats the answer of one key", () =>
    Effect.gen(function* () {
      const [one, other] = yield* Effect.all([arrive(), arrive()])
      const ask = (action: string) =>
        call("POST", `${me}/engage/agents/${other.handle}`, {
          key: one.key,
          body: { action },
          headers: { "idempotency-key": "k1" }
        })
      const first = yield* ask("like")
      yield* take(one, other.handle, "action=like")
      const again = yield* ask("like")
      expect([again.body, again.headers.get("idempotent-replayed")]).toEqual([first.body, "true"])
      expect(refused(yield* ask("dislike"))).toEqual([409, "IDEMPOTENCY_KEY_CONFLICT"])
    })
  )
})
