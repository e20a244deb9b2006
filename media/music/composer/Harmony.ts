import { Chord, Note, Progression, Scale } from "tonal"
import type { SeededRandom } from "./SeededRandom.ts"

/** One harmony as everyone in the band sees it: what to voice, what to stand on, what to sing. */
export interface Harmony {
  readonly name: string
  readonly root: number
  readonly tones: ReadonlyArray<number>
  readonly scale: ReadonlyArray<number>
}

export interface Key {
  readonly tonic: string
  readonly family: "major" | "minor"
  readonly scale: string
}

export const tonics = ["C", "Db", "D", "Eb", "E", "F", "F#", "G", "Ab", "A", "Bb", "B"] as const

/** Pitch class of a note, 0 for C. */
export const chroma = (note: string): number => Note.chroma(note) ?? 0

/** The tones of a scale, as pitch classes. */
export const scaleOf = (tonic: string, scaleName: string): ReadonlyArray<number> =>
  Scale.get(`${tonic} ${scaleName}`).notes.map(chroma)

/** Where a chord borrows a tone from elsewhere, the scale bends to it: E in a C7 of F minor, not Eb. */
export const bendScale = (scale: ReadonlyArray<number>, tones: ReadonlyArray<number>): ReadonlyArray<number> => {
  const foreign = tones.filter((tone) => !scale.includes(tone))
  const kept = scale.filter(
    (step) =>
      tones.includes(step) || !foreign.some((tone) => (tone - step + 12) % 12 === 1 || (step - tone + 12) % 12 === 1)
  )
  return [...new Set([...kept, ...foreign])].sort((a, b) => a - b)
}

/** Roman numerals in a key become harmonies; "V7b9" in F is C7b9. */
export const harmoniesOf = (
  tonic: string,
  scaleName: string,
  numerals: ReadonlyArray<string>
): ReadonlyArray<Harmony> => {
  const scale = scaleOf(tonic, scaleName)
  return Progression.fromRomanNumerals(tonic, [...numerals]).map((name) => {
    const chord = Chord.get(name)
    if (chord.empty) throw new Error(`There is no chord ${name}.`)
    const tones = chord.notes.map(chroma)
    return { name, root: tones[0]!, tones, scale: bendScale(scale, tones) }
  })
}

/** The lowest pitch of this class at or above a floor. */
export const pitchAbove = (pitchClass: number, floor: number): number =>
  floor + ((((pitchClass - floor) % 12) + 12) % 12)

export const nearestPitch = (pitchClass: number, to: number): number => {
  const up = pitchAbove(pitchClass, to)
  return up - to <= 6 ? up : up - 12
}

const distance = (from: ReadonlyArray<number>, to: ReadonlyArray<number>): number =>
  to.reduce((sum, pitch) => sum + Math.min(...from.map((other) => Math.abs(other - pitch))), 0) +
  from.reduce((sum, pitch) => sum + Math.min(...to.map((other) => Math.abs(other - pitch))), 0)

/**
 * Voices follow each other by the shortest way: of all positions of a chord within the compass, the one whose voices
 * move least from the last. Five-note chords leave the root to the bass.
 */
export const voiceChord = (
  harmony: Harmony,
  before: ReadonlyArray<number> | null,
  low: number,
  high: number,
  size: number
): ReadonlyArray<number> => {
  const wanted = harmony.tones.length > size ? harmony.tones.slice(harmony.tones.length - size) : harmony.tones
  const middle = (low + high) / 2
  let best: ReadonlyArray<number> = []
  let cost = Infinity
  for (let turn = 0; turn < wanted.length; turn++) {
    const order = [...wanted.slice(turn), ...wanted.slice(0, turn)]
    for (let floor = low; floor < low + 12; floor += 12) {
      const close: Array<number> = []
      for (const tone of order) close.push(pitchAbove(tone, (close.at(-1) ?? floor - 1) + 1))
      // Opened by lifting the second voice an octave: wider, and softer where tones lie side by side.
      const open = close.length < 4 ? close : [close[0]!, ...close.slice(2), close[1]! + 12]
      for (const position of [close, open]) {
        const over = Math.max(0, Math.max(...position) - high) * 4
        const centre = Math.abs(position.reduce((sum, pitch) => sum + pitch, 0) / position.length - middle)
        const total = over + centre * 0.5 + (before === null ? 0 : distance(before, position))
        if (total < cost) [best, cost] = [position, total]
      }
    }
  }
  return best
}

/** The pitch `steps` scale steps away from the scale tone nearest to `from`. */
export const climb = (harmony: Harmony, from: number, steps: number): number => {
  let pitch = from
  while (!harmony.scale.includes(((pitch % 12) + 12) % 12)) pitch++
  for (let left = Math.abs(steps); left > 0; left--) {
    do pitch += Math.sign(steps)
    while (!harmony.scale.includes(((pitch % 12) + 12) % 12))
  }
  return pitch
}

/** The chord tone nearest to a pitch; the fifth and third rather than colours. */
export const settle = (harmony: Harmony, pitch: number): number =>
  harmony.tones
    .slice(0, 4)
    .map((tone) => nearestPitch(tone, pitch))
    .reduce((best, tone) => (Math.abs(tone - pitch) < Math.abs(best - pitch) ? tone : best))

/** A period of eight bars from a turn of harmonies: repeated, with one turn sometimes ending otherwise. */
export const period = (
  turn: ReadonlyArray<Harmony>,
  bars: number,
  barsPerChord: number,
  chance: SeededRandom,
  ending: Harmony
): ReadonlyArray<Harmony> => {
  const all = Array.from({ length: bars }, (_, bar) => turn[Math.floor(bar / barsPerChord) % turn.length]!)
  return bars >= 8 && chance.isUnder(0.3) ? [...all.slice(0, -1), ending] : all
}
