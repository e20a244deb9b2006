import { Effect, Semaphore } from "effect"
import type { Scope } from "effect"
import { Worker } from "node:worker_threads"
import { sentenceTimeoutMs, speechStartTimeoutMs } from "../engine/Limits.ts"
import { SpeechFailed } from "../engine/ports/Speech.ts"
import type { TimbreRecipe } from "./Timbre.ts"

/** One sentence for an engine: plain text, no markup of any kind. */
export interface SpokenLineAsk {
  readonly text: string
  readonly accentFile: string
  readonly variantName: string
  readonly variantFile: string
  readonly wordsPerMin: number
  readonly pitch: number
  readonly range: number
  readonly timbre: TimbreRecipe
}

/** Where in the text a word begins, and when. */
export interface WordMark {
  readonly atChar: number
  readonly startMs: number
}

export interface SpokenLine {
  readonly pcm: Float32Array
  readonly sampleRateHz: number
  readonly marks: ReadonlyArray<WordMark>
}

export interface SpeechEngine {
  readonly speak: (ask: SpokenLineAsk) => Effect.Effect<SpokenLine, SpeechFailed>
}

type Report = { readonly ready: true } | { readonly id: number; readonly line: SpokenLine } | { readonly id: number; readonly fault: string }

const failed = (reason: SpeechFailed["reason"], detail: string) => new SpeechFailed({ reason, detail })

/** Louder than the dither of any engine, softer than any word. */
const audible = 0.003

/** What came back is looked at before anyone hears it: engines fall silent without an error. */
const examine = (ask: SpokenLineAsk, line: SpokenLine): Effect.Effect<SpokenLine, SpeechFailed> => {
  let peak = 0
  for (const sample of line.pcm) {
    const size = Math.abs(sample)
    if (!(size <= 4)) return Effect.fail(failed("crashed", "The engine returned samples that are not numbers."))
    if (size > peak) peak = size
  }
  return peak < audible
    ? Effect.fail(failed("silent", `The engine said nothing for ${JSON.stringify(ask.text.slice(0, 80))}.`))
    : Effect.succeed(line)
}

/**
 * A speech engine in a worker thread of its own. It is started at the first sentence; one that hangs or crashes is killed,
 * and the next sentence starts another. Sentences are spoken one at a time.
 */
export const makeSpeechEngine = Effect.fnUntraced(function*(script: URL, data: object, timeoutMs = sentenceTimeoutMs): Effect.fn.Return<SpeechEngine, never, Scope.Scope> {
  let running: { readonly worker: Worker; readonly ready: boolean } | null = null
  let lastId = 0
  const oneAtATime = yield* Semaphore.make(1)

  const stop = Effect.sync(() => {
    const worker = running?.worker
    running = null
    void worker?.terminate()
  })
  yield* Effect.addFinalizer(() => stop)

  const report = (worker: Worker, wanted: (report: Report) => boolean, send?: () => void) =>
    Effect.callback<Report, SpeechFailed>((resume) => {
      const onMessage = (message: Report) => {
        if (wanted(message)) resume(Effect.succeed(message))
      }
      const onError = (cause: Error) => resume(Effect.fail(failed("crashed", cause.message)))
      const onExit = (code: number) => resume(Effect.fail(failed("crashed", `The engine's thread ended with code ${code}.`)))
      worker.on("message", onMessage)
      worker.on("error", onError)
      worker.on("exit", onExit)
      send?.()
      return Effect.sync(() => {
        worker.off("message", onMessage)
        worker.off("exit", onExit)
      })
    }).pipe(Effect.ensuring(Effect.sync(() => {
      worker.removeAllListeners("message")
      worker.removeAllListeners("error")
      worker.removeAllListeners("exit")
      // A worker that is being killed may still raise an error; without a listener that would end the process.
      worker.on("error", () => {})
      worker.on("exit", () => {
        if (running?.worker === worker) running = null
      })
    })))

  const start = Effect.suspend(() => {
    if (running !== null) return Effect.succeed(running.worker)
    const worker = new Worker(script, { workerData: data, resourceLimits: { maxOldGenerationSizeMb: 512 }, stdout: true, stderr: true })
    worker.unref()
    running = { worker, ready: false }
    return report(worker, (message) => "ready" in message).pipe(
      Effect.as(worker),
      Effect.timeoutOrElse({
        duration: speechStartTimeoutMs,
        orElse: () => Effect.fail(failed("timeout", "The engine did not start in time."))
      })
    )
  })

  const answerOf = Effect.fnUntraced(function*(ask: SpokenLineAsk) {
    const worker = yield* start
    const id = ++lastId
    const answer = yield* report(worker, (message) => "id" in message && message.id === id, () => worker.postMessage({ id, ask }, [])).pipe(
      Effect.timeoutOrElse({
        duration: timeoutMs,
        orElse: () => Effect.fail(failed("timeout", `The engine was still busy with one sentence after ${timeoutMs} ms.`))
      })
    )
    if ("line" in answer) return answer.line
    return yield* failed("crashed", "fault" in answer ? answer.fault : "The engine gave no sound.")
    // Also when the caller goes away: a worker in the middle of a sentence can't be told to stop.
  }, Effect.onExit((exit) => exit._tag === "Success" ? Effect.void : stop))

  const speak = (ask: SpokenLineAsk) =>
    answerOf(ask).pipe(oneAtATime.withPermit, Effect.flatMap((line) => examine(ask, line)))

  return { speak }
})
