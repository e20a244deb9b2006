import { it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as fc from "fast-check"
import { existsSync } from "node:fs"
import { chmod, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect } from "vitest"
import { musicLufs, speechLufs } from "../../../engine/rules/sound/limits.ts"
import { Prepare } from "../../../engine/ports/Prepare.ts"
import type { RawSound } from "../../../engine/ports/Speech.ts"
import { Speech } from "../../../engine/ports/Speech.ts"
import { cuePointsOf } from "../../../media/prepare/CuePoints.ts"
import { readLoudness } from "../../../media/prepare/Measure.ts"
import { findingsOf, objectionTo } from "../../../media/prepare/Quality.ts"
import { EmbeddedSpeech } from "../../../media/speech/Speech.ts"
import { houseVoiceId } from "../../../media/speech/VoiceCatalog.ts"
import type { SoundKind } from "../../../schema/Sound.ts"
import { markOfSpeech } from "../../../schema/Synthetic.ts"
import { parseTags, probeTags } from "../../support/media/ForeignTags.ts"
import {
  assetId,
  measureFile,
  prepareIn,
  PrepareTemporary,
  synthesize,
  temporaryFolder
} from "../../support/media/Media.ts"
import { decode } from "../../support/media/Sound.ts"

const unknownCues = { introEndMs: null, segueMs: null, synthetic: null }
const prepared = (raw: RawSound, kind: SoundKind, role: "PRIMARY" | "SPEED" | "HOUSE" = "HOUSE") =>
  Prepare.pipe(Effect.flatMap((prepare) => prepare.prepare({ id: assetId(), kind, raw, role, ...unknownCues })))

/** Chords with swells and stops, under drums: loud enough to need the limiter. */
const song = (seconds: number) =>
  synthesize(
    seconds,
    (t) => {
      const swell = Math.min(1, t / 2) * Math.min(1, Math.max(0, seconds - 0.5 - t) / 3)
      const drum = Math.exp(-((t % 0.5) * 30)) * Math.sin(2 * Math.PI * 70 * t)
      return swell * (0.12 * Math.sin(2 * Math.PI * 220 * t) + 0.1 * Math.sin(2 * Math.PI * 277 * t) + 0.7 * drum)
    },
    48_000,
    2
  )

it.layer(Layer.mergeAll(EmbeddedSpeech, PrepareTemporary), { excludeTestServices: true })("mastering", (it) => {
  const scripts = {
    short: "Longwave.",
    line: "Good evening, and welcome to the long wave. It is raining over the harbour tonight, and the last ferry has gone!"
  }

  it.effect.each([
    ["voice_alder", "PRIMARY"],
    ["voice_tamsin", "SPEED"],
    ["voice_nettle", "PRIMARY"],
    [houseVoiceId, "SPEED"]
  ] as const)(
    "brings %s of %s speech to the loudness of speech ± 0.5 LU, also a single word",
    ([voiceId, role]) =>
      Effect.gen(function* () {
        const speech = yield* Speech
        const store = yield* Prepare
        for (const text of Object.values(scripts)) {
          const raw = yield* speech.speak({ text, voiceId, role })
          const asset = yield* prepared(raw, "speech", role)
          const { lufs, truePeakDbtp } = yield* measureFile(store.listeningCopyOf(asset.id).replace(/mp3$/, "flac"))
          expect(Math.abs(lufs - speechLufs)).toBeLessThanOrEqual(0.5)
          expect(truePeakDbtp).toBeLessThanOrEqual(-1)
          expect(Math.abs(asset.loudness.integratedLufs - lufs)).toBeLessThanOrEqual(0.1)
          expect(Math.abs(asset.lengthSamples - (raw.channels[0]!.length * 48_000) / raw.sampleRateHz)).toBeLessThan(
            480
          )
          expect(asset.words.map((word) => word.text)).toEqual(text.split(" "))
          expect(asset.words.at(-1)!.endMs).toBeLessThanOrEqual(asset.lengthSamples / 48)
        }
      }),
    300_000
  )

  it.effect.each([
    ["music", 12],
    ["bed", 8],
    ["sting", 0.7],
    ["ident", 1.5]
  ] as const)("brings a %s of %d s there", ([kind, seconds]) =>
    Effect.gen(function* () {
      const raw =
        kind === "ident"
          ? yield* (yield* Speech).speak({ text: "Longwave. Still here.", voiceId: houseVoiceId, role: "PRIMARY" })
          : kind === "sting"
            ? synthesize(seconds, (t) => 0.5 * Math.exp(-6 * t) * Math.sin(2 * Math.PI * 880 * t), 48_000, 2)
            : song(seconds)
      const asset = yield* prepared(raw, kind)
      const { lufs, truePeakDbtp } = yield* measureFile(
        (yield* Prepare).listeningCopyOf(asset.id).replace(/mp3$/, "flac")
      )
      expect(Math.abs(lufs - (kind === "ident" ? speechLufs : musicLufs))).toBeLessThanOrEqual(0.5)
      expect(truePeakDbtp).toBeLessThanOrEqual(-1)
      expect(asset.peaks.length).toBe(800)
      expect(Math.max(...asset.peaks)).toBeLessThanOrEqual(127)
      expect(asset.envelope.length).toBe(Math.ceil(asset.lengthSamples / 480))
      expect(asset.cue.cueOut).toBeLessThanOrEqual(asset.lengthSamples)
    })
  )

  it.effect("limits the peaks of sound that is nearly all peaks", () =>
    Effect.gen(function* () {
      const clicks = synthesize(3, (t) => Math.exp(-((t % 0.25) * 400)) * 0.9 * Math.cos(2 * Math.PI * 3_000 * t))
      const asset = yield* prepared(clicks, "sting")
      expect(Math.abs(asset.loudness.integratedLufs - musicLufs)).toBeLessThanOrEqual(0.5)
      expect(asset.loudness.truePeakDbtp).toBeLessThanOrEqual(-1)
    })
  )

  it.effect("keeps every position: the limiter delays nothing", () =>
    Effect.gen(function* () {
      const raw = synthesize(
        2,
        (t) =>
          ((t >= 0.75 && t < 1.25 ? 0.9 : 0.0) *
            Math.sign(Math.sin(2 * Math.PI * 100 * t)) *
            (1 + 0.1 * Math.sin(999 * t))) /
          1.2
      )
      const asset = yield* prepared(raw, "sting")
      const first = asset.envelope.findIndex((loud) => loud > 25)
      const last = asset.envelope.findLastIndex((loud) => loud > 25)
      expect(Math.abs(first - 75)).toBeLessThanOrEqual(1)
      expect(Math.abs(last - 124)).toBeLessThanOrEqual(1)
      expect(asset.lengthSamples).toBe(96_000)
    })
  )

  it.effect("prepares a minute of speech in its own length", () =>
    Effect.gen(function* () {
      const raw = yield* (yield* Speech).speak({ text: scripts.line.repeat(8), voiceId: houseVoiceId, role: "PRIMARY" })
      const asset = yield* prepared(raw, "speech", "PRIMARY")
      const spokenSec = raw.channels[0]!.length / raw.sampleRateHz
      expect(spokenSec).toBeGreaterThan(30)
      expect(Math.abs(asset.lengthSamples / 48_000 - spokenSec)).toBeLessThan(0.01)
    })
  )
})

describe("marks", () => {
  const chime = synthesize(3, (t) => 0.3 * Math.sin(2 * Math.PI * (300 + 50 * t) * t), 48_000, 2)
  const mark = {
    ...markOfSpeech({ name: "A model", trained: true }, "wren"),
    disclosure: 'AI voice. It says: "é = ü; 你好".'
  }

  it.live(
    "are written into existing files, over others, without changing a sample",
    () =>
      Effect.gen(function* () {
        const folder = yield* temporaryFolder
        const store = yield* prepareIn(folder)
        const asset = yield* store.prepare({
          id: assetId(),
          kind: "music",
          raw: chime,
          role: "HOUSE",
          introEndMs: null,
          segueMs: null,
          synthetic: null
        })
        const copy = store.listeningCopyOf(asset.id)
        const both = [copy, copy.replace(/mp3$/, "flac")]
        const tags = Effect.promise(() => Promise.all(both.flatMap((path) => [probeTags(path), parseTags(path)])))
        const heard = Effect.promise(async () => [
          decode("mp3", new Uint8Array(await readFile(both[0]!))),
          decode("flac", new Uint8Array(await readFile(both[1]!)))
        ])
        const before = yield* heard
        expect(yield* tags).toEqual([{}, {}, {}, {}])
        for (const synthetic of [mark, { ...mark, generator: "Another model" }, null]) {
          yield* store.mark({ ...asset, synthetic })
          expect(yield* tags).toEqual([1, 2, 3, 4].map(() => synthetic ?? {}))
        }
        const after = yield* heard
        expect([after[0]!.length, after[1]!.length]).toEqual(before.map(({ length }) => length))
        expect(after.map((pcm, at) => pcm.every((sample, n) => sample === before[at]![n]))).toEqual([true, true])
        expect((yield* store.stage(asset)).pcmSha256).toBe(asset.pcmSha256)
        // A changed master is left alone; missing files need no mark.
        expect(yield* Effect.flip(store.mark({ ...asset, pcmSha256: "0".repeat(64), synthetic: mark }))).toMatchObject({
          _tag: "MediaStoreUnavailable"
        })
        expect((yield* tags)[2]).toEqual({})
        yield* store.mark({ ...asset, id: assetId(), synthetic: mark })
        expect(yield* Effect.promise(() => readdir(join(folder, "media", ".work")))).toEqual([])
      }).pipe(Effect.scoped),
    300_000
  )
})

describe("unairable sound", () => {
  const code = (raw: RawSound, kind: SoundKind = "speech") => objectionTo(kind, raw, findingsOf(raw))?.code ?? null
  const tone = (seconds: number, level = 0.3) => synthesize(seconds, (t) => level * Math.sin(2 * Math.PI * 300 * t))

  it("is named", () => {
    expect(code(tone(2))).toBe(null)
    expect(code(tone(0.2))).toBe("too_short")
    expect(code(synthesize(901, () => 0.1, 8_000))).toBe("too_long")
    expect(code(synthesize(2, () => 0))).toBe("silent")
    expect(code(synthesize(2, (_, i) => (i === 77 ? Number.NaN : 0.1 * Math.sin(i / 9))))).toBe("not_a_number")
    expect(code(synthesize(2, (_, i) => (i === 77 ? Number.POSITIVE_INFINITY : 0)))).toBe("not_a_number")
    expect(code(synthesize(2, (t) => 0.1 + 0.3 * Math.sin(2 * Math.PI * 300 * t)))).toBe("dc_offset")
    expect(code(synthesize(2, (t) => Math.max(-1, Math.min(1, 3 * Math.sin(2 * Math.PI * 300 * t)))))).toBe("clipped")
    expect(code(synthesize(8, (t) => (t < 1 || t > 6.5 ? 0.3 * Math.sin(2 * Math.PI * 300 * t) : 0)))).toBe(
      "inner_silence"
    )
    expect(
      code(
        synthesize(8, (t) => (t < 1 || t > 6.5 ? 0.3 * Math.sin(2 * Math.PI * 300 * t) : 0)),
        "music"
      )
    ).toBe(null)
    expect(code({ ...tone(2), channels: [] })).toBe("undecodable")
    expect(code({ ...tone(2), channels: [new Float32Array(96_000).fill(0.1), new Float32Array(95_000)] })).toBe(
      "length_mismatch"
    )
  })

  it.live("is refused and leaves no files", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const store = yield* prepareIn(folder)
      const refused = yield* Effect.flip(
        store.prepare({
          id: assetId(),
          kind: "speech",
          raw: synthesize(1, () => Number.NaN),
          role: "SPEED",
          ...unknownCues
        })
      )
      expect(refused).toMatchObject({ _tag: "Unairable", code: "not_a_number" })
      expect(existsSync(join(folder, "media"))).toBe(false)
    }).pipe(Effect.scoped)
  )
})

describe("cue points", () => {
  it("are in order, within the sound, for any envelope", () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 40, maxLength: 3000 }),
        fc.constantFrom<SoundKind>("speech", "music", "bed", "sting", "ident"),
        fc.option(fc.nat(60_000)),
        fc.option(fc.nat(60_000)),
        (envelope, kind, introEndMs, segueMs) => {
          const { cueIn, introEnd, segue, cueOut } = cuePointsOf(kind, envelope, envelope.length * 480 - 7, {
            introEndMs,
            segueMs
          })
          expect(
            0 <= cueIn &&
              cueIn <= introEnd &&
              introEnd <= cueOut &&
              cueIn <= segue &&
              cueOut <= envelope.length * 480 - 7
          ).toBe(true)
          expect(segue <= cueOut && (kind === "bed" || introEnd <= segue)).toBe(true)
        }
      )
    )
  })

  it("find the edges of speech and the fade of a song, and accept given ones", () => {
    const speech = Uint8Array.from({ length: 300 }, (_, i) => (i >= 50 && i < 200 ? 120 : 0))
    expect(cuePointsOf("speech", speech, 144_000, unknownCues)).toMatchObject({
      cueIn: 48 * 480,
      introEnd: 48 * 480,
      segue: 204 * 480,
      cueOut: 204 * 480
    })
    const music = Uint8Array.from({ length: 6000 }, (_, i) =>
      i < 500 ? 40 : i < 5400 ? 200 : Math.max(0, 200 - (i - 5400) / 2.5)
    )
    const found = cuePointsOf("music", music, 2_880_000, unknownCues)
    expect(found.introEnd).toBe(500 * 480)
    expect(found.segue / 480).toBeGreaterThan(5600)
    expect(found.segue).toBeLessThan(found.cueOut)
    expect(cuePointsOf("music", music, 2_880_000, { introEndMs: 9000, segueMs: 50_000 })).toMatchObject({
      introEnd: 432_000,
      segue: 2_400_000
    })
  })
})

describe("loudness parsed from ffmpeg", () => {
  it("survives any other output around it", () => {
    const summary = [
      "[Parsed_ebur128_0 @ 0x1] Summary:",
      "",
      "  Integrated loudness:",
      "    I:         -16.2 LUFS",
      "    Threshold: -26.2 LUFS",
      "",
      "  Loudness range:",
      "    LRA:         3.4 LU",
      "    Threshold: -36.1 LUFS",
      "",
      "  Sample peak:",
      "    Peak:       -9.0 dBFS",
      "",
      "  True peak:",
      "    Peak:       -1.5 dBFS"
    ]
    expect(readLoudness(["noise I: 3 LUFS", ...summary, "video:0kB audio:131kB"])).toMatchObject({
      integratedLufs: -16.2,
      truePeakDbtp: -1.5,
      rangeLu: 3.4
    })
    expect(readLoudness(summary.map((line) => line.replace("-16.2", "-inf").replace("-1.5", "-inf")))).toMatchObject({
      integratedLufs: -70,
      truePeakDbtp: -120
    })
    expect(readLoudness(["Conversion failed!"])).toBe(null)
    expect(readLoudness(summary.map((line) => line.replace("-16.2", "nan")))).toBe(null)
  })
})

describe("a disk that fails (F7)", () => {
  const tone = synthesize(1, (t) => 0.3 * Math.sin(2 * Math.PI * 300 * t))

  it.live("refuses clearly and recovers without a restart", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      // A file in place of the folder makes the store unwritable, for root too.
      yield* Effect.promise(() => writeFile(join(folder, "media"), "in the way"))
      const store = yield* prepareIn(folder)
      const ask = { id: assetId(), kind: "sting", raw: tone, role: "HOUSE", ...unknownCues } as const
      expect(yield* Effect.flip(store.prepare(ask))).toMatchObject({ _tag: "MediaStoreUnavailable" })
      yield* Effect.promise(() => rm(join(folder, "media")))
      const asset = yield* store.prepare(ask)
      expect((yield* Effect.promise(() => readdir(join(folder, "media")))).sort()).toEqual([
        ".work",
        `${asset.id}.flac`,
        `${asset.id}.mp3`
      ])
      expect(yield* Effect.promise(() => readdir(join(folder, "media", ".work")))).toEqual([])
      if (process.getuid?.() === 0) return
      yield* Effect.promise(() => chmod(join(folder, "media"), 0o500))
      expect(yield* Effect.flip(store.prepare(ask))).toMatchObject({ _tag: "MediaStoreUnavailable" })
      yield* Effect.promise(() => chmod(join(folder, "media"), 0o700))
    }).pipe(Effect.scoped)
  )

  it.live("removes half-finished files of a crash", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      yield* Effect.promise(() => mkdir(join(folder, "media", ".work", "old"), { recursive: true }))
      yield* Effect.promise(() => mkdir(join(folder, "staged")))
      yield* Effect.promise(() => writeFile(join(folder, "staged", "mas_x.part-00"), "half"))
      yield* prepareIn(folder)
      expect(existsSync(join(folder, "media", ".work", "old"))).toBe(false)
      expect(yield* Effect.promise(() => readdir(join(folder, "staged")))).toEqual([])
    }).pipe(Effect.scoped)
  )
})
