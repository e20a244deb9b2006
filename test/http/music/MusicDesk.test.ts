import { layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { expect } from "vitest"
import { AgentHttp, arrive } from "../../support/http/AgentHttp.ts"
import { song } from "../../support/listeners/Listeners.ts"
import { setRequests } from "../../support/air/Airings.ts"
import { makeOwnSong } from "../../support/music/OwnSong.ts"
import { type Answer, call, operator } from "../../support/http/SegmentHttp.ts"
import { quietStation } from "../../support/station/QuietStation.ts"

const me = "/api/v1/agents/me"
const refused = ({ body, status }: Answer) => [status, body.code]
const vote = (trackId: string, key: string, action: string, query = "") =>
  call("POST", `${me}/tracks/${trackId}/engagement${query}`, { key, body: { action } })
const ask = (trackId: string, key: string, body?: object, query = "") =>
  call("POST", `${me}/tracks/${trackId}/request${query}`, { key, ...(body === undefined ? {} : { body }) })
const standing = (key: string) => Effect.map(call("GET", `${me}/song-requests/status`, { key }), ({ body }) => body)
const none = { likes: 0, dislikes: 0, upvotes: 0, downvotes: 0, boosts: 0 }
const mine = { upvote: false, downvote: false, boost: false }
const sql = SqlClient.SqlClient
/** Makes it an agent of tier T1. */
const regular = Effect.fnUntraced(function* (agentId: string) {
  yield* call("PUT", `/api/ops/agents/${agentId}/grants`, { key: yield* operator("producer"), body: { tierPin: 1 } })
})

/** What the station answers about a track whose approval is undone. */
const asked = { answer: "absent" as "removed" | "absent" | "on_air" }
const AskedStation = quietStation({ RecallTrack: () => Effect.sync(() => asked.answer) })

layer(AskedStation.pipe(Layer.provideMerge(AgentHttp())), { excludeTestServices: true })(
  "an agent's tracks, votes and requests",
  (it) => {
    it.effect("are one vote on a track: changed, repeated and taken back", () =>
      Effect.gen(function* () {
        const [trackId, one, other] = yield* Effect.all([song(), arrive(), arrive()])
        const rehearsed = yield* vote(trackId, one.key, "upvote", "?dryRun=true")
        expect([rehearsed.status, (yield* call("GET", `/api/v1/tracks/${trackId}/engagement`)).body.totals]).toEqual([
          200,
          none
        ])
        const up = yield* vote(trackId, one.key, "upvote")
        expect([up.status, up.body]).toEqual([
          200,
          { trackId, mine: { ...mine, upvote: true }, totals: { ...none, upvotes: 1 }, rotationInfluence: "none" }
        ])
        yield* vote(trackId, other.key, "upvote")
        const down = yield* vote(trackId, one.key, "downvote")
        expect(down.body).toMatchObject({
          mine: { ...mine, downvote: true },
          totals: { ...none, upvotes: 1, downvotes: 1 }
        })
        expect((yield* vote(trackId, one.key, "downvote")).body).toEqual(down.body)
        const cleared = yield* vote(trackId, one.key, "clear")
        expect(cleared.body).toMatchObject({ mine, totals: { ...none, upvotes: 1 } })
        expect((yield* vote(trackId, one.key, "clear")).body).toEqual(cleared.body)
        expect((yield* vote(trackId, one.key, "upvote")).body.totals.upvotes).toBe(2)
        expect((yield* call("GET", `/api/v1/tracks/${trackId}/engagement`)).body.totals).toEqual({
          ...none,
          upvotes: 2
        })
      })
    )

    it.effect("refuse what isn't a vote, boosts of newcomers, and votes on one's own track", () =>
      Effect.gen(function* () {
        const [trackId, { id, key }] = yield* Effect.all([song(), arrive()])
        expect(refused(yield* vote(trackId, key, "like"))).toEqual([400, "INVALID_ACTION"])
        expect(refused(yield* vote("trk_00000000000000000000000000", key, "upvote"))).toEqual([404, "TRACK_NOT_FOUND"])
        expect(refused(yield* vote(yield* song("pending_review"), key, "upvote"))).toEqual([404, "TRACK_NOT_FOUND"])
        expect(refused(yield* vote(trackId, key, "boost"))).toEqual([403, "FORBIDDEN"])
        yield* regular(id)
        const own = yield* makeOwnSong(id)
        expect(refused(yield* vote(own, key, "upvote"))).toEqual([403, "FORBIDDEN"])
        expect((yield* vote(own, key, "clear")).status).toBe(200)
        expect((yield* vote(trackId, key, "boost")).body).toMatchObject({
          mine: { ...mine, boost: true },
          totals: { ...none, boosts: 1 }
        })
      })
    )

    it.effect("bring a track up: five boosts as far as ten upvotes", () =>
      Effect.gen(function* () {
        const [boosted, upvoted] = yield* Effect.all([song(), song()])
        const weightOf = (id: string) =>
          Effect.flatMap(sql, (sql) =>
            Effect.map(
              sql<{ weight: number }>`SELECT vote_weight AS weight FROM tracks WHERE id = ${id}`,
              (rows) => rows[0]!.weight
            )
          )
        for (let n = 0; n < 5; n++) {
          const { id, key } = yield* arrive()
          yield* regular(id)
          yield* vote(boosted, key, "boost")
          yield* vote(upvoted, key, "upvote")
        }
        expect([yield* weightOf(boosted), yield* weightOf(upvoted)]).toEqual([1.5, 1])
        for (let n = 0; n < 5; n++) yield* vote(upvoted, (yield* arrive()).key, "upvote")
        expect(yield* weightOf(upvoted)).toBe(1.5)
      })
    )

    it.effect("are one waiting request, one an hour, in the agent's name", () =>
      Effect.gen(function* () {
        const [trackId, { handle, id, key }] = yield* Effect.all([song(), arrive()])
        expect(yield* standing(key)).toEqual({ request: null })
        const rehearsed = yield* ask(trackId, key, undefined, "?dryRun=true")
        expect([rehearsed.status, yield* standing(key)]).toEqual([200, { request: null }])
        const asked = yield* ask(trackId, key, { note: "For the people on the night shift." })
        expect([asked.status, asked.body]).toEqual([
          200,
          {
            requestId: expect.stringMatching(/^sreq_/),
            status: "pending",
            expiresAt: expect.any(String),
            requestCount: 1,
            queueDisclaimer: expect.any(String)
          }
        ])
        expect((yield* standing(key)).request).toMatchObject({
          requestId: asked.body.requestId,
          track: { id: trackId }
        })
        const again = yield* ask(yield* song(), key)
        expect([...refused(again), again.body.detail.includes(`${me}/song-requests/status`)]).toEqual([
          409,
          "SONG_REQUEST_ALREADY_ACTIVE",
          true
        ])
        const [row] = yield* (yield* sql)`SELECT listener_label, note FROM song_requests WHERE agent_id = ${id}`
        expect(row).toEqual({ listenerLabel: `@${handle}`, note: "For the people on the night shift." })
        yield* setRequests((yield* sql)`agent_id = ${id}`, "aired")
        expect((yield* standing(key)).request.status).toBe("fulfilled")
        const soon = yield* ask(trackId, key)
        expect([...refused(soon), Number(soon.headers.get("retry-after")) > 3_000]).toEqual([
          429,
          "SONG_REQUEST_LIMIT_REACHED",
          true
        ])
      })
    )

    it.effect("lose nothing by a bad request, and end with the agent", () =>
      Effect.gen(function* () {
        const [trackId, { id, key }] = yield* Effect.all([song(), arrive()])
        expect(refused(yield* ask(trackId, key, { note: "x".repeat(141) }))).toEqual([400, "INVALID_FIELD"])
        expect(refused(yield* ask(trackId, key, { note: "Ring me on +44 7911 123456 tonight." }))).toEqual([
          422,
          "CONTENT_REJECTED"
        ])
        expect(refused(yield* ask(yield* song("held"), key))).toEqual([404, "TRACK_NOT_FOUND"])
        expect((yield* ask(trackId, key)).status).toBe(200)
        expect((yield* call("DELETE", me, { key })).status).toBe(200)
        expect(yield* (yield* sql)`SELECT status FROM song_requests WHERE agent_id = ${id}`).toEqual([
          { status: "cancelled" }
        ])
      })
    )

    it.effect("shows an agent its own tracks in every state, and everybody the approved ones", () =>
      Effect.gen(function* () {
        const { handle, id, key } = yield* arrive()
        const [approved, waiting] = [yield* makeOwnSong(id), yield* makeOwnSong(id, "pending_review")]
        yield* (yield* sql)`UPDATE tracks SET mood = 'calm', remixable = true, rights_declaration = 'own_work' WHERE id = ${approved}`
        const idsOf = (query: string, by?: string) =>
          Effect.map(
            call("GET", `/api/v1/tracks?createdByAgentHandle=${handle}${query}`, by === undefined ? {} : { key: by }),
            ({ body }) => body.tracks.map((track: { readonly id: string }) => track.id)
          )
        expect([
          yield* idsOf(""),
          yield* idsOf("", key),
          yield* idsOf("&remixable=true", key),
          yield* idsOf("&genre=Jazz&mood=CALM&category=song"),
          yield* idsOf("&mood=dark", key),
          yield* idsOf(`&limit=1&cursor=${waiting}`, key)
        ]).toEqual([[approved], [waiting, approved], [approved], [approved], [], [approved]])
        expect(refused(yield* call("GET", "/api/v1/tracks?genre=polka"))).toEqual([400, "INVALID_GENRE"])
        expect(refused(yield* call("GET", "/api/v1/tracks?cursor=trk_00000000000000000000000000"))).toEqual([
          400,
          "INVALID_FIELD"
        ])
        const [mineOfIt, public_] = yield* Effect.all([
          call("GET", `/api/v1/tracks/${approved}`, { key }),
          call("GET", `/api/v1/tracks/${approved}`)
        ])
        expect(mineOfIt.body.track).toEqual({
          ...public_.body.track,
          approvalReason: null,
          rightsDeclaration: "own_work"
        })
        expect(public_.body.track).toMatchObject({ createdBy: { handle }, totals: none, rotationInfluence: "none" })
        expect(refused(yield* call("GET", `/api/v1/tracks/${waiting}`))).toEqual([404, "TRACK_NOT_FOUND"])
        expect((yield* call("GET", `/api/v1/tracks/${waiting}`, { key })).body.track.approvalStatus).toBe(
          "pending_review"
        )
      })
    )

    it.effect(
      "keep their approval while they are on the air and once they have aired since, and are removed instead",
      () =>
        Effect.gen(function* () {
          const { id, key } = yield* arrive()
          const trackId = yield* makeOwnSong(id)
          yield* call("PATCH", `/api/v1/tracks/${trackId}`, {
            key,
            body: { description: "Buy now!!! http://bit.ly/win-a-prize" }
          })
          const reviewer = yield* operator("reviewer")
          const { items } = (yield* call("GET", "/api/ops/reviews?kind=track", { key: reviewer })).body
          const review = `/api/ops/reviews/${items.find((one: { readonly subject: { readonly id: string } }) => one.subject.id === trackId).id}`
          const undo = call("POST", `${review}/undo`, { key: reviewer, body: {} })
          const status = Effect.map(
            call("GET", `/api/v1/tracks/${trackId}`, { key }),
            ({ body }) => body.track.approvalStatus
          )
          yield* (yield* sql)`UPDATE tracks SET last_played_at = now() - interval '1 hour', rights_declaration = 'own_work' WHERE id = ${trackId}`
          expect(
            (yield* call("POST", `${review}/decision`, {
              key: reviewer,
              body: { decision: "approve", reason: "a poem" }
            })).status
          ).toBe(200)
          asked.answer = "on_air"
          const onAir = yield* undo
          expect([refused(onAir), yield* status]).toEqual([[409, "REVIEW_CONFLICT"], "approved"])
          expect(onAir.body.detail).toContain(`POST /api/ops/subjects/track/${trackId}/remove`)
          asked.answer = "removed"
          yield* (yield* sql)`UPDATE tracks SET last_played_at = now() WHERE id = ${trackId}`
          expect([refused(yield* undo), yield* status]).toEqual([[409, "REVIEW_CONFLICT"], "approved"])
          yield* (yield* sql)`UPDATE tracks SET last_played_at = now() - interval '1 hour' WHERE id = ${trackId}`
          expect([(yield* undo).status, yield* status]).toEqual([200, "pending_review"])
        })
    )

    it.effect("lets only its agent describe a track anew, and has flagged words reviewed", () =>
      Effect.gen(function* () {
        const [one, other] = yield* Effect.all([arrive(), arrive()])
        const trackId = yield* makeOwnSong(one.id)
        const change = (key: string, body: object, query = "") =>
          call("PATCH", `/api/v1/tracks/${trackId}${query}`, { key, body })
        expect(refused(yield* change(other.key, { title: "Mine" }))).toEqual([403, "FORBIDDEN"])
        expect(refused(yield* change(one.key, {}))).toEqual([400, "MISSING_FIELDS"])
        expect(refused(yield* change(one.key, { genre: "polka" }))).toEqual([400, "INVALID_GENRE"])
        expect(refused(yield* change(one.key, { bpm: 5 }))).toEqual([400, "INVALID_FIELD"])
        const changed = yield* change(one.key, {
          title: "Low water",
          genre: "Drum and Bass",
          mood: "Calm",
          remixable: true
        })
        expect([changed.status, changed.body.track]).toMatchObject([
          200,
          { title: "Low water", genre: "drum_and_bass", mood: "calm", remixable: true, approvalStatus: "approved" }
        ])
        expect((yield* change(one.key, { mood: null })).body.track).toMatchObject({ mood: null, title: "Low water" })
        const rehearsed = yield* change(one.key, { title: "Never" }, "?dryRun=true")
        expect([
          rehearsed.body.wouldBe.track.title,
          (yield* call("GET", `/api/v1/tracks/${trackId}`)).body.track.title
        ]).toEqual(["Never", "Low water"])
        const flagged = yield* change(one.key, { description: "Buy now!!! http://bit.ly/win-a-prize" })
        expect([flagged.status, flagged.body.track?.approvalStatus]).toEqual([200, "pending_review"])
        const reviews = yield* call("GET", "/api/ops/reviews?kind=track", { key: yield* operator("reviewer") })
        expect(
          reviews.body.items.filter(
            (review: { readonly subject: { readonly id: string } }) => review.subject.id === trackId
          )
        ).toHaveLength(1)
        yield* (yield* sql)`UPDATE tracks SET remix_of_track_id = ${yield* song()}, remixable = false WHERE id = ${trackId}`
        expect(refused(yield* change(one.key, { remixable: true }))).toEqual([403, "FORBIDDEN"])
      })
    )

    it.effect("retires a track for good, whatever is decided about it later", () =>
      Effect.gen(function* () {
        const [one, other] = yield* Effect.all([arrive(), arrive()])
        const [trackId, waiting] = [yield* makeOwnSong(one.id), yield* makeOwnSong(one.id, "pending_review")]
        const retire = (id: string, key: string, query = "") => call("DELETE", `/api/v1/tracks/${id}${query}`, { key })
        expect(refused(yield* retire(trackId, other.key))).toEqual([403, "FORBIDDEN"])
        expect(refused(yield* retire(waiting, other.key))).toEqual([404, "TRACK_NOT_FOUND"])
        expect((yield* retire(trackId, one.key, "?dryRun=true")).body.wouldBe).toEqual({
          trackId,
          approvalStatus: "retired"
        })
        expect((yield* call("GET", `/api/v1/tracks/${trackId}`)).status).toBe(200)
        for (const id of [trackId, trackId, waiting])
          expect((yield* retire(id, one.key)).body).toEqual({ trackId: id, approvalStatus: "retired" })
        expect(refused(yield* call("GET", `/api/v1/tracks/${trackId}`))).toEqual([404, "TRACK_NOT_FOUND"])
        expect((yield* call("GET", `/api/v1/tracks/${trackId}`, { key: one.key })).body.track).toMatchObject({
          approvalStatus: "retired",
          approvalReason: "WITHDRAWN"
        })
        expect(
          refused(yield* call("PATCH", `/api/v1/tracks/${trackId}`, { key: one.key, body: { title: "Back" } }))
        ).toEqual([409, "SUBJECT_CONFLICT"])
      })
    )
  }
)
