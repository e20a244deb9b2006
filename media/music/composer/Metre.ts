import { sampleRateHz } from "../../../schema/time/Samples.ts"
import type { SeededRandom } from "./SeededRandom.ts"
import type { Style } from "./Style.ts"

/** Where the sixteenths of a piece fall, swing and loose hands included. */
export class Metre {
  readonly stepsPerBar: number
  readonly stepSamples: number
  private readonly unit: number
  private readonly amount: number
  private readonly looseSamples: number
  private readonly chance: SeededRandom

  constructor(style: Style, barSec: number, chance: SeededRandom) {
    this.stepsPerBar = style.beatsPerBar * 4
    this.stepSamples = (barSec * sampleRateHz) / this.stepsPerBar
    this.unit = style.swing.unit
    this.amount = style.swing.amount
    this.looseSamples = (style.looseMs * sampleRateHz) / 1000
    this.chance = chance
  }

  /** The sample of a step: the first half of each pair is stretched, the second made up for it. */
  exactSample(bar: number, step: number): number {
    const pair = 2 * this.unit
    const inPair = ((step % pair) + pair) % pair
    const turn = this.unit * (1 + this.amount)
    const warped =
      inPair < this.unit ? (inPair / this.unit) * turn : turn + ((inPair - this.unit) / this.unit) * (pair - turn)
    return (bar * this.stepsPerBar + step - inPair + warped) * this.stepSamples
  }

  /** As a hand would strike it. */
  playedSample(bar: number, step: number): number {
    return Math.max(
      0,
      Math.round(
        this.exactSample(bar, step) + (this.chance.drawUnit() + this.chance.drawUnit() - 1) * this.looseSamples
      )
    )
  }

  samples(steps: number): number {
    return Math.round(steps * this.stepSamples)
  }
}
