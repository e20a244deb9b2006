import { Effect, Layer, Semaphore } from "effect"
import { rm, stat } from "node:fs/promises"
import { join } from "node:path"
import { StationConfig } from "../engine/Config.ts"
import { channelsCount, mediaJobsMax, sampleRateHz } from "../engine/Limits.ts"
import { MediaStoreUnavailable, Prepare, Unairable } from "../engine/ports/Prepare.ts"
import type { RawSound } from "../engine/ports/Speech.ts"
import { Asset, WordTiming } from "../schema/Sound.ts"
import { cuePointsOf } from "./CuePoints.ts"
import { Ffmpeg } from "./Ffmpeg.ts"
import { master } from "./Mastering.ts"
import { runMediaJob } from "./MediaJob.ts"
import { disk, mediaPaths, publish, workFolder } from "./MediaStore.ts"
import { looking, objectionTo } from "./Quality.ts"
import { scanSound } from "./SoundScan.ts"
import { hashOfMaster, makeStaging } from "./Staging.ts"

/** FLAC to keep and MP3 to listen to, from the same bytes in one run. */
const encode = (pcm: string, flac: string, mp3: string) => {
  const plain = ["-map_metadata", "-1", "-flags:a", "+bitexact", "-fflags", "+bitexact"]
  return runMediaJob((command) =>
    command.input(pcm).inputOptions(["-f", "s16le", "-ar", String(sampleRateHz), "-ac", String(channelsCount)])
      .output(flac).outputOptions([...plain, "-f", "flac", "-c:a", "flac", "-sample_fmt", "s16"])
      .output(mp3).outputOptions([...plain, "-f", "mp3", "-c:a", "libmp3lame", "-b:a", "160k"]))
}

/** Lets other work of this thread go on between two blocks. */
const lookAt = Effect.fnUntraced(function*(raw: RawSound) {
  const look = looking(raw)
  for (;;) {
    const step = look.next()
    if (step.done === true) return step.value
    yield* Effect.yieldNow
  }
})

/** `stagedMaxBytes` bounds the PCM kept on disk; the media store itself is not bounded here. */
export const makePrepare = Effect.fnUntraced(function*(dataDir: string, stagedMaxBytes?: number) {
  const ffmpeg = yield* Ffmpeg
  const paths = mediaPaths(dataDir)
  const staging = yield* makeStaging(paths, stagedMaxBytes)
  const atOnce = yield* Semaphore.make(mediaJobsMax)
  // What a crash left behind; a disk that can't be written to is told to whoever wants to write.
  yield* Effect.ignore(disk(() => rm(paths.work, { recursive: true, force: true })))

  const prepare = Effect.fnUntraced(function*({ id, kind, raw, role, introEndMs, segueMs }: Parameters<Prepare["Service"]["prepare"]>[0]) {
    const found = yield* lookAt(raw)
    const objection = objectionTo(kind, raw, found)
    if (objection !== null) return yield* objection

    const folder = yield* workFolder(paths)
    const [pcm, flac, mp3] = [join(folder, "sound.pcm"), join(folder, "sound.flac"), join(folder, "sound.mp3")]
    const loudness = yield* master({ raw, kind, role, peak: found.peak, interleaved: join(folder, "raw.f32"), shaped: join(folder, "shaped.f32"), pcm })
    const scan = yield* scanSound(pcm)
    const expected = Math.round(found.lengthSec * sampleRateHz)
    if (Math.abs(scan.lengthSamples - expected) > sampleRateHz / 20) {
      return yield* new Unairable({ code: "length_mismatch", detail: `${expected} samples were expected and ${scan.lengthSamples} came out of mastering.` })
    }
    yield* encode(pcm, flac, mp3)
    if ((yield* hashOfMaster(paths, flac)) !== scan.pcmSha256 || (yield* disk(() => stat(mp3))).size === 0) {
      return yield* new MediaStoreUnavailable({ detail: "What was written to the media store is not what was made; nothing was kept." })
    }
    yield* publish(mp3, paths.copyOf(id))
    yield* publish(flac, paths.masterOf(id))

    raw.release?.()
    const endMs = Math.floor(scan.lengthSamples * 1000 / sampleRateHz)
    return new Asset({
      id,
      kind,
      lengthSamples: scan.lengthSamples,
      pcmSha256: scan.pcmSha256,
      loudness,
      cue: cuePointsOf(kind, scan.envelope, scan.lengthSamples, { introEndMs, segueMs }),
      envelope: scan.envelope,
      peaks: scan.peaks,
      words: raw.words.map(({ text, ...when }) => new WordTiming({ text, startMs: Math.min(when.startMs, endMs), endMs: Math.min(when.endMs, endMs) }))
    })
  }, (effect) => effect.pipe(
    Effect.scoped,
    Effect.catchTags({
      DiskFault: ({ code, detail }) => Effect.fail(new MediaStoreUnavailable({ detail: `${code}: ${detail}` })),
      MediaJobFailed: ({ reason, detail }) => Effect.fail(reason === "failed"
        ? new Unairable({ code: "undecodable", detail })
        : new MediaStoreUnavailable({ detail }))
    }),
    atOnce.withPermit,
    Effect.provideService(Ffmpeg, ffmpeg)
  ))

  return Prepare.of({
    prepare,
    stage: (asset) => staging.stage(asset).pipe(Effect.provideService(Ffmpeg, ffmpeg)),
    listeningCopy: paths.copyOf,
    purgeStaged: staging.purge
  })
})

/** Masters and copies in `media/`, PCM for the mixer in `staged/`, both under `dataDir`. */
export const prepareLayer = (dataDir: string): Layer.Layer<Prepare, never, Ffmpeg> => Layer.effect(Prepare, makePrepare(dataDir))

export const PrepareLive: Layer.Layer<Prepare, never, Ffmpeg | StationConfig> = Layer.unwrap(StationConfig.pipe(Effect.map(({ dataDir }) => prepareLayer(dataDir))))
