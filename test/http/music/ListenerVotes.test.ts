import { layer } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { expect } from "vitest"
import { runJobs } from "../../support/runtime/RunJobs.ts"
import { guestJobs } from "../../../actors/listeners/ListenerWorker.ts"
import { rotationCandidatesMax } from "../../../engine/rules/air/limits.ts"
import { Tracks } from "../../../engine/store/music/Tracks.ts"
import { AgentHttp, arrive } from "../../support/http/AgentHttp.ts"
import { from, listener, newAddress, signInListener, song } from "../../support/listeners/Listeners.ts"
import { type Answer, call, operator } from "../../support/http/SegmentHttp.ts"
import { offerRequests, setRequests } from "../../support/air/Airings.ts"

const refused = ({ body, status }: Answer) => [status, body.code]
const vote = (trackId: string, token: string, body: object, query = "", headers: Record<string, string> = {}) =>
  call("POST", `/api/v1/tracks/${trackId}/engagement${query}`, {
    headers: { "x-listener-token": token, ...headers },
    body
  })
const read = (trackId: string, headers: Record<string, string> = {}, query = "") =>
  call("GET", `/api/v1/tracks/${trackId}/engagement${query}`, { headers })
const none = { likes: 0, dislikes: 0, upvotes: 0, downvotes: 0, boosts: 0 }
/** So many listeners of as many addresses think so. */
const crowd = (trackId: string, count: number, action: string) =>
  Effect.forEach(
    Array.from({ length: count }),
    () =>
      Effect.gen(function* () {
        const address = from(newAddress())
        return yield* vote(trackId, (yield* listener(address)).token, { action }, "", address)
      }),
    { concurrency: 8 }
  )
const standing = (trackId: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const [row] = yield* sql<{
      voteWeight: number
      rested: boolean
      resting: boolean
    }>`SELECT vote_weight, rested_until IS NOT NULL AS rested, coalesce(rested_until > now(), false) AS resting FROM tracks WHERE id = ${trackId}`
    return row!
  })
const inRotation = (trackId: string) =>
  Effect.gen(function* () {
    const all = yield* (yield* Tracks).listRested(["house"], rotationCandidatesMax, yield* Clock.currentTimeMillis)
    return all.find(({ airable }) => airable.trackId === trackId)?.weight ?? null
  })

layer(AgentHttp({ TRUSTED_PROXIES: "127.0.0.1/32" }), { excludeTestServices: true })("votes on tracks", (it) => {
  it.effect("are one for each listener: changed, repeated and withdrawn", () =>
    Effect.gen(function* () {
      const trackId = yield* song()
      const { id, token } = yield* listener()
      const liked = yield* vote(trackId, token, { action: "like", reasonCode: "fresh" })
      expect([liked.status, liked.body]).toEqual([
        200,
        {
          trackId,
          action: "like",
          mine: { like: true, dislike: false, reasonCode: "fresh" },
          totals: { ...none, likes: 1 },
          rotationInfluence: "none"
        }
      ])
      expect((yield* vote(trackId, token, { action: "like" })).body).toEqual(liked.body)
      expect((yield* vote(trackId, token, { action: "dislike", reasonCode: "too_loud" })).body).toMatchObject({
        mine: { like: false, dislike: true, reasonCode: "too_loud" },
        totals: { ...none, dislikes: 1 }
      })
      const dry = yield* vote(trackId, token, { action: "clear" }, "?dryRun=true")
      expect([dry.status, dry.body.wouldBe.totals]).toEqual([200, none])
      const asked = yield* read(trackId, { "x-listener-token": token })
      expect([asked.body, asked.headers.get("cache-control")]).toEqual([
        {
          trackId,
          totals: { ...none, dislikes: 1 },
          rotationInfluence: "none",
          mine: { like: false, dislike: true, reasonCode: "too_loud" }
        },
        "private, no-store"
      ])
      expect((yield* read(trackId, {}, `?listenerId=${id}`)).body.mine).toBe(null)
      expect(
        (yield* read(trackId, { "x-listener-token": (yield* listener()).token }, `?listenerId=${id}`)).body.mine
      ).toBe(null)
      expect((yield* read(trackId, { "x-listener-token": token }, `?listenerId=${id}`)).body.mine.dislike).toBe(true)
      expect((yield* vote(trackId, token, { action: "clear" })).body).toMatchObject({
        action: "clear",
        mine: { like: false, dislike: false, reasonCode: null },
        totals: none
      })
    })
  )

  it.effect("are refused with the contract's codes", () =>
    Effect.gen(function* () {
      const trackId = yield* song()
      const { token } = yield* listener()
      const { key } = yield* arrive()
      const asked = (body: object, id = trackId) => Effect.map(vote(id, token, body), refused)
      expect(yield* asked({ action: "adore" })).toEqual([400, "INVALID_ACTION"])
      expect(yield* asked({ action: "upvote" })).toEqual([400, "INVALID_ACTION"])
      expect(yield* asked({})).toEqual([400, "MISSING_FIELDS"])
      for (const body of [
        { action: "like", reasonCode: "too_loud" },
        { action: "dislike", reasonCode: "rude" },
        { action: "clear", reasonCode: "fresh" },
        { action: "like", reasonCode: "toString" }
      ])
        expect(yield* asked(body)).toEqual([400, "INVALID_REASON"])
      expect(yield* asked({ action: "like" }, "trk_00000000000000000000000000")).toEqual([404, "TRACK_NOT_FOUND"])
      expect(yield* asked({ action: "like" }, yield* song("pending_review"))).toEqual([404, "TRACK_NOT_FOUND"])
      expect(refused(yield* read("trk_00000000000000000000000000"))).toEqual([404, "TRACK_NOT_FOUND"])
      for (const headers of [
        {},
        { "x-listener-token": "nonsense" },
        { authorization: "Bearer nonsense" }
      ] as ReadonlyArray<Record<string, string>>) {
        expect(
          refused(yield* call("POST", `/api/v1/tracks/${trackId}/engagement`, { headers, body: { action: "like" } }))
        ).toEqual([401, "LISTENER_TOKEN_REQUIRED"])
      }
      expect(
        refused(yield* call("POST", `/api/v1/tracks/${trackId}/engagement`, { key, body: { action: "like" } }))
      ).toEqual([403, "FORBIDDEN"])
    })
  )

  it.effect(
    "are one under two hundred concurrent requests",
    () =>
      Effect.gen(function* () {
        const trackId = yield* song()
        const { token } = yield* listener()
        const answers = yield* Effect.forEach(
          Array.from({ length: 200 }),
          () => vote(trackId, token, { action: "like" }),
          { concurrency: 50 }
        )
        expect([...new Set(answers.map(({ status }) => status))]).toEqual([200])
        expect((yield* read(trackId)).body.totals).toEqual({ ...none, likes: 1 })
        const streaks = yield* call("GET", "/api/listeners/me/streaks", { headers: { "x-listener-token": token } })
        expect(streaks.body.totals.votes).toBe(1)
        const mixed = yield* Effect.forEach(
          Array.from({ length: 60 }),
          (_, i) => vote(trackId, token, { action: ["like", "dislike", "clear"][i % 3]! }),
          { concurrency: 20 }
        )
        expect(mixed.every(({ status }) => status === 200)).toBe(true)
        const { dislikes, likes } = (yield* read(trackId)).body.totals
        expect(likes + dislikes).toBeLessThanOrEqual(1)
      }),
    300_000
  )

  it.effect(
    "of guests count three times for one address; those of accounts always",
    () =>
      Effect.gen(function* () {
        const trackId = yield* song()
        const here = from(newAddress())
        const guests = yield* Effect.forEach(Array.from({ length: 8 }), () => listener(here))
        const answers = yield* Effect.forEach(
          guests,
          ({ token }) => vote(trackId, token, { action: "like" }, "", here),
          { concurrency: 8 }
        )
        expect(answers.every(({ body, status }) => status === 200 && body.mine.like)).toBe(true)
        const totals = Effect.map(read(trackId), ({ body }) => body.totals)
        expect((yield* totals).likes).toBe(3)
        for (const { token } of guests) yield* vote(trackId, token, { action: "dislike" }, "", here)
        expect(yield* totals).toEqual({ ...none, dislikes: 3 })
        yield* vote(trackId, (yield* signInListener({}, here)).token, { action: "like" }, "", here)
        expect(yield* totals).toEqual({ ...none, dislikes: 3, likes: 1 })
        const elsewhere = from(newAddress())
        yield* vote(trackId, (yield* listener(elsewhere)).token, { action: "like" }, "", elsewhere)
        expect(yield* totals).toEqual({ ...none, dislikes: 3, likes: 2 })
        const sql = yield* SqlClient.SqlClient
        yield* sql`UPDATE track_votes SET at = at - interval '47 hours' WHERE track_id = ${trackId}`
        const kept = Effect.map(
          sql<{ n: number }>`SELECT count(address_hash)::int AS n FROM track_votes WHERE track_id = ${trackId}`,
          ([row]) => row!.n
        )
        yield* runJobs(guestJobs)
        expect(yield* kept).toBe(9)
        yield* sql`UPDATE track_votes SET at = at - interval '2 hours' WHERE track_id = ${trackId}`
        yield* runJobs(guestJobs)
        expect([yield* kept, (yield* totals).dislikes]).toEqual([0, 3])
        // Who had counted goes on to, and who had not does not begin to by the address being forgotten.
        expect(
          (yield* sql<{
            n: number
          }>`SELECT count(*)::int AS n FROM track_votes WHERE track_id = ${trackId} AND counted`)[0]!.n
        ).toBe(5)
      }),
    300_000
  )

  it.effect("make a track play more often, for thirty days", () =>
    Effect.gen(function* () {
      const trackId = yield* song()
      yield* crowd(trackId, 4, "like")
      expect([(yield* read(trackId)).body.rotationInfluence, yield* inRotation(trackId)]).toEqual(["none", 1])
      expect((yield* crowd(trackId, 1, "like"))[0]!.body.rotationInfluence).toBe("boosted")
      expect([(yield* read(trackId)).body.rotationInfluence, yield* inRotation(trackId)]).toEqual(["boosted", 1.5])
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE track_votes SET at = at - interval '30 days 1 minute' WHERE track_id = ${trackId}`
      yield* runJobs(guestJobs)
      expect([
        (yield* read(trackId)).body.rotationInfluence,
        (yield* read(trackId)).body.totals.likes,
        yield* inRotation(trackId)
      ]).toEqual(["none", 5, 1])
    })
  )

  it.effect(
    "against a track make it rarer, then rest it and send it to a reviewer, whose decision stands",
    () =>
      Effect.gen(function* () {
        const [kept, gone] = [yield* song(), yield* song()]
        yield* crowd(kept, 5, "dislike")
        expect([(yield* read(kept)).body.rotationInfluence, yield* inRotation(kept)]).toEqual(["none", 0.5])
        yield* crowd(kept, 15, "dislike")
        yield* crowd(gone, 20, "dislike")
        expect([yield* inRotation(kept), yield* inRotation(gone), (yield* standing(kept)).resting]).toEqual([
          null,
          null,
          true
        ])
        const key = yield* operator("reviewer")
        const reviews = (yield* call("GET", "/api/ops/reviews?kind=track&status=open", { key })).body
          .items as ReadonlyArray<{
          readonly id: string
          readonly subject: { readonly id: string }
          readonly transcript: string
        }>
        const reviewOf = (trackId: string) => reviews.find(({ subject }) => subject.id === trackId)!
        expect(reviews.map(({ subject }) => subject.id).sort()).toEqual([kept, gone].sort())
        const decide = (trackId: string, decision: string) =>
          call("POST", `/api/ops/reviews/${reviewOf(trackId).id}/decision`, {
            key,
            body: { decision, reason: "A test." }
          })
        expect((yield* decide(kept, "approve")).status).toBe(200)
        expect(yield* inRotation(kept)).toBe(0.5)
        yield* crowd(kept, 2, "dislike")
        expect([(yield* standing(kept)).resting, yield* inRotation(kept)]).toEqual([false, 0.5])
        expect((yield* decide(gone, "reject")).status).toBe(200)
        expect((yield* (yield* Tracks).find(gone as never))?.approvalStatus).toBe("retired")
        expect((yield* call("POST", `/api/ops/reviews/${reviewOf(gone).id}/undo`, { key, body: {} })).status).toBe(200)
        expect([(yield* (yield* Tracks).find(gone as never))?.approvalStatus, (yield* standing(gone)).resting]).toEqual(
          ["approved", true]
        )
        const sql = yield* SqlClient.SqlClient
        yield* sql`UPDATE tracks SET rested_until = now() - interval '1 second' WHERE id = ${gone}`
        expect(yield* inRotation(gone)).toBe(0.5)
      }),
    300_000
  )

  it.effect("report a track as scheduled while a request for it has a place", () =>
    Effect.gen(function* () {
      const trackId = yield* song()
      const sql = yield* SqlClient.SqlClient
      yield* sql`
      INSERT INTO song_requests (id, track_id, requester, command_key, listener_label, source, acknowledged, status, created_at, expires_at, updated_at)
      VALUES (${`sreq_${trackId.slice(4)}`}, ${trackId}, 'somebody', 'a key', 'a listener', 'web', true, 'pending', now(), now() + interval '1 hour', now())`
      yield* offerRequests
      const said = Effect.map(read(trackId), ({ body }) => body.rotationInfluence)
      expect(yield* said).toBe("none")
      yield* setRequests(sql`track_id = ${trackId}`, "placed")
      expect(yield* said).toBe("scheduled")
      yield* setRequests(sql`track_id = ${trackId}`, "aired")
      expect(yield* said).toBe("none")
    })
  )

  it.effect("have public reasons", () =>
    Effect.gen(function* () {
      const all = yield* call("GET", "/api/v1/feedback/reasons")
      expect([
        all.status,
        all.body.version,
        all.body.domains.map(({ domain }: { readonly domain: string }) => domain)
      ]).toEqual([200, "1", ["track_music", "show_segment", "show_entity", "agent_entity"]])
      expect((yield* call("GET", "/api/v1/feedback/reasons?domain=show_entity")).body).toMatchObject({
        version: "1",
        domain: "show_entity",
        positive: [{ code: "great_host", label: "Great host" }, {}, {}, {}],
        negative: [{ code: "off_topic" }, {}, {}]
      })
      for (const domain of ["music", "", "toString"])
        expect(refused(yield* call("GET", `/api/v1/feedback/reasons?domain=${domain}`))).toEqual([
          400,
          "INVALID_DOMAIN"
        ])
    })
  )
})
