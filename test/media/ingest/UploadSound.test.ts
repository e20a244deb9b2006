import { expect, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { execFile } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { speechLufs } from "../../../engine/rules/sound/limits.ts"
import { StationConfig } from "../../../engine/runtime/Config.ts"
import { ObjectStore } from "../../../engine/ports/ObjectStore.ts"
import { incomingKeyOf, sampleKeyOf, UploadSound } from "../../../engine/ports/UploadSound.ts"
import { Ffmpeg, ffmpegLayer } from "../../../media/ffmpeg/Ffmpeg.ts"
import { decodeSound } from "../../../media/ingest/ForeignSound.ts"
import { mediaPaths } from "../../../media/storage/MediaStore.ts"
import { ObjectsLive } from "../../../media/storage/Objects.ts"
import { PrepareLive } from "../../../media/prepare/Prepare.ts"
import { UploadSoundLive } from "../../../media/ingest/UploadSound.ts"
import type { UploadId } from "../../../schema/Ids.ts"
import type { Qc, UploadPurpose } from "../../../schema/segments/Upload.ts"
import { assetId } from "../../support/media/Media.ts"
import { TestConfig } from "../../support/agents/OnboardingWorld.ts"

const World = UploadSoundLive.pipe(
  Layer.provideMerge(Layer.mergeAll(ObjectsLive, PrepareLive)),
  Layer.provideMerge(Layer.mergeAll(ffmpegLayer(null), TestConfig()))
)

let count = 0
/** Output of ffmpeg for these arguments, as a file. */
const made = Effect.fnUntraced(function* (format: string, args: ReadonlyArray<string>) {
  const { ffmpeg } = yield* Ffmpeg
  const { dataDir } = yield* StationConfig
  const path = join(dataDir, `made${++count}.${format}`)
  yield* Effect.promise(() => promisify(execFile)(ffmpeg, ["-v", "error", "-y", ...args, path]))
  return readFileSync(path)
})

/** A sound like a voice: a buzz with changing pitch and some breath, in words. */
const buzz = (seconds: number, rate = 44_100, level = 0.3, more = "") => [
  "-f",
  "lavfi",
  "-i",
  `aevalsrc='${level}*(sin(2*PI*180*t+8*sin(3*t))+0.6*sin(2*PI*700*t+30*sin(2.1*t))+0.3*sin(2*PI*1500*t+20*sin(5*t))+random(0)-0.5)*(0.3+0.7*abs(sin(4*t)))${more}':s=${rate}`,
  "-t",
  String(seconds)
]
const wav = (seconds: number, ...more: ReadonlyArray<string>) => made("wav", [...buzz(seconds), ...more])

/** Result of processing a recording announced with this type. */
const sent = Effect.fnUntraced(function* (
  bytes: Uint8Array,
  contentType: string,
  purpose: UploadPurpose = "speech",
  alike: ReadonlyArray<Uint8Array> = []
) {
  const id = `upl_${++count}` as UploadId
  yield* (yield* ObjectStore).put(incomingKeyOf(id), { bytes }, contentType)
  const upload = {
    id,
    purpose,
    contentType,
    byteSize: bytes.length,
    assetId: assetId(),
    findAlike: () => Effect.succeed(alike)
  }
  const examined = yield* (yield* UploadSound).examine(upload)
  expect(examined.qc.checks.map(({ code }) => code).sort()).toEqual([
    "bitrate",
    "channels",
    "clipping",
    "container",
    "copy",
    "dc_offset",
    "decodes",
    "duration",
    "inner_silence",
    "loudness",
    "sample_rate"
  ])
  expect([examined.qc.passed, examined.asset !== null]).toEqual([
    examined.qc.checks.every(({ passed }) => passed),
    examined.qc.passed && purpose !== "sample"
  ])
  for (const { detail } of examined.qc.checks) expect(detail).not.toMatch(/\/tmp|longwave-|null|NaN|undefined/)
  return { ...examined, upload }
})

/** Codes of the failed checks. */
const failed = ({ checks }: Qc) => checks.filter(({ passed }) => !passed).map(({ code }) => code)
const unheard = [
  "decodes",
  "duration",
  "sample_rate",
  "channels",
  "bitrate",
  "loudness",
  "clipping",
  "inner_silence",
  "dc_offset",
  "copy"
]

layer(World, { excludeTestServices: true })("recordings of agents", (it) => {
  it.effect("are mastered if they pass, the same each time, and leave no temporary files", () =>
    Effect.gen(function* () {
      const sound = yield* UploadSound
      const objects = yield* ObjectStore
      const paths = mediaPaths((yield* StationConfig).dataDir)
      const bytes = yield* wav(4, "-ac", "1")
      const { asset, durationSec, qc, upload } = yield* sent(bytes, "audio/wav")
      expect(failed(qc)).toEqual([])
      expect([qc.sampleRateHz, qc.channels, durationSec, qc.silenceSec! < 0.1, qc.clippedPct]).toEqual([
        44_100,
        1,
        4,
        true,
        0
      ])
      expect([
        asset!.kind,
        Math.abs(asset!.loudness.integratedLufs - speechLufs) <= 0.5,
        asset!.loudness.truePeakDbtp <= -1
      ]).toEqual(["speech", true, true])
      expect((yield* sound.examine(upload)).asset!.pcmSha256).toBe(asset!.pcmSha256)
      expect(yield* sound.sha256(incomingKeyOf(upload.id))).toBe(createHash("sha256").update(bytes).digest("hex"))
      expect([
        existsSync(paths.masterOf(asset!.id)),
        existsSync(paths.copyOf(asset!.id)),
        readdirSync(join(paths.media, ".uploads"))
      ]).toEqual([true, true, []])
      yield* sound.discard(upload.id, asset!.id)
      expect([
        existsSync(paths.masterOf(asset!.id)),
        existsSync(paths.copyOf(asset!.id)),
        yield* objects.size(incomingKeyOf(upload.id)),
        yield* sound.sha256(incomingKeyOf(upload.id))
      ]).toEqual([false, false, null, null])
      expect(failed((yield* sound.examine(upload)).qc)).toEqual(unheard)
    })
  )

  it.effect(
    "may be MP3s, but no copies of sounds at the station",
    () =>
      Effect.gen(function* () {
        const voice = yield* wav(4)
        const first = yield* sent(voice, "audio/x-wav", "sample")
        expect([failed(first.qc), first.fingerprint!.length > 100]).toEqual([[], true])
        const mp3 = yield* made("mp3", [...buzz(4), "-ss", "0.2", "-af", "volume=-9dB", "-b:a", "64k"])
        const copy = yield* sent(mp3, "audio/mpeg", "speech", [
          yield* Effect.map(
            sent(
              yield* made("wav", buzz(4, 44_100, 0.1, "+0.3*sin(2*PI*900*t*t)+0.3*sin(2*PI*(400+99*sin(6*t))*t)")),
              "audio/wav",
              "sample"
            ),
            ({ fingerprint }) => fingerprint!
          ),
          first.fingerprint!
        ])
        expect([failed(copy.qc), copy.qc.bitrateKbps]).toEqual([["copy"], 64])
        // A sound that the station mastered itself is found by its listening copy.
        const { asset } = yield* sent(voice, "audio/wav")
        const print = (yield* (yield* UploadSound).fingerprint(asset!.id))!
        expect(failed((yield* sent(mp3, "audio/mpeg", "speech", [print])).qc)).toEqual(["copy"])
        expect(yield* (yield* UploadSound).fingerprint(assetId())).toBe(null)
        expect([
          failed((yield* sent(mp3, "audio/mpeg")).qc),
          failed((yield* sent(mp3, "audio/mpeg", "music")).qc)
        ]).toEqual([[], ["duration", "bitrate"]])
      }),
    300_000
  )

  it.effect("for samples become an MP3 of the station's own, also from films, with the sound only", () =>
    Effect.gen(function* () {
      const film = yield* made("mp4", [
        "-f",
        "lavfi",
        "-i",
        "testsrc=size=64x48:rate=5",
        ...buzz(2),
        "-c:v",
        "mpeg4",
        "-c:a",
        "aac",
        "-metadata",
        "title=51.5 N",
        "-shortest"
      ])
      const { asset, durationSec, qc, upload } = yield* sent(film, "video/mp4", "sample")
      expect([failed(qc), asset, film.includes("51.5 N")]).toEqual([[], null, true])
      expect(Math.abs(durationSec! - 2)).toBeLessThan(0.2)
      const { dataDir } = yield* StationConfig
      const copy = readFileSync(join(dataDir, "media", sampleKeyOf(upload.id)))
      expect([copy.length > 20_000, copy.length < 60_000, copy.includes("51.5 N"), copy.includes("mp4")]).toEqual([
        true,
        true,
        false,
        false
      ])
      yield* (yield* UploadSound).discard(upload.id, assetId())
      expect(existsSync(join(dataDir, "media", sampleKeyOf(upload.id)))).toBe(false)
    })
  )

  it.effect(
    "are not read if they are mislabelled or refer to other files (T2)",
    () =>
      Effect.gen(function* () {
        const mp3 = yield* made("mp3", [...buzz(4), "-b:a", "96k"])
        const playlist = Buffer.from(
          "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\nfile:///etc/passwd\n#EXT-X-ENDLIST\n"
        )
        const cases: ReadonlyArray<readonly [string, Uint8Array, string, ReadonlyArray<string>]> = [
          ["an MP3 said to be WAV", mp3, "audio/wav", ["container", ...unheard]],
          ["a playlist said to be MP3", playlist, "audio/mpeg", ["container", ...unheard]],
          ["two bytes", new Uint8Array([1, 2]), "audio/mpeg", ["container", ...unheard]],
          [
            "a WAV with an MP3 in it",
            yield* made("wav", [...buzz(4), "-c:a", "libmp3lame", "-b:a", "96k"]),
            "audio/wav",
            ["container", ...unheard]
          ],
          [
            "a playlist in a WAV's beginning",
            Buffer.concat([(yield* wav(1)).subarray(0, 16), playlist]),
            "audio/wav",
            unheard
          ]
        ]
        for (const [what, bytes, type, codes] of cases) {
          const { durationSec, fingerprint, qc } = yield* sent(bytes, type)
          expect([what, failed(qc).sort()]).toEqual([what, codes.toSorted()])
          expect([durationSec, fingerprint, qc.loudnessLufs, qc.sampleRateHz]).toEqual([null, null, null, null])
        }
      }),
    300_000
  )

  it.effect(
    "fail if they are truncated, declare a wrong length, or have no end",
    () =>
      Effect.gen(function* () {
        const [voice, mp3] = [yield* wav(8), yield* made("mp3", [...buzz(8), "-b:a", "96k"])]
        expect(failed((yield* sent(mp3.subarray(0, mp3.length / 2), "audio/mpeg")).qc)).toEqual(["decodes"])
        expect(failed((yield* sent(voice.subarray(0, voice.length / 2), "audio/wav")).qc)).toEqual(["decodes"])
        const liar = Buffer.from(voice)
        liar.writeUInt32LE(liar.readUInt32LE(liar.indexOf("data") + 4) * 3, liar.indexOf("data") + 4)
        expect(failed((yield* sent(liar, "audio/wav")).qc)).toEqual(["decodes"])
        const endless = yield* sent(yield* made("wav", buzz(70, 8_000)), "audio/wav", "sample")
        expect([failed(endless.qc), endless.durationSec]).toEqual([["duration"], 61])
        expect(
          failed(
            (yield* sent(
              yield* made("wav", [...buzz(4, 44_100, 0.3, "+if(gt(t,2),0/0,0)"), "-c:a", "pcm_f32le"]),
              "audio/wav"
            )).qc
          )
        ).toContain("decodes")
      }),
    300_000
  )

  it.effect(
    "list all their faults at once",
    () =>
      Effect.gen(function* () {
        const faint = yield* sent(yield* made("wav", buzz(1.5, 8_000, 0.0005)), "audio/wav")
        expect(failed(faint.qc)).toEqual(["duration", "sample_rate", "loudness"])
        expect(faint.qc.checks.find(({ code }) => code === "sample_rate")).toMatchObject({
          measured: 8_000,
          limit: 22_050,
          passed: false
        })
        const harsh = yield* sent(
          yield* made("wav", [
            "-f",
            "lavfi",
            "-i",
            "aevalsrc='if(between(t,2,8),0,clip(4*sin(2*PI*220*t)+0.8,-1,1))':s=44100",
            "-t",
            "10"
          ]),
          "audio/wav"
        )
        expect(failed(harsh.qc)).toEqual(["loudness", "clipping", "inner_silence", "dc_offset"])
        expect([harsh.qc.silenceSec, harsh.qc.clippedPct! > 10, harsh.qc.loudnessLufs! > -6]).toEqual([6, true, true])
      }),
    300_000
  )

  it.effect("are deleted at the start if a crash interrupted their check, and kept if they only wait", () =>
    Effect.gen(function* () {
      const { dataDir } = yield* StationConfig
      const left = join(dataDir, "media", ".uploads", "left")
      mkdirSync(left, { recursive: true })
      const objects = yield* ObjectStore
      yield* objects.put(incomingKeyOf("upl_waits" as UploadId), { bytes: new Uint8Array(3) }, "audio/wav")
      yield* Effect.scoped(Layer.build(Layer.fresh(UploadSoundLive)))
      expect([existsSync(left), yield* objects.size(incomingKeyOf("upl_waits" as UploadId))]).toEqual([false, 3])
    })
  )

  it.effect.skipIf(!existsSync("/dev/full"))("are not failed for a full disk (F7)", () =>
    Effect.gen(function* () {
      const file = join((yield* StationConfig).dataDir, "whole.wav")
      writeFileSync(file, yield* wav(1))
      const full = decodeSound(yield* Ffmpeg, {
        file,
        family: "wav",
        maxSec: 2,
        outputs: [["-ar", "5500", "-f", "f32le", "-y", "/dev/full"]],
        cpuSec: 5,
        timeoutSec: 30
      })
      expect(yield* Effect.flip(full)).toMatchObject({ _tag: "ObjectsUnavailable" })
    })
  )
})
