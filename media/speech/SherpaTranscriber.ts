import { Effect } from "effect"
import { randomBytes } from "node:crypto"
import { mkdir, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { callInMaxBytes, transcriptCharsMax } from "../../engine/rules/listeners/limits.ts"
import { transcriberCpuSec, transcriberMemoryMaxMb, transcriberTimeoutMs } from "../../engine/rules/voices/limits.ts"
import type { ObjectStore } from "../../engine/ports/ObjectStore.ts"
import type { RawSound } from "../../engine/ports/Speech.ts"
import { NotTranscribed, Transcriber } from "../../engine/ports/Transcriber.ts"
import { runConfined } from "../ffmpeg/Confined.ts"
import { Ffmpeg, type FfmpegTools } from "../ffmpeg/Ffmpeg.ts"
import { runMediaJob } from "../ffmpeg/MediaJob.ts"
import { disk } from "../storage/MediaStore.ts"
import type { SherpaAnswer, SherpaTask } from "./SherpaWorker.ts"

const worker = fileURLToPath(new URL("./SherpaWorker.ts", import.meta.url))

/** The last line of output that is an answer: the library also logs. */
const answerIn = (out: string): SherpaAnswer | null => {
  for (const line of out.trim().split("\n").toReversed()) {
    if (!line.startsWith(`{"_tag":`)) continue
    try {
      return JSON.parse(line) as SherpaAnswer
    } catch {
      return null
    }
  }
  return null
}

const failure = (detail: string, again = false) => new NotTranscribed({ detail, again })

/** Text of a 16 kHz mono s16le file. A damaged model ends only the child that loads it. */
const textOf = Effect.fnUntraced(function* (task: SherpaTask) {
  const out = yield* Effect.mapError(
    runConfined(process.execPath, [worker, JSON.stringify(task)], {
      cpuSec: transcriberCpuSec,
      timeoutSec: transcriberTimeoutMs / 1_000,
      memoryMaxMb: transcriberMemoryMaxMb
    }),
    ({ reason }) =>
      reason === "timeout"
        ? failure("The recogniser did not end in time.", true)
        : failure(
            "The recogniser fell: the model is damaged, or none for it, or the library has no build for this machine."
          )
  )
  const answer = answerIn(out.toString("utf8"))
  if (answer === null) return yield* failure("The recogniser gave no answer.")
  if (answer._tag === "Unfit") return yield* failure(`STT_MODEL_DIR can't be used: ${answer.detail}`)
  return [...answer.text.normalize("NFC")].slice(0, transcriptCharsMax).join("")
})

const temporaryFolder = (workDir: string) =>
  Effect.acquireRelease(
    disk(async () => {
      const made = join(workDir, randomBytes(8).toString("hex"))
      await mkdir(made, { recursive: true })
      return made
    }),
    (made) => Effect.ignore(disk(() => rm(made, { recursive: true, force: true })))
  )

/** What a recogniser hears in speech that the station made; null if it can't hear now: a check that fails is not the sound's fault. */
export const sherpaListener =
  ({
    modelDir,
    tools,
    workDir
  }: {
    readonly modelDir: string
    readonly tools: FfmpegTools
    readonly workDir: string
  }) =>
  ({ channels, sampleRateHz }: RawSound): Effect.Effect<string | null> =>
    Effect.scoped(
      Effect.gen(function* () {
        const folder = yield* temporaryFolder(workDir)
        const [raw, pcm] = [join(folder, "speech.f32"), join(folder, "speech.pcm")]
        const [samples] = channels
        yield* disk(() => writeFile(raw, new Uint8Array(samples!.buffer, samples!.byteOffset, samples!.byteLength)))
        yield* runMediaJob((command) =>
          command
            .input(raw)
            .inputOptions(["-f", "f32le", "-ar", String(sampleRateHz), "-ac", "1"])
            .output(pcm)
            .outputOptions(["-ac", "1", "-ar", "16000", "-f", "s16le", "-c:a", "pcm_s16le"])
        )
        return yield* textOf({ modelDir, pcm })
      })
    ).pipe(
      Effect.tapError((error) => Effect.logWarning("The recogniser could not check a sound.", error)),
      Effect.orElseSucceed(() => null),
      Effect.provideService(Ffmpeg, tools)
    )

/** Transcripts by an operator's model on this machine. */
export const sherpaTranscriber = ({
  modelDir,
  objects,
  tools,
  workDir
}: {
  readonly modelDir: string
  readonly objects: ObjectStore["Service"]
  readonly tools: FfmpegTools
  readonly workDir: string
}) =>
  Transcriber.of({
    engine: "sherpa-onnx",
    transcribe: (key) =>
      Effect.scoped(
        Effect.gen(function* () {
          const folder = yield* temporaryFolder(workDir)
          const [copy, pcm] = [join(folder, "call.flac"), join(folder, "call.pcm")]
          if (!(yield* objects.download(key, copy, callInMaxBytes * 2))) return yield* failure("The recording is gone.")
          yield* runMediaJob((command) =>
            command
              .input(copy)
              .noVideo()
              .output(pcm)
              .outputOptions(["-ac", "1", "-ar", "16000", "-f", "s16le", "-c:a", "pcm_s16le"])
          )
          return yield* textOf({ modelDir, pcm })
        })
      ).pipe(
        Effect.catchTags({
          DiskFault: () => Effect.fail(failure("The media store can't be used at the moment.", true)),
          ObjectsUnavailable: ({ detail }) => Effect.fail(failure(detail, true)),
          MediaJobFailed: ({ reason }) => Effect.fail(failure("The recording could not be read.", reason !== "failed"))
        }),
        Effect.provideService(Ffmpeg, tools)
      )
  })
