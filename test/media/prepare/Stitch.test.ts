import { it } from "@effect/vitest"
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { describe, expect } from "vitest"
import { speechLufs } from "../../../engine/rules/sound/limits.ts"
import { panelTimeline } from "../../../engine/rules/panels/PanelTimeline.ts"
import type { Asset } from "../../../schema/Sound.ts"
import { WordTiming } from "../../../schema/Sound.ts"
import { ffmpegLayer } from "../../../media/ffmpeg/Ffmpeg.ts"
import { mediaPaths } from "../../../media/storage/MediaStore.ts"
import { makeStitch } from "../../../media/prepare/Stitch.ts"
import { markOfSpeech } from "../../../schema/Synthetic.ts"
import { parseTags, probeTags } from "../../support/media/ForeignTags.ts"
import { assetId, measureFile, prepareIn, synthesize, temporaryFolder } from "../../support/media/Media.ts"
import { decode } from "../../support/media/Sound.ts"

const tone = (hz: number, level: number) => (t: number) => level * Math.sin(2 * Math.PI * hz * t)
/** Each speaker is a tone, with silence at both edges as speech has it. */
const speakers = { ada: 330, bo: 550, cleo: 880, dan: 1_320 } as const
const order = ["ada", "bo", "cleo", "cleo", "dan", "ada"] as const

/** Level of one frequency in a window, by Goertzel. */
const power = (pcm: Float32Array, from: number, samples: number, hz: number): number => {
  const k = 2 * Math.cos((2 * Math.PI * hz) / 48_000)
  let [a, b] = [0, 0]
  for (let i = 0; i < samples; i++) {
    const next = (pcm[(from + i) * 2] ?? 0) + k * a - b
    b = a
    a = next
  }
  return (a * a + b * b - k * a * b) / samples ** 2
}

const trimmed = ({ cue }: Asset) => cue.cueOut - cue.cueIn

describe("a stitched panel", () => {
  it.live(
    "decodes to its voices in order, level, without overlap, between music, and is reproducible",
    () =>
      Effect.gen(function* () {
        const folder = yield* temporaryFolder
        const prepare = yield* prepareIn(folder)
        const { stitch } = yield* makeStitch(folder)
        const [voice, music] = [
          markOfSpeech({ name: "A model", trained: true }, "ada"),
          { ...markOfSpeech({ name: "A composer", trained: false }, null), disclosure: "Composed by the station." }
        ]
        const made = (
          kind: Asset["kind"],
          seconds: number,
          at: (t: number) => number,
          words: ReadonlyArray<WordTiming> = []
        ) =>
          prepare.prepare({
            id: assetId(),
            kind,
            raw: { ...synthesize(seconds, at), words },
            role: "PRIMARY",
            introEndMs: null,
            segueMs: null,
            synthetic: kind === "speech" ? voice : music
          })
        const spoken = (hz: number, seconds: number, level: number) =>
          made("speech", seconds + 0.3, (t) => (t < 0.2 || t > seconds + 0.2 ? 0 : tone(hz, level)(t)), [
            WordTiming.make({ text: `${hz}`, startMs: 250, endMs: 700 })
          ])
        const [sting, bed, intro] = yield* Effect.all(
          [made("sting", 2, tone(2_600, 0.2)), made("bed", 14, tone(3_400, 0.2)), spoken(220, 1.2, 0.3)],
          { concurrency: 2 }
        )
        const said = yield* Effect.all(
          {
            ada: spoken(330, 0.9, 0.05),
            bo: spoken(550, 1.05, 0.2),
            cleo: spoken(880, 1.2, 0.4),
            dan: spoken(1_320, 1.4, 0.6)
          },
          { concurrency: 2 }
        )
        const turns = order.map((who, i) => ({ turnId: `turn_${i}`, participantId: who, asset: said[who] }))
        const timeline = panelTimeline({
          sting: { samples: trimmed(sting) },
          bed: { samples: trimmed(bed) },
          intro: { samples: trimmed(intro), lufs: intro.loudness.integratedLufs },
          turns: turns.map(({ asset, ...turn }) => ({
            ...turn,
            samples: trimmed(asset),
            lufs: asset.loudness.integratedLufs
          }))
        })
        const assetOf = {
          sting: () => sting,
          bed: () => bed,
          outro: () => bed,
          intro: () => intro,
          turn: (id: string | null) => turns.find(({ turnId }) => turnId === id)!.asset
        }
        const ask = {
          id: assetId(),
          samples: timeline.samples,
          pieces: timeline.parts.map((part) => {
            const asset = assetOf[part.what](part.turnId)
            return { ...part, asset, fromSample: part.fromSample + asset.cue.cueIn }
          })
        }
        const panel = yield* stitch(ask)
        expect((yield* stitch({ ...ask, id: assetId() })).pcmSha256).toBe(panel.pcmSha256)
        expect([panel.kind, panel.lengthSamples]).toEqual(["speech", timeline.samples])

        const paths = mediaPaths(folder)
        const mark = {
          digitalSourceType: "http://cv.iptc.org/newscodes/digitalsourcetype/compositeSynthetic",
          generator: "A model, A composer",
          disclosure: "AI voice. Spoken by a speech model for the AI agent @ada. Composed by the station."
        }
        for (const path of [paths.copyOf(panel.id), paths.masterOf(panel.id)])
          expect(yield* Effect.promise(() => Promise.all([probeTags(path), parseTags(path)]))).toEqual([mark, mark])
        const heard = yield* measureFile(paths.masterOf(panel.id))
        expect(Math.abs(heard.lufs - speechLufs)).toBeLessThanOrEqual(0.5)
        expect(heard.truePeakDbtp).toBeLessThanOrEqual(-1)
        expect((yield* prepare.stage(panel)).lengthSamples).toBe(panel.lengthSamples)
        const pcm = new Int16Array(readFileSync(paths.stagedOf(panel.id)).buffer.slice(0))
        const sound = Float32Array.from(pcm, (sample) => sample / 32_768)
        expect(decode("mp3", new Uint8Array(readFileSync(paths.copyOf(panel.id)))).length / 2).toBeGreaterThan(
          timeline.samples - 4_800
        )

        const tones = { ...speakers, house: 220, sting: 2_600, bed: 3_400 }
        const at = (from: number, samples: number) =>
          Object.entries(tones)
            .filter(([, hz]) => power(sound, from, samples, hz) > 2e-5)
            .map(([who]) => who)
        const voices = timeline.parts.filter(({ what }) => what === "turn")
        for (const [i, { atSample, samples }] of voices.entries()) {
          expect(at(atSample + 4_800, samples - 9_600)).toEqual([order[i]])
          // The breath before it is silent.
          if (i > 0) expect(at(atSample - 7_200, 4_800)).toEqual([])
        }
        // Voices of any loudness have the same level in the result.
        const levels = voices.map(({ atSample, samples }) =>
          Math.sqrt(
            sound
              .subarray((atSample + 4_800) * 2, (atSample + samples - 4_800) * 2)
              .reduce((sum, x) => sum + x * x, 0) /
              (samples - 9_600) /
              2
          )
        )
        expect(20 * Math.log10(Math.max(...levels) / Math.min(...levels))).toBeLessThan(3)
        const introduction = timeline.parts.find(({ what }) => what === "intro")!
        expect(at(4_800, 48_000)).toEqual(["sting"])
        expect(power(sound, introduction.atSample + 9_600, 38_400, 220)).toBeGreaterThan(
          20 * power(sound, introduction.atSample + 9_600, 38_400, 3_400)
        )
        expect(power(sound, introduction.atSample + 9_600, 38_400, 3_400)).toBeGreaterThan(1e-6)
        expect(at(timeline.samples - 4 * 48_000, 48_000)).toEqual(["bed"])
        expect(sound.subarray(-96).every((sample) => Math.abs(sample) < 0.01)).toBe(true)
        // Each word lies on its voice.
        expect(panel.words.map(({ text }) => text)).toEqual(["220", ...order.map((who) => `${speakers[who]}`)])
        for (const [i, { atSample }] of voices.entries())
          expect(panel.words[i + 1]!.startMs).toBe(Math.round(atSample / 48 + 250 - turns[i]!.asset.cue.cueIn / 48))
      }).pipe(Effect.scoped, Effect.provide(ffmpegLayer(null))),
    300_000
  )

  it.live(
    "is refused if its sounds have changed, and leaves no files",
    () =>
      Effect.gen(function* () {
        const folder = yield* temporaryFolder
        const prepare = yield* prepareIn(folder)
        const { stitch } = yield* makeStitch(folder)
        const asset = yield* prepare.prepare({
          id: assetId(),
          kind: "speech",
          raw: synthesize(1, tone(300, 0.3)),
          role: "SPEED",
          introEndMs: null,
          segueMs: null,
          synthetic: null
        })
        const piece = {
          asset: { ...asset, pcmSha256: "0".repeat(64) },
          atSample: 0,
          fromSample: 0,
          samples: 48_000,
          gains: []
        }
        expect(yield* Effect.flip(stitch({ id: assetId(), samples: 48_000, pieces: [piece] }))).toMatchObject({
          _tag: "MediaStoreUnavailable"
        })
        expect(yield* Effect.flip(stitch({ id: assetId(), samples: 48_000 * 10_801, pieces: [] }))).toMatchObject({
          _tag: "Unairable",
          code: "too_long"
        })
      }).pipe(Effect.scoped, Effect.provide(ffmpegLayer(null))),
    300_000
  )
})
