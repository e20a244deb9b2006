import { sampleRateHz } from "../../../schema/time/Samples.ts"
import { hertz } from "./Voice.ts"
import type { Note, Voice } from "./Voice.ts"

/** A string that is plucked: a burst of noise goes round a loop as long as one swing, losing its edge each time. */
export interface PluckedPatch {
  readonly kind: "plucked"
  /** Seconds to fade by 60 dB at middle C. */
  readonly fadeSec: number
  /** 0 thumb and felt, 1 plectrum and steel. */
  readonly edge: number
  /** Where along the string: takes away the overtones that have a node there. */
  readonly at: number
  readonly releaseSec: number
  readonly body: number
  readonly level: number
}

export class PluckedVoice implements Voice {
  private readonly patch: PluckedPatch
  private readonly note: Note
  private readonly loop: Float32Array
  private readonly loss: number
  private readonly keep: number
  private readonly tuning: number
  private place = 0
  private dull = 0
  private allpassIn = 0
  private allpassOut = 0
  private bodyLow = 0
  private age = 0
  private gain = 1
  private readonly endSamples: number

  constructor(patch: PluckedPatch, note: Note, dice: number) {
    this.patch = patch
    this.note = note
    const hz = hertz(note.pitch)
    this.keep = 0.25 + 0.7 * patch.edge * (0.5 + 0.5 * note.bright)
    // The loop filter delays by its own phase; what is left over below one sample is an allpass.
    const turn = (2 * Math.PI * hz) / sampleRateHz
    const filterDelay = Math.atan2((1 - this.keep) * Math.sin(turn), 1 - (1 - this.keep) * Math.cos(turn)) / turn
    const whole = sampleRateHz / hz - filterDelay
    const size = Math.max(2, Math.floor(whole - 0.3))
    const rest = whole - size
    this.tuning = (1 - rest) / (1 + rest)
    const fadeSec = patch.fadeSec * 2 ** ((60 - note.pitch) / 24)
    this.loss = 10 ** (-3 / (fadeSec * hz))
    this.loop = new Float32Array(size)
    let noise = dice | 0 || 1
    let soft = 0
    const burst = new Float32Array(size)
    for (let i = 0; i < size; i++) {
      noise ^= noise << 13
      noise ^= noise >>> 17
      noise ^= noise << 5
      soft += (0.2 + 0.8 * patch.edge * note.bright) * (noise / 0x8000_0000 - soft)
      burst[i] = soft
    }
    const node = Math.max(1, Math.floor(size * patch.at))
    let mean = 0
    for (let i = 0; i < size; i++) {
      this.loop[i] = burst[i]! - burst[(i + size - node) % size]!
      mean += this.loop[i]! / size
    }
    let peak = 1e-6
    for (let i = 0; i < size; i++) {
      this.loop[i] = this.loop[i]! - mean
      peak = Math.max(peak, Math.abs(this.loop[i]!))
    }
    for (let i = 0; i < size; i++) this.loop[i] = this.loop[i]! / peak
    this.endSamples = Math.min(fadeSec, 12) * sampleRateHz
  }

  add(left: Float32Array, right: Float32Array, from: number, to: number): boolean {
    const { patch, note, loop, keep, loss, tuning } = this
    const release = Math.exp(-1 / ((patch.releaseSec * sampleRateHz) / 4))
    const loud = note.level * patch.level
    const size = loop.length
    for (let i = from; i < to; i++) {
      if (this.age >= note.length) {
        this.gain *= release
        if (this.gain < 0.0004) return false
      }
      const out = loop[this.place]!
      this.dull += keep * (out - this.dull)
      const fed = this.dull * loss
      this.allpassOut = tuning * fed + this.allpassIn - tuning * this.allpassOut
      this.allpassIn = fed
      loop[this.place] = this.allpassOut
      this.place = this.place + 1 === size ? 0 : this.place + 1
      this.bodyLow += 0.06 * (out - this.bodyLow)
      const sound = (out + patch.body * this.bodyLow) * loud * this.gain
      left[i] = left[i]! + sound
      right[i] = right[i]! + sound
      this.age++
    }
    return this.age < this.endSamples
  }
}
