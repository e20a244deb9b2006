import { Effect, Layer } from "effect"
import { readdir, readFile, rm, stat } from "node:fs/promises"
import { join } from "node:path"
import { StationConfig } from "../../engine/runtime/Config.ts"
import { clipFadeMs, replaySegmentSec } from "../../engine/rules/panels/limits.ts"
import { channelsCount, sampleRateHz } from "../../schema/time/Samples.ts"
import { ObjectStore, ObjectsUnavailable } from "../../engine/ports/ObjectStore.ts"
import { MediaStoreUnavailable, Prepare, Unairable } from "../../engine/ports/Prepare.ts"
import { replayKeyOf, replayPlaylist, ReplaySound } from "../../engine/ports/ReplaySound.ts"
import type { AssetId } from "../../schema/Ids.ts"
import { Ffmpeg } from "../ffmpeg/Ffmpeg.ts"
import { runMediaJob } from "../ffmpeg/MediaJob.ts"
import { disk, type DiskFault, mediaPathsOf, workFolder } from "../storage/MediaStore.ts"

const plain = ["-map_metadata", "-1", "-flags:a", "+bitexact", "-fflags", "+bitexact"]
const unavailableFault = ({ code }: DiskFault) =>
  new MediaStoreUnavailable({ detail: `The media store can't be used at the moment (${code}).` })
const jobFault = {
  MediaJobFailed: ({ detail, reason }: { readonly detail: string; readonly reason: string }) =>
    Effect.fail(
      reason === "failed" ? new Unairable({ code: "undecodable", detail }) : new MediaStoreUnavailable({ detail })
    )
}

/** Each channel with its first and last samples faded: a cut inside a sound would click. */
const fadeEdges = (bytes: Buffer): ReadonlyArray<Float32Array> => {
  const frames = Math.floor(bytes.byteLength / 4 / channelsCount)
  const mixed = new Float32Array(bytes.buffer, bytes.byteOffset, frames * channelsCount)
  const fade = Math.min(frames / 2, (clipFadeMs * sampleRateHz) / 1_000)
  return Array.from({ length: channelsCount }, (_, channel) =>
    Float32Array.from(
      { length: frames },
      (__, n) => mixed[n * channelsCount + channel]! * Math.min(1, n / fade, (frames - 1 - n) / fade)
    )
  )
}

/** Pieces of recordings, and clips. */
export const ReplaySoundLive = Layer.effect(
  ReplaySound,
  Effect.gen(function* () {
    const objects = yield* ObjectStore
    const prepare = yield* Prepare
    const tools = yield* Ffmpeg
    const paths = mediaPathsOf(yield* StationConfig)
    // A folder of its own, because others clear theirs at startup.
    const work = { ...paths, work: paths.workOf("replays") }
    yield* Effect.ignore(disk(() => rm(work.work, { recursive: true, force: true })))

    const masterOf = Effect.fnUntraced(function* (id: AssetId) {
      const path = paths.masterOf(id)
      yield* Effect.mapError(
        disk(() => stat(path)),
        (fault) =>
          fault.code === "ENOENT"
            ? new Unairable({ code: "undecodable", detail: "The recording is gone." })
            : unavailableFault(fault)
      )
      return path
    })

    const pack = Effect.fnUntraced(
      function* (assetId: AssetId) {
        const folder = yield* workFolder(work)
        const master = yield* masterOf(assetId)
        yield* runMediaJob((command) =>
          command
            .input(master)
            .noVideo()
            .output(join(folder, replayPlaylist))
            .outputOptions([
              ...plain,
              "-c:a",
              "aac",
              "-b:a",
              "128k",
              "-ar",
              String(sampleRateHz),
              "-ac",
              String(channelsCount),
              "-f",
              "hls",
              "-hls_time",
              String(replaySegmentSec),
              "-hls_list_size",
              "0",
              "-hls_playlist_type",
              "vod",
              "-hls_flags",
              "independent_segments",
              "-hls_segment_type",
              "mpegts",
              "-hls_segment_filename",
              join(folder, "s%05d.ts")
            ])
        )
        const pieces = (yield* disk(() => readdir(folder))).filter((name) => name.endsWith(".ts")).sort()
        yield* Effect.forEach(
          pieces,
          (name) => objects.put(replayKeyOf(assetId, name), { path: join(folder, name) }, "video/mp2t"),
          { discard: true }
        )
        yield* objects.put(
          replayKeyOf(assetId, replayPlaylist),
          { path: join(folder, replayPlaylist) },
          "application/vnd.apple.mpegurl"
        )
      },
      (effect) =>
        effect.pipe(
          Effect.scoped,
          Effect.catchTags({
            ...jobFault,
            DiskFault: (fault) => Effect.fail(new ObjectsUnavailable({ detail: unavailableFault(fault).detail }))
          }),
          Effect.provideService(Ffmpeg, tools)
        )
    )

    const cut: ReplaySound["Service"]["cut"] = Effect.fnUntraced(
      function* ({ durationSec, from, startSec, synthetic, to }) {
        const folder = yield* workFolder(work)
        const samples = join(folder, "clip.f32")
        const master = yield* masterOf(from)
        const [first, last] = [Math.round(startSec * sampleRateHz), Math.round((startSec + durationSec) * sampleRateHz)]
        // By samples: a seek in a FLAC lands on a frame.
        yield* runMediaJob((command) =>
          command
            .input(master)
            .noVideo()
            .audioFilters([`atrim=start_sample=${first}:end_sample=${last}`, "asetpts=N/SR/TB"])
            .output(samples)
            .outputOptions([
              ...plain,
              "-ar",
              String(sampleRateHz),
              "-ac",
              String(channelsCount),
              "-f",
              "f32le",
              "-c:a",
              "pcm_f32le"
            ])
        )
        const channels = fadeEdges(yield* disk(() => readFile(samples)))
        const missing = last - first - channels[0]!.length
        if (missing !== 0)
          return yield* new Unairable({
            code: "length_mismatch",
            detail: `${missing} of ${last - first} samples are not in the recording.`
          })
        // It was shaped when it was made: only its loudness is set again.
        return yield* prepare.prepare({
          id: to,
          kind: "speech",
          raw: { sampleRateHz, channels, words: [] },
          role: "SPEED",
          introEndMs: null,
          segueMs: null,
          synthetic
        })
      },
      (effect) =>
        effect.pipe(
          Effect.scoped,
          Effect.catchTags({ ...jobFault, DiskFault: (fault) => Effect.fail(unavailableFault(fault)) }),
          Effect.provideService(Ffmpeg, tools)
        )
    )

    return ReplaySound.of({ pack, cut })
  })
)
