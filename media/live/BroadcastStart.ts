import {
  aacFrameSamples,
  catchUpMaxSec,
  mixLeadMs,
  partFrames,
  segmentFrames,
  startSegments
} from "../../engine/rules/air/limits.ts"
import { sampleRateHz } from "../../schema/time/Samples.ts"
import type { HlsVariant } from "../../engine/ports/Live.ts"
import { forgetDiscontinuities, readLastWindow } from "./JournalFiles.ts"
import { LiveWindow } from "./LiveWindow.ts"
import { partsPerSegment } from "../encode/PartPacker.ts"
import { msAt, StationClock, systemTime, type TimeSources } from "../clock/StationClock.ts"

export const variants = ["aac128", "aac64"] as const satisfies ReadonlyArray<HlsVariant>

/** Position at which the broadcast continues: a part border of the epoch's grid. */
export interface BroadcastStart {
  readonly clock: StationClock
  readonly startFrame: number
  /** First sample that the previous process did not send, by its journal; null without one. */
  readonly sentBefore: number | null
  readonly windows: ReadonlyMap<HlsVariant, LiveWindow>
}

/** First frame that a window lacks. */
export const nextFrameOf = (window: LiveWindow): number => {
  const next = window.next
  return next === null ? 0 : (next.msn * partsPerSegment + next.part) * partFrames
}

/**
 * After a short outage the broadcast continues where it stopped: the missed seconds are rendered, and listeners hear no gap. After a long
 * one, and at the first start, it begins with a whole segment rendered ahead: players without low latency find sound from the first
 * second, and nothing of the time before.
 */
export const broadcastStart = (journalPath: string | null, time: TimeSources = systemTime): BroadcastStart => {
  if (journalPath !== null) forgetDiscontinuities(journalPath)
  const windows = new Map(
    variants.map((variant) => {
      const window = new LiveWindow(variant)
      if (journalPath !== null) {
        const { discontinuitySequence, labels, segments } = readLastWindow(journalPath, variant)
        window.restore(segments, labels, discontinuitySequence)
      }
      return [variant, window] as const
    })
  )
  const nexts = [...windows.values()].map(nextFrameOf)
  const resumeFrame = Math.min(...nexts)
  const sentBefore = resumeFrame === 0 ? null : resumeFrame * aacFrameSamples
  // A wall clock that was set back must not decrease numbers: the station's time begins where the broadcast ended.
  const clock = new StationClock(time, null, msAt(Math.max(...nexts) * aacFrameSamples) - mixLeadMs)
  const nowFrame = Math.floor(clock.nowSample() / aacFrameSamples)
  if (resumeFrame > 0 && (nowFrame - resumeFrame) * aacFrameSamples <= catchUpMaxSec * sampleRateHz)
    return { clock, startFrame: resumeFrame, sentBefore, windows }
  for (const window of windows.values()) window.beginAnew()
  const fresh = nowFrame - (nowFrame % segmentFrames) - startSegments * segmentFrames
  const afterLast = Math.ceil(Math.max(...nexts) / segmentFrames) * segmentFrames
  return { clock, startFrame: Math.max(fresh, afterLast), sentBefore, windows }
}
