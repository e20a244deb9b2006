import { sampleRateHz } from "../../../schema/time/Samples.ts"
import { SeededRandom } from "./SeededRandom.ts"

export const drumNames = [
  "kick",
  "snare",
  "clap",
  "rim",
  "hat",
  "open",
  "ride",
  "shaker",
  "tom",
  "crash",
  "brush"
] as const
export type DrumName = (typeof drumNames)[number]

/** Where each drum stands, −1 left to 1 right. */
export const drumPans: Readonly<Record<DrumName, number>> = {
  kick: 0,
  snare: 0.05,
  clap: -0.08,
  rim: 0.3,
  hat: 0.28,
  open: 0.28,
  ride: -0.4,
  shaker: -0.35,
  tom: -0.2,
  crash: 0.35,
  brush: 0.1
}

interface Kit {
  readonly kickHz: number
  readonly kickDropOctaves: number
  readonly kickSec: number
  readonly click: number
  readonly snareHz: number
  readonly snareSec: number
  readonly snareTone: number
  readonly hatSec: number
  /** Above this nothing is left: old samplers, tape. */
  readonly topHz: number
}

const kits = {
  club: {
    kickHz: 48,
    kickDropOctaves: 2.4,
    kickSec: 0.32,
    click: 0.35,
    snareHz: 190,
    snareSec: 0.17,
    snareTone: 0.35,
    hatSec: 0.05,
    topHz: 17_000
  },
  breaks: {
    kickHz: 58,
    kickDropOctaves: 1.8,
    kickSec: 0.18,
    click: 0.5,
    snareHz: 215,
    snareSec: 0.2,
    snareTone: 0.5,
    hatSec: 0.06,
    topHz: 14_000
  },
  dusty: {
    kickHz: 55,
    kickDropOctaves: 1.4,
    kickSec: 0.24,
    click: 0.15,
    snareHz: 180,
    snareSec: 0.19,
    snareTone: 0.45,
    hatSec: 0.045,
    topHz: 5_500
  },
  machine: {
    kickHz: 50,
    kickDropOctaves: 2,
    kickSec: 0.26,
    click: 0.3,
    snareHz: 175,
    snareSec: 0.38,
    snareTone: 0.3,
    hatSec: 0.06,
    topHz: 16_000
  },
  acoustic: {
    kickHz: 62,
    kickDropOctaves: 1,
    kickSec: 0.2,
    click: 0.2,
    snareHz: 200,
    snareSec: 0.16,
    snareTone: 0.4,
    hatSec: 0.07,
    topHz: 13_000
  },
  dub: {
    kickHz: 46,
    kickDropOctaves: 1.3,
    kickSec: 0.28,
    click: 0.1,
    snareHz: 230,
    snareSec: 0.14,
    snareTone: 0.55,
    hatSec: 0.04,
    topHz: 8_000
  },
  orchestral: {
    kickHz: 44,
    kickDropOctaves: 0.5,
    kickSec: 0.9,
    click: 0.05,
    snareHz: 170,
    snareSec: 0.3,
    snareTone: 0.2,
    hatSec: 0.1,
    topHz: 10_000
  }
} satisfies Record<string, Kit>

export type KitName = keyof typeof kits

const tau = 2 * Math.PI

/** Fills a stroke from the sample's age in seconds and a fresh random number. */
const stroke = (lengthSec: number, dice: SeededRandom, at: (sec: number, noise: number) => number): Float32Array => {
  const samples = new Float32Array(Math.ceil(lengthSec * sampleRateHz))
  for (let i = 0; i < samples.length; i++) samples[i] = at(i / sampleRateHz, dice.drawUnit() * 2 - 1)
  // The last milliseconds close the stroke, so that it ends in nothing.
  for (let i = 0; i < 240 && i < samples.length; i++)
    samples[samples.length - 1 - i] = (samples[samples.length - 1 - i]! * i) / 240
  return samples
}

const filter = (samples: Float32Array, kind: "low" | "high" | "band", hz: number, resonance = 0): Float32Array => {
  const g = Math.tan((Math.PI * Math.min(hz, 20_000)) / sampleRateHz)
  const k = 1.6 - 1.4 * resonance
  const a1 = 1 / (1 + g * (g + k))
  let s1 = 0
  let s2 = 0
  for (let i = 0; i < samples.length; i++) {
    const x = samples[i]!
    const v3 = x - s2
    const v1 = a1 * s1 + g * a1 * v3
    const v2 = s2 + g * v1
    s1 = 2 * v1 - s1
    s2 = 2 * v2 - s2
    samples[i] = kind === "low" ? v2 : kind === "band" ? k * v1 : x - k * v1 - v2
  }
  return samples
}

const scale = (samples: Float32Array, peak: number): Float32Array => {
  let top = 1e-6
  for (const sample of samples) top = Math.max(top, Math.abs(sample))
  return samples.map((sample) => (sample * peak) / top)
}

/** Six squares out of tune with each other: the sound of metal in every drum machine. */
const metalAt = (sec: number): number =>
  [205.3, 304.4, 369.6, 522.7, 540, 800].reduce((sum, hz) => sum + Math.sign(Math.sin(tau * hz * 2.7 * sec)), 0) / 6

/** Renders each drum of a kit once per take; two takes keep repeated strokes from sounding stamped. */
export const strokesOf = (name: KitName, seed: number): Readonly<Record<DrumName, ReadonlyArray<Float32Array>>> => {
  const kit: Kit = kits[name]
  const take = (which: number): Readonly<Record<DrumName, Float32Array>> => {
    const dice = new SeededRandom(seed + which * 7919).branch(name)
    const vary = 1 + which * 0.02
    const sweep = (hz: number, drop: number, dropSec: number) => {
      let phase = 0
      return (sec: number) => {
        phase += (hz * vary * 2 ** (drop * Math.exp(-sec / dropSec))) / sampleRateHz
        return Math.sin(tau * phase)
      }
    }
    const kickTone = sweep(kit.kickHz, kit.kickDropOctaves, 0.028)
    const snareTone = sweep(kit.snareHz, 0.6, 0.02)
    const tomTone = sweep(95, 0.7, 0.06)
    const rimTone = sweep(820, 0.3, 0.01)
    const sound = {
      kick: scale(
        stroke(
          kit.kickSec * 2.2,
          dice,
          (sec, noise) =>
            kickTone(sec) * Math.exp((-sec * 2.3) / kit.kickSec) + kit.click * noise * Math.exp(-sec * 400)
        ),
        0.9
      ),
      snare: scale(
        filter(
          stroke(
            kit.snareSec * 2.2,
            dice,
            (sec, noise) =>
              kit.snareTone * snareTone(sec) * Math.exp(-sec * 16) +
              (1 - kit.snareTone) * noise * Math.exp((-sec * 2.6) / kit.snareSec)
          ),
          "high",
          130
        ),
        0.75
      ),
      clap: scale(
        filter(
          stroke(
            0.28,
            dice,
            (sec, noise) => noise * (sec < 0.03 ? Math.exp(-(sec % 0.01) * 220) : Math.exp(-(sec - 0.03) * 22) * 0.8)
          ),
          "band",
          1350,
          0.3
        ),
        0.7
      ),
      rim: scale(
        filter(
          stroke(0.06, dice, (sec, noise) => rimTone(sec) * Math.exp(-sec * 110) + 0.3 * noise * Math.exp(-sec * 300)),
          "high",
          350
        ),
        0.55
      ),
      hat: scale(
        filter(
          stroke(
            kit.hatSec * 3,
            dice,
            (sec, noise) => (0.6 * noise + 0.4 * metalAt(sec)) * Math.exp((-sec * 2) / kit.hatSec)
          ),
          "high",
          7000
        ),
        0.4
      ),
      open: scale(
        filter(
          stroke(0.42, dice, (sec, noise) => (0.6 * noise + 0.4 * metalAt(sec)) * Math.exp(-sec * 8)),
          "high",
          6500
        ),
        0.4
      ),
      ride: scale(
        filter(
          stroke(
            0.9,
            dice,
            (sec, noise) =>
              (0.25 * noise + 0.75 * metalAt(sec * 1.3)) * (0.7 * Math.exp(-sec * 4) + 0.3 * Math.exp(-sec * 40))
          ),
          "high",
          5200
        ),
        0.3
      ),
      shaker: scale(
        filter(
          stroke(0.09, dice, (sec, noise) => noise * Math.min(1, sec / 0.02) * Math.exp(-sec * 35)),
          "band",
          6500,
          0.2
        ),
        0.3
      ),
      tom: scale(
        stroke(0.5, dice, (sec, noise) => tomTone(sec) * Math.exp(-sec * 7) + 0.05 * noise * Math.exp(-sec * 90)),
        0.7
      ),
      crash: scale(
        filter(
          stroke(1.9, dice, (sec, noise) => (0.7 * noise + 0.3 * metalAt(sec * 0.9)) * Math.exp(-sec * 2.2)),
          "high",
          3500
        ),
        0.45
      ),
      brush: scale(
        filter(
          stroke(0.3, dice, (sec, noise) => noise * Math.min(1, sec / 0.05) * Math.exp(-sec * 13)),
          "band",
          3200,
          0.1
        ),
        0.3
      )
    }
    if (kit.topHz < 15_000) for (const drum of drumNames) filter(sound[drum], "low", kit.topHz)
    return sound
  }
  const takes = [take(0), take(1)]
  return Object.fromEntries(
    drumNames.map((drum) => [drum, takes.map((sounds) => sounds[drum])])
  ) as unknown as Readonly<Record<DrumName, ReadonlyArray<Float32Array>>>
}
