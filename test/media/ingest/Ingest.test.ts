import { expect, layer } from "@effect/vitest"
import { Effect, Layer, Result } from "effect"
import { execFile } from "node:child_process"
import { readFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { deflateSync, crc32 } from "node:zlib"
import sharp, { type Sharp } from "sharp"
import { StationConfig } from "../../../engine/runtime/Config.ts"
import { Ingest } from "../../../engine/ports/Ingest.ts"
import { ObjectStore } from "../../../engine/ports/ObjectStore.ts"
import { Ffmpeg, ffmpegLayer } from "../../../media/ffmpeg/Ffmpeg.ts"
import { PicturesLive } from "../../../media/Pictures.ts"
import { TestConfig } from "../../support/agents/OnboardingWorld.ts"

const World = PicturesLive.pipe(Layer.provideMerge(Layer.mergeAll(ffmpegLayer(null), TestConfig())))

let count = 0
/** Result of processing a file announced with this type; a refusal is named by its code. */
const sent = Effect.fnUntraced(function* (bytes: Uint8Array, contentType: string) {
  const name = `gal_${++count}`
  const objects = yield* ObjectStore
  const { dataDir } = yield* StationConfig
  yield* objects.put(`uploads/${name}`, { bytes }, contentType)
  const done = yield* Effect.result(
    (yield* Ingest).ingest({ uploadKey: `uploads/${name}`, contentType, byteSize: bytes.length, name })
  )
  const fileOf = (key: string) => readFileSync(join(dataDir, "media", key))
  return Result.isFailure(done)
    ? {
        code: done.failure._tag === "Unusable" ? done.failure.code : done.failure._tag,
        detail: done.failure.detail,
        made: null,
        main: Buffer.alloc(0),
        thumbnail: Buffer.alloc(0)
      }
    : {
        code: null,
        detail: "",
        made: done.success,
        main: fileOf(done.success.path),
        thumbnail: fileOf(done.success.thumbnailPath)
      }
})

const plain = (width: number, height: number, background = "#c84") =>
  sharp({ create: { width, height, channels: 3, background } })
const made = (image: Sharp) => Effect.promise(() => image.toBuffer())
const about = (bytes: Buffer) => Effect.promise(() => sharp(bytes).metadata())

const chunk = (type: string, data: Buffer) => {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  sum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, sum])
}

/** A PNG of a few kilobytes that decodes to a black image of this size. */
const bomb = (width: number, height: number) => {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width)
  header.writeUInt32BE(height, 4)
  header.set([1, 0, 0, 0, 0], 8)
  return Buffer.concat([
    Buffer.from("89504e470d0a1a0a", "hex"),
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(Buffer.alloc((Math.ceil(width / 8) + 1) * height), { level: 9 })),
    chunk("IEND", Buffer.alloc(0))
  ])
}

/** A GIF with this many frames of one pixel each. */
const flicker = (frames: number) =>
  Buffer.concat([
    Buffer.from("47494638396101000100800000000000ffffff21ff0b4e45545343415045322e300301000000", "hex"),
    ...Array.from({ length: frames }, (_, each) =>
      Buffer.from(`21f90404040000002c0000000001000100000202${each % 2 === 0 ? "44" : "4c"}0100`, "hex")
    ),
    Buffer.from("3b", "hex")
  ])

const film = Effect.fnUntraced(function* (args: ReadonlyArray<string>, format: string) {
  const { ffmpeg } = yield* Ffmpeg
  const { dataDir } = yield* StationConfig
  const path = join(dataDir, `film${++count}.${format}`)
  yield* Effect.promise(() => promisify(execFile)(ffmpeg, ["-v", "error", "-y", ...args, path]))
  return readFileSync(path)
})
const scene = (seconds: number, size = "128x96") => [
  "-f",
  "lavfi",
  "-i",
  `testsrc=size=${size}:rate=25`,
  "-f",
  "lavfi",
  "-i",
  "sine=440",
  "-t",
  String(seconds),
  "-pix_fmt",
  "yuv420p"
]

layer(World, { excludeTestServices: true })("ingest", (it) => {
  it.effect("makes the station's own picture: upright, bounded, and without metadata", () =>
    Effect.gen(function* () {
      const secret = "51 deg 30' N"
      const jpeg = yield* made(
        plain(3000, 1500)
          .withMetadata({ orientation: 6 })
          .withExifMerge({ IFD0: { Copyright: secret }, IFD3: { GPSLatitudeRef: "N", GPSLatitude: "51/1 30/1 0/1" } })
          .jpeg()
      )
      expect(jpeg.includes(secret)).toBe(true)
      const {
        main,
        made: ingested,
        thumbnail
      } = yield* sent(Buffer.concat([jpeg, Buffer.from("PK\x03\x04<script>alert(1)</script>")]), "image/jpeg")
      expect(ingested).toMatchObject({ kind: "image", width: 1024, height: 2048, durationSec: null })
      const facts = yield* about(main)
      expect([facts.format, facts.width, facts.height, facts.exif, facts.orientation, facts.icc, facts.xmp]).toEqual([
        "webp",
        1024,
        2048,
        undefined,
        undefined,
        undefined,
        undefined
      ])
      expect([main.includes(secret), main.includes("<script>"), main.includes("PK\x03\x04")]).toEqual([
        false,
        false,
        false
      ])
      expect(yield* about(thumbnail)).toMatchObject({ format: "webp", width: 240, height: 480 })
    })
  )

  it.effect("accepts PNG, WebP and animated GIF", () =>
    Effect.gen(function* () {
      expect((yield* sent(yield* made(plain(50, 40).png()), "image/png")).made).toMatchObject({ width: 50, height: 40 })
      expect((yield* sent(yield* made(plain(50, 40).webp()), "image/webp")).made).toMatchObject({
        width: 50,
        height: 40
      })
      const moving = yield* sent(flicker(12), "image/gif")
      expect(moving.detail).toBe("")
      expect(yield* about(moving.main)).toMatchObject({ format: "webp", pages: 12, width: 1 })
      expect((yield* about(moving.thumbnail)).pages).toBe(undefined)
    })
  )

  it.effect("refuses mislabelled, too large and broken files, and names the fault", () =>
    Effect.gen(function* () {
      const jpeg = yield* made(plain(400, 300).jpeg())
      const png = yield* made(plain(400, 300).png())
      const huge = bomb(20_000, 20_000)
      expect(huge.length).toBeLessThan(100_000)
      const svg = Buffer.from(
        `<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"><script>alert(1)</script><image href="file:///etc/passwd"/></svg>`
      )
      const gifar = Buffer.concat([Buffer.from("GIF89a/*"), Buffer.alloc(40), Buffer.from("*/=1;alert(1)//")])
      const cases: ReadonlyArray<readonly [string, Uint8Array, string, string]> = [
        ["a bomb of 400 million pixels", huge, "image/png", "too_large"],
        ["thousands of frames", flicker(3_000), "image/gif", "too_many_frames"],
        ["SVG said to be PNG", svg, "image/png", "wrong_type"],
        ["PNG said to be JPEG", png, "image/jpeg", "wrong_type"],
        ["a page said to be JPEG", Buffer.from("<!doctype html><script>alert(1)</script>"), "image/jpeg", "wrong_type"],
        ["a JPEG that breaks off", jpeg.subarray(0, jpeg.length / 2), "image/jpeg", "damaged"],
        ["a PNG that breaks off", png.subarray(0, png.length - 60), "image/png", "damaged"],
        ["a GIF that is a script", gifar, "image/gif", "damaged"],
        ["a HEADER and nothing behind it", bomb(8_000, 8_000).subarray(0, 60), "image/png", "damaged"],
        ["nothing", new Uint8Array(1), "image/webp", "wrong_type"]
      ]
      for (const [what, bytes, type, code] of cases) {
        const done = yield* sent(bytes, type)
        expect([what, done.code]).toEqual([what, code])
        expect(done.detail).not.toContain(tmpdir())
      }
    })
  )

  it.effect("makes the station's own film of MP4 and WebM, with a poster", () =>
    Effect.gen(function* () {
      const mp4 = yield* sent(
        yield* film(
          [
            ...scene(1, "1440x720"),
            "-metadata",
            "title=51.5 N",
            "-c:v",
            "libx264",
            "-preset",
            "ultrafast",
            "-c:a",
            "aac"
          ],
          "mp4"
        ),
        "video/mp4"
      )
      expect(mp4).toMatchObject({ code: null, made: { kind: "video", width: 1280, height: 640 } })
      expect(Math.abs(mp4.made!.durationSec! - 1)).toBeLessThan(0.15)
      expect(mp4.main.includes("51.5 N")).toBe(false)
      expect(mp4.main.indexOf("moov")).toBeLessThan(mp4.main.indexOf("mdat"))
      expect(yield* about(mp4.thumbnail)).toMatchObject({ format: "webp", width: 480, height: 240 })
      const webm = yield* film([...scene(0.5), "-c:v", "libvpx", "-c:a", "libopus"], "webm")
      expect(yield* sent(webm, "video/webm")).toMatchObject({ code: null, made: { width: 128, height: 96 } })
      expect((yield* sent(webm, "video/mp4")).code).toBe("wrong_type")
    })
  )

  it.effect("refuses films that are too long, truncated, or refer to other files", () =>
    Effect.gen(function* () {
      const short = yield* film(
        [...scene(4), "-c:v", "libx264", "-preset", "ultrafast", "-c:a", "aac", "-movflags", "+faststart"],
        "mp4"
      )
      const long = yield* film(
        ["-f", "lavfi", "-i", "color=size=16x16:rate=1", "-t", "70", "-c:v", "libx264", "-preset", "ultrafast"],
        "mp4"
      )
      const playlist = Buffer.from("#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\nfile:///etc/passwd\n#EXT-X-ENDLIST\n")
      expect((yield* sent(long, "video/mp4")).code).toBe("too_long")
      expect((yield* sent(short.subarray(0, short.length / 2), "video/mp4")).code).toBe("length_mismatch")
      expect((yield* sent(short.subarray(0, 600), "video/mp4")).code).toBe("damaged")
      expect((yield* sent(playlist, "video/mp4")).code).toBe("wrong_type")
      expect((yield* sent(Buffer.concat([short.subarray(0, 32), playlist]), "video/mp4")).code).toBe("damaged")
    })
  )
})
