import type { SeededRandom } from "./SeededRandom.ts"
import { voiceChord } from "./Harmony.ts"
import type { Harmony } from "./Harmony.ts"
import type { Metre } from "./Metre.ts"
import type { Note } from "./Voice.ts"
import type { Comp, Steps } from "./Style.ts"

/** A bar as the accompanist sees it. */
export interface Bar {
  readonly bar: number
  readonly harmony: Harmony
  /** For how many bars from here this harmony stays, within the section. */
  readonly stays: number
  /** The first bar of this harmony, or of its section. */
  readonly fresh: boolean
  readonly bright: number
  /** Who plays almost alone plays up. */
  readonly gain: number
}

/** One accompanying part: it voices harmonies from where its hand was, and plays them in its manner. */
export class Accompanist {
  readonly notes: Array<Note> = []
  private readonly comp: Comp
  private readonly metre: Metre
  private readonly chance: SeededRandom
  private hand: ReadonlyArray<number> | null = null
  private turn = 0

  constructor(comp: Comp, metre: Metre, chance: SeededRandom) {
    this.comp = comp
    this.metre = metre
    this.chance = chance
  }

  private nextVoicing(harmony: Harmony): ReadonlyArray<number> {
    const [low, high] = this.comp.compass
    this.hand = voiceChord(harmony, this.hand, low, high, this.comp.voices)
    return this.hand
  }

  private sound(bar: number, step: number, steps: number, pitch: number, level: number, bright: number): void {
    const at = this.metre.playedSample(bar, step)
    this.notes.push({
      at,
      length: Math.max(600, this.metre.samples(steps)),
      pitch,
      level: level * this.chance.drawBetween(0.9, 1),
      bright
    })
  }

  play(pattern: Steps, { bar, harmony, stays, fresh, bright, gain }: Bar): void {
    const { comp, metre } = this
    const sustained = comp.lastsSteps >= metre.stepsPerBar - 2
    if (sustained && !fresh) return
    const hand = this.nextVoicing(harmony)
    const lasts = sustained ? stays * metre.stepsPerBar + comp.lastsSteps - metre.stepsPerBar : comp.lastsSteps
    if (fresh) this.turn = 0
    ;[...pattern].forEach((mark, step) => {
      const level = (Number(mark) / 9) * gain
      if (!(level > 0)) return
      if (comp.manner === "hold") {
        // A chord is never struck by all fingers at once.
        hand.forEach((pitch, finger) =>
          this.sound(bar, step + finger * 0.02, lasts, pitch, (level / Math.sqrt(hand.length)) * 1.4, bright)
        )
      } else if (comp.manner === "roll") {
        hand.forEach((pitch, finger) => this.sound(bar, step + finger * 0.35, lasts, pitch, level, bright))
      } else {
        const ladder = comp.manner === "pick" ? hand : [...hand, hand[0]! + 12]
        const round = ladder.length * 2 - 2
        const at = this.turn % round
        const rung = at < ladder.length ? at : round - at
        const thumb = comp.manner === "pick" && step % 8 === 0
        this.sound(bar, step, lasts, thumb ? hand[0]! - 12 : ladder[rung]!, level, bright)
        this.turn++
      }
    })
  }

  /** The last chord of all, held until it has rung out. */
  close(bar: number, harmony: Harmony, steps: number, bright: number): void {
    this.nextVoicing(harmony).forEach((pitch, finger) =>
      this.sound(
        bar,
        finger * (this.comp.manner === "hold" ? 0.03 : 0.4),
        steps,
        pitch,
        (0.55 / Math.sqrt(this.comp.voices)) * 1.3,
        bright
      )
    )
  }
}
