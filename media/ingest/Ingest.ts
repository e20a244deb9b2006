import { Effect, Layer, Semaphore } from "effect"
import { randomBytes } from "node:crypto"
import { mkdir, rm } from "node:fs/promises"
import { join } from "node:path"
import { StationConfig } from "../../engine/runtime/Config.ts"
import { ingestsAtOnce } from "../../engine/rules/sound/limits.ts"
import { Ingest, type Ingested, Unusable } from "../../engine/ports/Ingest.ts"
import { ObjectStore, ObjectsUnavailable } from "../../engine/ports/ObjectStore.ts"
import { Ffmpeg } from "../ffmpeg/Ffmpeg.ts"
import { encodeFilm } from "../pictures/Films.ts"
import { develop, sniffFormat } from "../pictures/ImageCheck.ts"
import { disk, mediaPathsOf } from "../storage/MediaStore.ts"

const missing = new Unusable({
  code: "damaged",
  detail: "The uploaded file is missing, or longer than announced."
})

/** One at a time, each in its own folder: the air comes first. */
export const IngestLive = Layer.effect(
  Ingest,
  Effect.gen(function* () {
    const objects = yield* ObjectStore
    const tools = yield* Ffmpeg
    const inTurn = yield* Semaphore.make(ingestsAtOnce)
    const work = mediaPathsOf(yield* StationConfig).workOf("ingest")
    // Leftovers of a crash.
    yield* Effect.ignore(disk(() => rm(work, { recursive: true, force: true })))

    const folderOf = Effect.acquireRelease(
      disk(async () => {
        const folder = join(work, randomBytes(8).toString("hex"))
        await mkdir(folder, { recursive: true })
        return folder
      }),
      (folder) => Effect.ignore(disk(() => rm(folder, { recursive: true, force: true })))
    )

    const ingest = Effect.fnUntraced(
      function* ({ byteSize, contentType, name, uploadKey }: Parameters<Ingest["Service"]["ingest"]>[0]) {
        const folder = yield* folderOf
        const file = join(folder, "upload")
        if (!(yield* objects.download(uploadKey, file, byteSize))) return yield* missing
        const isFilm = contentType.startsWith("video/")
        const [main, thumbnail] = [join(folder, isFilm ? "film.mp4" : "image.webp"), join(folder, "thumbnail.webp")]
        const made: Pick<Ingested, "kind" | "width" | "height" | "durationSec"> = isFilm
          ? yield* Effect.gen(function* () {
              const found = yield* sniffFormat(file)
              if (found !== contentType)
                return yield* new Unusable({
                  code: "wrong_type",
                  detail: `It was announced as ${contentType} and is ${found ?? "an unknown type"}.`
                })
              const poster = join(folder, "poster.png")
              const { durationSec, height, width } = yield* encodeFilm(tools, file, contentType, main, poster)
              yield* develop({ file: poster, contentType: "image/png", image: null, thumbnail })
              return { kind: "video" as const, width, height, durationSec: Math.round(durationSec * 1_000) / 1_000 }
            })
          : {
              kind: "image" as const,
              durationSec: null,
              ...(yield* Effect.map(develop({ file, contentType, image: main, thumbnail }), ({ height, width }) => ({
                height,
                width
              })))
            }
        const [path, thumbnailPath] = [
          `gallery/${name}-${isFilm ? "film.mp4" : "web.webp"}`,
          `gallery/${name}-thumb.webp`
        ]
        yield* objects.put(thumbnailPath, { path: thumbnail }, "image/webp")
        yield* objects.put(path, { path: main }, isFilm ? "video/mp4" : "image/webp")
        return { ...made, path, thumbnailPath }
      },
      (effect) =>
        effect.pipe(
          Effect.scoped,
          Effect.catchTag("DiskFault", ({ code }) =>
            Effect.fail(new ObjectsUnavailable({ detail: `The media store can't be used at the moment (${code}).` }))
          ),
          inTurn.withPermit
        )
    )
    return Ingest.of({ ingest })
  })
)
