import { Effect } from "effect"
import { stat } from "node:fs/promises"
import { join } from "node:path"
import { mediaJobTimeoutSec } from "../../engine/rules/sound/limits.ts"
import { MediaStoreUnavailable } from "../../engine/ports/Prepare.ts"
import type { Asset } from "../../schema/Sound.ts"
import { markFields, type Synthetic } from "../../schema/Synthetic.ts"
import { runMediaJob } from "../ffmpeg/MediaJob.ts"
import { disk, type MediaPaths, publish, workFolder } from "../storage/MediaStore.ts"
import { hashOfMaster } from "./StagedSounds.ts"

/** The mark alone, as ffmpeg writes it: Vorbis comments of a FLAC, TXXX frames of an MP3. */
export const tagsOf = (synthetic: Synthetic): ReadonlyArray<string> => [
  "-map_metadata",
  "-1",
  ...(synthetic === null ? [] : markFields(synthetic).flatMap(([name, value]) => ["-metadata", `${name}=${value}`]))
]

/** A job of reading and writing only: a minute of it is an hour of sound. */
const timeoutSec = mediaJobTimeoutSec

const isThere = (path: string) =>
  disk(() => stat(path)).pipe(
    Effect.as(true),
    Effect.catchIf(
      ({ code }) => code === "ENOENT",
      () => Effect.succeed(false)
    )
  )

/** The files of an asset with its mark: frames are copied unchanged, so the master still decodes to the same samples. */
export const markFiles = Effect.fnUntraced(function* (
  paths: MediaPaths,
  { id, pcmSha256, synthetic }: Pick<Asset, "id" | "pcmSha256" | "synthetic">
) {
  const folder = yield* workFolder(paths)
  for (const [format, path] of [
    ["flac", paths.masterOf(id)],
    ["mp3", paths.copyOf(id)]
  ] as const) {
    if (!(yield* isThere(path))) continue
    const marked = join(folder, `marked.${format}`)
    yield* runMediaJob(
      (command) =>
        command
          .input(path)
          .noVideo()
          .output(marked)
          .outputOptions(...tagsOf(synthetic), "-c:a", "copy", "-fflags", "+bitexact", "-f", format),
      timeoutSec
    )
    if (format === "flac" && (yield* hashOfMaster(paths, marked)) !== pcmSha256) {
      return yield* new MediaStoreUnavailable({
        detail: `Tagging would change the sound of the master of ${id}. It stays untagged.`
      })
    }
    yield* publish(marked, path)
  }
}, Effect.scoped)
