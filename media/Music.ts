import { Cause, Effect, Layer, Option, Queue, Semaphore, Stream } from "effect"
import { Worker } from "node:worker_threads"
import { musicJobsMax, musicLengthSec, musicRenderTimeoutSec, sampleRateHz } from "../engine/Limits.ts"
import { Music, MusicFailed } from "../engine/ports/Music.ts"
import type { Composition, MusicAsk, MusicProgress } from "../engine/ports/Music.ts"
import { genres } from "./composer/Genres.ts"
import type { Score } from "./composer/Score.ts"

/** What the rendering thread says. */
export type MusicReport = MusicProgress | { readonly _tag: "Failed"; readonly reason: MusicFailed["reason"]; readonly detail: string }

const toMs = (samples: number): number => Math.round(samples * 1000 / sampleRateHz)

/** A score and its sound as the port hands them out. */
export const composition = (score: Score, channels: ReadonlyArray<Float32Array>): Composition => ({
  sampleRateHz, channels, words: [], title: score.title, bpm: score.bpm, musicalKey: score.musicalKey,
  sections: score.sections.map(({ name, from, to }) => ({ name, startMs: toMs(from), endMs: toMs(to) })),
  introEndMs: toMs(score.introEnd), segueMs: toMs(score.segue)
})

/** Lengths outside what a form can carry are brought to its edge. */
const within = (ask: MusicAsk): MusicAsk => {
  const [least, most] = musicLengthSec[ask.form]
  return { ...ask, durationSec: Math.min(most, Math.max(least, ask.durationSec)) }
}

const failed = (reason: MusicFailed["reason"], detail: string) => new MusicFailed({ reason, detail })

/** The house composer as the port, with its thread's script and its patience as arguments. */
export const musicOver = Effect.fnUntraced(function*(script: URL, timeoutSec: number) {
  const inTurn = yield* Semaphore.make(musicJobsMax)

  const run = Effect.fnUntraced(function*(ask: MusicAsk, queue: Queue.Queue<MusicProgress, MusicFailed | Cause.Done>) {
    yield* Effect.acquireRelease(
      Effect.sync(() => {
        const worker = new Worker(script, { workerData: ask, name: "music" })
        const fail = (reason: MusicFailed["reason"], detail: string) => Queue.failCauseUnsafe(queue, Cause.fail(failed(reason, detail)))
        worker.on("message", (report: MusicReport) => {
          if (report._tag === "Failed") return fail(report.reason, report.detail)
          Queue.offerUnsafe(queue, report)
          return report._tag === "Done" ? Queue.endUnsafe(queue) : undefined
        })
        worker.on("error", (cause) => fail("crashed", cause instanceof Error ? cause.message : String(cause)))
        worker.on("exit", (code) => fail("crashed", `The composer's thread ended with code ${code}.`))
        return worker
      }),
      (worker) => Effect.promise(() => worker.terminate())
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

/** Music made on this machine: composed and rendered from a seed, in a thread that gives way to everything else. */
export const MusicLive = Layer.effect(Music, musicOver(new URL("./MusicWorker.ts", import.meta.url), musicRenderTimeoutSec))
