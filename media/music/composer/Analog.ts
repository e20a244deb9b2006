import { sampleRateHz } from "../../../schema/time/Samples.ts"
import { hertz } from "./Voice.ts"
import type { Note, Voice } from "./Voice.ts"

/** An instrument of oscillators, one filter and two envelopes. */
export interface AnalogPatch {
  readonly kind: "analog"
  readonly wave: "saw" | "square" | "triangle" | "sine"
  /** Two oscillators tuned apart, one to each side; 0 is one in the middle. */
  readonly detuneCents: number
  readonly sub: number
  readonly noise: number
  readonly cutoffHz: number
  /** How far the filter follows the pitch: 0 not at all, 1 fully. */
  readonly tracking: number
  readonly sweepOctaves: number
  readonly sweepSec: number
  readonly resonance: number
  readonly attackSec: number
  readonly decaySec: number
  readonly sustain: number
  readonly releaseSec: number
  readonly vibratoHz: number
  readonly vibratoCents: number
  readonly level: number
}

/** Rounds the corner of a jump within one sample, so that it has no overtones above hearing that fold back. */
const corner = (phase: number, step: number): number => {
  if (phase < step) {
    const t = phase / step
    return t + t - t * t - 1
  }
  if (phase > 1 - step) {
    const t = (phase - 1) / step
    return t * t + t + t + 1
  }
  return 0
}

const oscillate = (wave: AnalogPatch["wave"], phase: number, step: number): number => {
  switch (wave) {
    case "saw":
      return 2 * phase - 1 - corner(phase, step)
    case "square": {
      const half = phase < 0.5 ? phase + 0.5 : phase - 0.5
      return (phase < 0.5 ? 1 : -1) + corner(phase, step) - corner(half, step)
    }
    case "triangle":
      return 1 - 4 * Math.abs(phase - 0.5)
    case "sine":
      return Math.sin(phase * 2 * Math.PI)
  }
}

/** The filter and the pitch move once in so many samples: fast enough to be smooth, slow enough to be cheap. */
const controlSamples = 16

export class AnalogVoice implements Voice {
  private readonly patch: AnalogPatch
  private readonly note: Note
  private readonly baseStep: number
  private readonly spread: number
  private age = 0
  private phaseLeft: number
  private phaseRight: number
  private phaseSub = 0
  private noise: number
  private gain = 0
  private released = -1
  private a1 = 0
  private a2 = 0
  private a3 = 0
  private left1 = 0
  private left2 = 0
  private right1 = 0
  private right2 = 0

  constructor(patch: AnalogPatch, note: Note, dice: number) {
    this.patch = patch
    this.note = note
    this.baseStep = hertz(note.pitch) / sampleRateHz
    this.spread = 2 ** (patch.detuneCents / 2400)
    this.noise = dice | 0 || 1
    this.phaseLeft = ((dice >>> 8) % 997) / 997
    this.phaseRight = patch.detuneCents === 0 ? this.phaseLeft : ((dice >>> 16) % 991) / 991
  }

  private tune(): void {
    const { cutoffHz, tracking, sweepOctaves, sweepSec, resonance } = this.patch
    const swept = sweepOctaves * Math.exp(-this.age / (sweepSec * sampleRateHz))
    const octaves = swept + (tracking * (this.note.pitch - 60)) / 12 + (this.note.bright - 0.5) * 3
    const cutoff = Math.min(18_000, Math.max(40, cutoffHz * 2 ** octaves))
    const g = Math.tan((Math.PI * cutoff) / sampleRateHz)
    const k = 2 - 1.9 * resonance
    this.a1 = 1 / (1 + g * (g + k))
    this.a2 = g * this.a1
    this.a3 = g * this.a2
  }

  add(left: Float32Array, right: Float32Array, from: number, to: number): boolean {
    const { patch, note } = this
    const stereo = patch.detuneCents !== 0
    const attack = 1 / Math.max(32, patch.attackSec * sampleRateHz)
    const decay = Math.exp(-1 / Math.max(1, patch.decaySec * sampleRateHz))
    const release = Math.exp(-1 / Math.max(1, (patch.releaseSec * sampleRateHz) / 4))
    const loud = note.level * patch.level
    const attackSamples = 1 / attack
    let stepLeft = 0
    let stepRight = 0
    let stepSub = 0
    for (let i = from; i < to; i++) {
      if (this.age % controlSamples === 0 || i === from) {
        this.tune()
        const bend =
          patch.vibratoCents === 0
            ? 1
            : 2 **
              ((patch.vibratoCents *
                Math.min(1, this.age / 12_000) *
                Math.sin((this.age * 2 * Math.PI * patch.vibratoHz) / sampleRateHz)) /
                1200)
        stepLeft = (this.baseStep * bend) / this.spread
        stepRight = this.baseStep * bend * this.spread
        stepSub = (this.baseStep * bend) / 2
      }
      if (this.age >= note.length && this.released < 0) this.released = this.gain
      if (this.released >= 0) {
        this.gain *= release
        if (this.gain < 0.0004) return false
      } else if (this.age < attackSamples) this.gain = this.age * attack
      else this.gain = patch.sustain + (this.gain - patch.sustain) * decay
      let x = oscillate(patch.wave, this.phaseLeft, stepLeft)
      this.phaseLeft += stepLeft
      if (this.phaseLeft >= 1) this.phaseLeft -= 1
      let extra = 0
      if (patch.sub > 0) {
        extra = patch.sub * Math.sin(this.phaseSub * 2 * Math.PI)
        this.phaseSub += stepSub
        if (this.phaseSub >= 1) this.phaseSub -= 1
      }
      if (patch.noise > 0) {
        this.noise ^= this.noise << 13
        this.noise ^= this.noise >>> 17
        this.noise ^= this.noise << 5
        extra += (patch.noise * this.noise) / 0x8000_0000
      }
      const amplitude = this.gain * loud
      const leftIn = x + extra - this.left2
      const left1 = this.a1 * this.left1 + this.a2 * leftIn
      const left2 = this.left2 + this.a2 * this.left1 + this.a3 * leftIn
      this.left1 = 2 * left1 - this.left1
      this.left2 = 2 * left2 - this.left2
      left[i] = left[i]! + left2 * amplitude
      if (stereo) {
        x = oscillate(patch.wave, this.phaseRight, stepRight)
        this.phaseRight += stepRight
        if (this.phaseRight >= 1) this.phaseRight -= 1
        const rightIn = x + extra - this.right2
        const right1 = this.a1 * this.right1 + this.a2 * rightIn
        const right2 = this.right2 + this.a2 * this.right1 + this.a3 * rightIn
        this.right1 = 2 * right1 - this.right1
        this.right2 = 2 * right2 - this.right2
        right[i] = right[i]! + right2 * amplitude
      } else right[i] = right[i]! + left2 * amplitude
      this.age++
    }
    return true
  }
}
