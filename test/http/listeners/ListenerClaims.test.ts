import { layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { expect } from "vitest"
import { runJobs } from "../../support/runtime/RunJobs.ts"
import { guestJobs } from "../../../actors/listeners/ListenerWorker.ts"
import { AgentHttp, arrive } from "../../support/http/AgentHttp.ts"
import { person } from "../../support/people/Humans.ts"
import { from, listener, newAddress, song } from "../../support/listeners/Listeners.ts"
import { type Answer, call, operator } from "../../support/http/SegmentHttp.ts"

type Person = Effect.Success<ReturnType<typeof person>>
type Listener = Effect.Success<ReturnType<typeof listener>>
const refused = ({ body, status }: Answer) => [status, body.code]
const claim = (human: Person, one: Listener, over: object = {}, query = "") =>
  call("POST", `/api/listeners/claim${query}`, {
    headers: human.headers,
    body: { listenerId: one.id, listenerToken: one.token, consentGiven: true, ...over }
  })
const shown = (token: string) => ({ "x-listener-token": token })
const vote = (trackId: string, token: string, action: string) =>
  call("POST", `/api/v1/tracks/${trackId}/engagement`, { headers: shown(token), body: { action } })
const session = (headers: Record<string, string>) =>
  Effect.map(call("POST", "/api/listeners/session", { headers }), ({ body }) => body)

layer(AgentHttp({ TRUSTED_PROXIES: "127.0.0.1/32" }), { excludeTestServices: true })("claims of listeners", (it) => {
  it.effect("link a listener to an account, and void the former token", () =>
    Effect.gen(function* () {
      const [human, one] = [yield* person({ displayName: "Mara" }), yield* listener()]
      expect(
        refused(
          yield* call("POST", "/api/listeners/claim", {
            body: { listenerId: one.id, listenerToken: one.token, consentGiven: true }
          })
        )
      ).toEqual([401, "SIGN_IN_REQUIRED"])
      const dry = yield* claim(human, one, {}, "?dryRun=true")
      expect([dry.body.wouldBe, (yield* session(shown(one.token))).signedIn]).toEqual([
        { listenerId: one.id, linked: true, displayName: "Mara" },
        false
      ])
      const { body, headers, status } = yield* claim(human, one)
      expect([status, body]).toEqual([
        200,
        { listenerId: one.id, linked: true, displayName: "Mara", listenerToken: body.listenerToken }
      ])
      expect(headers.get("set-cookie")).toContain(`listener=${body.listenerToken};`)
      // Other holders of that token are no longer authenticated.
      expect((yield* session(shown(one.token))).listenerId).not.toBe(one.id)
      expect(yield* session(shown(body.listenerToken))).toMatchObject({
        listenerId: one.id,
        signedIn: true,
        displayName: "Mara"
      })
      const again = yield* claim(human, one)
      expect([again.status, again.body.listenerId, again.body.linked]).toEqual([200, one.id, true])
      expect((yield* session(shown(again.body.listenerToken))).listenerId).toBe(one.id)
      expect((yield* claim(human, { ...one, token: body.listenerToken })).body).toEqual(body)
    })
  )

  it.effect("are refused without consent, with another's token, and for another's listener", () =>
    Effect.gen(function* () {
      const [human, other, one, two] = [yield* person(), yield* person(), yield* listener(), yield* listener()]
      for (const consentGiven of [false, undefined, null])
        expect(refused(yield* claim(human, one, { consentGiven }))).toEqual([400, "MISSING_FIELDS"])
      for (const over of [
        { listenerToken: two.token },
        { listenerId: two.id },
        { listenerToken: "nonsense" },
        { listenerId: "lsn_00000000000000000000000000" }
      ])
        expect(refused(yield* claim(human, one, over))).toEqual([401, "LISTENER_TOKEN_REQUIRED"])
      const claimed = yield* claim(human, one)
      expect(refused(yield* claim(other, { ...one, token: claimed.body.listenerToken }))).toEqual([
        409,
        "LISTENER_ALREADY_CLAIMED"
      ])
      expect(refused(yield* claim(other, one))).toEqual([401, "LISTENER_TOKEN_REQUIRED"])
      const foreign = yield* call("POST", "/api/listeners/claim", {
        headers: { ...human.headers, origin: "https://elsewhere.example" },
        body: { listenerId: two.id, listenerToken: two.token, consentGiven: true }
      })
      expect(refused(foreign)).toEqual([403, "FORBIDDEN"])
    })
  )

  it.effect(
    "merge histories: the newer vote stands, days add up, follows stay single",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const [human, one, two] = [
          yield* person(),
          yield* listener(from(newAddress())),
          yield* listener(from(newAddress()))
        ]
        const [agent, other] = yield* Effect.all([arrive(), arrive()])
        const [first, second, third] = [yield* song(), yield* song(), yield* song()]
        for (const [trackId, token, action] of [
          [first, one.token, "like"],
          [first, two.token, "dislike"],
          [second, two.token, "like"],
          [second, one.token, "dislike"],
          [third, two.token, "like"]
        ] as const)
          yield* vote(trackId, token, action)
        const follow = (token: string, handle: string) =>
          call("POST", `/api/agents/${handle}/follow`, { headers: shown(token) })
        for (const [token, { handle }] of [
          [one.token, agent],
          [two.token, agent],
          [two.token, other]
        ] as const)
          expect((yield* follow(token, handle)).status).toBe(200)
        for (const { id } of [one, two])
          yield* sql`INSERT INTO listener_days (listener_id, day, minutes) VALUES (${id}, (now() AT TIME ZONE 'UTC')::date - 1, 900)`
        const token = (yield* claim(human, one)).body.listenerToken as string
        yield* claim(human, two)
        const mine = (trackId: string) =>
          Effect.map(
            call("GET", `/api/v1/tracks/${trackId}/engagement`, { headers: shown(token) }),
            ({ body: { mine, totals } }) => [mine.like, mine.dislike, totals.likes, totals.dislikes]
          )
        expect([yield* mine(first), yield* mine(second), yield* mine(third)]).toEqual([
          [false, true, 0, 1],
          [false, true, 0, 1],
          [true, false, 1, 0]
        ])
        const streaks = (yield* call("GET", "/api/listeners/me/streaks", { headers: shown(token) })).body
        expect([streaks.totals.minutes, streaks.totals.votes, streaks.streak.current]).toEqual([1_440, 5, 1])
        expect(
          yield* sql`SELECT count(*)::int AS n FROM follows WHERE follower_type = 'listener' AND follower_id = ${human.id}`
        ).toEqual([{ n: 2 }])
        expect(yield* sql`SELECT count(*)::int AS n FROM follows WHERE agent_id = ${agent.id}`).toEqual([{ n: 1 }])
        expect(yield* sql`SELECT voter FROM track_votes WHERE voter IN (${one.id}, ${two.id})`).toEqual([])
        // From now on every action counts for the account, with any of its listeners.
        yield* vote(third, token, "dislike")
        expect(yield* mine(third)).toEqual([false, true, 0, 1])
      }),
    300_000
  )

  it.effect("happen once under concurrency", () =>
    Effect.gen(function* () {
      const [human, one] = [yield* person(), yield* listener()]
      const answers = yield* Effect.forEach(Array.from({ length: 30 }), () => claim(human, one), { concurrency: 30 })
      expect([...new Set(answers.map(({ status }) => status))]).toEqual([200])
      const sql = yield* SqlClient.SqlClient
      expect(yield* sql`SELECT gen, human_id FROM listeners WHERE id = ${one.id}`).toEqual([
        { gen: 1, humanId: human.id }
      ])
      const contested = yield* listener()
      const people = yield* Effect.forEach(Array.from({ length: 10 }), () => person())
      const claims = yield* Effect.forEach(people, (each) => claim(each, contested), { concurrency: 10 })
      expect([
        claims.filter(({ status }) => status === 200).length,
        claims.filter(({ status }) => status === 401).length
      ]).toEqual([1, 9])
    })
  )

  it.effect("happen at a session with an account, and are deleted with the account", () =>
    Effect.gen(function* () {
      const human = yield* person({ displayName: "Ada" })
      const minted = yield* session(human.headers)
      expect(minted).toMatchObject({ signedIn: true, displayName: "Ada" })
      const trackId = yield* song()
      yield* vote(trackId, minted.listenerToken, "like")
      const agent = yield* arrive()
      yield* call("POST", `/api/agents/${agent.handle}/follow`, { headers: shown(minted.listenerToken) })
      const admin = yield* operator("admin")
      expect((yield* call("DELETE", `/api/ops/users/${human.id}`, { key: admin })).status).toBe(200)
      expect((yield* session(shown(minted.listenerToken))).listenerId).not.toBe(minted.listenerId)
      expect((yield* call("GET", `/api/v1/tracks/${trackId}/engagement`)).body.totals.likes).toBe(0)
      yield* runJobs(guestJobs)
      const sql = yield* SqlClient.SqlClient
      expect(yield* sql`SELECT 1 FROM follows WHERE agent_id = ${agent.id}`).toEqual([])
    })
  )

  it.effect("keep returning guests, and forget those whose tokens have expired", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [gone, voted, here] = [yield* listener(), yield* listener(), yield* listener()]
      yield* vote(yield* song(), voted.token, "like")
      yield* sql`UPDATE listeners SET seen_at = now() - interval '182 days' WHERE id IN (${gone.id}, ${voted.id})`
      yield* sql`UPDATE listeners SET seen_at = now() - interval '179 days' WHERE id = ${here.id}`
      yield* runJobs(guestJobs)
      expect(
        (yield* sql<{
          id: string
        }>`SELECT id FROM listeners WHERE id IN (${gone.id}, ${voted.id}, ${here.id}) ORDER BY id`).map(({ id }) => id)
      ).toEqual([voted.id, here.id].sort())
    })
  )
})

layer(AgentHttp({ TRUSTED_PROXIES: "127.0.0.1/32" }), { excludeTestServices: true })("operators on listeners", (it) => {
  it.effect("list them, block them, void their tokens and erase them", () =>
    Effect.gen(function* () {
      const admin = yield* operator("admin")
      const [one, trackId] = [yield* listener(), yield* song()]
      const agent = yield* arrive()
      yield* vote(trackId, one.token, "dislike")
      yield* call("POST", `/api/agents/${agent.handle}/follow`, { headers: shown(one.token) })
      const path = `/api/ops/users/${one.id}`
      const ops = (method: string, body?: object, query = "") =>
        call(method, `${path}${query}`, { key: admin, ...(body === undefined ? {} : { body }) })
      const listed = yield* call("GET", "/api/ops/users?kind=listener&limit=1", { key: admin })
      expect(listed.body.users[0]).toMatchObject({ id: one.id, kind: "listener", humanId: null })
      expect((yield* ops("GET")).body.user).toMatchObject({
        id: one.id,
        votes: [{ trackId, action: "dislike" }],
        streaks: { totals: { votes: 1 } }
      })
      expect(refused(yield* call("GET", path, { key: yield* operator("producer") }))).toEqual([403, "FORBIDDEN"])
      for (const body of [{}, { blocked: true }])
        expect(refused(yield* ops("PATCH", body))).toEqual([400, "MISSING_FIELDS"])
      for (const body of [{ published: true }, { unlink: true }])
        expect(refused(yield* ops("PATCH", body))).toEqual([400, "INVALID_FIELD"])
      yield* ops("PATCH", { blocked: true, reason: "Votes by script." }, "?dryRun=true")
      expect((yield* vote(trackId, one.token, "like")).status).toBe(200)
      expect((yield* ops("PATCH", { blocked: true, reason: "Votes by script." })).body.user.blockedReason).toBe(
        "Votes by script."
      )
      const shut = yield* vote(trackId, one.token, "like")
      expect([...refused(shut), shut.body.detail.includes("Votes by script.")]).toEqual([403, "FORBIDDEN", true])
      yield* ops("PATCH", { blocked: false })
      expect((yield* vote(trackId, one.token, "like")).status).toBe(200)
      yield* ops("PATCH", { voidTokens: true })
      expect(refused(yield* vote(trackId, one.token, "like"))).toEqual([401, "LISTENER_TOKEN_REQUIRED"])
      expect((yield* ops("DELETE", undefined, "?dryRun=true")).body.wouldBe).toEqual({ id: one.id, erased: true })
      expect((yield* ops("DELETE")).body).toEqual({ id: one.id, erased: true })
      expect(refused(yield* ops("GET"))).toEqual([404, "NOT_FOUND"])
      const sql = yield* SqlClient.SqlClient
      expect(yield* sql`SELECT 1 FROM follows WHERE follower_id = ${one.id}`).toEqual([])
      expect((yield* call("GET", `/api/v1/tracks/${trackId}/engagement`)).body.totals.likes).toBe(0)
      expect(
        (yield* sql<{ action: string }>`SELECT action FROM audit WHERE subject_id = ${one.id} ORDER BY position`).map(
          ({ action }) => action
        )
      ).toEqual(["listener.change", "listener.change", "listener.change", "listener.erase"])
    })
  )
})
