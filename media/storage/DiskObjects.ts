import { Effect, Stream } from "effect"
import { randomBytes } from "node:crypto"
import { createReadStream } from "node:fs"
import { copyFile, link, mkdir, open, rename, rm, stat, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { ObjectStore, ObjectsUnavailable, WrongLength } from "../../engine/ports/ObjectStore.ts"
import type { MediaDisk } from "./MediaDisk.ts"
import { disk, type DiskFault, publish } from "./MediaStore.ts"

const unavailableFault = ({ code }: DiskFault) =>
  new ObjectsUnavailable({ detail: `The media store can't be used at the moment (${code}).` })
const tryOnDisk = <A>(operation: (signal: AbortSignal) => Promise<A>) =>
  Effect.mapError(disk(operation), unavailableFault)
const isAbsent = (cause: unknown) => (cause as NodeJS.ErrnoException).code === "ENOENT"

/** Keys are paths below the folder. The station makes them, never callers. */
export const diskObjects = (folder: string, { addHeld, room }: Pick<MediaDisk, "addHeld" | "room">) => {
  const hasRoom = (byteSize: number) => Effect.mapError(room(byteSize), unavailableFault)
  const pathOf = (key: string) => join(folder, key)
  const sizeOf = (key: string) =>
    tryOnDisk(() =>
      stat(pathOf(key)).then(
        ({ size }) => size,
        (cause: unknown) => (isAbsent(cause) ? null : Promise.reject(cause as Error))
      )
    )

  /** A temporary file beside its place; renamed once it is complete. */
  const writeWhole = <A, E>(key: string, write: (part: string) => Effect.Effect<A, E>) =>
    Effect.scoped(
      Effect.gen(function* () {
        const path = pathOf(key)
        const part = yield* Effect.acquireRelease(
          tryOnDisk(async () => {
            await mkdir(dirname(path), { recursive: true })
            return join(dirname(path), `.${randomBytes(8).toString("hex")}.part`)
          }),
          (file) => Effect.ignore(disk(() => rm(file, { force: true })))
        )
        yield* write(part)
        yield* addHeld((yield* tryOnDisk(() => stat(part))).size)
        yield* Effect.mapError(publish(part, path), unavailableFault)
      })
    )

  return ObjectStore.of({
    room: hasRoom,
    presign: () => Effect.succeed(null),
    receive: (key, bytes, byteSize) =>
      writeWhole(key, (part) =>
        Effect.scoped(
          Effect.gen(function* () {
            yield* hasRoom(byteSize)
            const file = yield* Effect.acquireRelease(
              tryOnDisk(() => open(part, "wx")),
              (opened) => Effect.ignore(disk(() => opened.close()))
            )
            let received = 0
            yield* Stream.runForEach(bytes, (chunk) =>
              Effect.suspend((): Effect.Effect<void, ObjectsUnavailable | WrongLength> => {
                received += chunk.length
                return received > byteSize
                  ? Effect.fail(new WrongLength({ received, atMost: byteSize }))
                  : tryOnDisk(() => file.writeFile(chunk))
              })
            )
            if (received !== byteSize) return yield* new WrongLength({ received, atMost: byteSize })
          })
        )
      ),
    size: sizeOf,
    download: (key, path, bytesMax) =>
      Effect.flatMap(sizeOf(key), (size) =>
        size === null || size > bytesMax
          ? Effect.succeed(false)
          : tryOnDisk(async () => {
              // A second name for the same file: a later write under the key makes another file.
              await link(pathOf(key), path).catch(() => copyFile(pathOf(key), path))
              return (await stat(path)).size <= bytesMax
            })
      ),
    put: (key, content) =>
      writeWhole(key, (part) =>
        Effect.andThen(
          // The file is usually moved, and its disk had room for it.
          hasRoom("path" in content ? 0 : content.bytes.length),
          tryOnDisk(() =>
            "path" in content
              ? rename(content.path, part).catch(() => copyFile(content.path, part))
              : writeFile(part, content.bytes, { flag: "wx" })
          )
        )
      ),
    read: (key, range) =>
      Effect.map(sizeOf(key), (size) =>
        size === null
          ? null
          : Stream.fromAsyncIterable<Uint8Array, ObjectsUnavailable>(
              createReadStream(pathOf(key), range === null ? {} : { start: range.from, end: range.to }),
              (cause) => new ObjectsUnavailable({ detail: String(cause) })
            )
      ),
    remove: (keys) => Effect.asVoid(tryOnDisk(() => Promise.all(keys.map((key) => rm(pathOf(key), { force: true })))))
  })
}
