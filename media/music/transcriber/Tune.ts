import { lowestPitch, pitchesCount } from "./Pitches.ts"

/** A note of the tune, in sixteenths from the first bar. */
export interface TuneNote {
  readonly at: number
  readonly steps: number
  readonly pitch: number
  /** 0 to 1. */
  readonly level: number
}

const [lowest, highest] = [55, 88]
const candidates = highest - lowest + 1
/** Overtones, in semitones above the tone, with their weights. */
const overtones = [
  [0, 1],
  [12, 0.6],
  [19, 0.4],
  [24, 0.25]
] as const

/** How much each pitch stands out in a sixteenth, with its overtones; an octave below it nothing should sound as loud. */
const salienceOf = (pitches: Float32Array): Float32Array =>
  Float32Array.from({ length: candidates }, (_, index) => {
    const key = lowest + index - lowestPitch
    const here = pitches[key]!
    if (here === 0) return 0
    let sum = 0
    for (const [above, weight] of overtones) {
      const at = key + above
      if (at < pitchesCount) sum += weight * Math.min(pitches[at]!, here * 1.5)
    }
    const below = pitches[key - 12] ?? 0
    // The tune is most often on top.
    return (here + 0.5 * sum) * (1 + index * 0.012) * (below > here * 1.2 ? 0.7 : 1)
  })

const quantile = (values: ReadonlyArray<number>, share: number): number =>
  [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? 0

/** The most salient line through the sixteenths, with leaps made dear; rests where it does not stand out. */
export const tuneOf = (steps: ReadonlyArray<Float32Array>, begins: ReadonlyArray<number>): ReadonlyArray<TuneNote> => {
  if (steps.length === 0) return []
  const saliences = steps.map(salienceOf)
  const usual = Math.max(
    1e-9,
    quantile(
      saliences.map((salience) => Math.max(...salience)),
      0.6
    )
  )
  let scores = Float64Array.from({ length: candidates }, () => 0)
  const links: Array<Int16Array> = []
  for (const salience of saliences) {
    const from = new Int16Array(candidates)
    const next = new Float64Array(candidates)
    for (let to = 0; to < candidates; to++) {
      let best = -Infinity
      for (let at = 0; at < candidates; at++) {
        const leap = Math.abs(at - to)
        const score = scores[at]! - (leap === 0 ? 0 : 0.1 + 0.035 * leap)
        if (score > best) [best, from[to]] = [score, at]
      }
      next[to] = best + Math.min(2, salience[to]! / usual)
    }
    links.push(from)
    scores = next
  }
  let at = scores.indexOf(Math.max(...scores))
  const line: Array<number> = []
  for (let step = steps.length - 1; step >= 0; step--) {
    line.unshift(at)
    at = links[step]![at]!
  }
  const notes: Array<TuneNote> = []
  line.forEach((index, step) => {
    const level = saliences[step]![index]! / usual
    if (level < 0.5) return
    const pitch = lowest + index
    const last = notes.at(-1)
    const goesOn = last !== undefined && last.pitch === pitch && last.at + last.steps === step
    // A tone that is struck again is a new note.
    if (goesOn && begins[step]! < 1.2) notes[notes.length - 1] = { ...last, steps: last.steps + 1 }
    else notes.push({ at: step, steps: 1, pitch, level: Math.min(1, 0.6 + 0.25 * level) })
  })
  // A single sixteenth that is barely there is a ghost of the accompaniment.
  return notes.filter(({ level, steps: length }) => length > 1 || level > 0.82)
}
