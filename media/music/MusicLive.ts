import { Context, Effect, Layer } from "effect"
import { rm } from "node:fs/promises"
import { join } from "node:path"
import { Arranger, SourceUnusable } from "../../engine/ports/Arranger.ts"
import { Music } from "../../engine/ports/Music.ts"
import { ObjectStore } from "../../engine/ports/ObjectStore.ts"
import { MediaStoreUnavailable } from "../../engine/ports/Prepare.ts"
import { sampleKeyOf } from "../../engine/ports/UploadSound.ts"
import { musicLengthSec } from "../../engine/rules/music/limits.ts"
import { sampleMaxBytes } from "../../engine/rules/segments/limits.ts"
import { StationConfig } from "../../engine/runtime/Config.ts"
import { Ffmpeg } from "../ffmpeg/Ffmpeg.ts"
import { runMediaJob } from "../ffmpeg/MediaJob.ts"
import { disk, type DiskFault, type MediaPaths, mediaPathsOf, workFolder } from "../storage/MediaStore.ts"
import { arrangementsFor } from "./composer/Arranger.ts"
import { housePieces, musicOf, type Pieces } from "./Music.ts"
import { transcribedRateHz } from "./transcriber/Pitches.ts"

const unavailableFault = ({ code }: DiskFault) =>
  new MediaStoreUnavailable({ detail: `The media store can't be used at the moment (${code}).` })

/** The arranger over the process that renders, with the station's folders. */
export const makeArranger = Effect.fnUntraced(function* ({ playWhole }: Pieces, folders: MediaPaths) {
  const objects = yield* ObjectStore
  const tools = yield* Ffmpeg
  // A folder of its own, because others clear theirs at startup.
  const paths = { ...folders, work: folders.workOf("arrangements") }
  yield* Effect.ignore(disk(() => rm(paths.work, { recursive: true, force: true })))

  /** What the arranger listens to: one channel, no longer than a piece can be. */
  const decodeForArranger = (file: string, to: string) =>
    runMediaJob((command) =>
      command
        .input(file)
        .noVideo()
        .output(to)
        .outputOptions([
          "-map_metadata",
          "-1",
          "-t",
          String(musicLengthSec.song[1]),
          "-ac",
          "1",
          "-ar",
          String(transcribedRateHz),
          "-f",
          "f32le",
          "-c:a",
          "pcm_f32le"
        ])
    ).pipe(
      Effect.provideService(Ffmpeg, tools),
      Effect.mapError(({ detail, reason }) =>
        reason === "failed"
          ? new SourceUnusable({ detail: "The source can't be read." })
          : new MediaStoreUnavailable({ detail })
      )
    )

  const remix: Arranger["Service"]["remix"] = Effect.fnUntraced(
    function* ({ source, ...ask }) {
      const heard = join(yield* workFolder(paths), "heard.f32")
      yield* decodeForArranger(paths.masterOf(source), heard)
      return yield* playWhole({ ...ask, as: "remix", source: heard, durationSec: 0 })
    },
    (effect) =>
      effect.pipe(
        Effect.scoped,
        Effect.catchTag("DiskFault", (fault) => Effect.fail(unavailableFault(fault)))
      )
  )

  const songOnSample: Arranger["Service"]["songOnSample"] = Effect.fnUntraced(
    function* ({ uploadId, ...ask }) {
      const folder = yield* workFolder(paths)
      const [sample, heard] = [join(folder, "sample.mp3"), join(folder, "heard.f32")]
      if (!(yield* objects.download(sampleKeyOf(uploadId), sample, sampleMaxBytes)))
        return yield* new SourceUnusable({ detail: "The sample is gone." })
      yield* decodeForArranger(sample, heard)
      return yield* playWhole({ ...ask, as: "song", source: heard, bpm: null })
    },
    (effect) =>
      effect.pipe(
        Effect.scoped,
        Effect.catchTag("DiskFault", (fault) => Effect.fail(unavailableFault(fault)))
      )
  )

  return Arranger.of({ arrangements: arrangementsFor, remix, songOnSample })
})

/** Music made on this machine: composed from a seed, or arranged after something heard. Both take turns. */
export const MusicLive = Layer.effectContext(
  Effect.gen(function* () {
    const config = yield* StationConfig
    const pieces = yield* housePieces
    return Context.make(Music, musicOf(pieces)).pipe(
      Context.add(Arranger, yield* makeArranger(pieces, mediaPathsOf(config)))
    )
  })
)
