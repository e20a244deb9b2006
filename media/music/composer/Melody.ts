import type { SeededRandom } from "./SeededRandom.ts"
import { climb, settle } from "./Harmony.ts"
import type { Harmony } from "./Harmony.ts"
import type { Lead, Steps } from "./Style.ts"

/** A thought of one bar: when its notes begin, how long they last, and by how many scale steps each moves on. */
interface Motif {
  readonly notes: ReadonlyArray<{ readonly step: number; readonly steps: number; readonly move: number }>
}

export interface Sung {
  readonly bar: number
  readonly step: number
  readonly steps: number
  readonly pitch: number
  readonly accent: number
}

const rhythmOf = (steps: Steps): ReadonlyArray<{ readonly step: number; readonly steps: number }> =>
  [...steps].flatMap((mark, step) => {
    if (mark !== "x") return []
    let end = step + 1
    while (steps[end] === "-") end++
    return [{ step, steps: end - step }]
  })

const motifOf = (rhythm: Steps, leap: number, chance: SeededRandom): Motif => {
  let height = 0
  return {
    notes: rhythmOf(rhythm).map((note, index) => {
      if (index === 0) return { ...note, move: 0 }
      const size = chance.isUnder(leap * 0.5)
        ? 3 + chance.drawBelow(3)
        : chance.isUnder(0.25)
          ? 2
          : chance.isUnder(0.12)
            ? 0
            : 1
      // What has gone up wants to come down.
      const up = chance.drawUnit() < 0.5 - height * 0.12
      const move = up ? size : -size
      height += move
      return { ...note, move }
    })
  }
}

/** Splits long notes where the mood is busy, and leaves out passing ones where it is not. */
const dress = (motif: Motif, busy: number, chance: SeededRandom): Motif => ({
  notes: motif.notes.flatMap((note, index) => {
    if (busy > 1 && note.steps >= 4 && chance.isUnder((busy - 1) * 1.6)) {
      const half = Math.floor(note.steps / 2)
      return [
        { ...note, steps: half },
        { step: note.step + half, steps: note.steps - half, move: chance.isUnder(0.5) ? 1 : -1 }
      ]
    }
    return busy < 1 && index > 0 && note.steps <= 2 && chance.isUnder((1 - busy) * 1.5) ? [] : [note]
  })
})

/** The last bar of a phrase: fewer notes, and rest on a tone of the harmony. */
const closeMotif = (motif: Motif, stepsPerBar: number): Motif => {
  const kept = motif.notes.filter(({ step }) => step < stepsPerBar / 2).slice(0, 3)
  const last = kept.at(-1) ?? { step: 0, steps: 4, move: 0 }
  return { notes: [...kept.slice(0, -1), { ...last, steps: Math.max(4, Math.floor(stepsPerBar * 0.75) - last.step) }] }
}

/** A theme: two motifs that make a question and an answer, for as long as the piece lasts. */
export class Theme {
  private readonly lead: Lead
  private readonly stepsPerBar: number
  private readonly question: Motif
  private readonly turnaround: Motif
  private readonly centre: number

  constructor(lead: Lead, stepsPerBar: number, lift: number, busy: number, chance: SeededRandom) {
    this.lead = lead
    this.stepsPerBar = stepsPerBar
    const first = chance.pick(lead.rhythms)
    const others = lead.rhythms.filter((rhythm) => rhythm !== first)
    this.question = dress(motifOf(first, lead.leap, chance), busy, chance)
    this.turnaround = dress(
      motifOf(chance.pick(others.length > 0 ? others : lead.rhythms), lead.leap, chance),
      busy,
      chance
    )
    const [low, high] = lead.compass
    this.centre = low + (high - low) * (0.38 + lift * 0.24)
  }

  /**
   * Four bars are said, repeated with a change, and closed: motif, other, motif, rest. The second time the close falls to
   * the root; later rounds move a note or two, so that a repeat is heard as one.
   */
  sing(harmonies: ReadonlyArray<Harmony>, fromBar: number, sparse: boolean, chance: SeededRandom): ReadonlyArray<Sung> {
    const sung: Array<Sung> = []
    const [low, high] = this.lead.compass
    let anchor = this.centre
    harmonies.forEach((harmony, bar) => {
      const place = bar % 4
      if (sparse && (place === 1 || place === 3) && harmonies.length > 2) return
      const last = place === 3 || bar === harmonies.length - 1
      const source = place === 1 ? this.turnaround : this.question
      const motif = last ? closeMotif(source, this.stepsPerBar) : source
      let pitch = settle(harmony, anchor)
      motif.notes.forEach((note, index) => {
        const varied =
          bar >= 4 && index > 0 && chance.isUnder(0.15) ? note.move + (chance.isUnder(0.5) ? 1 : -1) : note.move
        pitch = index === 0 ? pitch : climb(harmony, pitch, varied)
        if (pitch > high) pitch -= 12
        if (pitch < low) pitch += 12
        const strong = note.step % 4 === 0 || note.steps >= 4
        if (strong && (note.steps >= 3 || index === 0)) pitch = settle(harmony, pitch)
        if (last && bar % 8 === 7 && index === motif.notes.length - 1) {
          const root = settle({ ...harmony, tones: harmony.tones.slice(0, 1) }, pitch)
          if (root >= low - 3 && root <= high + 3) pitch = root
        }
        sung.push({
          bar: fromBar + bar,
          step: note.step,
          steps: note.steps,
          pitch,
          accent: note.step % 4 === 0 ? 1 : 0.82
        })
      })
      anchor = this.centre * 0.6 + pitch * 0.4
    })
    return sung
  }
}
