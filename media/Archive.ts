import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { aacFrameSamples, partFrames, segmentFrames, windowSegments } from "../engine/Limits.ts"
import type { HlsVariant } from "../engine/ports/Live.ts"
import { join as joinBytes } from "./Fmp4.ts"
import { type Discontinuity, discontinuitiesFile, hourOf, itemsFile, segmentFile } from "./Journal.ts"
import type { LiveSegment, WindowLabel } from "./LiveWindow.ts"
import { partsPerSegment } from "./PartPacker.ts"

/** A file that isn't there, or a disk that can't be read, is an archive without it. */
const readOrNull = (file: string): Buffer<ArrayBuffer> | null => {
  try {
    return readFileSync(file) as Buffer<ArrayBuffer>
  } catch {
    return null
  }
}

const namesIn = (folder: string): ReadonlyArray<string> => {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/** The parts of a segment file, as many as are whole and stand where they should. */
export const partsOf = (bytes: Uint8Array<ArrayBuffer>, msn: number): ReadonlyArray<Uint8Array<ArrayBuffer>> => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const parts: Array<Uint8Array<ArrayBuffer>> = []
  let from = 0
  let at = 0
  let right = false
  while (at + 8 <= bytes.length) {
    const size = view.getUint32(at)
    const type = String.fromCharCode(...bytes.subarray(at + 4, at + 8))
    if (size < 8 || at + size > bytes.length) break
    if (type === "moof") {
      const tfdt = Buffer.from(bytes.buffer, bytes.byteOffset + at, size).indexOf("tfdt")
      const wanted = (msn * segmentFrames + parts.length * partFrames) * aacFrameSamples
      right = tfdt > 0 && Number(view.getBigUint64(at + tfdt + 8)) === wanted
    }
    at += size
    if (type === "mdat") {
      if (!right || parts.length === partsPerSegment) break
      parts.push(bytes.slice(from, at))
      from = at
    }
  }
  return parts
}

const lines = (file: string): ReadonlyArray<unknown> =>
  (readOrNull(file)?.toString("utf8") ?? "").split("\n").flatMap((line) => {
    try {
      return line === "" ? [] : [JSON.parse(line) as unknown]
    } catch {
      // The process fell while it wrote this line.
      return []
    }
  })

export interface Archived {
  readonly segments: ReadonlyArray<LiveSegment>
  readonly labels: ReadonlyArray<WindowLabel>
  readonly discontinuitySequence: number
}

/** A segment as it was broadcast, or null when it isn't kept. */
export const archivedSegment = (path: string, variant: HlsVariant, msn: number): Uint8Array<ArrayBuffer> | null => {
  const bytes = readOrNull(segmentFile(path, variant, msn))
  if (bytes === null) return null
  const parts = partsOf(bytes, msn)
  return parts.length === partsPerSegment ? joinBytes(parts) : null
}

/** The items told in the hours given, in order, each with its end where the next one is known. */
const labelsOf = (path: string, hours: ReadonlyArray<number>): ReadonlyArray<WindowLabel> => {
  const told = hours.flatMap((hour) => lines(itemsFile(path, hour))) as ReadonlyArray<WindowLabel>
  const unique = [...new Map(told.map((label) => [label.atSample, label])).values()].sort((a, b) => a.atSample - b.atSample)
  return unique.map((label, at) => ({ ...label, endSample: unique[at + 1]?.atSample ?? null }))
}

/** The last window of a variant as the journal has it. */
export const lastWindow = (path: string, variant: HlsVariant): Archived => {
  const hours = namesIn(path).filter((name) => /^\d+$/.test(name)).map(Number).sort((a, b) => a - b).slice(-2)
  const msns = hours.flatMap((hour) => namesIn(join(path, String(hour))))
    .map((name) => new RegExp(`^${variant}\\.(\\d+)\\.m4s$`).exec(name)?.[1])
    .filter((text) => text !== undefined).map(Number).sort((a, b) => a - b)
  const last = msns.at(-1)
  const cuts = (lines(discontinuitiesFile(path)) as ReadonlyArray<Discontinuity>).filter((cut) => cut.variant === variant)
  if (last === undefined) return { segments: [], labels: [], discontinuitySequence: cuts.at(-1)?.total ?? 0 }
  const first = Math.max(msns[0]!, last - windowSegments)
  const segments: Array<LiveSegment> = []
  for (let msn = first; msn <= last; msn++) {
    const bytes = readOrNull(segmentFile(path, variant, msn))
    const parts = bytes === null ? [] : partsOf(bytes, msn)
    const whole = parts.length === partsPerSegment ? joinBytes(parts) : null
    // Only the last one may still be growing; any other that isn't whole is a gap.
    const gap = whole === null && (msn !== last || parts.length === 0)
    segments.push({ msn, parts: gap ? [] : parts, whole, gap, discontinuity: cuts.some((cut) => cut.msn === msn) })
  }
  const within = segments.filter((segment) => segment.discontinuity).length
  return {
    segments,
    labels: labelsOf(path, [...new Set([hourOf(first) - 1, ...hours])]),
    discontinuitySequence: Math.max(0, (cuts.at(-1)?.total ?? 0) - within)
  }
}
