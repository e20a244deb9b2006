import { Effect, Metric, Ref } from "effect"
import { readdir, rm, stat } from "node:fs/promises"
import { join, relative, sep } from "node:path"
import { disk, DiskFault, roomOn } from "./MediaStore.ts"

/** Free space that the disk of the data folder must keep, and maximum size of all media. */
export interface DiskLimits {
  readonly freeMinBytes: number
  readonly heldMaxBytes: number
}
export const unlimited: DiskLimits = { freeMinBytes: 0, heldMaxBytes: Number.POSITIVE_INFINITY }

const heldGauge = Metric.gauge("media_held_bytes", { description: "bytes of all media at the last sweep" })

/** Files that exist only until something has been made of them, by their place in the media folder. */
const isTemporary = (path: string): boolean => {
  const parts = path.split(sep)
  return (
    parts[0] === "uploads" ||
    (parts[0] === "calls" && parts[1] === "incoming") ||
    parts[0]!.startsWith(".") ||
    parts.at(-1)!.endsWith(".part")
  )
}

/**
 * The media folder as a whole. Nothing here asks the database: it may be what the full disk has stopped.
 *
 * `room` fails if so many more bytes are too many. `sweep` removes what was abandoned before an instant, and counts what is held.
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
    sweep: Effect.fnUntraced(function* (abandonedBeforeMs: number) {
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
          if (found.mtimeMs < abandonedBeforeMs && isTemporary(relative(folder, path))) {
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
