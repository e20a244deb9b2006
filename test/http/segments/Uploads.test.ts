import { layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { expect } from "vitest"
import { sweepUploads } from "../../../actors/segments/UploadWorker.ts"
import { IdSource } from "../../../engine/runtime/IdSource.ts"
import { Jobs } from "../../../engine/store/sql/Jobs.ts"
import { ObjectStore } from "../../../engine/ports/ObjectStore.ts"
import { Tracks } from "../../../engine/store/music/Tracks.ts"
import { AgentHttp, arrive } from "../../support/http/AgentHttp.ts"
import { initiate, look, put } from "../../support/agents/Galleries.ts"
import {
  announce,
  complete,
  describe,
  examineUpload,
  makePublishable,
  makeRecording,
  sha256,
  submit,
  uploadOf,
  uploads,
  words
} from "../../support/segments/MediaUploads.ts"
import {
  act,
  bookNext,
  arriveGranted,
  planOf,
  revise,
  shelf,
  makeShowReady,
  readSpoken
} from "../../support/programmes/Plans.ts"
import { QuietStation } from "../../support/station/QuietStation.ts"
import { type Answer, call, operator, askUntil } from "../../support/http/SegmentHttp.ts"
import { UploadScript } from "../../support/media/UploadDoubles.ts"

const refused = ({ body, status }: Answer) => [status, body.code, body.errors?.[0]?.pointer]
const free = () => arriveGranted({ freeAir: true })
const audio = (id: string, key?: string, headers: Record<string, string> = {}) =>
  look(`http://radio.test${uploads}/${id}/audio`, {
    ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
    ...headers
  })
const statuses = (id: string, keys: ReadonlyArray<string | undefined>) =>
  Effect.forEach(keys, (key) => Effect.map(audio(id, key), ({ status }) => status))
const reviewed = Effect.fnUntraced(function* (kind: string, subjectId: string, decision: string) {
  const key = yield* operator("reviewer")
  const { body } = yield* call("GET", `/api/ops/reviews?kind=${kind}&limit=100`, { key })
  const review = body.items.find(
    ({ subject }: { readonly subject: { readonly id: string } }) => subject.id === subjectId
  )
  return {
    review,
    decided: yield* call("POST", `/api/ops/reviews/${review.id}/decision`, {
      key,
      body: { decision, reason: "because" }
    })
  }
})
const told = (tag: string, name: string, id: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(
      sql<{
        event: { readonly status: string }
      }>`SELECT event FROM outbox WHERE event->>'_tag' = ${tag} AND event->>${name} = ${id} ORDER BY position`,
      (rows) => rows.map(({ event }) => event.status)
    )
  )

layer(QuietStation.pipe(Layer.provideMerge(AgentHttp())), { excludeTestServices: true })(
  "recordings of agents",
  (it) => {
    it.effect(
      "are announced, uploaded once and completely, examined, and air after the first-air review",
      () =>
        Effect.gen(function* () {
          const { handle, key } = yield* arrive()
          const bytes = makeRecording()
          const {
            body: { upload },
            status
          } = yield* announce(key, bytes)
          expect([status, upload]).toMatchObject([
            200,
            {
              purpose: "speech",
              status: "initiated",
              byteSize: bytes.length,
              uploadMethod: "PUT",
              publishGate: { ready: false, blockers: [{ code: "NOT_UPLOADED" }] }
            }
          ])
          expect(refused(yield* complete(key, upload.id))).toEqual([409, "UPLOAD_STATE_CONFLICT", undefined])
          expect((yield* put(`${upload.uploadUrl}&dryRun=true`, bytes)).body.wouldBe).toEqual({
            id: upload.id,
            status: "uploaded"
          })
          expect(yield* put(upload.uploadUrl, bytes, upload.uploadHeaders)).toMatchObject({
            status: 200,
            body: { upload: { status: "uploaded" } }
          })
          expect((yield* complete(key, upload.id, "?dryRun=true")).body.wouldBe.status).toBe("processing")
          expect(yield* complete(key, upload.id)).toMatchObject({
            status: 200,
            body: { upload: { status: "processing", sha256: sha256(bytes), uploadUrl: null } }
          })
          const done = yield* askUntil(uploadOf(key, upload.id), ({ status }) => status !== "processing")
          expect(done).toMatchObject({
            status: "qc_passed",
            durationSec: 30,
            qc: { passed: true },
            publishGate: {
              ready: false,
              missing: ["transcriptText", "rightsDeclaration", "syntheticDisclosure"],
              blockers: []
            }
          })
          expect([
            (yield* complete(key, upload.id)).body.upload.status,
            yield* told("UploadExamined", "uploadId", upload.id)
          ]).toEqual(["qc_passed", ["qc_passed"]])
          expect((yield* call("GET", `${uploads}/by-hash/${sha256(bytes)}`, { key })).body.upload.id).toBe(upload.id)
          expect((yield* submit(key, upload.id)).body).toMatchObject({
            code: "UPLOAD_STATE_CONFLICT",
            missing: ["transcriptText", "rightsDeclaration", "syntheticDisclosure"]
          })
          expect(
            (yield* describe(key, upload.id, { transcriptText: words.transcriptText })).body.upload.publishGate.missing
          ).toEqual(["rightsDeclaration", "syntheticDisclosure"])
          expect((yield* describe(key, upload.id, words, "?dryRun=true")).body.wouldBe.publishGate.ready).toBe(true)
          expect((yield* describe(key, upload.id, words)).body.upload.publishGate).toEqual({
            ready: true,
            missing: [],
            blockers: []
          })
          expect(refused(yield* submit(key, upload.id, { category: "song" }))).toEqual([
            400,
            "INVALID_CATEGORY",
            "/category"
          ])
          expect((yield* submit(key, upload.id, { category: "news" }, "?dryRun=true")).body.wouldBe).toMatchObject({
            upload: { status: "submitted" },
            segment: { title: "tide", category: "news", audioStatus: "ready", production: { engine: "UPLOAD" } }
          })
          const answers = yield* Effect.all(
            Array.from({ length: 10 }, () => submit(key, upload.id, { category: "news" })),
            { concurrency: "unbounded" }
          )
          const made = answers.filter(({ status }) => status === 200)
          expect(made.map(({ body }) => body)).toMatchObject([
            {
              upload: { status: "submitted" },
              segment: { status: "pending_review", statusReason: "FIRST_AIR_REVIEW", scriptText: words.transcriptText }
            }
          ])
          expect(answers.filter(({ body }) => body.code === "UPLOAD_STATE_CONFLICT")).toHaveLength(9)
          const { id: segmentId } = made[0]!.body.segment
          expect(refused(yield* describe(key, upload.id, words))).toEqual([409, "UPLOAD_STATE_CONFLICT", undefined])
          const [ops, stranger] = [yield* operator("reviewer"), (yield* arrive()).key]
          expect(yield* statuses(upload.id, [undefined, "svc_agent_nonsense", stranger, key, ops])).toEqual([
            404, 404, 404, 200, 200
          ])
          const { decided, review } = yield* reviewed("first_air", segmentId, "approve")
          expect([review.author.handle, review.audioUrl, decided.status]).toEqual([
            handle,
            expect.stringContaining("/media/audio/mas_"),
            200
          ])
          expect(yield* uploadOf(key, upload.id)).toMatchObject({ status: "approved", statusReason: null, segmentId })
          expect(yield* statuses(upload.id, [undefined, stranger, key])).toEqual([200, 200, 200])
          const part = yield* audio(upload.id, undefined, { range: "bytes=2-4" })
          expect([
            part.status,
            part.headers.get("content-type"),
            part.headers.get("content-range"),
            part.bytes.toString()
          ]).toEqual([206, "audio/mpeg", "bytes 2-4/10", "cde"])
          expect(refused(yield* submit(key, upload.id))).toEqual([409, "UPLOAD_STATE_CONFLICT", undefined])
          expect((yield* uploadOf(key, upload.id)).status).toBe("approved")
          expect(
            (yield* call("GET", "/api/segments", { key })).body.segments.find(
              ({ id }: { readonly id: string }) => id === segmentId
            ).status
          ).toBe("queued")
          // Taken down, it is nobody else's any more.
          yield* call("POST", `/api/ops/subjects/segment/${segmentId}/remove`, { key: ops, body: { reason: "no" } })
          expect([(yield* uploadOf(key, upload.id)).status, ...(yield* statuses(upload.id, [undefined, key]))]).toEqual(
            ["rejected", 404, 200]
          )
        }),
      300_000
    )

    it.effect(
      "of music become tracks that a person hears first, and then play",
      () =>
        Effect.gen(function* () {
          const { handle, id: agentId, key } = yield* arrive()
          expect(
            (yield* announce(key, makeRecording(), { keyPrefix: `music/rotation/${handle}` })).body.upload
          ).toMatchObject({ purpose: "music", acceptedPublishFields: ["rightsDeclaration", "syntheticDisclosure"] })
          const [first, second] = [
            yield* makePublishable(key, { purpose: "music" }),
            yield* makePublishable(key, { purpose: "music" })
          ]
          expect(refused(yield* describe(key, first.id, { transcriptText: words.transcriptText }))).toEqual([
            400,
            "INVALID_FIELD",
            "/transcriptText"
          ])
          expect(refused(yield* submit(key, first.id, { genre: "noise" }))).toEqual([400, "INVALID_GENRE", "/genre"])
          expect((yield* submit(key, first.id, { genre: "jazz" }, "?dryRun=true")).body.wouldBe.track).toMatchObject({
            genre: "jazz",
            approvalStatus: "pending_review"
          })
          const answers = yield* Effect.all(
            Array.from({ length: 5 }, () => submit(key, first.id, { title: "Low water", genre: "jazz", mood: "calm" })),
            { concurrency: "unbounded" }
          )
          const made = answers.filter(({ status }) => status === 200)
          expect(answers.filter(({ body }) => body.code === "UPLOAD_STATE_CONFLICT")).toHaveLength(4)
          const { track } = made[0]!.body
          const mark = {
            digitalSourceType: "http://cv.iptc.org/newscodes/digitalsourcetype/trainedAlgorithmicMedia",
            generator: `not stated (uploaded by @${handle})`,
            disclosure: `AI music. Uploaded by the AI agent @${handle}, who says: Spoken by a model.`
          }
          expect([made.length, track]).toMatchObject([
            1,
            {
              title: "Low water",
              genre: "jazz",
              mood: "calm",
              source: "upload",
              approvalStatus: "pending_review",
              createdBy: { handle },
              synthetic: mark
            }
          ])
          const shelf = Effect.flatMap(Tracks, (tracks) =>
            Effect.map(tracks.listRested(["contributed"], 10, 0), (all) => all.map(({ airable }) => airable.trackId))
          )
          expect([yield* shelf, yield* statuses(first.id, [undefined, key])]).toEqual([[], [404, 200]])
          const { decided, review } = yield* reviewed("track", track.id, "approve")
          expect([decided.status, review.audioUrl, review.title]).toEqual([
            200,
            expect.stringContaining("/media/audio/mas_"),
            "Low water"
          ])
          expect([
            yield* shelf,
            (yield* uploadOf(key, first.id)).status,
            yield* statuses(first.id, [undefined]),
            yield* told("TrackDecided", "trackId", track.id)
          ]).toEqual([[track.id], "approved", [200], ["approved"]])
          const other = (yield* submit(key, second.id)).body.track
          expect([other.genre, other.artist]).toEqual(["experimental", "A stranger"])
          yield* reviewed("track", other.id, "reject")
          expect([yield* uploadOf(key, second.id), yield* told("TrackDecided", "trackId", other.id)]).toMatchObject([
            { status: "rejected", statusReason: "because" },
            ["rejected"]
          ])
          // What was never heard goes with its agent; what is in the rotation stays.
          yield* call("DELETE", "/api/v1/agents/me", { key })
          const sql = yield* SqlClient.SqlClient
          expect(
            (yield* sql<{ id: string }>`SELECT id FROM uploads WHERE agent_id = ${agentId} AND removed_at IS NULL`).map(
              ({ id }) => id
            )
          ).toEqual([first.id])
          expect((yield* UploadScript).discarded).toContain(second.id)
        }),
      300_000
    )

    it.effect(
      "are refused with an alternative",
      () =>
        Effect.gen(function* () {
          const { key } = yield* arrive()
          const bytes = makeRecording()
          for (const [more, is] of [
            [{ contentType: "audio/flac" }, [400, "INVALID_FILE_TYPE", "/contentType"]],
            [{ contentType: "audio/mp4" }, [400, "INVALID_FILE_TYPE", "/contentType"]],
            [
              { purpose: "sample", contentType: "audio/mp4", byteSize: 26_214_401 },
              [413, "PAYLOAD_TOO_LARGE", undefined]
            ],
            [{ byteSize: 62_914_561 }, [413, "PAYLOAD_TOO_LARGE", undefined]],
            [{ contentType: "audio/wav", byteSize: 209_715_201 }, [413, "PAYLOAD_TOO_LARGE", undefined]],
            [{ keyPrefix: "music/rotation/else" }, [403, "FORBIDDEN", undefined]],
            [{ purpose: "speech", keyPrefix: "music/rotation/else" }, [400, "INVALID_FIELD", "/keyPrefix"]],
            [{ purpose: "song" }, [400, "INVALID_FIELD", "/purpose"]],
            [{ sha256: "x" }, [400, "INVALID_FIELD", "/sha256"]],
            [{ fileName: "x".repeat(201) }, [400, "INVALID_FIELD", "/fileName"]]
          ] as const)
            expect([more, refused(yield* announce(key, bytes, more))]).toEqual([more, is])
          for (const [role, purpose, scope] of [
            ["guest", "speech", "broadcast"],
            ["dj", "music", "upload_tracks"]
          ] as const) {
            const { body, status } = yield* announce((yield* arrive({ role })).key, bytes, { purpose })
            expect([status, body.code, body.requiredScope]).toEqual([403, "FORBIDDEN", scope])
          }
          const {
            body: { upload }
          } = yield* announce(key, bytes, { sha256: sha256(makeRecording()) })
          const [bare, stranger] = [upload.uploadUrl.split("?")[0], (yield* arrive()).key]
          for (const [url, sent, headers, is] of [
            [bare, bytes, {}, [401, "INVALID_API_KEY", undefined]],
            [upload.uploadUrl.replace("expires=1", "expires=9"), bytes, {}, [401, "INVALID_API_KEY", undefined]],
            [bare, bytes, { authorization: `Bearer ${stranger}` }, [404, "NOT_FOUND", undefined]],
            [upload.uploadUrl, bytes, { "content-type": "text/html" }, [415, "UNSUPPORTED_MEDIA_TYPE", undefined]],
            [upload.uploadUrl, Buffer.concat([bytes, bytes]), {}, [413, "PAYLOAD_TOO_LARGE", undefined]],
            [upload.uploadUrl, bytes.subarray(1), {}, [400, "INVALID_FIELD", ""]]
          ] as const)
            expect([url, refused(yield* put(url, sent, headers))]).toEqual([url, is])
          expect((yield* put(bare, bytes, { authorization: `Bearer ${key}` })).status).toBe(200)
          // Other bytes than were announced.
          expect(refused(yield* complete(key, upload.id))).toEqual([409, "UPLOAD_STATE_CONFLICT", undefined])
          for (const ask of [
            call("GET", `${uploads}/${upload.id}`, { key: stranger }),
            complete(stranger, upload.id),
            describe(stranger, upload.id, words),
            submit(stranger, upload.id),
            call("GET", `${uploads}/by-hash/${sha256(bytes)}`, { key: stranger })
          ])
            expect(refused(yield* ask)).toEqual([404, "NOT_FOUND", undefined])
          for (const [body, is] of [
            [{}, [400, "MISSING_FIELDS", "/transcriptText"]],
            [{ transcriptText: "Only four words here" }, [400, "INVALID_FIELD", "/transcriptText"]],
            [{ transcriptText: "word ".repeat(1_501) }, [400, "INVALID_FIELD", "/transcriptText"]],
            [{ rightsDeclaration: "mine" }, [400, "INVALID_FIELD", "/rightsDeclaration"]],
            [{ syntheticDisclosure: "x".repeat(1_001) }, [400, "INVALID_FIELD", "/syntheticDisclosure"]]
          ] as const)
            expect([body, refused(yield* describe(key, upload.id, body))]).toEqual([body, is])
          expect(
            refused(
              yield* describe(key, upload.id, { transcriptText: "<b>This is bold and nothing to be read.</b>" })
            )[0]
          ).toBe(400)
          // The gallery's word for the same right.
          expect(
            (yield* describe(key, upload.id, { rightsDeclaration: "own" }, "?dryRun=true")).body.wouldBe
          ).toMatchObject({
            rightsDeclaration: "own_work",
            maxBytes: bytes.length,
            completePath: `${uploads}/${upload.id}/complete`
          })
          // A sample never airs, and only its own agent hears it, for a minute.
          const sample = yield* examineUpload(key, { purpose: "sample" })
          expect([
            sample.acceptedPublishFields,
            sample.publishGate.blockers[0].code,
            refused(yield* submit(key, sample.id)),
            refused(yield* describe(key, sample.id, { transcriptText: words.transcriptText })),
            (yield* describe(key, sample.id, { rightsDeclaration: "own_work" })).body.upload.rightsDeclaration
          ]).toEqual([
            ["rightsDeclaration"],
            "SAMPLE",
            [409, "UPLOAD_STATE_CONFLICT", "/rightsDeclaration"],
            [400, "INVALID_FIELD", "/transcriptText"],
            "own_work"
          ])
          expect(yield* statuses(sample.id, [undefined, stranger, yield* operator("admin"), key])).toEqual([
            404, 404, 404, 200
          ])
          const [open, forged] = [
            (yield* call("GET", `${uploads}/${sample.id}/audio`, { key })).status,
            (yield* look(`http://radio.test/media/samples/${sample.id}.mp3?expires=9999999999999&signature=0`)).status
          ]
          expect([open, forged]).toEqual([200, 404])
        }),
      300_000
    )

    it.effect(
      "are limited to twenty a day, 5 GiB in all, and each file once, under concurrency",
      () =>
        Effect.gen(function* () {
          const bytes = makeRecording()
          const { id, key } = yield* free()
          const announced = yield* Effect.all(
            Array.from({ length: 25 }, () => announce(key, bytes)),
            { concurrency: "unbounded" }
          )
          expect([
            announced.filter(({ status }) => status === 200).length,
            announced.filter(({ body }) => body.code === "RATE_LIMITED").length
          ]).toEqual([20, 5])
          const mine = announced.flatMap(({ body }) => (body.upload === undefined ? [] : [body.upload]))
          yield* Effect.forEach(mine, ({ uploadUrl }) => put(uploadUrl, bytes), { concurrency: 5 })
          const done = yield* Effect.all(
            mine.map((upload) => complete(key, upload.id)),
            { concurrency: "unbounded" }
          )
          const [taken, others] = [
            done.filter(({ status }) => status === 200),
            done.filter(({ body }) => body.code === "DUPLICATE_CONTENT_HASH")
          ]
          expect([taken.length, others.length, new Set(others.map(({ body }) => body.uploadId))]).toEqual([
            1,
            19,
            new Set([taken[0]!.body.upload.id])
          ])
          // Of somebody else's, no more is told than that the station has it.
          const stranger = yield* arrive()
          const known = yield* announce(stranger.key, bytes, { sha256: sha256(bytes) })
          expect([known.status, known.body.code, known.body.uploadId]).toEqual([
            409,
            "DUPLICATE_CONTENT_HASH",
            undefined
          ])
          const sql = yield* SqlClient.SqlClient
          yield* sql`DELETE FROM meters WHERE name LIKE ${`media_uploads:${id}`}`
          yield* sql`UPDATE uploads SET byte_size = 5368709120 - 10 WHERE id = ${taken[0]!.body.upload.id}`
          expect(refused(yield* announce(key, bytes))).toEqual([403, "FORBIDDEN", undefined])
        }),
      300_000
    )

    it.effect(
      "may be replaced twice after a failure; abandoned and old ones are deleted; a killed station's work resumes",
      () =>
        Effect.gen(function* () {
          const { key } = yield* arrive()
          const [sql, script, objects] = [yield* SqlClient.SqlClient, yield* UploadScript, yield* ObjectStore]
          const first = yield* examineUpload(key, {}, makeRecording("bad"))
          expect(first).toMatchObject({
            status: "qc_failed",
            qc: { passed: false, checks: [{ code: "inner_silence", passed: false }] },
            publishGate: { blockers: [{ code: "QC_FAILED" }] },
            uploadUrl: expect.any(String)
          })
          const again = Effect.fnUntraced(function* (bytes: Buffer) {
            const sent = yield* put((yield* uploadOf(key, first.id)).uploadUrl ?? first.uploadUrl, bytes)
            if (sent.status !== 200) return sent.body.code
            yield* complete(key, first.id)
            return (yield* askUntil(uploadOf(key, first.id), ({ status }) => status !== "processing")).status
          })
          const same = makeRecording("bad")
          yield* sql`UPDATE uploads SET byte_size = ${same.length} WHERE id = ${first.id}`
          expect([
            yield* again(makeRecording("bad").subarray(0, same.length)),
            yield* again(same),
            yield* again(same)
          ]).toEqual(["qc_failed", "qc_failed", "UPLOAD_STATE_CONFLICT"])
          expect(yield* told("UploadExamined", "uploadId", first.id)).toEqual(["qc_failed", "qc_failed", "qc_failed"])

          // As a station leaves it that is killed in the middle: a job that somebody has, and nobody works at it.
          const bytes = makeRecording()
          const {
            body: { upload }
          } = yield* announce(key, bytes)
          yield* objects.put(`uploads/${upload.id}`, { bytes }, "audio/mpeg")
          yield* sql`UPDATE uploads SET status = 'processing', sha256 = ${sha256(bytes)}, tries = 0 WHERE id = ${upload.id}`
          const job = yield* IdSource.use(({ make }) => make("wrk"))
          yield* sql`INSERT INTO jobs (id, kind, key, payload, state, worker, run_at, tries, created_at)
            SELECT ${job}, 'segments.examine_upload', id, jsonb_build_object('uploadId', id, 'agentId', agent_id), 'running', 'wkr_killed', now() + interval '1 hour', 1, now() FROM uploads WHERE id = ${upload.id}`
          yield* Jobs.use(({ ring }) => ring)
          expect((yield* uploadOf(key, upload.id)).status).toBe("processing")
          yield* sql`UPDATE jobs SET run_at = now() - interval '1 second' WHERE id = ${job}`
          yield* Jobs.use(({ ring }) => ring)
          expect([
            (yield* askUntil(uploadOf(key, upload.id), ({ status }) => status !== "processing")).status,
            yield* told("UploadExamined", "uploadId", upload.id)
          ]).toEqual(["qc_passed", ["qc_passed"]])

          const left = (yield* announce(key, makeRecording())).body.upload
          const sample = yield* examineUpload(key, { purpose: "sample" })
          yield* sql`UPDATE uploads SET created_at = now() - interval '25 hours' WHERE id = ${left.id}`
          yield* sql`UPDATE uploads SET created_at = now() - interval '31 days' WHERE id = ${sample.id}`
          expect((yield* put(left.uploadUrl, bytes)).body.code).toBe("UPLOAD_STATE_CONFLICT")
          yield* sweepUploads()
          expect([
            (yield* askUntil(uploadOf(key, left.id), ({ status }) => status === "expired")).uploadUrl,
            (yield* askUntil(call("GET", `${uploads}/${sample.id}`, { key }), ({ status }) => status === 404)).body.code
          ]).toEqual([null, "NOT_FOUND"])
          expect([left.id, sample.id].every((id) => script.discarded.includes(id))).toBe(true)
        }),
      300_000
    )

    it.effect(
      "air in plans and shows without their own submission",
      () =>
        Effect.gen(function* () {
          const agent = yield* free()
          yield* shelf(40)
          yield* makeShowReady(agent)
          const upload = yield* makePublishable(agent.key)
          const plan = (yield* bookNext(agent.key, { submit: false })).body.plan
          const items = [{ kind: "upload", uploadId: upload.id }, { kind: "station_id" }]
          const revised = (yield* revise(agent.key, plan.id, { items })).body.plan
          expect(revised.items[0]).toMatchObject({ kind: "upload", uploadId: upload.id, durationSec: 30 })
          const preview = (yield* act(agent.key, plan.id, "preview")).body
          expect(preview.errors.filter(({ code }: { readonly code: string }) => code.startsWith("UPLOAD"))).toEqual([])
          const shown = yield* call("POST", "/api/v1/agents/me/shows/upload", {
            key: agent.key,
            body: { title: "Harbour stories", uploadIds: [upload.id] }
          })
          expect([shown.status, shown.body.detail]).toEqual([200, undefined])
          const production = Effect.map(
            call("GET", `/api/v1/agents/me/shows/productions/${shown.body.production.id}`, { key: agent.key }),
            ({ body }) => body.production
          )
          const { error, planId } = yield* askUntil(
            production,
            ({ error, steps }) =>
              error !== null ||
              steps.some(
                ({ name, status }: { readonly name: string; readonly status: string }) =>
                  name === "review" && status === "done"
              )
          )
          expect(error).toBe(null)
          const planned = yield* planOf(agent.key, planId)
          expect(planned.items.find(({ kind }: { readonly kind: string }) => kind === "upload")).toMatchObject({
            uploadId: upload.id,
            durationSec: 30
          })
          expect((yield* readSpoken(planId)).map(({ status }) => status)).toEqual(["queued"])
          expect((yield* uploadOf(agent.key, upload.id)).status).toBe("qc_passed")
        }),
      300_000
    )
  }
)

layer(AgentHttp({ DISK_FREE_MIN_MIB: "10000000" }), { excludeTestServices: true })("a disk short of space", (it) => {
  it.effect("refuses uploads before anything is spent, with a time to retry", () =>
    Effect.gen(function* () {
      const { key } = yield* arrive()
      for (const answer of [yield* announce(key, makeRecording()), yield* initiate(key, makeRecording())])
        expect(answer).toMatchObject({
          status: 503,
          body: { code: "BUSY", detail: expect.stringContaining("ENOSPC") }
        })
      const sql = yield* SqlClient.SqlClient
      expect(yield* sql`SELECT id FROM uploads UNION ALL SELECT id FROM gallery_assets`).toEqual([])
    })
  )
})
