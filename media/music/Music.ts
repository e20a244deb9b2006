import { type Cause, Effect, Option, Queue, Semaphore, Stream } from "effect"
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
import type { ArrangeAsk } from "../../engine/ports/Arranger.ts"
import { Music, MusicFailed } from "../../engine/ports/Music.ts"
import type { Composition, MusicAsk, MusicProgress } from "../../engine/ports/Music.ts"
import { outlineOf } from "./composer/Composer.ts"
import { genres } from "./composer/Genres.ts"
import { disk, type DiskFault, mediaPathsOf } from "../storage/MediaStore.ts"
import { startOwnProcess } from "../chain/OwnProcess.ts"

/** Something heard that is played again. `source` is a file of mono float32 at `transcribedRateHz`. */
export interface HeardAsk extends ArrangeAsk {
  readonly source: string
  readonly as: "remix" | "song"
  readonly bpm: number | null
  readonly durationSec: number
}

/** Input of the rendering process: it writes the samples of one channel after the other to `path`. */
export interface MusicTask {
  readonly ask: MusicAsk | HeardAsk
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
const clampLength = (ask: MusicAsk): MusicAsk => {
  const [least, most] = musicLengthSec[ask.form]
  return { ...ask, durationSec: Math.min(most, Math.max(least, ask.durationSec)) }
}

const failure = (reason: MusicFailed["reason"], detail: string) => new MusicFailed({ reason, detail })

/** Renders pieces one after the other, each in a process of its own; its script, timeout and scratch path are arguments. */
export const makePieces = Effect.fnUntraced(function* (script: URL, timeoutSec: number, folder: string) {
  const inTurn = yield* Semaphore.make(musicJobsMax)

  const renderInProcess = (task: MusicTask, queue: Queue.Queue<MusicProgress, MusicFailed | Cause.Done>) =>
    Effect.callback<Rendered, MusicFailed>((resume) => {
      const { child, end, readLastWords } = startOwnProcess(script, task, musicMemoryMaxMb)
      child.on("message", (report: MusicReport) => {
        if (report._tag === "Rendering") Queue.offerUnsafe(queue, report)
        else
          resume(
            report._tag === "Rendered" ? Effect.succeed(report) : Effect.fail(failure(report.reason, report.detail))
          )
      })
      child.on("close", (code) =>
        resume(Effect.fail(failure("crashed", `The composer ended with code ${code}. ${readLastWords()}`)))
      )
      return end
    }).pipe(
      Effect.timeoutOrElse({
        duration: timeoutSec * 1000,
        orElse: () => Effect.fail(failure("timeout", `The piece was not finished after ${timeoutSec} s.`))
      })
    )

  const run = Effect.fnUntraced(function* (
    ask: MusicTask["ask"],
    queue: Queue.Queue<MusicProgress, MusicFailed | Cause.Done>
  ) {
    const path = join(folder, `${randomBytes(8).toString("hex")}.f32`)
    yield* Effect.addFinalizer(() => Effect.ignore(disk(() => rm(path, { force: true }))))
    const composition = yield* disk(() => mkdir(folder, { recursive: true })).pipe(
      Effect.andThen(renderInProcess({ ask, path }, queue)),
      Effect.flatMap((piece) => soundOf(piece, path)),
      Effect.catchTag("DiskFault", ({ code, detail }) => Effect.fail(failure("crashed", `${code}: ${detail}`)))
    )
    Queue.offerUnsafe(queue, { _tag: "Done", composition })
    Queue.endUnsafe(queue)
  })

  const play = (ask: MusicTask["ask"]): Stream.Stream<MusicProgress, MusicFailed> =>
    Stream.callback<MusicProgress, MusicFailed>((queue) =>
      Effect.acquireRelease(inTurn.take(1), () => inTurn.release(1), { interruptible: true }).pipe(
        Effect.andThen(run(ask, queue))
      )
    )
  const playWhole = (ask: MusicTask["ask"]) =>
    play(ask).pipe(
      Stream.runLast,
      Effect.flatMap((last) =>
        Option.isSome(last) && last.value._tag === "Done"
          ? Effect.succeed(last.value.composition)
          : Effect.fail(failure("crashed", "The composer ended without a piece."))
      )
    )
  return { play, playWhole }
})

/** Where pieces are rendered. */
export type Pieces = Effect.Success<ReturnType<typeof makePieces>>

export const musicOf = ({ play, playWhole }: Pieces): Music["Service"] =>
  Music.of({
    genres,
    compose: (ask) => play(clampLength(ask)),
    outline: (ask) => outlineOf(clampLength(ask)),
    composeWhole: (ask) => playWhole(clampLength(ask))
  })

/** The house composer as the port, over a process of its own. */
export const makeMusic = (...where: Parameters<typeof makePieces>) => Effect.map(makePieces(...where), musicOf)

/** Pieces made on this machine, in a process of the lowest priority. */
export const housePieces = Effect.flatMap(StationConfig, (config) =>
  makePieces(new URL("./MusicWorker.ts", import.meta.url), musicRenderTimeoutSec, mediaPathsOf(config).work)
)
