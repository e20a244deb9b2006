import { Effect, Layer, Semaphore } from "effect"
import { readFile, rm } from "node:fs/promises"
import { join } from "node:path"
import { clusterOf, StationConfig } from "../../engine/runtime/Config.ts"
import { drawingCpuSec } from "../../engine/rules/agents/limits.ts"
import {
  callInMaxBytes,
  callInMaxSec,
  callInMinSec,
  callInSlackSec,
  callInsAtOnce,
  callInsWaitingMax
} from "../../engine/rules/listeners/limits.ts"
import { mediaJobTimeoutSec } from "../../engine/rules/sound/limits.ts"
import { sampleRateHz } from "../../schema/time/Samples.ts"
import { callKeyOf, CallSound, TooManyCalls } from "../../engine/ports/CallSound.ts"
import { Unusable } from "../../engine/ports/Ingest.ts"
import { ObjectStore, ObjectsUnavailable } from "../../engine/ports/ObjectStore.ts"
import { MediaStoreUnavailable, Prepare, Unairable } from "../../engine/ports/Prepare.ts"
import { Ffmpeg } from "../ffmpeg/Ffmpeg.ts"
import { decodeSound, familyOf, isOtherLength, probeSound } from "./ForeignSound.ts"
import { sniffFormat } from "../pictures/ImageCheck.ts"
import { runMediaJob } from "../ffmpeg/MediaJob.ts"
import { disk, type DiskFault, mediaPathsOf, workFolder } from "../storage/MediaStore.ts"

const isUntyped = (contentType: string | null) =>
  contentType === null || /^$|^(application\/octet-stream|text\/plain)\b/i.test(contentType)

const tooLongFault = (sec: number) =>
  new Unusable({
    code: "too_long",
    detail: `It lasts ${sec > callInMaxSec * 2 ? "much longer than" : `${sec.toFixed(1)} s:`} ${callInMaxSec} s are all there are.`
  })

const unavailableFault = ({ code }: DiskFault) =>
  new ObjectsUnavailable({ detail: `The media store can't be used at the moment (${code}).` })

/** Calls as files: one at a time, each in its own folder, like everything from strangers. */
export const CallSoundLive = Layer.effect(
  CallSound,
  Effect.gen(function* () {
    const config = yield* StationConfig
    const objects = yield* ObjectStore
    const prepare = yield* Prepare
    const tools = yield* Ffmpeg
    const inTurn = yield* Semaphore.make(callInsAtOnce)
    const places = yield* Semaphore.make(callInsAtOnce + callInsWaitingMax)
    const paths = mediaPathsOf(config)
    const work = { ...paths, work: paths.workOf("calls") }
    // Leftovers of a crash: uploads without a verdict, and their half-made files. Another process may still examine the uploads: there, a sweep removes old ones.
    yield* Effect.ignore(
      disk(async () => {
        await rm(work.work, { recursive: true, force: true })
        if (clusterOf(config) === null)
          await rm(join(paths.media, "calls", "incoming"), { recursive: true, force: true })
      })
    )

    const take = Effect.fnUntraced(
      function* ({ contentType, id, uploadKey }: Parameters<CallSound["Service"]["take"]>[0]) {
        const folder = yield* workFolder(work)
        const [file, copy] = [join(folder, "upload"), join(folder, "call.flac")]
        if (!(yield* objects.download(uploadKey, file, callInMaxBytes)))
          return yield* new Unusable({ code: "damaged", detail: "The recording did not arrive whole." })
        const found = yield* sniffFormat(file)
        const family = familyOf(found)
        if (family === null)
          return yield* new Unusable({
            code: "wrong_type",
            detail: `It is ${found ?? "an unknown type"}. Send WebM, Ogg, MP4, MP3 or WAV.`
          })
        if (!isUntyped(contentType) && familyOf(contentType) !== family)
          return yield* new Unusable({
            code: "wrong_type",
            detail: `It was announced as ${contentType} and is ${found}.`
          })
        const { durationSec: claimedSec } = yield* probeSound(tools, file, family)
        if (claimedSec !== null && claimedSec > callInMaxSec + callInSlackSec) return yield* tooLongFault(claimedSec)
        yield* decodeSound(tools, {
          file,
          family,
          maxSec: callInMaxSec + 1,
          cpuSec: drawingCpuSec,
          timeoutSec: mediaJobTimeoutSec,
          outputs: [["-ac", "1", "-ar", String(sampleRateHz), "-c:a", "flac", "-sample_fmt", "s16", "-f", "flac", copy]]
        })
        const durationSec = (yield* probeSound(tools, copy, "flac")).durationSec ?? 0
        if (durationSec > callInMaxSec + callInSlackSec) return yield* tooLongFault(durationSec)
        if (durationSec < callInMinSec)
          return yield* new Unusable({
            code: "too_short",
            detail: `There is less than ${callInMinSec} s of sound in it.`
          })
        if (claimedSec !== null && isOtherLength(claimedSec, durationSec)) {
          return yield* new Unusable({
            code: "length_mismatch",
            detail: `It says that it lasts ${claimedSec.toFixed(1)} s, and ${durationSec.toFixed(1)} s are in it.`
          })
        }
        yield* objects.put(callKeyOf(id), { path: copy }, "audio/flac")
        return Math.min(callInMaxSec, Math.round(durationSec * 1_000) / 1_000)
      },
      (effect) =>
        effect.pipe(
          Effect.scoped,
          Effect.catchTag("DiskFault", (fault) => Effect.fail(unavailableFault(fault))),
          inTurn.withPermit,
          places.withPermitsIfAvailable(1),
          Effect.flatMap(Effect.fromOption),
          Effect.catchTag("NoSuchElementError", () => Effect.fail(new TooManyCalls()))
        )
    )

    const master = Effect.fnUntraced(
      function* (
        id: Parameters<CallSound["Service"]["master"]>[0],
        assetId: Parameters<CallSound["Service"]["master"]>[1]
      ) {
        const folder = yield* workFolder(work)
        const [copy, samples] = [join(folder, "call.flac"), join(folder, "call.f32")]
        if (!(yield* objects.download(callKeyOf(id), copy, callInMaxBytes * 2)))
          return yield* new Unairable({ code: "undecodable", detail: "The recording is gone." })
        yield* runMediaJob((command) =>
          command
            .input(copy)
            .noVideo()
            .output(samples)
            .outputOptions(["-ac", "1", "-ar", String(sampleRateHz), "-f", "f32le", "-c:a", "pcm_f32le"])
        )
        const bytes = yield* disk(() => readFile(samples))
        const voice = new Float32Array(bytes.buffer, bytes.byteOffset, Math.floor(bytes.byteLength / 4))
        return yield* prepare.prepare({
          id: assetId,
          kind: "speech",
          raw: { sampleRateHz, channels: [voice], words: [] },
          role: "PRIMARY",
          introEndMs: null,
          segueMs: null,
          synthetic: null
        })
      },
      (effect) =>
        effect.pipe(
          Effect.scoped,
          Effect.catchTags({
            DiskFault: (fault) => Effect.fail(unavailableFault(fault)),
            MediaJobFailed: ({ detail, reason }) =>
              Effect.fail(
                reason === "failed"
                  ? new Unairable({ code: "undecodable", detail })
                  : new MediaStoreUnavailable({ detail })
              )
          }),
          Effect.provideService(Ffmpeg, tools)
        )
    )

    return CallSound.of({
      take,
      master,
      discard: (id, assetId) =>
        Effect.andThen(objects.remove([callKeyOf(id)]), assetId === null ? Effect.void : prepare.discard(assetId))
    })
  })
)
