import { type Cause, Effect, Layer, Option, Queue, Semaphore, Stream } from "effect"
import { randomBytes } from "node:crypto"
import { mkdir, open, rm } from "node:fs/promises"
import { join } from "node:path"
import { StationConfig } from "../../engine/runtime/Config.ts"
import {
  musicJobsMax,
  musicLengthSec,
  musicMemoryMaxMb,
  musicRenderTimeoutSec
} from "../../engine/rules/music/limits.ts"
import { channelsCount } from "../../schema/time/Samples.ts"
import { Music, MusicFailed } from "../../engine/ports/Music.ts"
import type { Composition, MusicAsk, MusicProgress } from "../../engine/ports/Music.ts"
import { outlineOf } from "./composer/Composer.ts"
import { genres } from "./composer/Genres.ts"
import { disk, type DiskFault, mediaPaths } from "../storage/MediaStore.ts"
import { ownProcess } from "../chain/OwnProcess.ts"

/** Input of the rendering process: it writes the samples of one channel after the other to `path`. */
export interface MusicTask {
  readonly ask: MusicAsk
  readonly path: string
}

/** Its output. */
export type MusicReport =
  | { readonly _tag: "Rendering"; readonly progress: number }
  | {
      readonly _tag: "Rendered"
      readonly lengthSamples: number
      readonly known: Omit<Composition, "channels" | "release">
    }
  | { readonly _tag: "Failed"; readonly reason: MusicFailed["reason"]; readonly detail: string }

type Rendered = Extract<MusicReport, { readonly _tag: "Rendered" }>

/** Reads the sound into separately mapped memory, which the system gets back at once: plain buffers of this size fragment the heap. */
const soundOf = ({ known, lengthSamples }: Rendered, path: string): Effect.Effect<Composition, DiskFault> =>
  disk(async () => {
    const channelBytes = lengthSamples * Float32Array.BYTES_PER_ELEMENT
    const memory = new ArrayBuffer(channelBytes * channelsCount, { maxByteLength: channelBytes * channelsCount })
    const bytes = new Uint8Array(memory, 0, memory.byteLength)
    const file = await open(path, "r")
    try {
      for (let at = 0; at < bytes.length;) {
        const { bytesRead } = await file.read(bytes, at, bytes.length - at)
        if (bytesRead === 0) throw new Error(`The piece is ${bytes.length} bytes long, of which ${at} were written.`)
        at += bytesRead
      }
    } finally {
      await file.close()
    }
    const channels = Array.from(
      { length: channelsCount },
      (_, channel) => new Float32Array(memory, channel * channelBytes, lengthSamples)
    )
    return { ...known, channels, release: () => void memory.transferToFixedLength(0) }
  })

/** Lengths outside the form's range are clamped. */
const within = (ask: MusicAsk): MusicAsk => {
  const [least, most] = musicLengthSec[ask.form]
  return { ...ask, durationSec: Math.min(most, Math.max(least, ask.durationSec)) }
}

const failed = (reason: MusicFailed["reason"], detail: string) => new MusicFailed({ reason, detail })

/** The house composer as the port, with its process's script, timeout and scratch path as arguments. */
export const musicOver = Effect.fnUntraced(function* (script: URL, timeoutSec: number, folder: string) {
  const inTurn = yield* Semaphore.make(musicJobsMax)

  const rendered = (task: MusicTask, queue: Queue.Queue<MusicProgress, MusicFailed | Cause.Done>) =>
    Effect.callback<Rendered, MusicFailed>((resume) => {
      const { child, end, lastWords } = ownProcess(script, task, musicMemoryMaxMb)
      child.on("message", (report: MusicReport) => {
        if (report._tag === "Rendering") Queue.offerUnsafe(queue, report)
        else
          resume(
            report._tag === "Rendered" ? Effect.succeed(report) : Effect.fail(failed(report.reason, report.detail))
          )
      })
      child.on("close", (code) =>
        resume(Effect.fail(failed("crashed", `The composer ended with code ${code}. ${lastWords()}`)))
      )
      return end
    }).pipe(
      Effect.timeoutOrElse({
        duration: timeoutSec * 1000,
        orElse: () => Effect.fail(failed("timeout", `The piece was not finished after ${timeoutSec} s.`))
      })
    )

  const run = Effect.fnUntraced(function* (ask: MusicAsk, queue: Queue.Queue<MusicProgress, MusicFailed | Cause.Done>) {
    const path = join(folder, `${randomBytes(8).toString("hex")}.f32`)
    yield* Effect.addFinalizer(() => Effect.ignore(disk(() => rm(path, { force: true }))))
    const composition = yield* disk(() => mkdir(folder, { recursive: true })).pipe(
      Effect.andThen(rendered({ ask, path }, queue)),
      Effect.flatMap((piece) => soundOf(piece, path)),
      Effect.catchTag("DiskFault", ({ code, detail }) => Effect.fail(failed("crashed", `${code}: ${detail}`)))
    )
    Queue.offerUnsafe(queue, { _tag: "Done", composition })
    Queue.endUnsafe(queue)
  })

  const compose = (ask: MusicAsk): Stream.Stream<MusicProgress, MusicFailed> =>
    Stream.callback<MusicProgress, MusicFailed>((queue) =>
      Effect.acquireRelease(inTurn.take(1), () => inTurn.release(1), { interruptible: true }).pipe(
        Effect.andThen(run(within(ask), queue))
      )
    )

  return Music.of({
    genres,
    compose,
    outline: (ask) => outlineOf(within(ask)),
    composeWhole: (ask) =>
      compose(ask).pipe(
        Stream.runLast,
        Effect.flatMap((last) =>
          Option.isSome(last) && last.value._tag === "Done"
            ? Effect.succeed(last.value.composition)
            : Effect.fail(failed("crashed", "The composer ended without a piece."))
        )
      )
  })
})

/** Music made on this machine: composed and rendered from a seed, in a process of the lowest priority. */
export const MusicLive = Layer.effect(
  Music,
  Effect.flatMap(StationConfig, ({ dataDir }) =>
    musicOver(new URL("./MusicWorker.ts", import.meta.url), musicRenderTimeoutSec, mediaPaths(dataDir).work)
  )
)
