import { Effect, Metric, Ref } from "effect"
import { mkdir, readdir, rm, stat, utimes } from "node:fs/promises"
import { dirname, join, relative, sep } from "node:path"
import { disk, DiskFault, processFolder, roomOn } from "./MediaStore.ts"

/** Free space that the disk of the data folder must keep, and maximum size of all media. */
export interface DiskLimits {
  readonly freeMinBytes: number
  readonly heldMaxBytes: number
}
export const unlimited: DiskLimits = { freeMinBytes: 0, heldMaxBytes: Number.POSITIVE_INFINITY }

const heldGauge = Metric.gauge("media_held_bytes", { description: "bytes of all media at the last sweep" })

/** Callers' recordings that nobody has examined yet, by their place in the media folder. */
const isIncomingCall = (parts: ReadonlyArray<string>): boolean => parts[0] === "calls" && parts[1] === "incoming"
/** Files that exist only until something has been made of them. */
const isTemporary = (parts: ReadonlyArray<string>): boolean =>
  parts[0] === "uploads" || isIncomingCall(parts) || parts[0]!.startsWith(".") || parts.at(-1)!.endsWith(".part")

/**
 * The media folder as a whole. Nothing here asks the database: it may be what the full disk has stopped.
 *
 * `room` fails if so many more bytes are too many. `sweep` removes what was abandoned before an instant, callers' recordings before another one, and
 * counts what is held. `holdPlace` keeps the work folder of this process, one of several that share the media, and removes those that no process has kept
 * since an instant.
 */
export const mediaDisk = Effect.fnUntraced(function* (folder: string, { freeMinBytes, heldMaxBytes }: DiskLimits) {
  const held = yield* Ref.make(0)
  return {
    room: Effect.fnUntraced(function* (byteSize: number) {
      yield* roomOn(folder, byteSize, freeMinBytes)
      const heldBytes = yield* Ref.get(held)
      if (heldBytes + byteSize > heldMaxBytes)
        return yield* new DiskFault({ code: "EDQUOT", detail: `all media hold ${heldBytes} of ${heldMaxBytes} bytes` })
    }),
    /** Counts what has been written since the last sweep. */
    addHeld: (bytes: number) => Ref.update(held, (before) => before + bytes),
    holdPlace: (place: string, nowMs: number, goneBeforeMs: number) =>
      disk(async () => {
        const own = processFolder(folder, place)
        await mkdir(own, { recursive: true })
        await utimes(own, nowMs / 1_000, nowMs / 1_000)
        for (const name of await readdir(dirname(own))) {
          const path = join(dirname(own), name)
          // A third process may remove it at the same time.
          const keptMs = await stat(path).then(
            ({ mtimeMs }) => mtimeMs,
            () => nowMs
          )
          if (name !== place && keptMs < goneBeforeMs) await rm(path, { recursive: true, force: true })
        }
      }),
    sweep: Effect.fnUntraced(function* (abandonedBeforeMs: number, callsBeforeMs: number) {
      const { heldBytes, removed } = yield* disk(async (signal) => {
        let heldBytes = 0
        let removed = 0
        const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch((cause: unknown) =>
          (cause as NodeJS.ErrnoException).code === "ENOENT" ? [] : Promise.reject(cause as Error)
        )
        for (const entry of entries) {
          signal.throwIfAborted()
          if (!entry.isFile()) continue
          const path = join(entry.parentPath, entry.name)
          // It may have been removed since the folder was read.
          const found = await stat(path).catch(() => null)
          if (found === null) continue
          const parts = relative(folder, path).split(sep)
          if (found.mtimeMs < (isIncomingCall(parts) ? callsBeforeMs : abandonedBeforeMs) && isTemporary(parts)) {
            await rm(path, { force: true })
            removed++
          } else heldBytes += found.size
        }
        return { heldBytes, removed }
      })
      yield* Ref.set(held, heldBytes)
      yield* Metric.update(heldGauge, heldBytes)
      return { heldBytes, removed }
    })
  }
})
export type MediaDisk = Effect.Success<ReturnType<typeof mediaDisk>>
