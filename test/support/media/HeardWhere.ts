import { rate } from "./MixerWorld.ts"

/** A known sound, and the frame of a recording at which its first frame would be heard. */
export interface Known {
  readonly name: string
  readonly from: number
  readonly sound: Float32Array
}

const windowFrames = 240
/**
 * Shares of a sound's own level: values between the two are the end of a fade, or the residue of other sounds while their level
 * changes.
 */
const silent = 0.0015,
  audible = 0.03

const dot = (a: Float32Array, b: Float32Array): number => {
  let sum = 0
  for (let frame = 0; frame < windowFrames; frame++) sum += a[frame]! * b[frame]!
  return sum
}

/** Solves a small system of linear equations, in place. */
const solve = (rows: ReadonlyArray<Float64Array>, size: number): ReadonlyArray<number> => {
  for (let at = 0; at < size; at++) {
    let best = at
    for (let row = at + 1; row < size; row++) if (Math.abs(rows[row]![at]!) > Math.abs(rows[best]![at]!)) best = row
    const pivot = rows[best]!
    for (let column = 0; column <= size; column++)
      [pivot[column], rows[at]![column]] = [rows[at]![column]!, pivot[column]!]
    const main = rows[at]!
    if (Math.abs(main[at]!) < 1e-12) continue
    for (let row = 0; row < size; row++) {
      if (row === at) continue
      const share = rows[row]![at]! / main[at]!
      for (let column = at; column <= size; column++) rows[row]![column]! -= share * main[column]!
    }
  }
  return Array.from({ length: size }, (_, at) =>
    Math.abs(rows[at]![at]!) < 1e-12 ? 0 : rows[at]![size]! / rows[at]![at]!
  )
}

/** Level of each known sound in every 5 ms of a recording (least squares over all that may sound there), and the residue without them. */
export const locateSounds = (recording: Float32Array, known: ReadonlyArray<Known>) => {
  const sounds = known.map(({ name }) => ({ name, gains: [] as Array<readonly [window: number, gain: number]> }))
  const rests: Array<number> = []
  for (let window = 0; (window + 1) * windowFrames <= recording.length; window++) {
    const from = window * windowFrames
    const heard = recording.subarray(from, from + windowFrames)
    const here = known.flatMap(({ from: begin, sound }, index) => {
      if (begin >= from + windowFrames || begin + sound.length <= from) return []
      const frames = new Float32Array(windowFrames)
      const skip = Math.max(0, begin - from)
      frames.set(sound.subarray(from + skip - begin, from + windowFrames - begin), skip)
      return [{ index, frames }]
    })
    const rows = here.map(({ frames }) =>
      Float64Array.from([...here.map((other) => dot(frames, other.frames)), dot(frames, heard)])
    )
    const gains = solve(rows, here.length)
    here.forEach(({ index }, i) => sounds[index]!.gains.push([window, Math.abs(gains[i]!)]))
    const rest = Float32Array.from(heard)
    here.forEach(({ frames }, i) => {
      for (let frame = 0; frame < windowFrames; frame++) rest[frame]! -= gains[i]! * frames[frame]!
    })
    rests.push(Math.sqrt(dot(rest, rest) / windowFrames))
  }
  return { sounds, windowSec: windowFrames / rate, silent, audible, rests }
}
