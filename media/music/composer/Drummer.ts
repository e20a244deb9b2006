import type { SeededRandom } from "./SeededRandom.ts"
import { drumNames } from "./DrumKit.ts"
import type { DrumName } from "./DrumKit.ts"
import type { Metre } from "./Metre.ts"
import type { Stroke } from "./Score.ts"
import type { Groove } from "./Style.ts"

/** Fills for the last beat of a section, or the last two. */
const fills: ReadonlyArray<Groove> = [
  { snare: "............6.78" },
  { tom: "..........6.6778", snare: "........6.5....." },
  { snare: "............7779" },
  { tom: "............7.67", kick: "............8..." },
  { snare: "..........5.6.78", open: "........7......." }
]

/** The drummer: a groove for the soft parts and one for the full ones, fills where a section ends. */
export class Drummer {
  readonly strokes: Array<Stroke> = []
  private readonly metre: Metre
  private readonly chance: SeededRandom
  private readonly soft: Groove
  private readonly full: ReadonlyArray<Groove>
  private readonly fills: boolean

  constructor(
    grooves: { readonly soft: ReadonlyArray<Groove>; readonly full: ReadonlyArray<Groove> },
    filling: boolean,
    metre: Metre,
    chance: SeededRandom
  ) {
    this.metre = metre
    this.chance = chance
    this.soft = chance.pick(grooves.soft)
    const first = chance.drawBelow(grooves.full.length)
    this.full = grooves.full.map((_, index) => grooves.full[(first + index) % grooves.full.length]!)
    this.fills = filling
  }

  strike(bar: number, step: number, drum: DrumName, level: number): void {
    // The foot keeps time more strictly than the hands.
    const at = drum === "kick" ? Math.round(this.metre.exactSample(bar, step)) : this.metre.playedSample(bar, step)
    this.strokes.push({ at, drum, level: level * this.chance.drawBetween(0.88, 1) })
  }

  private bar(groove: Groove, bar: number, fromStep: number, toStep: number, gain: number): void {
    for (const drum of drumNames) {
      const steps = groove[drum]
      if (steps === undefined) continue
      for (let step = fromStep; step < toStep; step++) {
        const level = Number(steps[step]) / 9
        // Soft strokes come and go; strong ones are the groove.
        if (level > 0 && (level > 0.45 || this.chance.isUnder(0.85))) this.strike(bar, step, drum, level * gain)
      }
    }
  }

  play(bar: number, energy: number, which: number, late: boolean, last: boolean): void {
    const end = this.metre.stepsPerBar
    if (energy < 2) {
      // Where the rest holds its breath, the cymbal alone comes back first.
      const { hat, ride } = this.soft
      if (energy === 1 && late)
        this.bar({ ...(hat === undefined ? {} : { hat }), ...(ride === undefined ? {} : { ride }) }, bar, 0, end, 0.5)
      return
    }
    const groove = energy === 2 ? this.soft : this.full[which % this.full.length]!
    const fill = last && this.fills && energy >= 2 && end === 16 ? this.chance.pick(fills) : null
    const cut = fill === null ? end : 12
    this.bar(groove, bar, 0, cut, energy >= 4 ? 1 : 0.92)
    if (fill !== null) this.bar(fill, bar, 8, end, 0.85)
  }
}
