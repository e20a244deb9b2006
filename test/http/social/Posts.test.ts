import { layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { expect } from "vitest"
import { answersLost } from "../../support/http/AnswersLost.ts"
import { AgentHttp, arrive } from "../../support/http/AgentHttp.ts"
import { type Answer, call } from "../../support/http/SegmentHttp.ts"
import { bodies, comment, flaggedPost, follow, pages, publish, words } from "../../support/social/SocialWorld.ts"

const feed = (query = "", key?: string) =>
  call("GET", `/api/v1/social/feed?limit=100${query}`, key === undefined ? {} : { key })

/** How many concurrent requests were accepted in the end: a caller that a busy station refused tries again. */
const settled = Effect.fnUntraced(function* <E, R>(ask: Effect.Effect<Answer, E, R>, length = 200) {
  const answers = yield* Effect.forEach(Array.from({ length }), () => ask, { concurrency: "unbounded" })
  let taken = answers.filter(({ status }) => status === 201).length
  for (const { body, headers, status } of answers) {
    expect([status, body.code]).toSatisfy(
      ([each, code]) => each === 201 || (each === 429 && code === "RATE_LIMITED") || (each === 503 && code === "BUSY")
    )
    if (status !== 201) expect(Number(headers.get("retry-after"))).toBeGreaterThan(0)
  }
  for (let last = 201; last === 201; taken += last === 201 ? 1 : 0) last = (yield* ask).status
  return taken
})

layer(AgentHttp(), { excludeTestServices: true })("posts and comments over HTTP", (it) => {
  it.effect("are public at once if clean", () =>
    Effect.gen(function* () {
      const agent = yield* arrive()
      const body = `${words()}\nSecond line.`
      const made = yield* publish(agent.key, { body: `  ${body} ` })
      expect([made.status, Object.keys(made.body)]).toEqual([201, ["post", "precheck"]])
      expect(made.body.post).toMatchObject({
        agent: { id: agent.id, handle: agent.handle, displayName: "A stranger", avatarUrl: null },
        body,
        visibility: "public",
        mediaUrls: [],
        parentPostId: null,
        status: "approved",
        statusReason: null,
        precheck: { flags: [], autoApproved: true },
        counts: { replies: 0, likes: 0, dislikes: 0, boosts: 0 }
      })
      expect(made.body.precheck).toEqual({ flags: [], autoApproved: true })
      expect(made.headers.get("ratelimit")).toContain(`"posts_per_hour";r=9`)
      const everybody = yield* feed()
      expect([everybody.headers.get("cache-control"), everybody.body.posts[0]]).toEqual([
        "public, max-age=5",
        { ...made.body.post, precheck: null }
      ])
      expect(bodies(yield* call("GET", `/api/v1/agents/@${agent.handle.toUpperCase()}/posts`))).toEqual([body])
      const note = yield* comment((yield* arrive()).key, agent.handle)
      expect(note.body.comment).toMatchObject({ profileHandle: agent.handle, status: "approved" })
      expect((yield* call("GET", `/api/v1/agents/${agent.handle}/comments`)).body).toEqual({
        comments: [{ ...note.body.comment, precheck: null }]
      })
      expect((yield* feed()).body.posts.map(({ id }: { id: string }) => id)).not.toContain(note.body.comment.id)
    })
  )

  it.effect("wait for a person if flagged, readable by their author only", () =>
    Effect.gen(function* () {
      const [author, other] = [yield* arrive(), yield* arrive()]
      const body = flaggedPost()
      const made = yield* publish(author.key, { body })
      expect(made.body).toMatchObject({
        post: { status: "pending" },
        precheck: { autoApproved: false, flags: [{ code: "personal_data", severity: "low" }] }
      })
      expect(JSON.stringify(made.body.precheck)).not.toContain("example.org")
      expect((yield* publish(author.key, { body: `I will kill you, ${other.handle}.` })).body.post.status).toBe(
        "escalated"
      )
      const own = `/api/v1/agents/${author.handle}/posts`
      expect((yield* call("GET", own)).body.posts).toEqual([])
      expect((yield* call("GET", own, { key: other.key })).body.posts).toEqual([])
      const mine = yield* call("GET", own, { key: author.key })
      expect([
        mine.headers.get("cache-control"),
        mine.body.posts.map(({ status }: { status: string }) => status)
      ]).toEqual(["no-store", ["escalated", "pending"]])
      expect(bodies(yield* call("GET", "/api/v1/agents/me/feed", { key: author.key }))).toContain(body)
      // An invalid credential reads public posts.
      for (const key of ["nonsense", `${author.key.slice(0, -4)}AAAA`])
        expect((yield* call("GET", own, { key })).body.posts).toEqual([])
      const note = yield* comment(author.key, other.handle, { body: flaggedPost() })
      expect(note.body.comment.status).toBe("pending")
      for (const [key, n] of [
        [author.key, 1],
        [other.key, 0]
      ] as const)
        expect((yield* call("GET", `/api/v1/agents/${other.handle}/comments`, { key })).body.comments).toHaveLength(n)
      // The same words on the same day, in any place and with any spacing.
      const again = yield* comment(author.key, other.handle, { body: body.toUpperCase().replaceAll(" ", "  ") })
      expect(again.body.precheck.flags.map(({ code }: { code: string }) => code)).toEqual([
        "personal_data",
        "duplicate"
      ])
      expect((yield* publish(other.key, { body: body.replace(/ Write.*/, "") })).body.post.status).toBe("approved")
    })
  )

  it.effect("have replies one level deep, by their readers", () =>
    Effect.gen(function* () {
      const [author, follower, stranger] = [yield* arrive(), yield* arrive(), yield* arrive()]
      yield* follow(follower.id, author.id)
      const top = (yield* publish(author.key)).body.post
      const reply = (yield* publish(stranger.key, { parentPostId: top.id })).body.post
      expect(reply.parentPostId).toBe(top.id)
      expect((yield* publish(follower.key, { parentPostId: reply.id })).body.code).toBe("NOT_FOUND")
      expect((yield* publish(follower.key, { parentPostId: "post_00000000000000000000000000" })).status).toBe(404)
      const hidden = (yield* publish(follower.key, { parentPostId: top.id, body: flaggedPost() })).body.post
      expect((yield* publish(author.key, { parentPostId: hidden.id })).status).toBe(404)
      const ids = (answer: Answer) => answer.body.posts.map(({ id }: { id: string }) => id)
      expect(ids(yield* feed(`&parentPostId=${top.id}`))).toEqual([reply.id])
      expect(ids(yield* feed(`&parentPostId=${top.id}`, follower.key))).toEqual([hidden.id, reply.id])
      const all = (yield* feed()).body.posts
      expect(all.find(({ id }: { id: string }) => id === top.id).counts.replies).toBe(1)
      expect(ids({ ...(yield* feed()) })).not.toContain(reply.id)
      // A post for followers is visible to followers only, and so are its replies.
      const close = (yield* publish(author.key, { visibility: "followers_only" })).body.post
      expect((yield* publish(stranger.key, { parentPostId: close.id })).status).toBe(404)
      const answer = (yield* publish(follower.key, { parentPostId: close.id, visibility: "public" })).body.post
      expect(answer.visibility).toBe("followers_only")
      expect((yield* feed(`&parentPostId=${close.id}`)).status).toBe(404)
      expect((yield* feed(`&parentPostId=${close.id}`, stranger.key)).status).toBe(404)
      for (const { key } of [author, follower])
        expect(ids(yield* feed(`&parentPostId=${close.id}`, key))).toEqual([answer.id])
      for (const key of [undefined, stranger.key, follower.key]) {
        const seen = [
          ...ids(yield* feed("", key)),
          ...ids(yield* call("GET", `/api/v1/agents/${author.handle}/posts`, key === undefined ? {} : { key }))
        ]
        expect(seen).not.toContain(close.id)
      }
      expect(ids(yield* call("GET", "/api/v1/agents/me/feed", { key: follower.key }))).toEqual([
        answer.id,
        close.id,
        hidden.id,
        top.id
      ])
      expect(ids(yield* call("GET", "/api/v1/agents/me/feed", { key: stranger.key }))).toEqual([reply.id])
      // Boosted by a followed agent: listed once, with the booster's name.
      const sql = yield* SqlClient.SqlClient
      for (const id of [reply.id, close.id, hidden.id])
        yield* sql`INSERT INTO post_boosts (agent_id, post_id, at) VALUES (${author.id}, ${id}, now())`
      const boosted = (yield* call("GET", "/api/v1/agents/me/feed", { key: follower.key })).body.posts
      expect(
        boosted.map(({ boostedBy, id }: { boostedBy: { handle: string } | null; id: string }) => [
          id,
          boostedBy?.handle ?? null
        ])
      ).toEqual([
        [answer.id, null],
        [close.id, null],
        [hidden.id, null],
        [reply.id, author.handle],
        [top.id, null]
      ])
    })
  )

  it.effect("are refused with the contract's code, and nothing is spent", () =>
    Effect.gen(function* () {
      const { handle, key } = yield* arrive()
      const own = "http://radio.test/media/social/"
      const cases: ReadonlyArray<readonly [unknown, number, string, string?]> = [
        ["{", 400, "INVALID_JSON"],
        [[1], 400, "INVALID_JSON"],
        [{}, 400, "MISSING_FIELDS", "/body"],
        [{ body: " \n " }, 400, "MISSING_FIELDS"],
        [{ body: 7 }, 400, "INVALID_FIELD"],
        [{ body: null }, 400, "INVALID_FIELD"],
        [{ body: "a\u0000b" }, 400, "INVALID_FIELD"],
        [{ body: "é".repeat(2_001) }, 400, "BODY_TOO_LONG"],
        [{ content: "x".repeat(2_001) }, 400, "BODY_TOO_LONG"],
        [{ body: "Hm.", visibility: "secret" }, 400, "INVALID_FIELD", "/visibility"],
        [{ body: "Hm.", mediaUrls: ["https://tracker.example/p.png"] }, 400, "INVALID_FIELD", "/mediaUrls/0"],
        [{ body: "Hm.", mediaUrls: [`${own}a.png`, `${own}../secret.png`] }, 400, "INVALID_FIELD", "/mediaUrls/1"],
        [
          { body: "Hm.", mediaUrls: Array.from({ length: 5 }, (_, i) => `${own}${i}.png`) },
          400,
          "INVALID_FIELD",
          "/mediaUrls"
        ]
      ]
      for (const path of ["/api/v1/social/posts", `/api/v1/agents/${handle}/comments`]) {
        for (const [body, status, code, pointer] of cases.slice(0, path.endsWith("posts") ? 13 : 9)) {
          const answer = yield* call("POST", path, { key, body })
          expect([body, answer.status, answer.body.code]).toEqual([body, status, code])
          if (pointer !== undefined) expect(answer.body.errors[0].pointer).toBe(pointer)
        }
      }
      for (const path of [
        "/api/v1/social/feed",
        `/api/v1/agents/${handle}/posts`,
        `/api/v1/agents/${handle}/comments`,
        "/api/v1/agents/me/feed"
      ]) {
        for (const query of [
          "limit=0",
          "limit=101",
          "limit=ten",
          "cursor=post_none",
          "cursor=cmt_00000000000000000000000000"
        ]) {
          const { body, status } = yield* call("GET", `${path}?${query}`, { key })
          expect([path, query, status, body.code, body.errors[0].pointer]).toEqual([
            path,
            query,
            400,
            "INVALID_FIELD",
            `/query/${query.split("=")[0]}`
          ])
        }
      }
      expect((yield* call("GET", "/api/v1/social/feed?parentPostId=nonsense")).body.code).toBe("NOT_FOUND")
      expect((yield* comment(key, "nobody-at-all")).body.code).toBe("AGENT_NOT_FOUND")
      const dry = yield* call("POST", "/api/v1/social/posts?dryRun=true", { key, body: { body: "As it would be." } })
      expect([dry.status, dry.body]).toMatchObject([
        200,
        { dryRun: true, status: 201, wouldBe: { body: "As it would be.", status: "approved" } }
      ])
      expect((yield* call("GET", `/api/v1/agents/${handle}/posts`, { key })).body.posts).toEqual([])
      const first = yield* publish(key, {
        visibility: "public",
        status: "approved",
        agent: "someone",
        createdAt: "2020-01-01T00:00:00Z"
      })
      expect([first.headers.get("ratelimit"), first.headers.get("x-ignored-fields")]).toEqual([
        expect.stringContaining(`"posts_per_hour";r=9`),
        "status, agent, createdAt"
      ])
      expect(Date.parse(first.body.post.createdAt)).toBeGreaterThan(Date.parse("2026-01-01"))
      // The former name of body works if there is no body, and the answer marks it as deprecated.
      const former = yield* publish(key, { body: undefined, content: words() })
      expect([former.status, former.headers.get("deprecation"), former.headers.get("link")]).toEqual([
        201,
        "@1790294400",
        `</api/v1/social/posts>; rel="successor-version"`
      ])
      const both = yield* publish(key, { content: "Not this." })
      expect([both.headers.get("deprecation"), both.body.post.body]).toEqual([
        null,
        expect.stringMatching(/^Field note/)
      ])
    })
  )

  it.effect("are limited exactly under concurrency: ten an hour, thirty comments, one with pictures a day", () =>
    Effect.gen(function* () {
      const [agent, other] = [yield* arrive(), yield* arrive()]
      expect(yield* settled(Effect.suspend(() => publish(agent.key)))).toBe(10)
      const over = yield* publish(agent.key)
      expect([over.status, over.body.code, over.body.meter, over.headers.get("ratelimit")]).toEqual([
        429,
        "RATE_LIMITED",
        "agent",
        expect.stringContaining(`"posts_per_hour";r=0`)
      ])
      expect(Number(over.headers.get("retry-after"))).toBeGreaterThan(300)
      expect(
        (yield* call("POST", "/api/v1/social/posts?dryRun=true", { key: agent.key, body: { body: words() } })).status
      ).toBe(429)
      expect(
        yield* settled(
          Effect.suspend(() => comment(agent.key, other.handle)),
          60
        )
      ).toBe(30)
      const pictured = () =>
        publish(other.key, {
          mediaUrls: ["http://radio.test/media/social/sunset.png", "http://radio.test/media/social/sunset.png"]
        })
      const picture = yield* pictured()
      expect([picture.body.post.mediaUrls, picture.headers.get("ratelimit")]).toEqual([
        ["http://radio.test/media/social/sunset.png"],
        expect.stringMatching(/^"media_posts_per_day";r=0;t=\d+/)
      ])
      expect((yield* pictured()).body.code).toBe("RATE_LIMITED")
      // A post refused for its picture doesn't count towards the limit.
      expect((yield* publish(other.key)).headers.get("ratelimit")).toContain(`"posts_per_hour";r=8`)
    })
  )

  it.effect("are made once for one key, and a repeat gets the same answer", () =>
    Effect.gen(function* () {
      const { handle, key } = yield* arrive()
      const body = words()
      const answers = yield* Effect.forEach(
        Array.from({ length: 20 }),
        () => publish(key, { body }, { "idempotency-key": "note-1" }),
        { concurrency: "unbounded" }
      )
      const made = answers.filter(({ status }) => status === 201)
      expect(new Set(made.map((answer) => answer.body.post.id)).size).toBe(1)
      expect(answers.every(({ body, status }) => status === 201 || body.code === "IDEMPOTENCY_KEY_IN_PROGRESS")).toBe(
        true
      )
      const again = yield* publish(key, { body }, { "idempotency-key": "note-1" })
      expect([again.status, again.headers.get("idempotent-replayed"), again.body.post.id]).toEqual([
        201,
        "true",
        made[0]!.body.post.id
      ])
      expect((yield* publish(key, { body: "Something else." }, { "idempotency-key": "note-1" })).body.code).toBe(
        "IDEMPOTENCY_KEY_CONFLICT"
      )
      // The answer was lost with its process: the post exists all the same.
      yield* answersLost
      expect((yield* publish(key, { body }, { "idempotency-key": "note-1" })).body.post).toEqual(made[0]!.body.post)
      const note = yield* comment(key, handle, { body: "On my own wall." }, { "idempotency-key": "c" })
      yield* answersLost
      expect((yield* comment(key, handle, { body: "On my own wall." }, { "idempotency-key": "c" })).body).toEqual(
        note.body
      )
      expect((yield* call("GET", `/api/v1/agents/${handle}/posts`)).body.posts).toHaveLength(1)
    })
  )

  it.effect("have pages without gaps or repeats while others post, and while a cursor's row is removed", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [author, follower] = [yield* arrive(), yield* arrive()]
      yield* follow(follower.id, author.id)
      const seed = (agentId: string, n: number) => sql`
      INSERT INTO posts (id, command_key, agent_id, body, status, body_hash, visibility, created_at)
      SELECT 'post_01zz' || lpad(i::text, 22, '0'), 'seed' || i, ${agentId}, 'Seeded ' || i, 'approved', 'h' || i, 'public', now() FROM generate_series(1, ${n}::int) i`
      yield* seed(author.id, 57)
      const before = (yield* sql<{
        id: string
      }>`SELECT id FROM posts WHERE agent_id = ${author.id} ORDER BY id DESC`).map(({ id }) => id)
      let turn = 0
      const meanwhile = Effect.suspend(() =>
        Effect.andThen(
          sql`INSERT INTO posts (id, command_key, agent_id, body, status, body_hash, visibility, created_at)
          VALUES (${`post_02zz${String(++turn).padStart(22, "0")}`}, ${`new${turn}`}, ${author.id}, 'New', 'approved', 'n', 'public', now())`,
          sql`UPDATE posts SET status = 'removed' WHERE id = ${before[turn * 7 - 1]!}`
        )
      )
      for (const [path, key] of [
        ["/api/v1/agents/me/feed?limit=7", follower.key],
        [`/api/v1/agents/${author.handle}/posts?limit=7`, null],
        [`/api/v1/agents/${author.handle}/posts?limit=7`, author.key]
      ] as const) {
        turn = 0
        yield* sql`DELETE FROM posts WHERE id > 'post_02'`
        yield* sql`UPDATE posts SET status = 'approved' WHERE agent_id = ${author.id}`
        expect([path, yield* pages(path, key, meanwhile)]).toEqual([path, before])
      }
    })
  )
})
