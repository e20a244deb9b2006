import { expect, it } from "@effect/vitest"
import { Effect, Result, Stream } from "effect"
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { diskObjects } from "../../../media/storage/DiskObjects.ts"
import { mediaDisk, unlimited } from "../../../media/storage/MediaDisk.ts"
import { mediaPaths, processFolder, workFolder } from "../../../media/storage/MediaStore.ts"
import { s3Objects } from "../../../media/storage/S3Objects.ts"
import { temporaryFolder } from "../../support/media/Media.ts"
import { s3Double } from "../../support/media/S3Double.ts"

const words = (text: string) => Stream.fromIterable([Buffer.from(text.slice(0, 3)), Buffer.from(text.slice(3))])
const read = (stream: Stream.Stream<Uint8Array, unknown> | null) =>
  stream === null
    ? Effect.succeed(null)
    : Effect.map(Stream.runCollect(stream), (chunks) => Buffer.concat(chunks).toString())
const failed = <A, E>(ask: Effect.Effect<A, E>) =>
  Effect.map(Effect.result(ask), (done) => (Result.isFailure(done) ? done.failure : null))

it.live("on the disk, an object is complete or missing", () =>
  Effect.scoped(
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const objects = diskObjects(join(folder, "media"), yield* mediaDisk(join(folder, "media"), unlimited))
      expect(yield* objects.presign("uploads/a", { contentType: "image/png", byteSize: 3, expiresSec: 900 })).toBe(null)
      yield* objects.receive("uploads/a", words("harbour"), 7)
      expect([
        yield* objects.size("uploads/a"),
        yield* read(yield* objects.read("uploads/a", null)),
        yield* read(yield* objects.read("uploads/a", { from: 2, to: 4 }))
      ]).toEqual([7, "harbour", "rbo"])
      expect(yield* failed(objects.receive("uploads/b", words("harbour"), 6))).toMatchObject({
        _tag: "WrongLength",
        received: 7,
        atMost: 6
      })
      expect(yield* failed(objects.receive("uploads/b", words("harbour"), 8))).toMatchObject({
        _tag: "WrongLength",
        received: 7
      })
      expect(yield* failed(objects.receive("uploads/b", Stream.fail("gone"), 8))).toBe("gone")
      expect(readdirSync(join(folder, "media/uploads"))).toEqual(["a"])
      // An open object keeps its content, even if it is replaced meanwhile.
      expect(yield* objects.download("uploads/a", join(folder, "copy"), 7)).toBe(true)
      yield* objects.receive("uploads/a", words("another"), 7)
      expect(readFileSync(join(folder, "copy"), "utf8")).toBe("harbour")
      expect([
        yield* objects.download("uploads/a", join(folder, "long"), 6),
        yield* objects.download("uploads/none", join(folder, "none"), 6)
      ]).toEqual([false, false])
      yield* objects.put("gallery/x.webp", { bytes: Buffer.from("web") }, "image/webp")
      writeFileSync(join(folder, "made"), "thumb")
      yield* objects.put("gallery/x-thumb.webp", { path: join(folder, "made") }, "image/webp")
      expect(yield* read(yield* objects.read("gallery/x-thumb.webp", null))).toBe("thumb")
      yield* objects.remove(["gallery/x.webp", "gallery/x-thumb.webp", "gallery/never"])
      expect([yield* objects.size("gallery/x.webp"), yield* objects.read("gallery/x.webp", null)]).toEqual([null, null])
    })
  )
)

it.live("an unwritable store refuses clearly, and serves again without a restart", () =>
  Effect.scoped(
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const objects = diskObjects(join(folder, "media"), yield* mediaDisk(join(folder, "media"), unlimited))
      writeFileSync(join(folder, "media"), "a file where the folder should be")
      expect(yield* failed(objects.receive("uploads/a", words("harbour"), 7))).toMatchObject({
        _tag: "ObjectsUnavailable",
        detail: expect.stringMatching(/media store can't be used at the moment \((ENOTDIR|EEXIST)\)/)
      })
      rmSync(join(folder, "media"))
      mkdirSync(join(folder, "media"))
      yield* objects.receive("uploads/a", words("harbour"), 7)
      expect(yield* objects.size("uploads/a")).toBe(7)
    })
  )
)

it.live("a disk short of space, or a folder at its limit, accepts nothing more", () =>
  Effect.scoped(
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const [short, full] = [join(folder, "short"), join(folder, "full")]
      const onShort = diskObjects(short, yield* mediaDisk(short, { ...unlimited, freeMinBytes: 2 ** 60 }))
      const refusal = { _tag: "ObjectsUnavailable", detail: expect.stringContaining("ENOSPC") }
      expect([
        yield* failed(onShort.room(1)),
        yield* failed(onShort.receive("uploads/a", words("harbour"), 7)),
        yield* failed(onShort.put("gallery/x.webp", { bytes: Buffer.from("web") }, "image/webp"))
      ]).toMatchObject([refusal, refusal, refusal])
      expect(yield* onShort.size("uploads/a")).toBe(null)
      expect(yield* failed(Effect.scoped(workFolder(mediaPaths(short, 2 ** 60))))).toMatchObject({ code: "ENOSPC" })

      const media = yield* mediaDisk(full, { ...unlimited, heldMaxBytes: 10 })
      const onFull = diskObjects(full, media)
      yield* onFull.receive("uploads/a", words("harbour"), 7)
      expect(yield* failed(onFull.receive("uploads/b", words("harbour"), 7))).toMatchObject({
        detail: expect.stringContaining("EDQUOT")
      })
      // Objects removed since no longer count after the next sweep.
      yield* onFull.remove(["uploads/a"])
      expect(yield* media.sweep(0, 0)).toEqual({ heldBytes: 0, removed: 0 })
      yield* onFull.receive("uploads/b", words("harbour"), 7)
    })
  )
)

it.live("abandoned files are removed without the database, and nothing else", () =>
  Effect.scoped(
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const file = (path: string, at: Date) => {
        mkdirSync(dirname(join(folder, path)), { recursive: true })
        writeFileSync(join(folder, path), "sound")
        utimesSync(join(folder, path), at, at)
      }
      const [old, fresh] = [new Date(1_000_000), new Date(3_000_000)]
      file("calls/incoming/upl_4", fresh)
      const abandoned = ["uploads/upl_1", "calls/incoming/upl_2", ".work/f00/sound.pcm", "gallery/.0a.part", ".1b.part"]
      const kept = ["mas_1.flac", "mas_1.mp3", "gallery/gal_1-web.webp", "calls/int_1.flac", "replays/mas_2/1.m4s"]
      for (const path of [...abandoned, ...kept]) file(path, old)
      file("uploads/upl_3", fresh)
      const media = yield* mediaDisk(folder, unlimited)
      expect(yield* media.sweep(2_000_000, 4_000_000)).toEqual({ heldBytes: 5 * 6, removed: 6 })
      expect([...kept, "uploads/upl_3"].map((path) => existsSync(join(folder, path)))).toEqual(Array(6).fill(true))
      expect([...abandoned, "calls/incoming/upl_4"].map((path) => existsSync(join(folder, path)))).toEqual(
        Array(6).fill(false)
      )
    })
  )
)

it.live("processes that share the media keep their work apart, and clear that of one that is gone", () =>
  Effect.scoped(
    Effect.gen(function* () {
      const dataDir = yield* temporaryFolder
      const [first, second] = ["10.0.0.1_34431", "10.0.0.2_34431"].map((place) => mediaPaths(dataDir, 0, place))
      const media = yield* mediaDisk(first!.media, unlimited)
      yield* media.holdPlace("10.0.0.1_34431", 1_000_000, 0)
      yield* media.holdPlace("10.0.0.2_34431", 1_000_000, 0)
      const [mine, theirs] = [yield* workFolder(first!), yield* workFolder(second!)]
      // A start of the first clears its own work alone.
      rmSync(first!.work, { recursive: true })
      expect([existsSync(mine), existsSync(theirs)]).toEqual([false, true])
      yield* media.holdPlace("10.0.0.2_34431", 3_000_000, 0)
      yield* media.holdPlace("10.0.0.1_34431", 5_000_000, 2_000_000)
      expect(existsSync(theirs)).toBe(true)
      yield* media.holdPlace("10.0.0.1_34431", 5_000_000, 4_000_000)
      expect([existsSync(processFolder(second!.media, "10.0.0.2_34431")), existsSync(dirname(first!.work))]).toEqual([
        false,
        true
      ])
    })
  )
)

it.live("in a bucket, every request is signed, and a signed address accepts exactly the announced file", () =>
  Effect.scoped(
    Effect.gen(function* () {
      const { endpoint, objects: kept, state } = yield* s3Double("a secret/that+needs=escaping")
      const place = {
        bucket: "longwave-media",
        endpoint,
        region: "eu-central-1",
        accessKeyId: "AKIDEXAMPLE",
        secretAccessKey: "a secret/that+needs=escaping"
      }
      const objects = s3Objects(place)
      const folder = yield* temporaryFolder
      const presigned = (yield* objects.presign("uploads/upl_1", {
        contentType: "image/png",
        byteSize: 7,
        expiresSec: 900
      }))!
      expect(presigned.headers).toEqual({ "content-type": "image/png", "content-length": "7" })
      const sent = (body: string, contentType: string, url = presigned.url) =>
        Effect.promise(() =>
          fetch(url, { method: "PUT", body, headers: { "content-type": contentType } }).then(({ status }) => status)
        )
      expect([
        yield* sent("harbour and more", "image/png"),
        yield* sent("harbour", "text/html"),
        yield* sent("harbour", "image/png", presigned.url.replace("upl_1", "upl_2"))
      ]).toEqual([403, 403, 403])
      expect([kept.size, state.refusals]).toEqual([
        0,
        ["SignatureDoesNotMatch", "SignatureDoesNotMatch", "SignatureDoesNotMatch"]
      ])
      expect(yield* sent("harbour", "image/png")).toBe(200)
      expect([
        yield* objects.size("uploads/upl_1"),
        yield* objects.size("uploads/none"),
        yield* objects.read("uploads/none", null)
      ]).toEqual([7, null, null])
      expect(yield* objects.download("uploads/upl_1", join(folder, "upload"), 7)).toBe(true)
      expect(readFileSync(join(folder, "upload"), "utf8")).toBe("harbour")
      expect(yield* objects.download("uploads/upl_1", join(folder, "short"), 6)).toBe(false)
      yield* objects.put("gallery/a.webp", { path: join(folder, "upload") }, "image/webp")
      yield* objects.put("gallery/b.webp", { bytes: Buffer.from("thumb") }, "image/webp")
      expect(kept.get("/longwave-media/gallery/a.webp")).toMatchObject({
        contentType: "image/webp",
        bytes: Buffer.from("harbour")
      })
      expect([
        yield* read(yield* objects.read("gallery/b.webp", null)),
        yield* read(yield* objects.read("gallery/b.webp", { from: 1, to: 2 }))
      ]).toEqual(["thumb", "hu"])
      yield* objects.remove(["gallery/a.webp", "gallery/b.webp", "uploads/upl_1"])
      expect(kept.size).toBe(0)
      expect(
        yield* failed(
          s3Objects({ ...place, secretAccessKey: "wrong" }).put("x", { bytes: Buffer.from("x") }, "image/png")
        )
      ).toMatchObject({ _tag: "ObjectsUnavailable" })
      state.isBroken = true
      expect(yield* failed(objects.size("gallery/a.webp"))).toMatchObject({ _tag: "ObjectsUnavailable" })
      state.isBroken = false
      expect(yield* objects.size("gallery/a.webp")).toBe(null)
    })
  )
)
