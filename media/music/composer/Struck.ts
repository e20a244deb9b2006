import { sampleRateHz } from "../../../schema/time/Samples.ts"
import { hertz } from "./Voice.ts"
import type { Note, Voice } from "./Voice.ts"

/** A struck body: partials that each ring and fade by themselves. Pianos, bells, vibraphones, electric pianos, organs. */
export interface StruckPatch {
  readonly kind: "struck"
  /** Ratio to the fundamental, level, seconds to fade by 60 dB. */
  readonly partials: ReadonlyArray<readonly [number, number, number]>
  /** Stiff strings: higher partials are sharp. */
  readonly stiffness: number
  readonly attackSec: number
  readonly releaseSec: number
  readonly spreadCents: number
  readonly tremoloHz: number
  readonly tremoloDepth: number
  readonly level: number
}

/** Each partial is a rotation of a point: two multiplications a step and no sine, twice for the two sides. */
export class StruckVoice implements Voice {
  private readonly patch: StruckPatch
  private readonly note: Note
  private readonly state: Float64Array
  private readonly count: number
  private age = 0
  private gain = 1
  private readonly endSamples: number

  constructor(patch: StruckPatch, note: Note, dice: number) {
    this.patch = patch
    this.note = note
    const base = hertz(note.pitch)
    const kept = patch.partials
      .map(([ratio, level, fadeSec]) => ({
        hz: base * ratio * Math.sqrt(1 + patch.stiffness * ratio * ratio),
        ratio,
        level,
        fadeSec
      }))
      .filter(({ hz }) => hz < 16_000)
    this.count = kept.length
    this.state = new Float64Array(this.count * 8)
    let longest = 0
    kept.forEach(({ hz, ratio, level, fadeSec }, at) => {
      // High strings are shorter, soft blows wake fewer overtones.
      const fade = fadeSec * 2 ** ((60 - note.pitch) / 24)
      longest = Math.max(longest, fade)
      const shrink = Math.exp(-6.9 / (fade * sampleRateHz))
      const spread = 2 ** (patch.spreadCents / 2400)
      const heard = level * Math.exp(-(ratio - 1) * (1 - note.bright) * 0.35)
      const start = ((dice >>> (at % 16)) % 628) / 100
      const turn = (cents: number) => (2 * Math.PI * hz * cents) / sampleRateHz
      this.state.set(
        [
          heard * Math.sin(start * 0.05),
          heard * Math.cos(start * 0.05),
          shrink * Math.cos(turn(1 / spread)),
          shrink * Math.sin(turn(1 / spread)),
          heard * Math.sin(start),
          heard * Math.cos(start),
          shrink * Math.cos(turn(spread)),
          shrink * Math.sin(turn(spread))
        ],
        at * 8
      )
      if (patch.spreadCents === 0) this.state.set(this.state.slice(at * 8, at * 8 + 4), at * 8 + 4)
    })
    this.endSamples = longest * sampleRateHz
  }

  add(left: Float32Array, right: Float32Array, from: number, to: number): boolean {
    const { patch, note, state, count } = this
    const attackSamples = Math.max(24, patch.attackSec * sampleRateHz)
    const release = Math.exp(-1 / ((patch.releaseSec * sampleRateHz) / 4))
    const loud = note.level * patch.level
    const turn = (2 * Math.PI * patch.tremoloHz) / sampleRateHz
    for (let i = from; i < to; i++) {
      if (this.age >= note.length) {
        this.gain *= release
        if (this.gain < 0.0004) return false
      }
      let sumLeft = 0
      let sumRight = 0
      for (let at = 0, end = count * 8; at < end; at += 8) {
        const sin = state[at]!
        const cos = state[at + 1]!
        const c = state[at + 2]!
        const s = state[at + 3]!
        state[at] = sin * c + cos * s
        state[at + 1] = cos * c - sin * s
        sumLeft += sin
        const sin2 = state[at + 4]!
        const cos2 = state[at + 5]!
        const c2 = state[at + 6]!
        const s2 = state[at + 7]!
        state[at + 4] = sin2 * c2 + cos2 * s2
        state[at + 5] = cos2 * c2 - sin2 * s2
        sumRight += sin2
      }
      let amplitude = loud * this.gain * (this.age < attackSamples ? this.age / attackSamples : 1)
      if (patch.tremoloDepth > 0) {
        const sway = patch.tremoloDepth * Math.sin(this.age * turn)
        left[i] = left[i]! + sumLeft * amplitude * (1 - sway)
        amplitude *= 1 + sway
      } else left[i] = left[i]! + sumLeft * amplitude
      right[i] = right[i]! + sumRight * amplitude
      this.age++
    }
    return this.age < this.endSamples
  }
}
