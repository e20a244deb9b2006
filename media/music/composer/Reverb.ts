import { sampleRateHz } from "../../../schema/time/Samples.ts"
import type { Echo, Room } from "./Score.ts"

/** Primes, so that no two lines ever agree. */
const lineSamples = [1531, 1733, 1999, 2287, 2617, 2969, 3259, 3571] as const
const predelaySamples = 720

/** A room: eight delays that feed each other through a Householder mirror, darker at each turn. */
export class Reverb {
  private readonly lines = lineSamples.map((samples) => new Float32Array(samples))
  private readonly places = new Int32Array(8)
  private readonly dark = new Float64Array(8)
  private readonly loss: Float64Array
  private readonly keep: number
  private readonly pre = new Float32Array(predelaySamples * 2)
  private prePlace = 0

  constructor(room: Room) {
    this.loss = Float64Array.from(lineSamples, (samples) => 10 ** ((-3 * samples) / (room.decaySec * sampleRateHz)))
    this.keep = 1 - 0.75 * room.damping
  }

  /** Reads the send, adds the room to the output. */
  add(sendLeft: Float32Array, sendRight: Float32Array, left: Float32Array, right: Float32Array, count: number): void {
    const { lines, places, dark, loss, keep, pre } = this
    for (let i = 0; i < count; i++) {
      const inLeft = pre[this.prePlace]!
      const inRight = pre[this.prePlace + 1]!
      pre[this.prePlace] = sendLeft[i]!
      pre[this.prePlace + 1] = sendRight[i]!
      this.prePlace = this.prePlace + 2 === pre.length ? 0 : this.prePlace + 2
      let sum = 0
      for (let n = 0; n < 8; n++) {
        const out = lines[n]![places[n]!]!
        dark[n] = dark[n]! + keep * (out * loss[n]! - dark[n]!)
        sum += dark[n]!
      }
      const mirror = sum * 0.25
      for (let n = 0; n < 8; n++) {
        const place = places[n]!
        const line = lines[n]!
        line[place] = dark[n]! - mirror + ((n & 1) === 0 ? inLeft : inRight)
        places[n] = place + 1 === line.length ? 0 : place + 1
      }
      left[i] = left[i]! + (dark[0]! - dark[2]! + dark[4]! - dark[6]!) * 0.5
      right[i] = right[i]! + (dark[1]! - dark[3]! + dark[5]! - dark[7]!) * 0.5
    }
  }
}

/** Repeats that go from side to side, each softer and duller than the last. */
export class PingPong {
  private readonly first: Float32Array
  private readonly second: Float32Array
  private readonly feedback: number
  private place = 0
  private dull = 0

  constructor(echo: Echo) {
    const samples = Math.max(1, Math.round(echo.delaySamples))
    this.first = new Float32Array(samples)
    this.second = new Float32Array(samples)
    this.feedback = echo.feedback
  }

  add(sendLeft: Float32Array, sendRight: Float32Array, left: Float32Array, right: Float32Array, count: number): void {
    const { first, second, feedback } = this
    for (let i = 0; i < count; i++) {
      const one = first[this.place]!
      const two = second[this.place]!
      this.dull += 0.35 * (two - this.dull)
      first[this.place] = (sendLeft[i]! + sendRight[i]!) * 0.5 + this.dull * feedback
      second[this.place] = one
      this.place = this.place + 1 === first.length ? 0 : this.place + 1
      left[i] = left[i]! + one
      right[i] = right[i]! + two
    }
  }
}
