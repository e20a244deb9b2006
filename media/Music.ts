import { Cause, Effect, Layer, Option, Queue, Semaphore, Stream } from "effect"
import { musicJobsMax, musicLengthSec, musicMemoryMaxMb, musicRenderTimeoutSec } from "../engine/Limits.ts"
import { Music, MusicFailed } from "../engine/ports/Music.ts"
import type { Composition, MusicAsk, MusicProgress } from "../engine/ports/Music.ts"
import { genres } from "./composer/Genres.ts"
import { ownProcess } from "./OwnProcess.ts"

/** What the rendering process says: how far it is, then the sound piece by piece, then what is known of it. */
export type MusicReport =
  | { readonly _tag: "Rendering"; readonly progress: number }
  | { readonly _tag: "Sound"; readonly lengthSamples: number; readonly at: number; readonly channels: ReadonlyArray<Float32Array> }
  | { readonly _tag: "Done"; readonly known: Omit<Composition, "channels"> }
  | { readonly _tag: "Failed"; readonly reason: MusicFailed["reason"]; readonly detail: string }

/** Memory of its own pages, which the system has back at once: a plain buffer of this size leaves a hole in the process's heap. */
const pages = (length: number): Float32Array => {
  const bytes = length * Float32Array.BYTES_PER_ELEMENT
  return new Float32Array(new ArrayBuffer(bytes, { maxByteLength: bytes }), 0, length)
}

/** Lengths outside what a form can carry are brought to its edge. */
const within = (ask: MusicAsk): MusicAsk => {
  const [least, most] = musicLengthSec[ask.form]
  return { ...ask, durationSec: Math.min(most, Math.max(least, ask.durationSec)) }
}

const failed = (reason: MusicFailed["reason"], detail: string) => new MusicFailed({ reason, detail })

/** The house composer as the port, with its process's script and its patience as arguments. */
export const musicOver = Effect.fnUntraced(function*(script: URL, timeoutSec: number) {
  const inTurn = yield* Semaphore.make(musicJobsMax)

  const run = Effect.fnUntraced(function*(ask: MusicAsk, queue: Queue.Queue<MusicProgress, MusicFailed | Cause.Done>) {
    const fail = (reason: MusicFailed["reason"], detail: string) => Queue.failCauseUnsafe(queue, Cause.fail(failed(reason, detail)))
    let channels: ReadonlyArray<Float32Array> = []
    const hear = (report: MusicReport) => {
      switch (report._tag) {
        case "Rendering": return Queue.offerUnsafe(queue, report)
        case "Sound":
          if (report.at === 0) channels = report.channels.map(() => pages(report.lengthSamples))
          return report.channels.forEach((block, which) => channels[which]!.set(block, report.at))
        case "Done":
          Queue.offerUnsafe(queue, { _tag: "Done", composition: { ...report.known, channels } })
          return Queue.endUnsafe(queue)
        case "Failed": return fail(report.reason, report.detail)
      }
    }
    yield* Effect.acquireRelease(
      Effect.sync(() => {
        const made = ownProcess(script, ask, musicMemoryMaxMb)
        made.child.on("message", hear)
        made.child.on("close", (code) => fail("crashed", `The composer ended with code ${code}. ${made.lastWords()}`))
        return made
      }),
      ({ end }) => end
    )
    yield* Effect.sleep(timeoutSec * 1000)
    return yield* failed("timeout", `The piece was not finished after ${timeoutSec} s.`)
  })

  const compose = (ask: MusicAsk): Stream.Stream<MusicProgress, MusicFailed> =>
    Stream.callback<MusicProgress, MusicFailed>((queue) =>
      Effect.acquireRelease(inTurn.take(1), () => inTurn.release(1), { interruptible: true }).pipe(Effect.andThen(run(within(ask), queue))))

  return Music.of({
    genres,
    compose,
    composeWhole: (ask) => compose(ask).pipe(
      Stream.runLast,
      Effect.flatMap((last) => Option.isSome(last) && last.value._tag === "Done"
        ? Effect.succeed(last.value.composition)
        : Effect.fail(failed("crashed", "The composer ended without a piece.")))
    )
  })
})

/** Music made on this machine: composed and rendered from a seed, in a process that gives way to everything else. */
export const MusicLive = Layer.effect(Music, musicOver(new URL("./MusicWorker.ts", import.meta.url), musicRenderTimeoutSec))
