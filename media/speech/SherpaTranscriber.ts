import { Effect } from "effect"
import { randomBytes } from "node:crypto"
import { mkdir, rm } from "node:fs/promises"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { callInMaxBytes, transcriptCharsMax } from "../../engine/rules/listeners/limits.ts"
import { transcriberCpuSec, transcriberMemoryMaxMb, transcriberTimeoutMs } from "../../engine/rules/voices/limits.ts"
import type { ObjectStore } from "../../engine/ports/ObjectStore.ts"
import { NotTranscribed, Transcriber } from "../../engine/ports/Transcriber.ts"
import { confined } from "../ffmpeg/Confined.ts"
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

const failed = (detail: string, again = false) => new NotTranscribed({ detail, again })

/** Transcripts by an operator's model on this machine. A damaged model ends only the child that loads it. */
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
          const folder = yield* Effect.acquireRelease(
            disk(async () => {
              const made = join(workDir, randomBytes(8).toString("hex"))
              await mkdir(made, { recursive: true })
              return made
            }),
            (made) => Effect.ignore(disk(() => rm(made, { recursive: true, force: true })))
          )
          const [copy, pcm] = [join(folder, "call.flac"), join(folder, "call.pcm")]
          if (!(yield* objects.download(key, copy, callInMaxBytes * 2))) return yield* failed("The recording is gone.")
          yield* runMediaJob((command) =>
            command
              .input(copy)
              .noVideo()
              .output(pcm)
              .outputOptions(["-ac", "1", "-ar", "16000", "-f", "s16le", "-c:a", "pcm_s16le"])
          )
          const task: SherpaTask = { modelDir, pcm }
          const out = yield* Effect.mapError(
            confined(process.execPath, [worker, JSON.stringify(task)], {
              cpuSec: transcriberCpuSec,
              timeoutSec: transcriberTimeoutMs / 1_000,
              memoryMaxMb: transcriberMemoryMaxMb
            }),
            ({ reason }) =>
              reason === "timeout"
                ? failed("The recogniser did not end in time.", true)
                : failed(
                    "The recogniser fell: the model is damaged, or none for it, or the library has no build for this machine."
                  )
          )
          const answer = answerIn(out.toString("utf8"))
          if (answer === null) return yield* failed("The recogniser gave no answer.")
          if (answer._tag === "Unfit") return yield* failed(`STT_MODEL_DIR can't be used: ${answer.detail}`)
          return [...answer.text.normalize("NFC")].slice(0, transcriptCharsMax).join("")
        })
      ).pipe(
        Effect.catchTags({
          DiskFault: () => Effect.fail(failed("The media store can't be used at the moment.", true)),
          ObjectsUnavailable: ({ detail }) => Effect.fail(failed(detail, true)),
          MediaJobFailed: ({ reason }) => Effect.fail(failed("The recording could not be read.", reason !== "failed"))
        }),
        Effect.provideService(Ffmpeg, tools)
      )
  })
