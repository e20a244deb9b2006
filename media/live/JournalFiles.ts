import { readdirSync, readFileSync, renameSync, truncateSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import {
  aacFrameSamples,
  discontinuitiesMax,
  partFrames,
  segmentFrames,
  windowSegments
} from "../../engine/rules/air/limits.ts"
import type { HlsVariant } from "../../engine/ports/Live.ts"
import { join as joinBytes } from "../encode/Fmp4.ts"
import { type Discontinuity, discontinuitiesFile, hourOf, itemsFile, segmentFile } from "./Journal.ts"
import type { LiveSegment, WindowLabel } from "./LiveWindow.ts"
import { partsPerSegment } from "../encode/PartPacker.ts"

/** A missing file or an unreadable disk counts as an empty archive. */
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

/** The parts of a segment file that are whole and in place. */
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

/** Content of a file with one JSON value per line. */
export const jsonLines = (content: string): ReadonlyArray<unknown> =>
  content.split("\n").flatMap((line) => {
    try {
      return line === "" ? [] : [JSON.parse(line) as unknown]
    } catch {
      // The process died while it wrote this line.
      return []
    }
  })

const lines = (file: string): ReadonlyArray<unknown> => jsonLines(readOrNull(file)?.toString("utf8") ?? "")

export interface Archived {
  readonly segments: ReadonlyArray<LiveSegment>
  readonly labels: ReadonlyArray<WindowLabel>
  readonly discontinuitySequence: number
}

/** A broadcast segment, or null if its file isn't complete. */
export const wholeOf = (bytes: Uint8Array<ArrayBuffer>, msn: number): Uint8Array<ArrayBuffer> | null => {
  const parts = partsOf(bytes, msn)
  return parts.length === partsPerSegment ? joinBytes(parts) : null
}

/** Items of the journal in order, each with its end if the next one is known. */
export const labelsOf = (told: ReadonlyArray<WindowLabel>): ReadonlyArray<WindowLabel> => {
  const unique = [...new Map(told.map((label) => [label.atSample, label])).values()].sort(
    (a, b) => a.atSample - b.atSample
  )
  return unique.map((label, at) => ({ ...label, endSample: unique[at + 1]?.atSample ?? null }))
}

/** Truncates a torn end: the next start appends behind the last whole part of the same file. */
const trim = (file: string, length: number): void => {
  try {
    truncateSync(file, length)
  } catch {
    // A read-only disk keeps an incomplete segment, and its readers see it as such.
  }
}

/** Each start may add discontinuities: old ones are deleted, their count stays with the newest. */
export const forgetDiscontinuities = (path: string): void => {
  const file = discontinuitiesFile(path)
  const known = lines(file)
  if (known.length <= discontinuitiesMax) return
  try {
    writeFileSync(
      `${file}.new`,
      known
        .slice(-discontinuitiesMax / 2)
        .map((cut) => `${JSON.stringify(cut)}\n`)
        .join("")
    )
    renameSync(`${file}.new`, file)
  } catch {
    // A read-only disk takes no more of them either.
  }
}

/** Last window of a variant in the journal. */
export const readLastWindow = (path: string, variant: HlsVariant): Archived => {
  const hours = namesIn(path)
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .sort((a, b) => a - b)
    .slice(-2)
  const msns = hours
    .flatMap((hour) => namesIn(join(path, String(hour))))
    .map((name) => new RegExp(`^${variant}\\.(\\d+)\\.m4s$`).exec(name)?.[1])
    .filter((text) => text !== undefined)
    .map(Number)
    .sort((a, b) => a - b)
  const last = msns.at(-1)
  const cuts = (lines(discontinuitiesFile(path)) as ReadonlyArray<Discontinuity>).filter(
    (cut) => cut.variant === variant
  )
  if (last === undefined) return { segments: [], labels: [], discontinuitySequence: cuts.at(-1)?.total ?? 0 }
  const first = Math.max(
    msns[0]!,
    last - windowSegments,
    ...cuts.filter(({ anew, msn }) => anew === true && msn <= last).map(({ msn }) => msn)
  )
  const segments: Array<LiveSegment> = []
  for (let msn = first; msn <= last; msn++) {
    const bytes = readOrNull(segmentFile(path, variant, msn))
    const parts = bytes === null ? [] : partsOf(bytes, msn)
    const whole = parts.length === partsPerSegment ? joinBytes(parts) : null
    const length = parts.reduce((sum, part) => sum + part.length, 0)
    if (msn === last && bytes !== null && length < bytes.length) trim(segmentFile(path, variant, msn), length)
    // Only the last segment may still grow; any other incomplete one is a gap.
    const gap = whole === null && (msn !== last || parts.length === 0)
    segments.push({ msn, parts: gap ? [] : parts, whole, gap, discontinuity: cuts.some((cut) => cut.msn === msn) })
  }
  const within = segments.filter((segment) => segment.discontinuity).length
  return {
    segments,
    labels: labelsOf(
      [...new Set([hourOf(first) - 1, ...hours])].flatMap(
        (hour) => lines(itemsFile(path, hour)) as ReadonlyArray<WindowLabel>
      )
    ),
    discontinuitySequence: Math.max(0, (cuts.at(-1)?.total ?? 0) - within)
  }
}
