import type { Airable, RundownItem } from "../../../schema/air/Rundown.ts"
import { talkOverMaxMs } from "./limits.ts"
import { msToSamples } from "../../../schema/time/Samples.ts"

export const lengthOf = (airable: Airable): number => airable.cue.cueOut - airable.cue.cueIn
/** Samples from an item's start to the next one's earliest start: up to the segue for music, the full length for speech. */
export const stepOf = (airable: Airable): number =>
  airable.speech ? lengthOf(airable) : Math.min(lengthOf(airable), Math.max(1, airable.cue.segue - airable.cue.cueIn))
export const endOf = (item: RundownItem): number => item.startSample + lengthOf(item.airable)
/** Position in the rundown: the last item begun, and the sample from which no voice speaks. */
export interface Cursor {
  readonly atSample: number
  readonly previous: RundownItem | null
  readonly voiceFreeSample: number
  /** The first sample at which the mixer can still begin an item. Absent where a plan is only calculated. */
  readonly reachableSample?: number
}
/** The cursor after an item: music can be followed at its segue, speech at its end. */
export const cursorAfter = (cursor: Cursor, item: RundownItem): Cursor => ({
  ...cursor,
  atSample: item.startSample + stepOf(item.airable),
  previous: item,
  voiceFreeSample: item.airable.speech ? endOf(item) : cursor.voiceFreeSample
})
/** How many samples a voice continues over the intro of the next song. */
export const talkOver = (previous: RundownItem | null, next: Airable): number => {
  if (previous === null || !previous.airable.speech || next.speech || next.role !== "music") return 0
  const intro = Math.max(0, next.cue.introEnd - next.cue.cueIn)
  return Math.min(intro, msToSamples(talkOverMaxMs), Math.floor(lengthOf(previous.airable) / 2), lengthOf(next))
}
/** The earliest start of the next item: at the segue, over an intro as far as that allows, never over another voice. */
export const earliestStart = (cursor: Cursor, next: Airable): number => {
  const over = talkOver(cursor.previous, next)
  // Once a voice is nearly over, only so much of the intro as the mixer can still reach begins under it.
  const natural = Math.max(cursor.atSample - over, Math.min(cursor.atSample, cursor.reachableSample ?? -Infinity))
  const start = over > 0 ? natural : Math.max(natural, cursor.voiceFreeSample)
  return cursor.previous === null ? start : Math.max(start, cursor.previous.startSample + 1)
}
/** Faults in a sequence of items; empty if it may air. */
export const faultsIn = (items: ReadonlyArray<RundownItem>): ReadonlyArray<string> => {
  const faults: Array<string> = []
  let voiceUntil = Number.NEGATIVE_INFINITY
  items.forEach((item, i) => {
    const before = items[i - 1]
    if (before !== undefined && item.startSample <= before.startSample)
      faults.push(`${item.id} does not follow ${before.id}`)
    if (before !== undefined && item.startSample > Math.max(endOf(before), voiceUntil) + (item.pauseSamples ?? 0))
      faults.push(`hole before ${item.id}`)
    if (item.airable.speech) {
      if (item.startSample < voiceUntil) faults.push(`two voices at ${item.id}`)
      voiceUntil = Math.max(voiceUntil, endOf(item))
    }
  })
  return faults
}
