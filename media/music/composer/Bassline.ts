import type { SeededRandom } from "./SeededRandom.ts"
import { climb, nearestPitch, pitchAbove } from "./Harmony.ts"
import type { Harmony } from "./Harmony.ts"
import type { Bass, Steps } from "./Style.ts"

export interface Stood {
  readonly step: number
  readonly steps: number
  readonly pitch: number
  readonly accent: number
}

/** One bar of a written pattern over a harmony that leads to the next. */
const writeBar = (
  steps: Steps,
  floor: number,
  harmony: Harmony,
  next: Harmony,
  chance: SeededRandom
): ReadonlyArray<Stood> => {
  const root = pitchAbove(harmony.root, floor)
  const third = pitchAbove(harmony.tones[1] ?? harmony.root, root)
  const fifth = pitchAbove(harmony.tones[2] ?? harmony.root, root)
  const aim = nearestPitch(next.root, root)
  const pitches: Readonly<Record<string, number>> = {
    R: root,
    3: third,
    5: fifth > floor + 14 ? fifth - 12 : fifth,
    8: root + 12,
    a: chance.isUnder(0.6) ? climb(next, aim, -1) : aim + 1
  }
  return [...steps].flatMap((mark, step) => {
    const pitch = pitches[mark]
    if (pitch === undefined) return []
    let end = step + 1
    while (steps[end] === "-") end++
    return [
      { step, steps: Math.max(end - step, 0.9), pitch, accent: step % 8 === 0 ? 1 : step % 4 === 0 ? 0.92 : 0.84 }
    ]
  })
}

/** Crotchets from root to root: up or down through the chord, the last a step away from where it goes. */
const walkBar = (
  floor: number,
  from: number,
  beats: number,
  harmony: Harmony,
  next: Harmony,
  chance: SeededRandom
): ReadonlyArray<Stood> => {
  const root = nearestPitch(harmony.root, from)
  const start = root < floor ? root + 12 : root > floor + 16 ? root - 12 : root
  const aim = nearestPitch(next.root, start)
  const way = aim >= start ? 1 : -1
  const inner = Array.from({ length: beats - 2 }, (_, index) =>
    chance.isUnder(0.5)
      ? climb(harmony, start, way * (index + 1) * 2)
      : nearestPitch(harmony.tones[1 + ((index + chance.drawBelow(2)) % (harmony.tones.length - 1))]!, start + way * 3)
  )
  const approach = chance.isUnder(0.55) ? aim - way : climb(next, aim, -way)
  return [start, ...inner, approach].map((pitch, beat) => ({
    step: beat * 4,
    steps: 3.6,
    pitch: pitch < floor - 2 ? pitch + 12 : pitch,
    accent: beat % 2 === 0 ? 1 : 0.9
  }))
}

/** The bass of one bar. `from` is the last pitch that sounded. */
export const bassBar = (
  bass: Bass,
  pattern: Steps,
  from: number,
  beats: number,
  harmony: Harmony,
  next: Harmony,
  chance: SeededRandom
): ReadonlyArray<Stood> =>
  bass.steps === "walk"
    ? walkBar(bass.floor, from, beats, harmony, next, chance)
    : writeBar(pattern, bass.floor, harmony, next, chance)
