import type { Airable, Candidate } from "../../../schema/air/Rundown.ts"
import { backtimeHorizonMs, backtimeToleranceMs, musicHeardMinMs } from "./limits.ts"
import { msToSamples } from "../../../schema/time/Samples.ts"
import { type Cursor, earliestStart, endOf, lengthOf, stepOf } from "./ItemSequence.ts"

/**
 * The sample at which an item with a fixed start begins; null while a gap before it has to be filled. Music fades at that sample. A voice finishes
 * first and delays the start.
 */
export const findFixedStart = (cursor: Cursor, fixed: Airable, fixedSample: number): number | null => {
  const { previous } = cursor
  const earliest = earliestStart(cursor, fixed)
  if (earliest >= fixedSample) {
    if (previous === null || previous.airable.speech) return earliest
    return Math.max(fixedSample, cursor.voiceFreeSample, previous.startSample + 1)
  }
  // A voice that reaches the fixed start continues over as much of the intro.
  if (cursor.atSample >= fixedSample) return fixedSample
  // The current sound may continue past its segue to its end if it reaches the fixed start.
  if (
    previous !== null &&
    !previous.airable.speech &&
    endOf(previous) >= fixedSample &&
    fixedSample - earliest < msToSamples(musicHeardMinMs)
  )
    return fixedSample
  return null
}
/** Whether an already planned item may still begin this close to a fixed start. */
export const canStillBegin = (airable: Airable, cursor: Cursor, fixedSample: number): boolean =>
  airable.speech ||
  !Number.isFinite(fixedSample) ||
  fixedSample - earliestStart(cursor, airable) >= Math.min(stepOf(airable), msToSamples(musicHeardMinMs))
/**
 * The candidates that lead to the next fixed point: those that reach it within the tolerance alone or with one more, else those that leave room for
 * more, else all (they fade there). `softSample` is a preferred point without a guarantee.
 */
export const selectLanding = (
  candidates: ReadonlyArray<Candidate>,
  cursor: Cursor,
  fixedSample: number,
  softSample: number
): { readonly candidates: ReadonlyArray<Candidate>; readonly trace: ReadonlyArray<string> } => {
  const tolerance = msToSamples(backtimeToleranceMs)
  const gap = fixedSample - cursor.atSample
  if (gap > msToSamples(backtimeHorizonMs)) {
    const inTime = candidates.filter(({ airable }) => cursor.atSample + stepOf(airable) <= softSample)
    return inTime.length > 0 || candidates.length === 0
      ? { candidates: inTime, trace: [] }
      : { candidates, trace: ["relaxed: the next hour call will be late or left out"] }
  }
  if (gap < msToSamples(musicHeardMinMs)) return { candidates: [], trace: [] }
  const landsAt = (airable: Airable) => earliestStart(cursor, airable) + stepOf(airable)
  const exact = candidates.filter(({ airable }) => Math.abs(landsAt(airable) - fixedSample) <= tolerance)
  if (exact.length > 0) return { candidates: exact, trace: ["backtime: lands alone"] }
  const steps = candidates.map(({ airable }) => stepOf(airable)).sort((a, b) => a - b)
  const paired = candidates.filter(({ airable }) => {
    const rest = fixedSample - landsAt(airable)
    return steps.some((step) => Math.abs(step - rest) <= tolerance)
  })
  if (paired.length > 0) return { candidates: paired, trace: ["backtime: lands with one more"] }
  const roomy = candidates.filter(({ airable }) => gap - lengthOf(airable) >= msToSamples(musicHeardMinMs))
  if (roomy.length > 0) return { candidates: roomy, trace: ["backtime: leaves room"] }
  return { candidates, trace: ["backtime: fades at the fixed start"] }
}
