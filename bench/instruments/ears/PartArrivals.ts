import { statSync } from "node:fs"
import { join } from "node:path"
import { partSamples, partsPerSegment } from "../../../media/encode/PartPacker.ts"
import { segmentFile } from "../../../media/live/Journal.ts"
import { waitMs } from "../Patience.ts"
import { epochMs, sampleRateHz } from "../../../schema/time/Samples.ts"

const dueMs = (msn: number, part: number) =>
  epochMs + ((msn * partsPerSegment + part + 1) * partSamples * 1_000) / sampleRateHz
/** Delay of each part on disk after the time of its last sample, measured in the thread of the air chain. */
export const partsMade = async (dataDir: string, until: AbortSignal): Promise<ReadonlyArray<number>> => {
  const lateMs: Array<number> = []
  const size = (msn: number) =>
    statSync(segmentFile(join(dataDir, "live"), "aac128", msn), { throwIfNoEntry: false })?.size ?? 0
  let msn = Math.floor(((Date.now() - epochMs) * sampleRateHz) / 1_000 / (partSamples * partsPerSegment))
  // Parts of the current segment arrived before the measurement: it begins with the next segment.
  msn += 1
  for (let part = 0, known = 0; !until.aborted; await waitMs(5)) {
    const bytes = size(msn)
    if (bytes === known) continue
    known = bytes
    lateMs.push(Date.now() - dueMs(msn, part))
    part += 1
    if (part < partsPerSegment) continue
    msn += 1
    part = known = 0
  }
  return lateMs
}
/** The same for a listener, who requests the next part before it exists. */
export const partsHeard = async (base: string, until: AbortSignal): Promise<ReadonlyArray<number>> => {
  const lateMs: Array<number> = []
  const text = await (await fetch(`${base}/live/aac128/index.m3u8`)).text()
  const [, msn, part] = /PRELOAD-HINT:TYPE=PART,URI="p(\d+)\.(\d+)/.exec(text)!
  for (let at = Number(msn) * partsPerSegment + Number(part); !until.aborted;) {
    const response = await fetch(`${base}/live/aac128/p${Math.floor(at / partsPerSegment)}.${at % partsPerSegment}.m4s`)
    await response.arrayBuffer()
    if (response.status === 503) continue
    lateMs.push(Date.now() - dueMs(Math.floor(at / partsPerSegment), at % partsPerSegment))
    at += 1
  }
  return lateMs
}
