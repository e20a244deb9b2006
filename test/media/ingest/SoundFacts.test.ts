import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe } from "vitest"
import { printRateHz } from "../../../media/ingest/Fingerprint.ts"
import { featuresOf } from "../../../media/ingest/SoundFeatures.ts"
import { tagsOf } from "../../../media/ingest/SoundTags.ts"
import { Speech } from "../../../engine/ports/Speech.ts"
import { EmbeddedSpeech } from "../../../media/speech/Speech.ts"
import { bundledFfmpeg } from "../../support/media/Sound.ts"

const folder = mkdtempSync(join(tmpdir(), "longwave-facts-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const at = (name: string) => join(folder, name)
const ffmpeg = (...args: ReadonlyArray<string>) => execFileSync(bundledFfmpeg, ["-v", "error", "-y", ...args])
const tone = ["-f", "lavfi", "-i", "sine=440:d=2"]

describe("tags of a file", () => {
  it.live("are read with the cover, whatever the file's name", () =>
    Effect.gen(function* () {
      ffmpeg("-f", "lavfi", "-i", "color=red:s=64x64", "-frames:v", "1", at("cover.png"))
      const tags = { title: "Low water", artist: "Ada", genre: "Jazz", TBPM: "96", TKEY: "Am", TLAN: "eng" }
      ffmpeg(
        ...tone,
        "-i",
        at("cover.png"),
        "-map",
        "0:a",
        "-map",
        "1:v",
        "-c:v",
        "copy",
        "-id3v2_version",
        "3",
        ...Object.entries(tags).flatMap(([name, value]) => ["-metadata", `${name}=${value}`]),
        at("tagged.mp3")
      )
      const found = yield* tagsOf({ file: at("tagged.mp3"), cover: at("found") })
      expect(found).toMatchObject({ title: "Low water", artist: "Ada", genre: "Jazz", bpm: 96, musicalKey: "Am" })
      expect([found.cover, readFileSync(at("found")).equals(readFileSync(at("cover.png")))]).toEqual([
        "image/png",
        true
      ])
    })
  )

  it.live("are cut, cleaned and bounded, and a file without them or of rubbish has none", () =>
    Effect.gen(function* () {
      ffmpeg(...tone, "-metadata", `title=${"x".repeat(400)}`, "-metadata", "TBPM=999", at("long.mp3"))
      const long = yield* tagsOf({ file: at("long.mp3"), cover: at("none") })
      expect([long.title!.length, long.bpm, long.cover]).toEqual([140, null, null])
      const none = { title: null, artist: null, genre: null, lyrics: null, bpm: null, musicalKey: null, cover: null }
      ffmpeg(...tone, "-map_metadata", "-1", at("bare.mp3"))
      expect(yield* tagsOf({ file: at("bare.mp3"), cover: at("none") })).toMatchObject(none)
      writeFileSync(
        at("rubbish.mp3"),
        Buffer.concat([Buffer.from("ID3\u0004\u0000\u0000\u007f\u007f\u007f\u007f"), Buffer.alloc(5_000, 0xff)])
      )
      expect(yield* tagsOf({ file: at("rubbish.mp3"), cover: at("none") })).toMatchObject(none)
    })
  )
})

describe("estimates of a sound", () => {
  const seconds = 24
  /** Chords of the scale's degrees, with a drum on each beat. */
  const piece = (bpm: number, chords: ReadonlyArray<ReadonlyArray<number>>, level = 0.5) => {
    const samples = new Float32Array(seconds * printRateHz)
    const beat = Math.round((60 / bpm) * printRateHz)
    for (let i = 0; i < samples.length; i++) {
      const chord = chords[Math.floor(i / (beat * 4)) % chords.length]!
      let sum = 0
      for (const hz of chord) sum += Math.sin((2 * Math.PI * hz * i) / printRateHz) / chord.length
      const since = i % beat
      // A drum: a burst that dies away within a tenth of a second.
      const drum = Math.sin(since * since * 0.7) * Math.exp(-since / (0.02 * printRateHz))
      samples[i] = level * (0.5 * sum + 0.8 * drum)
    }
    return samples
  }
  const of = Effect.fnUntraced(function* (name: string, samples: Float32Array) {
    writeFileSync(at(name), Buffer.from(samples.buffer))
    return yield* featuresOf(at(name))
  })
  const [c, d, e, f, g, a, b] = [261.63, 293.66, 329.63, 349.23, 392, 440, 493.88]
  const inC = [
    [c, e, g],
    [f, a, c],
    [g, b, d],
    [c, e, g]
  ]
  const inAMinor = [
    [a / 2, c, e],
    [d, f, a],
    [e, g, b],
    [a / 2, c, e]
  ]

  it.live("find tempo and key, and whether it is loud and busy", () =>
    Effect.gen(function* () {
      const major = yield* of("major", piece(100, inC))
      const minor = yield* of("minor", piece(128, inAMinor))
      const faint = yield* of("faint", piece(100, inC, 0.02))
      expect([Math.abs(major.bpm! - 100) < 2, Math.abs(minor.bpm! - 128) < 2]).toEqual([true, true])
      expect([major.musicalKey, minor.musicalKey]).toEqual(["C major", "A minor"])
      expect([major.energy > faint.energy + 0.2, major.energy <= 1, faint.energy >= 0]).toEqual([true, true, true])
    })
  )

  it.live("tell a voice above the music from music alone, and a clear beat isn't a voice", () =>
    Effect.gen(function* () {
      const said = yield* (yield* Speech).speak({
        text: "The ferry leaves the harbour at half past nine, if the fog lifts in time. Nobody knew why the lighthouse keeper kept a piano. The council has talked about it for three hours, and the vote is tomorrow at noon.",
        voiceId: "voice_garnet",
        role: "SPEED"
      })
      const voice = said.channels[0]!
      const step = said.sampleRateHz / printRateHz
      const sung = (level: number) =>
        piece(100, inC, 0.08).map((sample, i) => sample + level * (voice[Math.floor(i * step) % voice.length] ?? 0))
      const found: Record<string, boolean | null> = {
        alone: (yield* of("alone", piece(100, inC))).isInstrumental,
        quick: (yield* of("quick", piece(170, inAMinor))).isInstrumental,
        calm: (yield* of("calm", piece(60, inC, 0.1))).isInstrumental,
        sung: (yield* of("sung", sung(1))).isInstrumental,
        silence: (yield* of("silence", new Float32Array(seconds * printRateHz))).isInstrumental
      }
      expect(found).toEqual({ alone: true, quick: true, calm: true, sung: false, silence: null })
    }).pipe(Effect.provide(EmbeddedSpeech))
  )

  it.live("say nothing where the sound says nothing", () =>
    Effect.gen(function* () {
      const silence = yield* of("silence", new Float32Array(seconds * printRateHz))
      expect(silence).toMatchObject({ bpm: null, musicalKey: null, energy: 0 })
      expect(
        (yield* of(
          "short",
          piece(100, inC)
            .subarray(0, 5 * printRateHz)
            .slice()
        )).bpm
      ).toBe(null)
    })
  )
})
