import { layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import sharp from "sharp"
import { expect } from "vitest"
import { galleryJobs, sweepGallery } from "../../../actors/agents/GalleryWorker.ts"
import { ProcessPicture } from "../../../actors/agents/protocol/Jobs.ts"
import { endLease, leaveJobBehind, workOff } from "../../support/runtime/WorkedOff.ts"
import { StationConfig } from "../../../engine/runtime/Config.ts"
import { ObjectStore } from "../../../engine/ports/ObjectStore.ts"
import { GalleryAssets } from "../../../engine/store/agents/GalleryAssets.ts"
import { AgentHttp, arrive } from "../../support/http/AgentHttp.ts"
import {
  assetsOf,
  completion,
  decide,
  gallery,
  initiate,
  look,
  picture,
  put,
  arriveTrusted,
  uploadPicture
} from "../../support/agents/Galleries.ts"
import { call, operator, askUntil } from "../../support/http/SegmentHttp.ts"

const patch = (key: string, id: string, body: object) => call("PATCH", `${gallery}/assets/${id}`, { key, body })
const filesIn = (folder: string) =>
  Effect.map(StationConfig, ({ dataDir }) =>
    existsSync(join(dataDir, "media", folder)) ? readdirSync(join(dataDir, "media", folder)) : []
  )

layer(AgentHttp(), { excludeTestServices: true })("the gallery", (it) => {
  it.effect("publishes an agent's picture after its review by a person", () =>
    Effect.gen(function* () {
      const { handle, id: agentId, key } = yield* arrive()
      const reviewer = yield* operator("reviewer")
      const asset = yield* uploadPicture(key, yield* picture(3000, 1000))
      expect([asset.status, asset.kind, asset.width, asset.height]).toEqual(["pending_review", "image", 2048, 683])
      expect((yield* look(asset.url)).status).toBe(404)
      expect((yield* look(asset.url, { authorization: `Bearer ${(yield* arrive()).key}` })).status).toBe(404)
      for (const who of [key, reviewer]) {
        const own = yield* look(asset.url, { authorization: `Bearer ${who}` })
        expect([own.status, own.headers.get("cache-control")]).toEqual([200, "no-store"])
      }
      const {
        body: { items }
      } = yield* call("GET", "/api/ops/reviews?kind=gallery", { key: reviewer })
      expect(items[0]).toMatchObject({
        kind: "gallery",
        subject: { type: "gallery_asset", id: asset.id },
        author: { handle },
        title: "The harbour",
        transcript: expect.stringContaining(asset.url)
      })
      expect((yield* decide(reviewer, asset.id, "approve")).body.review.status).toBe("approved")
      const seen = yield* look(asset.url)
      expect(
        [
          "content-type",
          "cache-control",
          "x-content-type-options",
          "content-security-policy",
          "access-control-allow-origin"
        ].map((name) => seen.headers.get(name))
      ).toEqual(["image/webp", "public, max-age=31536000, immutable", "nosniff", "default-src 'none'; sandbox", "*"])
      expect(yield* Effect.promise(() => sharp(seen.bytes).metadata())).toMatchObject({
        format: "webp",
        width: 2048,
        height: 683
      })
      const part = yield* look(asset.url, { range: "bytes=4-9" })
      expect([part.status, part.headers.get("content-range"), part.bytes.equals(seen.bytes.subarray(4, 10))]).toEqual([
        206,
        `bytes 4-9/${seen.bytes.length}`,
        true
      ])
      const beyond = yield* look(asset.url, { range: `bytes=${seen.bytes.length}-` })
      expect([beyond.status, beyond.headers.get("content-type"), beyond.headers.get("content-range")]).toEqual([
        416,
        "application/problem+json",
        `bytes */${seen.bytes.length}`
      ])
      expect(JSON.parse(beyond.bytes.toString())).toMatchObject({
        code: "RANGE_NOT_SATISFIABLE",
        errors: [{ pointer: "/headers/range" }]
      })
      expect((yield* look(asset.thumbnailUrl)).status).toBe(200)
      // The source file is deleted, and was never public.
      expect([
        yield* filesIn("uploads"),
        (yield* look(asset.url.replace(/gallery\/.*/, "uploads/upl_00000000000000000000000000"))).status
      ]).toEqual([[], 405])
      // A suspended agent's pictures are hidden; they return with the agent.
      const admin = yield* operator("admin")
      const ready = Effect.flatMap(GalleryAssets, (assets) => assets.readyOf(agentId))
      expect((yield* ready).map(({ id }) => id)).toEqual([asset.id])
      yield* call("POST", `/api/ops/agents/${agentId}/suspend`, { key: admin, body: { reason: "spam" } })
      expect([
        (yield* ready).length,
        (yield* look(asset.url)).status,
        (yield* look(asset.url, { authorization: `Bearer ${key}` })).status,
        (yield* look(asset.url, { authorization: `Bearer ${reviewer}` })).status
      ]).toEqual([0, 404, 404, 200])
      yield* call("POST", `/api/ops/agents/${agentId}/reinstate`, { key: admin, body: { reason: "sorry" } })
      expect((yield* look(asset.url)).status).toBe(200)
      yield* call("DELETE", "/api/v1/agents/me", { key })
      expect([(yield* ready).length, (yield* look(asset.url)).status]).toEqual([0, 404])
    })
  )

  it.effect("reviews the first three, then only flagged text; a refusal has a reason and can be undone", () =>
    Effect.gen(function* () {
      const reviewer = yield* operator("reviewer")
      const { key } = yield* arriveTrusted(2)
      const bytes = yield* picture(40, 30, 10)
      const third = yield* uploadPicture(key, bytes)
      expect(third.status).toBe("pending_review")
      yield* decide(reviewer, third.id, "approve")
      const fourth = yield* uploadPicture(key, bytes)
      expect(fourth.status).toBe("ready")
      const flagged = yield* uploadPicture(key, bytes, "image/jpeg", { caption: "Mail me: someone@example.org" })
      expect(flagged.status).toBe("pending_review")
      expect((yield* decide(reviewer, flagged.id, "reject")).body.code).toBe("MISSING_FIELDS")
      const review = (yield* decide(reviewer, flagged.id, "reject", "No addresses.")).body.review.id
      const now = Effect.map(assetsOf(key), (all) => all.find(({ id }) => id === flagged.id)!)
      expect(yield* now).toMatchObject({ status: "rejected", statusReason: "No addresses." })
      yield* call("POST", `/api/ops/reviews/${review}/undo`, { key: reviewer, body: { reason: "too hasty" } })
      expect(yield* now).toMatchObject({ status: "pending_review", statusReason: null })
      // Texts that are added later are checked as well.
      expect((yield* patch(key, fourth.id, { altText: "Ring +49 30 12345678" })).body.asset.status).toBe(
        "pending_review"
      )
      expect((yield* look(fourth.url)).status).toBe(404)
      const refused = yield* patch(key, fourth.id, { caption: "I will kill you tonight, all of you" })
      expect([refused.status, refused.body.code, refused.body.errors[0].pointer]).toEqual([
        422,
        "CONTENT_REJECTED",
        "/caption"
      ])
      // An operator may change the judgement at any time.
      const judged = (what: string) =>
        Effect.map(
          call("POST", `/api/ops/subjects/gallery_asset/${fourth.id}/${what}`, {
            key: reviewer,
            body: { reason: "again" }
          }),
          ({ body }) => body.asset?.status ?? body.code
        )
      expect([
        yield* judged("release"),
        yield* judged("hold"),
        yield* judged("release"),
        yield* judged("remove"),
        yield* judged("remove"),
        yield* judged("hold")
      ]).toEqual(["ready", "pending_review", "ready", "rejected", "rejected", "SUBJECT_CONFLICT"])
    })
  )

  it.effect("keeps an order and a featured picture, and deletes all files", () =>
    Effect.gen(function* () {
      const { id: stranger, key: strangersKey } = yield* arrive()
      const { key } = yield* arriveTrusted(3)
      const bytes = yield* picture(20, 20)
      for (let turn = 0; turn < 3; turn++) expect((yield* uploadPicture(key, bytes)).status).toBe("ready")
      const ids = (yield* assetsOf(key)).map(({ id }) => id)
      const order = (key: string, assetIds: ReadonlyArray<string>, query = "") =>
        call("PUT", `${gallery}/reorder${query}`, { key, body: { assetIds } })
      const turned = ids.toReversed()
      expect((yield* order(key, turned, "?dryRun=true")).body.wouldBe.map(({ id }: { id: string }) => id)).toEqual(
        turned
      )
      expect((yield* assetsOf(key)).map(({ id }) => id)).toEqual(ids)
      expect(
        (yield* order(key, turned)).body.assets.map(({ id, sortOrder }: { id: string; sortOrder: number }) => [
          id,
          sortOrder
        ])
      ).toEqual(turned.map((id, place) => [id, place]))
      expect((yield* assetsOf(key)).map(({ id }) => id)).toEqual(turned)
      for (const wrong of [ids.slice(1), [...ids, ids[0]!], [ids[0]!, ids[0]!, ids[1]!], [...ids.slice(1), stranger]]) {
        const { body, status } = yield* order(key, wrong)
        expect([status, body.code, body.errors[0].pointer]).toEqual([400, "INVALID_FIELD", "/assetIds"])
      }
      expect((yield* patch(key, ids[0]!, { isFeatured: true })).body.asset.isFeatured).toBe(true)
      yield* Effect.all(
        ids.map((id) => patch(key, id, { isFeatured: true })),
        { concurrency: "unbounded" }
      )
      expect((yield* assetsOf(key)).filter(({ isFeatured }) => isFeatured).length).toBe(1)
      expect((yield* patch(key, ids[0]!, {})).body.code).toBe("MISSING_FIELDS")
      // Agents can't change each other's pictures.
      for (const answer of [
        yield* patch(strangersKey, ids[0]!, { caption: "mine" }),
        yield* call("DELETE", `${gallery}/assets/${ids[0]}`, { key: strangersKey })
      ])
        expect([answer.status, answer.body.code]).toEqual([404, "NOT_FOUND"])
      const mine = Effect.map(filesIn("gallery"), (files) => files.filter((file) => file.startsWith(ids[0]!)))
      expect((yield* mine).length).toBe(2)
      expect((yield* call("DELETE", `${gallery}/assets/${ids[0]}?dryRun=true`, { key })).body.wouldBe).toEqual({
        assetId: ids[0],
        removed: true
      })
      expect((yield* mine).length).toBe(2)
      expect((yield* call("DELETE", `${gallery}/assets/${ids[0]}`, { key })).body).toEqual({
        assetId: ids[0],
        removed: true
      })
      expect([
        yield* mine,
        (yield* call("DELETE", `${gallery}/assets/${ids[0]}`, { key })).status,
        (yield* assetsOf(key)).length
      ]).toEqual([[], 404, 2])
    })
  )

  it.effect("accepts a file only from its agent, once, complete, and as announced", () =>
    Effect.gen(function* () {
      const { key } = yield* arrive()
      const bytes = yield* picture(60, 40)
      const refused = (body: object) =>
        Effect.map(call("POST", `${gallery}/uploads/initiate`, { key, body }), ({ body, status }) => [
          status,
          body.code,
          body.errors?.[0]?.pointer
        ])
      expect(yield* refused({ fileName: "a.svg", contentType: "image/svg+xml", byteSize: 10 })).toEqual([
        400,
        "INVALID_FILE_TYPE",
        "/contentType"
      ])
      expect(yield* refused({ fileName: "a.jpg", contentType: "image/jpeg", byteSize: 11_534_336 })).toEqual([
        413,
        "PAYLOAD_TOO_LARGE",
        "/byteSize"
      ])
      expect(yield* refused({ fileName: "a.mp4", contentType: "video/mp4", byteSize: 104_857_601 })).toEqual([
        413,
        "PAYLOAD_TOO_LARGE",
        "/byteSize"
      ])
      expect(yield* refused({ fileName: "a.jpg", contentType: 7, byteSize: 10 })).toEqual([
        400,
        "INVALID_FILE_TYPE",
        "/contentType"
      ])
      const {
        body: { upload }
      } = yield* initiate(key, bytes)
      expect(upload).toMatchObject({
        method: "PUT",
        maxBytes: bytes.length,
        headers: { "content-type": "image/jpeg", "content-length": String(bytes.length) }
      })
      expect(Date.parse(upload.expiresAt) - Date.now()).toBeGreaterThan(880_000)
      const bare = upload.url.split("?")[0]
      const complete = (body: object = completion, who = key) => call("POST", upload.completePath, { key: who, body })
      expect((yield* complete()).body.code).toBe("UPLOAD_STATE_CONFLICT")
      const stranger = yield* arrive()
      expect([
        (yield* put(bare, bytes)).status,
        (yield* put(upload.url.replace(/.$/, "x"), bytes)).status,
        (yield* put(upload.url.replace("expires=1", "expires=9"), bytes)).status
      ]).toEqual([404, 404, 404])
      expect((yield* put(bare, bytes, { authorization: `Bearer ${stranger.key}` })).status).toBe(404)
      expect((yield* put(upload.url, bytes, { "content-type": "text/html" })).body.code).toBe("UNSUPPORTED_MEDIA_TYPE")
      expect((yield* put(upload.url, Buffer.concat([bytes, bytes]))).body.code).toBe("PAYLOAD_TOO_LARGE")
      // A stream announces no length: it is cut off at the limit.
      const endless = new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(65_536)) })
      expect(
        yield* Effect.match(put(upload.url, endless), { onSuccess: ({ body }) => body.code, onFailure: String }).pipe(
          Effect.catchDefect((cut) => Effect.succeed(String(cut)))
        )
      ).toMatch(/PAYLOAD_TOO_LARGE|fetch failed|terminated/)
      const short = yield* put(
        upload.url,
        new ReadableStream({
          start: (controller) => {
            controller.enqueue(bytes.subarray(0, 100))
            controller.close()
          }
        })
      )
      expect([short.status, short.body.code]).toEqual([400, "INVALID_FIELD"])
      expect((yield* filesIn("uploads")).filter((file) => file.includes(upload.id) || file.endsWith(".part"))).toEqual(
        []
      )
      const done = yield* put(bare, bytes, { authorization: `Bearer ${key}`, "content-type": "image/jpeg" })
      expect([done.status, done.body.upload]).toMatchObject([200, { id: upload.id, byteSize: bytes.length }])
      for (const [body, code] of [
        [{ ...completion, rightsAttested: false }, "MISSING_FIELDS"],
        [{ ...completion, caption: " " }, "MISSING_FIELDS"],
        [{ ...completion, source: {} }, "MISSING_FIELDS"],
        [{ ...completion, source: { kind: "licensed", url: "javascript:alert(1)" } }, "INVALID_FIELD"],
        [{ ...completion, caption: "x".repeat(281) }, "INVALID_FIELD"]
      ] as const)
        expect([(yield* complete(body)).body.code, body]).toEqual([code, body])
      expect([
        (yield* complete(completion, stranger.key)).status,
        (yield* call("POST", `${upload.completePath}?dryRun=true`, { key, body: completion })).body.wouldBe.status
      ]).toEqual([404, "processing"])
      const answers = yield* Effect.all(
        Array.from({ length: 20 }, () => complete()),
        { concurrency: "unbounded" }
      )
      expect([...new Set(answers.map(({ body }) => body.asset.id))]).toEqual([upload.assetId])
      expect((yield* put(upload.url, bytes)).body.code).toBe("UPLOAD_STATE_CONFLICT")
    })
  )

  it.effect("uploads with the field names of recordings, and with its own former ones", () =>
    Effect.gen(function* () {
      const { key } = yield* arrive()
      const bytes = yield* picture(60, 40)
      const {
        body: { upload }
      } = yield* initiate(key, bytes)
      expect([upload.url, upload.method, upload.headers, upload.expiresAt]).toEqual([
        upload.uploadUrl,
        upload.uploadMethod,
        upload.uploadHeaders,
        upload.uploadExpiresAt
      ])
      const { body: kept } = yield* put(upload.uploadUrl, bytes, upload.uploadHeaders)
      expect(kept.upload).toMatchObject({ id: upload.id, status: "uploaded", completePath: upload.completePath })
      const { source: _, ...described } = completion
      const complete = (body: object) => call("POST", upload.completePath, { key, body })
      for (const source of [undefined, { note: "mine" }])
        expect((yield* complete({ ...described, source })).body).toMatchObject({
          code: "MISSING_FIELDS",
          errors: [{ pointer: "/source/kind", allowedValues: ["own", "generated", "licensed", "public_domain"] }]
        })
      const ownWork = { ...described, rightsDeclaration: "own_work" }
      expect((yield* complete(ownWork)).body.asset.source).toEqual({ kind: "own", url: null, note: null })
    })
  )

  it.effect("shows captions as plain text", () =>
    Effect.gen(function* () {
      const { key } = yield* arrive()
      const bytes = yield* picture(30, 30)
      const {
        body: { upload }
      } = yield* initiate(key, bytes)
      yield* put(upload.url, bytes)
      for (const caption of [
        "<img src=x onerror=alert(1)>",
        '"><script>alert(1)</script>',
        "{{constructor.constructor('alert(1)')()}}",
        "</title><svg/onload=alert(1)>"
      ]) {
        const { body, headers } = yield* call("POST", `${upload.completePath}?dryRun=true`, {
          key,
          body: { ...completion, caption }
        })
        expect([body.wouldBe.caption, headers.get("content-type")]).toEqual([caption, "application/json"])
      }
      expect(
        (yield* call("POST", upload.completePath, { key, body: { ...completion, caption: "a\u0000b" } })).body.code
      ).toBe("INVALID_FIELD")
    })
  )

  it.effect("allows ten uploads a day and twenty-four places, also when requested at once", () =>
    Effect.gen(function* () {
      const { id, key } = yield* arrive()
      const bytes = yield* picture(20, 20)
      expect(
        (yield* call("POST", `${gallery}/uploads/initiate?dryRun=true`, {
          key,
          body: { fileName: "a.jpg", contentType: "image/jpeg", byteSize: 10 }
        })).status
      ).toBe(200)
      const answers = yield* Effect.all(
        Array.from({ length: 40 }, () => initiate(key, bytes)),
        { concurrency: "unbounded" }
      )
      expect([
        answers.filter(({ status }) => status === 200).length,
        answers.filter(({ body }) => body.code === "RATE_LIMITED").length
      ]).toEqual([10, 30])
      const last = answers.find(({ status }) => status === 429)!
      expect([Number(last.headers.get("retry-after")) > 0, last.headers.get("ratelimit")]).toEqual([
        true,
        expect.stringContaining(`"gallery_uploads_per_day";r=0`)
      ])
      const sql = yield* SqlClient.SqlClient
      yield* sql`DELETE FROM meters WHERE name LIKE ${`gallery_uploads:${id}`}`
      yield* sql`INSERT INTO gallery_assets (id, upload_id, agent_id, file_name, content_type, byte_size, status, created_at)
      SELECT 'gal_fill' || n, 'upl_fill' || n, ${id}, 'a', 'image/jpeg', 1, 'rejected', now() FROM generate_series(1, 14) n`
      const full = yield* initiate(key, bytes)
      expect([full.status, full.body.code]).toEqual([403, "FORBIDDEN"])
    })
  )

  it.effect("reports failed processing, and resumes the work of a killed station", () =>
    Effect.gen(function* () {
      const { id: agentId, key } = yield* arrive()
      const failed = yield* uploadPicture(key, Buffer.from("<svg xmlns='http://www.w3.org/2000/svg'/>"), "image/png")
      expect([failed.status, failed.statusReason, failed.url]).toEqual([
        "failed",
        expect.stringMatching(/^wrong_type: It was announced as image\/png/),
        null
      ])
      const sql = yield* SqlClient.SqlClient
      const objects = yield* ObjectStore
      const bytes = yield* picture(50, 50)
      const {
        body: { upload }
      } = yield* initiate(key, bytes)
      yield* objects.put(`uploads/${upload.id}`, { bytes }, "image/jpeg")
      const about = { assetId: upload.assetId, agentId }
      yield* leaveJobBehind(ProcessPicture, upload.assetId, about)
      yield* sql`UPDATE gallery_assets SET status = 'processing', caption = 'c', alt_text = 'a' WHERE id = ${upload.assetId}`
      yield* workOff(galleryJobs)
      const now = Effect.map(assetsOf(key), (all) => all.find(({ id }) => id === upload.assetId)!)
      expect((yield* now).status).toBe("processing")
      yield* endLease(upload.assetId)
      yield* workOff(galleryJobs)
      expect((yield* askUntil(now, ({ status }) => status !== "processing")).status).toBe("pending_review")
      yield* sql`UPDATE gallery_assets SET status = 'processing', path = NULL WHERE id = ${upload.assetId}`
      yield* leaveJobBehind(ProcessPicture, upload.assetId, about)
      yield* sql`UPDATE jobs SET tries = 5, run_at = now() - interval '1 second' WHERE key = ${upload.assetId}`
      yield* workOff(galleryJobs)
      expect(yield* askUntil(now, ({ status }) => status !== "processing")).toMatchObject({
        status: "failed",
        statusReason: "The station could not process it. Upload it again."
      })
      // Reserved but never uploaded: the reservation ends after an hour.
      const left = (yield* initiate(key, bytes)).body.upload
      yield* put(left.url, bytes)
      yield* sql`UPDATE gallery_assets SET created_at = now() - interval '2 hours' WHERE id = ${left.assetId}`
      expect((yield* put(left.url, bytes)).body.code).toBe("UPLOAD_STATE_CONFLICT")
      yield* sweepGallery()
      expect([
        (yield* call("POST", left.completePath, { key, body: completion })).status,
        (yield* filesIn("uploads")).includes(left.id)
      ]).toEqual([404, false])
    })
  )

  it.effect("refuses while the disk can't be written to, loses nothing, and continues without a restart", () =>
    Effect.gen(function* () {
      const { dataDir } = yield* StationConfig
      const { key } = yield* arrive()
      const bytes = yield* picture(50, 50)
      const {
        body: { upload }
      } = yield* initiate(key, bytes)
      const [folder, aside] = [join(dataDir, "media"), join(dataDir, "media-aside")]
      renameSync(folder, aside)
      writeFileSync(folder, "")
      const { body, headers, status } = yield* put(upload.url, bytes)
      expect([status, body.code, headers.get("retry-after"), body.detail]).toEqual([
        503,
        "BUSY",
        "60",
        expect.stringContaining("media store")
      ])
      const drawn = yield* call("POST", "/api/v1/agents/me/avatar", { key, body: { generate: true } })
      expect([drawn.status, drawn.body.generation.status, drawn.body.avatar.imageUrl]).toEqual([200, "failed", null])
      rmSync(folder)
      mkdirSync(folder)
      rmSync(folder, { recursive: true })
      renameSync(aside, folder)
      expect((yield* put(upload.url, bytes)).status).toBe(200)
      expect((yield* call("POST", upload.completePath, { key, body: completion })).status).toBe(200)
    })
  )
})
