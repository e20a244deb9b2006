import { it } from "@effect/vitest"
import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect } from "vitest"
import { fingerprintOtherMin } from "../../../engine/rules/segments/limits.ts"
import { Speech } from "../../../engine/ports/Speech.ts"
import { compose } from "../../../media/music/composer/Composer.ts"
import { render } from "../../../media/music/composer/Renderer.ts"
import {
  differenceOf,
  type Fingerprint,
  fingerprintOf,
  keptOf,
  printRateHz
} from "../../../media/ingest/Fingerprint.ts"
import { EmbeddedSpeech } from "../../../media/speech/Speech.ts"
import { synthesize, temporaryFolder } from "../../support/media/Media.ts"
import { bundledFfmpeg } from "../../support/media/Sound.ts"

/** The decoded form of a recording that a fingerprint is made from; `coded` names the encoding before it. */
const monoOf = (samples: Float32Array, rateHz: number, coded: ReadonlyArray<string> | null = null) => {
  const bytes = new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength)
  const ffmpeg = (input: Uint8Array, ...args: ReadonlyArray<string>) =>
    execFileSync(bundledFfmpeg, ["-v", "error", ...args, "pipe:1"], { input, maxBuffer: 2 ** 28 })
  const [raw, mono] = [
    ["-f", "f32le", "-ar", String(rateHz), "-ac", "1", "-i", "pipe:0"],
    ["-ac", "1", "-ar", String(printRateHz), "-f", "f32le"]
  ]
  const out =
    coded === null ? ffmpeg(bytes, ...raw, ...mono) : ffmpeg(ffmpeg(bytes, ...raw, ...coded), "-i", "pipe:0", ...mono)
  return new Float32Array(out.buffer.slice(out.byteOffset, out.byteOffset + (out.length & ~3)))
}
const printIn = (folder: string) => (mono: Float32Array) =>
  Effect.suspend(() => {
    const path = join(folder, "mono.f32")
    writeFileSync(path, new Uint8Array(mono.buffer, mono.byteOffset, mono.byteLength))
    return fingerprintOf(path)
  })
const isCopy = (print: Fingerprint, of: Fingerprint) => differenceOf(print, keptOf(of)) <= fingerprintOtherMin

const text =
  "Good evening, and welcome to the long wave. It is raining over the harbour tonight, and the last ferry has gone!"
const song = (seed: number) =>
  render(compose({ form: "song", genre: "lofi", mood: "calm", bpm: 90, seed, durationSec: 10 })!, () => {})[0]

describe("a fingerprint", () => {
  it.live(
    "recognises a voice and a song in any coding, cut and level, and no other",
    () =>
      Effect.gen(function* () {
        const print = printIn(yield* temporaryFolder)
        const speech = yield* Speech
        const spoken = (voiceId: string) =>
          Effect.map(
            speech.speak({ text, voiceId, role: "PRIMARY" }),
            ({ channels, sampleRateHz }) => [channels[0]!, sampleRateHz] as const
          )
        const sounds = [
          yield* spoken("voice_alder"),
          yield* spoken("voice_tamsin"),
          [song(1), 48_000] as const,
          [song(2), 48_000] as const
        ]
        const monos = sounds.map(([samples, rateHz]) => monoOf(samples, rateHz))
        const prints = yield* Effect.forEach(monos, print)
        const seconds = (sec: number) => Math.round(sec * printRateHz)
        for (const [which, [samples, rateHz]] of sounds.entries()) {
          const copies = yield* Effect.forEach(
            [
              monoOf(samples, rateHz, ["-b:a", "64k", "-f", "mp3"]),
              monos[which]!.map((sample) => sample / 4),
              monos[which]!.subarray(seconds(0.3)),
              monos[which]!.subarray(seconds(0.216), -seconds(0.3)),
              monoOf(samples.subarray(Math.round(0.337 * rateHz)), rateHz, [
                "-af",
                "volume=-12dB,equalizer=f=600:width_type=q:width=1:gain=5",
                "-b:a",
                "64k",
                "-f",
                "mp3"
              ])
            ],
            print
          )
          for (const copy of copies)
            expect(prints.map((print) => isCopy(copy, print))).toEqual(prints.map((_, each) => each === which))
          // In either order.
          expect(isCopy(prints[which]!, copies[2]!)).toBe(true)
          // Less than half the difference of other recordings: the threshold has a margin on both sides.
          expect(Math.max(...copies.map((copy) => differenceOf(copy, keptOf(prints[which]!))))).toBeLessThan(0.16)
          for (const other of prints)
            if (other !== prints[which]) expect(differenceOf(prints[which]!, keptOf(other))).toBeGreaterThan(0.4)
        }
      }).pipe(Effect.scoped, Effect.provide(EmbeddedSpeech)),
    300_000
  )

  it.live("is empty for silence, differs between noises, and fits into 56 KiB for a quarter of an hour", () =>
    Effect.gen(function* () {
      const print = printIn(yield* temporaryFolder)
      const noise = (seed: number) =>
        synthesize(6, (_, i) => Math.sin((i + 1) * (i + seed) * 12.9898), printRateHz).channels[0]!
      const silence = new Float32Array(6 * printRateHz)
      const [quiet, one, two] = [yield* print(silence), yield* print(noise(1)), yield* print(noise(777))]
      expect([isCopy(quiet, quiet), isCopy(one, quiet), isCopy(one, two), isCopy(one, one)]).toEqual([
        false,
        false,
        false,
        true
      ])
      expect((yield* Effect.map(print(new Float32Array(7)), keptOf)).length).toBe(0)
      expect(differenceOf(one, new Uint8Array(0))).toBe(1)
      expect((keptOf(one).length / 6) * 900).toBeLessThan(56 * 1_024)
    }).pipe(Effect.scoped)
  )
})
