import { beforeAll, describe, expect, it } from "@effect/vitest"
import { createHash } from "node:crypto"
import { musicPeakMax } from "../../../../engine/rules/music/limits.ts"
import { sampleRateHz } from "../../../../schema/time/Samples.ts"
import type { MusicAsk } from "../../../../engine/ports/Music.ts"
import { SeededRandom } from "../../../../media/music/composer/SeededRandom.ts"
import { compose } from "../../../../media/music/composer/Composer.ts"
import { genres, styleOf } from "../../../../media/music/composer/Genres.ts"
import { harmoniesOf, tonics, voiceChord } from "../../../../media/music/composer/Harmony.ts"
import { voiceOf } from "../../../../media/music/composer/Patches.ts"
import type { PatchName } from "../../../../media/music/composer/Patches.ts"
import { finish, mix, NotANumber, render } from "../../../../media/music/composer/Renderer.ts"
import { featuresOf, leaveOneOut } from "../../../../bench/instruments/ears/GenreEar.ts"
import { measureMusic, type MusicMeasure } from "../../../../bench/instruments/ears/MusicMeasure.ts"
import type { Score } from "../../../../media/music/composer/Score.ts"

const own = [
  "ambient",
  "house",
  "techno",
  "drum_and_bass",
  "synthwave",
  "dub",
  "lofi",
  "jazz",
  "classical",
  "folk",
  "funk",
  "rock"
] as const
const moods = [
  "calm",
  "bright",
  "dark",
  "dreamy",
  "driving",
  "melancholic",
  "playful",
  "romantic",
  "tense",
  "triumphant",
  "warm",
  "weird"
] as const

const ask = (changes: Partial<MusicAsk>): MusicAsk => ({
  genre: "house",
  mood: null,
  form: "song",
  durationSec: 60,
  seed: 1,
  bpm: null,
  ...changes
})
const scored = (changes: Partial<MusicAsk>): Score => compose(ask(changes))!
const played = (score: Score) => render(score, () => {})
const hashOf = (channels: ReadonlyArray<Float32Array>) =>
  channels.reduce((hash, channel) => hash.update(new Uint8Array(channel.buffer)), createHash("sha256")).digest("hex")
const rms = (samples: Float32Array, from = 0, to = samples.length) => {
  let sum = 0
  for (let i = from; i < to; i++) sum += samples[i]! ** 2
  return Math.sqrt(sum / (to - from))
}
const onsetsPerSec = (score: Score) =>
  ((score.parts.reduce((sum, { notes }) => sum + notes.length, 0) + score.drumming.strokes.length) * sampleRateHz) /
  score.lengthSamples

describe("the composer", () => {
  it("knows every genre of the catalog and nothing else", () => {
    expect(genres).toHaveLength(32)
    for (const genre of genres) expect(styleOf(genre), genre).not.toBeNull()
    expect(compose(ask({ genre: "polka" }))).toBeNull()
  })

  it("spells every harmony of every style in every key", () => {
    for (const genre of own) {
      const style = styleOf(genre)!
      for (const family of ["major", "minor"] as const) {
        for (const turn of style.turns[family])
          for (const tonic of tonics) {
            for (const harmony of harmoniesOf(tonic, style.scale[family], turn.split(" "))) {
              expect(harmony.tones.length, `${genre} ${turn}`).toBeGreaterThanOrEqual(3)
              expect(
                harmony.tones.every((tone) => harmony.scale.includes(tone)),
                `${harmony.name} in ${tonic}`
              ).toBe(true)
            }
          }
      }
    }
  })

  it("leads voices by short ways", () => {
    const cadence = harmoniesOf("C", "major", ["IIm9", "V13", "Imaj9", "VI7b9", "IIm9"])
    let hand: ReadonlyArray<number> | null = null
    for (const harmony of cadence) {
      const next = voiceChord(harmony, hand, 52, 72, 4)
      expect(next).toHaveLength(4)
      if (hand !== null)
        for (const [index, pitch] of [...next].sort((a, b) => a - b).entries())
          expect(Math.abs(pitch - [...hand].sort((a, b) => a - b)[index]!)).toBeLessThanOrEqual(5)
      hand = next
    }
  })

  it("gives the same score for the same ask, and another for another seed, genre or mood", () => {
    for (const genre of own) expect(scored({ genre, seed: 5 })).toEqual(scored({ genre, seed: 5 }))
    const titles = new Set(Array.from({ length: 40 }, (_, seed) => scored({ seed, durationSec: 30 }).title))
    expect(titles.size).toBeGreaterThan(30)
    expect(scored({ genre: "house" }).parts).not.toEqual(scored({ genre: "disco" }).parts)
    expect(scored({ mood: "calm" }).bpm).toBeLessThan(scored({ mood: "driving" }).bpm)
    expect(moods.filter((mood) => scored({ mood, seed: 9 }).musicalKey.endsWith("minor"))).toEqual([
      "dark",
      "driving",
      "melancholic",
      "tense",
      "weird"
    ])
  })

  it.each(own)("lays out %s as intro, sections and outro that cover it, whatever its length", (genre) => {
    for (const durationSec of [30, 47, 100, 163, 300]) {
      for (const seed of [1, 2, 3]) {
        const score = scored({ genre, durationSec, seed })
        expect(Math.abs(score.lengthSamples / sampleRateHz - durationSec)).toBeLessThanOrEqual(2)
        expect(score.sections[0]).toMatchObject({ name: "intro", from: 0 })
        expect(score.sections.at(-1)).toMatchObject({ name: "outro", to: score.lengthSamples })
        for (const [index, { from, to }] of score.sections.entries()) {
          expect(to).toBeGreaterThan(from)
          if (index > 0) expect(from).toBe(score.sections[index - 1]!.to)
        }
        expect(score.introEnd).toBeGreaterThanOrEqual(6 * sampleRateHz)
        const lead = score.parts.find(({ name }) => name === "lead")!
        expect(lead.notes.length).toBeGreaterThan(2)
        expect(Math.min(...lead.notes.map(({ at }) => at))).toBeGreaterThanOrEqual(score.introEnd)
        expect(score.segue).toBeGreaterThan(score.introEnd)
        // What is left rings: nothing new is struck after the last chord has been rolled out.
        const last = Math.max(...score.parts.flatMap(({ notes }) => notes.map(({ at }) => at)))
        expect(last - score.segue).toBeLessThan(2.5 * sampleRateHz)
        expect(score.lengthSamples - score.segue).toBeGreaterThan(1.9 * sampleRateHz)
      }
    }
  })

  it("tells a motif again, so that it is known when it comes back", () => {
    for (const genre of own) {
      const score = scored({ genre, durationSec: 180, seed: 4 })
      const { notes } = score.parts.find(({ name }) => name === "lead")!
      const steps = notes.slice(1).map((note, index) => Math.round((note.at - notes[index]!.at) / 3_000))
      const figures = steps.slice(2).map((_, index) => steps.slice(index, index + 3).join())
      const most = Math.max(...figures.map((figure) => figures.filter((other) => other === figure).length))
      expect(most, genre).toBeGreaterThanOrEqual(3)
    }
  })

  it("keeps the tempo it is asked for", () => {
    expect(scored({ bpm: 101 }).bpm).toBe(101)
    expect(scored({ bpm: 20 }).bpm).toBe(50)
    expect(scored({ bpm: 90, form: "bed", durationSec: 40 }).bpm).toBe(90)
  })

  it("gives beds no tune and stings no length", () => {
    for (const genre of own) {
      const bed = scored({ genre, form: "bed", durationSec: 30 })
      expect(bed.parts.some(({ name }) => name === "lead")).toBe(false)
      expect(Math.abs(bed.lengthSamples / sampleRateHz - 30)).toBeLessThanOrEqual(2)
      expect(onsetsPerSec(bed)).toBeLessThan(onsetsPerSec(scored({ genre, durationSec: 120 })) + 1)
      const sting = scored({ genre, form: "sting", durationSec: 3 })
      expect(sting.lengthSamples).toBe(3 * sampleRateHz)
      expect(sting.segue).toBeLessThan(sting.lengthSamples)
    }
  })
})

describe("the instruments", () => {
  const tuned: ReadonlyArray<PatchName> = [
    "guitar",
    "nylon",
    "upright",
    "harp",
    "banjo",
    "piano",
    "tines",
    "vibes",
    "flute",
    "neon",
    "roundBass",
    "dubBass",
    "sawBass"
  ]
  it.each(tuned)("%s is in tune", (name) => {
    for (const pitch of [40, 52, 64, 74]) {
      const left = new Float32Array(32_000)
      voiceOf(name, { at: 0, length: 32_000, pitch, level: 1, bright: 0.5 }, 12_345).add(
        left,
        new Float32Array(32_000),
        0,
        32_000
      )
      const period = sampleRateHz / (440 * 2 ** ((pitch - 69) / 12))
      const alike = (lag: number) => {
        let sum = 0
        for (let i = 6_000; i < 26_000; i++) sum += left[i]! * left[i + lag]!
        return sum
      }
      // Over several swings the error of one is seen larger.
      const swings = Math.min(6, Math.floor(5_000 / period))
      const centre = Math.round(period * swings)
      let best = centre
      for (let lag = centre - Math.ceil(period * 0.3); lag <= centre + Math.ceil(period * 0.3); lag++)
        if (alike(lag) > alike(best)) best = lag
      const [before, at, after] = [alike(best - 1), alike(best), alike(best + 1)]
      const exact = best + (before - after) / (2 * (before - 2 * at + after))
      expect(Math.abs(1200 * Math.log2(exact / (period * swings))), `pitch ${pitch}`).toBeLessThan(6)
    }
  })

  it("rolls the same dice for a seed", () => {
    const rolls = (seed: number) =>
      Array.from(
        { length: 8 },
        (
          (dice) => () =>
            dice.drawUnit()
        )(new SeededRandom(seed))
      )
    expect(rolls(1)).toEqual(rolls(1))
    expect(rolls(1)).not.toEqual(rolls(2))
    expect(rolls(2 ** 40 + 1)).not.toEqual(rolls(1))
  })
})

interface Rendering {
  readonly score: Score
  readonly channels: ReadonlyArray<Float32Array>
  readonly told: ReadonlyArray<number>
}

/** What is heard of each style, for the last tests of all. */
const heard: Array<{ readonly genre: string; readonly measure: MusicMeasure }> = []
const hear = (genre: string, score: Score, channels: ReadonlyArray<Float32Array>): void => {
  const tonic = tonics.findIndex((name) => name === score.musicalKey.split(" ")[0])
  heard.push({ genre, measure: measureMusic([channels[0]!, channels[1]!], tonic) })
}

/** 16 seconds of each style, rendered once for all that is asked of them. */
const renderings = new Map<string, Rendering>()
const rendering = (genre: string): Rendering => {
  const kept = renderings.get(genre)
  if (kept !== undefined) return kept
  const score = scored({ genre, durationSec: 16, seed: 11 })
  const told: Array<number> = []
  const made = { score, told, channels: render(score, (share) => told.push(share)) }
  renderings.set(genre, made)
  hear(genre, score, made.channels)
  return made
}

describe("the renderer", () => {
  it.each(own)("plays %s without a fault, within its level, to a clean end", (genre) => {
    const { score, channels, told } = rendering(genre)
    const [left, right] = [channels[0]!, channels[1]!]
    let peak = 0
    for (const channel of channels)
      for (const sample of channel) peak = Math.max(peak, Number.isFinite(sample) ? Math.abs(sample) : Infinity)
    expect(peak).toBeLessThanOrEqual(musicPeakMax + 1e-6)
    expect(peak).toBeGreaterThan(0.3)
    expect(told.every((share, index) => share - (told[index - 1] ?? 0) <= 0.05)).toBe(true)
    expect(told.at(-1)).toBeGreaterThan(0.95)
    // It has begun within the first second, never falls silent on its way, and ends in nothing.
    for (let at = 0; at < score.segue - sampleRateHz; at += sampleRateHz)
      expect(rms(left, at, at + sampleRateHz)).toBeGreaterThan(0.002)
    expect(Math.abs(left.at(-1)!)).toBeLessThan(1e-4)
    expect(rms(left, left.length - 9_600)).toBeLessThan(rms(left, score.segue, score.segue + 24_000) / 4)
    const side = left.map((sample, i) => sample - right[i]!)
    expect(rms(side)).toBeGreaterThan(0.002)
  })

  it("gives the same samples for the same ask, bit for bit", () => {
    for (const genre of ["lofi", "folk"]) {
      const one = hashOf(played(scored({ genre, durationSec: 15 })))
      expect(hashOf(played(scored({ genre, durationSec: 15 })))).toBe(one)
      expect(hashOf(played(scored({ genre, durationSec: 15, seed: 2 })))).not.toBe(one)
    }
  })

  it("lets the tune be heard over the band", () => {
    for (const genre of own) {
      const score = scored({ genre, durationSec: 20, seed: 8 })
      const only = (parts: Score["parts"], drums: boolean) =>
        mix(
          { ...score, parts, dust: 0, drumming: drums ? score.drumming : { ...score.drumming, strokes: [] } },
          () => {}
        )
      const tune = only(
        score.parts.filter(({ name }) => name === "lead"),
        false
      )
      const band = only(
        score.parts.filter(({ name }) => name !== "lead"),
        true
      )
      const level = ([left]: ReadonlyArray<Float32Array>) => rms(left!, score.introEnd, score.segue)
      const ratio = 20 * Math.log10(level(tune) / level(band))
      const both = tune.map((channel, side) => channel.map((sample, i) => sample + band[side]![i]!))
      finish(score, both)
      hear(genre, score, both)
      expect(ratio, genre).toBeGreaterThan(-15)
      expect(ratio, genre).toBeLessThan(-1)
    }
  })

  it.each(["ambient", "lofi", "jazz", "house"])("loops a bed of %s without a click", (genre) => {
    const score = scored({ genre, form: "bed", durationSec: 30 })
    for (const channel of played(score)) {
      const seam = Math.abs(channel[0]! - channel.at(-1)!)
      let steepest = 0
      for (let i = 1; i < channel.length; i++) steepest = Math.max(steepest, Math.abs(channel[i]! - channel[i - 1]!))
      expect(seam).toBeLessThanOrEqual(steepest)
      // The last second before the seam and the first after it are as loud as the bed is.
      expect(rms(channel, 0, sampleRateHz)).toBeGreaterThan(rms(channel) / 6)
      expect(rms(channel, channel.length - sampleRateHz)).toBeGreaterThan(rms(channel) / 6)
    }
  })

  it("refuses to hand out what is not a number", () => {
    const score = scored({ durationSec: 30 })
    const [first, ...rest] = score.parts
    expect(() => played({ ...score, parts: [{ ...first!, level: Number.NaN }, ...rest] })).toThrow(NotANumber)
  })
})

/** Genres whose beat is played; the others float. */
const beaten = own.filter((genre) => genre !== "ambient" && genre !== "classical")

describe("what instruments hear of the music", () => {
  beforeAll(() => {
    for (const genre of own) {
      rendering(genre)
      const score = scored({ genre, durationSec: 16, seed: 3 })
      hear(genre, score, played(score))
    }
  })

  it("tells twelve genres apart by the sound of three pieces each, every piece judged by the others", () => {
    const judged = leaveOneOut(heard.map(({ genre, measure }) => ({ genre, features: featuresOf(measure) })))
    expect(judged).toHaveLength(36)
    const mistaken = judged.filter(({ genre, heardAs }) => genre !== heardAs)
    expect(mistaken.length, JSON.stringify(mistaken)).toBeLessThanOrEqual(3)
    for (const genre of own)
      expect([genre, mistaken.filter((one) => one.genre === genre).length < 2]).toEqual([genre, true])
  })

  it("balances bass and treble, keeps the beat, stands in a key, and ends", () => {
    for (const { genre, measure } of heard) {
      const isBeaten = beaten.some((one) => one === genre)
      expect([genre, measure.balanceErrorDb < (isBeaten ? 5 : 9)], String(measure.balanceErrorDb)).toEqual([
        genre,
        true
      ])
      expect([genre, measure.keyClarity > 0.5]).toEqual([genre, true])
      expect([genre, measure.endDb < -50]).toEqual([genre, true])
      if (isBeaten)
        expect([genre, measure.beatStrength > 0.25 && (measure.beatDriftPct ?? 0) < 1]).toEqual([genre, true])
    }
  })
})
