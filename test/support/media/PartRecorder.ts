import { Effect } from "effect"
import type { HlsVariant, Live } from "../../../engine/ports/Live.ts"
import { initSegment, join } from "../../../media/encode/Fmp4.ts"
import { partSamples, partsPerSegment } from "../../../media/encode/PartPacker.ts"
import { msAt, systemTime } from "../../../media/clock/StationClock.ts"
import { parse } from "./HlsValidator.ts"
import { decode } from "./Sound.ts"

export interface RecordedPart {
  readonly msn: number
  readonly part: number
  readonly bytes: Uint8Array
  /** Delay of a part after the time of its last sample. */
  readonly lateMs: number
}

/** The live edge of a low-latency player: the part in its preload hint. */
export const findLiveEdge = (live: Live["Service"], variant: HlsVariant) =>
  Effect.map(live.playlist(variant, { msn: null, part: null, skip: false }), (answer) => {
    if (answer._tag !== "Found") throw new Error(answer._tag)
    const [, msn, part] = /^p(\d+)\.(\d+)/.exec(parse(new TextDecoder().decode(answer.object.body)).hint!)!
    return { msn: Number(msn), part: Number(part) }
  })

/** Receives the parts in order, from the live edge on. */
export const recordParts = Effect.fnUntraced(function* (live: Live["Service"], variant: HlsVariant, count: number) {
  let { msn, part } = yield* findLiveEdge(live, variant)
  const parts: Array<RecordedPart> = []
  while (parts.length < count) {
    const answer = yield* live.part(variant, msn, part)
    if (answer._tag !== "Found") throw new Error(`part ${msn}.${part}: ${answer._tag}`)
    const dueMs = msAt((msn * partsPerSegment + part + 1) * partSamples)
    parts.push({ msn, part, bytes: answer.object.body, lateMs: systemTime.wallMs() - dueMs })
    part += 1
    if (part === partsPerSegment) {
      msn += 1
      part = 0
    }
  }
  return parts
})

/** Lengths in ms of silent stretches. */
export const silences = (pcm: Float32Array): Array<number> => {
  const found: Array<number> = []
  let run = 0
  for (let at = 0; at + 960 <= pcm.length; at += 960) {
    let power = 0
    for (let i = at; i < at + 960; i++) power += pcm[i]! ** 2
    if (power / 960 < 1e-8) run += 10
    else if (run > 0) {
      found.push(run)
      run = 0
    }
  }
  return run > 0 ? [...found, run] : found
}

export const decodeParts = (parts: ReadonlyArray<RecordedPart>): Float32Array =>
  decode("mp4", join([initSegment(128), ...parts.map((part) => part.bytes)]))
