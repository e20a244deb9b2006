import { layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { expect } from "vitest"
import { addJob } from "../../../actors/runtime/Jobs.ts"
import { MakeMusic } from "../../../actors/music/protocol/Jobs.ts"
import type { AgentId } from "../../../schema/Ids.ts"
import { AgentHttp, arrive } from "../../support/http/AgentHttp.ts"
import { type Answer, call, operator, askUntil } from "../../support/http/SegmentHttp.ts"
import { designate, awaitEnd, musician, requestOf } from "../../support/music/MusicScene.ts"
import {
  makeOwnSample,
  previewRemix,
  remix,
  remixableSong,
  samplePath,
  songOnSample
} from "../../support/music/RemixScene.ts"
import { makeOwnSong } from "../../support/music/OwnSong.ts"
import { examineUpload } from "../../support/segments/MediaUploads.ts"
import { QuietStation } from "../../support/station/QuietStation.ts"

const refused = ({ body, status }: Answer) => [status, body.code]
const sql = SqlClient.SqlClient
const quota = (key: string) =>
  Effect.map(call("GET", "/api/v1/agents/me/music/capabilities", { key }), ({ body }) => body.quota[0].used)
const trackOf = (id: string, key?: string) =>
  Effect.map(call("GET", `/api/v1/tracks/${id}`, key === undefined ? {} : { key }), ({ body }) => body.track ?? body)
/** A heard variant, made a track. */
const madeTrack = Effect.fnUntraced(function* (key: string, requestId: string) {
  const { variants } = (yield* awaitEnd(key, requestId)).body
  const variantId = variants[0].id as string
  yield* call("GET", `/api/v1/agents/me/music/requests/${requestId}/variants/${variantId}/preview`, { key })
  return yield* designate(key, requestId, { variantId })
})
const approve = Effect.fnUntraced(function* (trackId: string) {
  const key = yield* operator("reviewer")
  const { items } = (yield* call("GET", "/api/ops/reviews?kind=track&limit=100", { key })).body
  const review = items.find(({ subject }: { readonly subject: { readonly id: string } }) => subject.id === trackId)
  return yield* call("POST", `/api/ops/reviews/${review.id}/decision`, {
    key,
    body: { decision: "approve", reason: "fine" }
  })
})
const judge = Effect.fnUntraced(function* (trackId: string, act: string) {
  return yield* call("POST", `/api/ops/subjects/track/${trackId}/${act}`, {
    key: yield* operator("reviewer"),
    body: { reason: "rights claim" }
  })
})

layer(QuietStation.pipe(Layer.provideMerge(AgentHttp())), { excludeTestServices: true })("music after music", (it) => {
  it.effect("a remix is previewed, made, credited both ways, and follows its source when that is taken down", () =>
    Effect.gen(function* () {
      const { key } = yield* musician()
      const { id: sourceTrackId, owner } = yield* remixableSong
      const { draft } = (yield* previewRemix(key, { sourceTrackId })).body
      expect(draft).toMatchObject({ sourceTrackId, title: expect.stringMatching(/ \(remix\)$/) })
      expect(draft.plan.join(" ")).toContain("Keeps 96 BPM")
      const rehearsed = yield* remix(key, { sourceTrackId }, "?dryRun=true")
      expect([rehearsed.status, yield* quota(key)]).toEqual([200, 0])

      const asked = yield* remix(key, { sourceTrackId })
      expect([asked.status, asked.body.status, yield* quota(key)]).toEqual([200, "queued", 1])
      const done = yield* awaitEnd(key, asked.body.requestId)
      expect(done.body).toMatchObject({ status: "complete", kind: "remix", genre: draft.genre, title: draft.title })
      // The next one is arranged otherwise.
      expect((yield* previewRemix(key, { sourceTrackId })).body.draft.genre).not.toBe(draft.genre)

      const made = yield* madeTrack(key, asked.body.requestId)
      const { id } = made.body.track
      expect(made.body.track).toMatchObject({
        source: "remix",
        remixOfTrackId: sourceTrackId,
        remixable: false,
        approvalStatus: "pending_review",
        remixOf: { trackId: sourceTrackId }
      })
      expect(made.body.track.synthetic.disclosure).toMatch(/^Remix arranged and played by a program\./)
      expect((yield* trackOf(sourceTrackId)).remixes).toEqual([])
      yield* approve(id)
      expect((yield* trackOf(sourceTrackId)).remixes).toEqual([
        { trackId: id, title: draft.title, artist: made.body.track.artist }
      ])
      // A remix can't be opened for remixes, nor be remixed.
      expect(refused(yield* call("PATCH", `/api/v1/tracks/${id}`, { key, body: { remixable: true } }))).toEqual([
        403,
        "FORBIDDEN"
      ])
      yield* (yield* sql)`UPDATE tracks SET remixable = true WHERE id = ${id}`
      expect(refused(yield* remix(key, { sourceTrackId: id }))).toEqual([403, "FORBIDDEN"])

      const status = Effect.map(trackOf(id, key), ({ approvalStatus }) => approvalStatus)
      yield* judge(sourceTrackId, "hold")
      expect(yield* status).toBe("held")
      yield* judge(sourceTrackId, "release")
      expect(yield* status).toBe("approved")
      yield* judge(sourceTrackId, "remove")
      expect(yield* status).toBe("held")
      yield* approve(id)
      expect(yield* status).toBe("approved")
      // The owner's own change of mind ends no remix that was allowed: this source was taken by the operators.
      expect(refused(yield* call("DELETE", `/api/v1/tracks/${sourceTrackId}`, { key: owner.key }))[0]).toBeLessThan(500)
      expect(yield* status).toBe("approved")
    })
  )

  it.effect("a remix needs consent, a grant and nothing but sourceTrackId; a refusal costs nothing", () =>
    Effect.gen(function* () {
      const [{ key }, poor, owner] = yield* Effect.all([musician(), arrive(), arrive()])
      const [closed, waiting, { id: sourceTrackId }] = yield* Effect.all([
        makeOwnSong(owner.id),
        makeOwnSong(owner.id, "pending_review"),
        remixableSong
      ])
      const both = (body: object) =>
        Effect.map(Effect.all([remix(key, body), previewRemix(key, body)]), (all) => all.map(refused))
      const twice = (status: number, code: string) => [
        [status, code],
        [status, code]
      ]
      expect(yield* both({ sourceTrackId: closed })).toEqual(twice(403, "FORBIDDEN"))
      expect(yield* both({ sourceTrackId: waiting })).toEqual(twice(404, "TRACK_NOT_FOUND"))
      expect(yield* both({ sourceTrackId: "trk_00000000000000000000000000" })).toEqual(twice(404, "TRACK_NOT_FOUND"))
      expect(yield* both({ sourceTrackId, audioUrl: "https://example.org/a.mp3" })).toEqual(twice(400, "INVALID_FIELD"))
      expect(yield* both({ sourceTrackId, remixable: true })).toEqual(twice(400, "INVALID_FIELD"))
      expect(yield* both({})).toEqual(twice(400, "MISSING_FIELDS"))
      expect(refused(yield* remix(poor.key, { sourceTrackId }))).toEqual([403, "MUSIC_GENERATION_NOT_ALLOWED"])
      expect((yield* previewRemix(poor.key, { sourceTrackId })).status).toBe(200)
      expect(yield* quota(key)).toBe(0)
    })
  )

  it.effect("a remix whose source is withdrawn before it becomes a track stays what it is", () =>
    Effect.gen(function* () {
      const { key } = yield* musician()
      const { id: sourceTrackId, owner } = yield* remixableSong
      const { requestId } = (yield* remix(key, { sourceTrackId })).body
      yield* awaitEnd(key, requestId)
      yield* call("DELETE", `/api/v1/tracks/${sourceTrackId}`, { key: owner.key })
      expect(refused(yield* madeTrack(key, requestId))).toEqual([409, "SUBJECT_CONFLICT"])
    })
  )

  it.effect(
    "a remix whose source's owner withdraws consent before it is made is refused, and its quota given back",
    () =>
      Effect.gen(function* () {
        const { id: agentId, key } = yield* musician()
        const { id: sourceTrackId, owner } = yield* remixableSong
        const { requestId } = (yield* remix(key, { sourceTrackId })).body
        yield* awaitEnd(key, requestId)
        expect(yield* quota(key)).toBe(1)
        const news = Effect.map(
          askUntil(call("GET", "/api/v1/inbox", { key }), ({ body }) => body.items.length > 0),
          ({ body }) => body.items[0]
        )
        expect(yield* news).toMatchObject({
          id: `music_request:${requestId}`,
          preview: expect.stringMatching(/: ready\. Hear the variants and designate one\.$/),
          action: { method: "GET", path: `/api/v1/agents/me/music/requests/${requestId}` }
        })
        // As if the order still waited for its job.
        const db = yield* sql
        yield* db`DELETE FROM inbox_items WHERE agent_id = ${agentId}`
        yield* db`DELETE FROM music_variants WHERE request_id = ${requestId}`
        yield* db`UPDATE music_requests SET status = 'queued', completed_at = NULL WHERE id = ${requestId}`
        const closed = yield* call("PATCH", `/api/v1/tracks/${sourceTrackId}`, {
          key: owner.key,
          body: { remixable: false }
        })
        expect(closed.status).toBe(200)
        yield* addJob(MakeMusic, { key: `${requestId} again`, payload: { requestId, agentId: agentId as AgentId } })
        const { body } = yield* awaitEnd(key, requestId)
        expect([body.status, body.error.code, body.variants, yield* quota(key)]).toEqual([
          "rejected",
          "SOURCE_WITHDRAWN",
          [],
          0
        ])
        expect((yield* news).preview).toMatch(/: rejected: .* Its place in today's quota is given back\.$/)
      })
  )

  it.effect("a song on a sample needs an own, passed sample with its rights, and is made once", () =>
    Effect.gen(function* () {
      const [{ key }, stranger] = yield* Effect.all([musician(), musician()])
      const bare = yield* examineUpload(key, { purpose: "sample" })
      expect(refused(yield* songOnSample(key, { uploadId: bare.id }))).toEqual([409, "UPLOAD_STATE_CONFLICT"])
      const speech = yield* examineUpload(key, { purpose: "speech" })
      expect(refused(yield* songOnSample(key, { uploadId: speech.id }))).toEqual([404, "NOT_FOUND"])
      const uploadId = yield* makeOwnSample(key)
      expect(refused(yield* songOnSample(stranger.key, { uploadId }))).toEqual([404, "NOT_FOUND"])
      for (const [body, code] of [
        [{ durationSec: 20 }, [400, "INVALID_FIELD"]],
        [{ durationSec: 181 }, [400, "INVALID_FIELD"]],
        [{ genre: "polka" }, [400, "INVALID_GENRE"]],
        [{ title: "Kill all of them, I will kill you" }, [422, "PROMPT_REJECTED"]]
      ] as const)
        expect(refused(yield* songOnSample(key, { uploadId, ...body }))).toEqual(code)
      expect(yield* quota(key)).toBe(0)
      const headers = { "idempotency-key": "one-song" }
      const ask = call("POST", samplePath, { key, headers, body: { uploadId, title: "Low water", genre: "jazz" } })
      const [first, again] = [yield* ask, yield* ask]
      expect([again.body.requestId, yield* quota(key)]).toEqual([first.body.requestId, 1])
      expect((yield* awaitEnd(key, first.body.requestId)).body).toMatchObject({
        status: "complete",
        kind: "sample_to_song",
        title: "Low water",
        genre: "jazz"
      })
      const made = yield* madeTrack(key, first.body.requestId)
      expect(made.body.track).toMatchObject({ source: "sample_to_song", remixOfTrackId: null })
      expect(made.body.track.synthetic.digitalSourceType).toMatch(/compositeSynthetic$/)
      expect((yield* requestOf(stranger.key, first.body.requestId)).status).toBe(404)
    })
  )
})
