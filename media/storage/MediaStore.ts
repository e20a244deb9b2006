import { Effect, Metric, Schema } from "effect"
import { createHash, randomBytes } from "node:crypto"
import { mkdir, open, rename, rm, statfs } from "node:fs/promises"
import { join } from "node:path"
import { clusterOf, type StationConfig } from "../../engine/runtime/Config.ts"
import type { AssetId } from "../../schema/Ids.ts"

/** A failed file operation, with the operating system's code. */
export class DiskFault extends Schema.TaggedError<DiskFault>()("DiskFault", {
  code: Schema.String,
  detail: Schema.String
}) {}

export const disk = <A>(operation: (signal: AbortSignal) => Promise<A>): Effect.Effect<A, DiskFault> =>
  Effect.tryPromise({
    try: operation,
    catch: (cause) =>
      new DiskFault({
        code: typeof cause === "object" && cause !== null && "code" in cause ? String(cause.code) : "UNKNOWN",
        detail: cause instanceof Error ? cause.message : String(cause)
      })
  })

const freeBytes = Metric.gauge("media_disk_free_bytes", { description: "free bytes on the disk of DATA_DIR" })

/** Free bytes of a folder's disk; also told as a metric. */
export const freeBytesOn = (folder: string): Effect.Effect<number, DiskFault> =>
  disk(async () => {
    await mkdir(folder, { recursive: true })
    const { bavail, bsize } = await statfs(folder)
    return bavail * bsize
  }).pipe(Effect.tap((bytes) => Metric.update(freeBytes, bytes)))

/** Fails if the disk would keep less than `freeMinBytes` free after `byteSize` more: the database may live there too. */
export const roomOn = (folder: string, byteSize: number, freeMinBytes: number): Effect.Effect<void, DiskFault> =>
  freeMinBytes === 0
    ? Effect.void
    : Effect.flatMap(freeBytesOn(folder), (bytes) =>
        bytes - byteSize < freeMinBytes
          ? Effect.fail(
              new DiskFault({
                code: "ENOSPC",
                detail: `the disk has ${bytes} bytes free and must keep ${freeMinBytes}`
              })
            )
          : Effect.void
      )

/** Folder of one of several processes that share the media, for its temporary files. */
export const processFolder = (media: string, place: string) => join(media, ".processes", place)

/**
 * Paths of a station's media under its DATA_DIR, and how much that disk must keep free. `place` names one of several processes that share the media:
 * it clears its own work folders at its start, and those of the others are theirs.
 */
export const mediaPaths = (dataDir: string, freeMinBytes = 0, place: string | null = null) => {
  const media = join(dataDir, "media")
  const staged = join(dataDir, "staged")
  const workOf = (name: string) => (place === null ? join(media, `.${name}`) : join(processFolder(media, place), name))
  return {
    media,
    freeMinBytes,
    staged,
    /** A work folder with a name of its own, for a part that clears it at its start. */
    workOf,
    work: workOf("work"),
    masterOf: (id: AssetId) => join(media, `${id}.flac`),
    copyOf: (id: AssetId) => join(media, `${id}.mp3`),
    stagedOf: (id: AssetId) => join(staged, `${id}.pcm`)
  }
}
export type MediaPaths = ReturnType<typeof mediaPaths>
export const mediaPathsOf = (config: StationConfig["Service"]): MediaPaths =>
  mediaPaths(config.dataDir, config.diskFreeMinBytes, clusterOf(config)?.place ?? null)

/**
 * A temporary folder on the store's disk, so that a finished file is moved, not copied; removed afterwards. All media are made in one, so
 * nothing is made while the disk is short.
 */
export const workFolder = (paths: MediaPaths) =>
  Effect.acquireRelease(
    Effect.andThen(
      roomOn(paths.media, 0, paths.freeMinBytes),
      disk(async () => {
        const folder = join(paths.work, randomBytes(8).toString("hex"))
        await mkdir(folder, { recursive: true })
        return folder
      })
    ),
    (folder) => Effect.ignore(disk(() => rm(folder, { recursive: true, force: true })))
  )

/** Synced before it is renamed: after a power cut a file is complete or missing. */
export const publish = (from: string, to: string) =>
  disk(async () => {
    const file = await open(from, "r+")
    try {
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(from, to)
  })

/**
 * A file in blocks of a megabyte, always in the same buffer: valid until the next block. A stream's own chunks would accumulate until the
 * next collection.
 */
export const chunksOf = async function* (path: string, signal: AbortSignal): AsyncGenerator<Buffer> {
  const file = await open(path, "r")
  try {
    const chunk = Buffer.allocUnsafeSlow(1_048_576)
    for (;;) {
      signal.throwIfAborted()
      const { bytesRead } = await file.read(chunk, 0, chunk.length)
      if (bytesRead === 0) return
      yield chunk.subarray(0, bytesRead)
    }
  } finally {
    await file.close()
  }
}

export const hashFile = (path: string): Effect.Effect<{ readonly sha256: string; readonly bytes: number }, DiskFault> =>
  disk(async (signal) => {
    const hash = createHash("sha256")
    let bytes = 0
    for await (const chunk of chunksOf(path, signal)) {
      hash.update(chunk)
      bytes += chunk.length
    }
    return { sha256: hash.digest("hex"), bytes }
  })
