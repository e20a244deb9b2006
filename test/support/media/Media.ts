import { Effect, FileSystem, Layer } from "effect"
import { NodeServices } from "@effect/platform-node"
import { execFile } from "node:child_process"
import { randomBytes } from "node:crypto"
import { promisify } from "node:util"
import type { RawSound } from "../../../engine/ports/Speech.ts"
import { Prepare } from "../../../engine/ports/Prepare.ts"
import { Ffmpeg, ffmpegLayer } from "../../../media/ffmpeg/Ffmpeg.ts"
import { makePrepare } from "../../../media/prepare/Prepare.ts"
import type { AssetId } from "../../../schema/Ids.ts"
import { makeId } from "../../../schema/Ids.ts"

let count = 0
export const assetId = (): AssetId => makeId("mas", ++count, randomBytes(10)) as AssetId

/** A folder that is removed with its scope. */
export const temporaryFolder = FileSystem.FileSystem.pipe(
  Effect.flatMap((fs) => fs.makeTempDirectoryScoped({ prefix: "longwave-" })),
  Effect.provide(NodeServices.layer),
  Effect.orDie
)

/** A real Prepare in a folder of its own. */
export const prepareIn = (dataDir: string, stagedMaxBytes?: number) =>
  makePrepare(dataDir, stagedMaxBytes).pipe(Effect.provide(ffmpegLayer(null)))

export const PrepareTemporary = Layer.effect(
  Prepare,
  Effect.flatMap(temporaryFolder, (folder) => prepareIn(folder))
)

export const synthesize = (
  seconds: number,
  at: (t: number, i: number) => number,
  sampleRateHz = 48_000,
  channels = 1
): RawSound => {
  const length = Math.round(seconds * sampleRateHz)
  return {
    sampleRateHz,
    channels: Array.from({ length: channels }, () => Float32Array.from({ length }, (_, i) => at(i / sampleRateHz, i))),
    words: []
  }
}

export interface Measured {
  readonly lufs: number
  readonly truePeakDbtp: number
}

/** Independent of the station's code: ffmpeg on the file itself. */
export const measureFile = (path: string) =>
  Ffmpeg.pipe(
    Effect.flatMap(({ ffmpeg }) =>
      Effect.promise(() =>
        promisify(execFile)(
          ffmpeg,
          ["-hide_banner", "-nostats", "-i", path, "-af", "ebur128=peak=true", "-f", "null", "-"],
          { maxBuffer: 1 << 26 }
        )
      )
    ),
    Effect.map(({ stderr }): Measured => {
      const summary = stderr.slice(stderr.lastIndexOf("Summary:"))
      return {
        lufs: Number(/I:\s+(\S+) LUFS/.exec(summary)?.[1]),
        truePeakDbtp: Number(/Peak:\s+(\S+) dBFS/.exec(summary)?.[1])
      }
    }),
    Effect.provide(ffmpegLayer(null))
  )
