import { Cache, Effect, Exit, Semaphore } from "effect"
import { readdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import {
  archiveFreshMs,
  archiveIndexMax,
  archiveReadsMax,
  archiveSettledMs,
  archivedSegmentsMax
} from "../../engine/rules/air/limits.ts"
import type { HlsVariant } from "../../engine/ports/Live.ts"
import { jsonLines, labelsOf, wholeOf } from "./JournalFiles.ts"
import { type Discontinuity, discontinuitiesFile, hourOf, itemsFile, segmentFile } from "./Journal.ts"
import type { WindowLabel } from "./LiveWindow.ts"

/** Reads past broadcasts from the journal. */
export interface ArchiveReader {
  readonly segment: (variant: HlsVariant, msn: number) => Effect.Effect<Uint8Array | null>
  /** Whether a whole segment is there. */
  readonly has: (variant: HlsVariant, msn: number) => Effect.Effect<boolean>
  /** First segment kept at or after this one, after any gap; null without one. */
  readonly from: (variant: HlsVariant, msn: number) => Effect.Effect<number | null>
  readonly labels: (firstMsn: number, lastMsn: number) => Effect.Effect<ReadonlyArray<WindowLabel>>
  readonly discontinuities: (variant: HlsVariant) => Effect.Effect<ReadonlyArray<Discontinuity>>
}

/**
 * Reads few files at a time, and none twice in a row: listeners of the past must not slow the disk for the air. An unreadable file counts
 * as missing.
 */
export const makeArchiveReader = Effect.fnUntraced(function* (path: string): Effect.fn.Return<ArchiveReader> {
  const reading = yield* Semaphore.make(archiveReadsMax)
  const readOr = <A>(read: () => Promise<A>, absent: A): Effect.Effect<A> =>
    reading.withPermits(1)(Effect.promise(() => read().catch(() => absent)))
  const keyOf = (variant: HlsVariant, msn: number) => `${variant} ${msn}`
  const placeOf = (key: string) => {
    const [variant, msn] = key.split(" ") as [HlsVariant, string]
    return { variant, msn: Number(msn) }
  }
  const files = (folder: string) => readOr(() => readdir(folder), [])
  const fresh = { capacity: 64, timeToLive: archiveFreshMs }
  let newestHour = 0
  /** Past hours don't grow any more. */
  const byHour = {
    capacity: 64,
    timeToLive: (_exit: unknown, hour: number) => (hour < newestHour - 1 ? archiveSettledMs : archiveFreshMs)
  }

  const segments = yield* Cache.makeWith(
    Effect.fnUntraced(function* (key: string) {
      const { msn, variant } = placeOf(key)
      const bytes = yield* readOr<Buffer | null>(() => readFile(segmentFile(path, variant, msn)), null)
      return bytes === null ? null : wholeOf(bytes as Buffer<ArrayBuffer>, msn)
      // An incomplete segment may be complete in a moment.
    }),
    {
      capacity: archivedSegmentsMax,
      timeToLive: (exit) => (Exit.isSuccess(exit) && exit.value !== null ? "1 day" : archiveFreshMs)
    }
  )
  const index = yield* Cache.makeWith(
    (key: string) => Effect.map(Cache.get(segments, key), (whole) => whole !== null),
    { capacity: archiveIndexMax, timeToLive: (exit) => (Exit.isSuccess(exit) && exit.value ? "1 day" : archiveFreshMs) }
  )
  const hours = yield* Cache.make({
    ...fresh,
    lookup: (folder: string) =>
      Effect.map(files(folder), (names) => {
        const found = names
          .filter((name) => /^\d+$/.test(name))
          .map(Number)
          .sort((a, b) => a - b)
        newestHour = found.at(-1) ?? 0
        return found
      })
  })
  const kept = yield* Cache.makeWith(
    (hour: number) =>
      Effect.map(files(join(path, String(hour))), (names) =>
        names
          .flatMap((name) => {
            const [, variant, msn] = /^(aac128|aac64)\.(\d+)\.m4s$/.exec(name) ?? []
            return msn === undefined ? [] : [{ variant: variant as HlsVariant, msn: Number(msn) }]
          })
          .sort((a, b) => a.msn - b.msn)
      ),
    byHour
  )
  const lines = (file: string) =>
    Effect.map(
      readOr(() => readFile(file, "utf8"), ""),
      jsonLines
    )
  const items = yield* Cache.makeWith((hour: number) => lines(itemsFile(path, hour)), byHour)
  const cuts = yield* Cache.make({ ...fresh, lookup: lines })

  const has: ArchiveReader["has"] = (variant, msn) => Cache.get(index, keyOf(variant, msn))
  return {
    segment: (variant, msn) => Cache.get(segments, keyOf(variant, msn)),
    has,
    from: Effect.fnUntraced(function* (variant, msn) {
      for (const hour of yield* Cache.get(hours, path)) {
        if (hour < hourOf(msn)) continue
        for (const candidate of yield* Cache.get(kept, hour)) {
          if (candidate.variant === variant && candidate.msn >= msn && (yield* has(variant, candidate.msn)))
            return candidate.msn
        }
      }
      return null
    }),
    labels: Effect.fnUntraced(function* (firstMsn, lastMsn) {
      const among = [...new Set([hourOf(firstMsn) - 1, hourOf(firstMsn), hourOf(lastMsn)])]
      const told = yield* Effect.forEach(among, (hour) => Cache.get(items, hour))
      return labelsOf(told.flat() as ReadonlyArray<WindowLabel>)
    }),
    discontinuities: (variant) =>
      Effect.map(Cache.get(cuts, discontinuitiesFile(path)), (all) =>
        (all as ReadonlyArray<Discontinuity>).filter((cut) => cut.variant === variant)
      )
  }
})
