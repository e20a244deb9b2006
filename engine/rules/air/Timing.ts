import type { Airable, RundownItem } from "../../../schema/air/Rundown.ts"
import { talkOverMaxMs } from "./limits.ts"
import { msToSamples } from "../../../schema/time/Samples.ts"

export const lengthOf = (airable: Airable): number => airable.cue.cueOut - airable.cue.cueIn
/** From its start to where the next may begin: its segue in music, all of it in speech. */
export const stepOf = (airable: Airable): number =>
  airable.speech ? lengthOf(airable) : Math.min(lengthOf(airable), Math.max(1, airable.cue.segue - airable.cue.cueIn))
export const endOf = (item: RundownItem): number => item.startSample + lengthOf(item.airable)
/** Where the programme stands: what was begun last, and from which sample on no voice is heard. */
export interface Cursor {
  readonly atSample: number
  readonly previous: RundownItem | null
  readonly voiceFreeSample: number
}
/** After an item the next may begin at its segue; a voice is waited for. */
export const cursorAfter = (cursor: Cursor, item: RundownItem): Cursor => ({
  atSample: item.startSample + stepOf(item.airable),
  previous: item,
  voiceFreeSample: item.airable.speech ? endOf(item) : cursor.voiceFreeSample
})
/** How far a voice goes on over the intro of the music behind it. */
export const talkOver = (previous: RundownItem | null, next: Airable): number => {
  if (previous === null || !previous.airable.speech || next.speech || next.role !== "music") return 0
  const intro = Math.max(0, next.cue.introEnd - next.cue.cueIn)
  return Math.min(intro, msToSamples(talkOverMaxMs), Math.floor(lengthOf(previous.airable) / 2), lengthOf(next))
}
/** The first sample at which it may begin: at the segue, over an intro as far as that carries, never while another voice speaks. */
export const earliestStart = (cursor: Cursor, next: Airable): number => {
  const over = talkOver(cursor.previous, next)
  const natural = cursor.atSample - over
  const start = over > 0 ? natural : Math.max(natural, cursor.voiceFreeSample)
  return cursor.previous === null ? start : Math.max(start, cursor.previous.startSample + 1)
}
/** What is wrong with a sequence: empty for every plan that may air. */
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
