import { Effect, Schema } from "effect"
import { createHash, randomBytes } from "node:crypto"
import { mkdir, open, rename, rm } from "node:fs/promises"
import { join } from "node:path"
import type { AssetId } from "../../schema/Ids.ts"

/** A file operation that failed, with the code of the operating system. */
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

/** Where the media of a station lie under its DATA_DIR. */
export const mediaPaths = (dataDir: string) => {
  const media = join(dataDir, "media")
  const staged = join(dataDir, "staged")
  return {
    media,
    staged,
    work: join(media, ".work"),
    masterOf: (id: AssetId) => join(media, `${id}.flac`),
    copyOf: (id: AssetId) => join(media, `${id}.mp3`),
    stagedOf: (id: AssetId) => join(staged, `${id}.pcm`)
  }
}
export type MediaPaths = ReturnType<typeof mediaPaths>

/** A folder of one's own beside the store, on the same disk so that a finished file is moved, not copied; gone afterwards. */
export const workFolder = (paths: MediaPaths) =>
  Effect.acquireRelease(
    disk(async () => {
      const folder = join(paths.work, randomBytes(8).toString("hex"))
      await mkdir(folder, { recursive: true })
      return folder
    }),
    (folder) => Effect.ignore(disk(() => rm(folder, { recursive: true, force: true })))
  )

/** On the disk before it has its name: after a power cut a file is whole or not there. */
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
 * A file from its beginning to its end, a megabyte at a time, always in the same memory: what is given is good until the next is asked
 * for. A stream's own chunks would lie about by the dozen until somebody collects them.
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
