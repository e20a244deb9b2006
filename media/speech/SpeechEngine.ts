import { Effect, Semaphore } from "effect"
import type { Scope } from "effect"
import {
  sentenceTimeoutMs,
  speechIdleMs,
  speechMemoryMaxMb,
  speechStartTimeoutMs
} from "../../engine/rules/voices/limits.ts"
import { SpeechFailed } from "../../engine/ports/Speech.ts"
import { type OwnProcess, ownProcess } from "../chain/OwnProcess.ts"
import { after } from "../clock/Ticker.ts"
import type { TimbreRecipe } from "./Timbre.ts"

/** One sentence for an engine: plain text without markup. */
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

/** Position of a word in the text, and its time. */
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

type Report =
  | { readonly ready: true }
  | { readonly id: number; readonly line: SpokenLine }
  | { readonly id: number; readonly fault: string }

const failed = (reason: SpeechFailed["reason"], detail: string) => new SpeechFailed({ reason, detail })

/** Louder than any engine's dither, softer than any word. */
const audible = 0.003

/** Engines may fall silent without an error, so their output is checked. */
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
 * A speech engine in its own process. Starts at the first sentence and ends when idle; a hung or crashed one is killed, and the next
 * sentence starts another. Speaks one sentence at a time.
 */
export const makeSpeechEngine = Effect.fnUntraced(function* (
  script: URL,
  data: object,
  timeoutMs = sentenceTimeoutMs,
  idleMs = speechIdleMs
): Effect.fn.Return<SpeechEngine, never, Scope.Scope> {
  let running: OwnProcess | null = null
  let lastId = 0
  let stayAwake = () => {}
  const oneAtATime = yield* Semaphore.make(1)

  const stop = Effect.suspend(() => {
    const engine = running
    running = null
    return engine === null ? Effect.void : engine.end
  })
  yield* Effect.addFinalizer(() =>
    Effect.andThen(
      Effect.sync(() => stayAwake()),
      stop
    )
  )

  const report = ({ child, lastWords }: OwnProcess, wanted: (report: Report) => boolean, send?: () => void) =>
    Effect.callback<Report, SpeechFailed>((resume) => {
      const answer = (exit: Effect.Effect<Report, SpeechFailed>) => {
        quiet()
        resume(exit)
      }
      const onMessage = (message: Report) => {
        if (wanted(message)) answer(Effect.succeed(message))
      }
      const onClose = (code: number | null) =>
        answer(Effect.fail(failed("crashed", `The engine ended with code ${code}. ${lastWords()}`)))
      const quiet = () => {
        child.off("message", onMessage)
        child.off("close", onClose)
      }
      child.on("message", onMessage)
      child.on("close", onClose)
      send?.()
      return Effect.sync(quiet)
    })

  const start = Effect.suspend(() => {
    stayAwake()
    if (running !== null) return Effect.succeed(running)
    const engine = (running = ownProcess(script, data, speechMemoryMaxMb))
    engine.child.on("close", () => {
      if (running === engine) running = null
    })
    return report(engine, (message) => "ready" in message).pipe(
      Effect.as(engine),
      Effect.timeoutOrElse({
        duration: speechStartTimeoutMs,
        orElse: () => Effect.fail(failed("timeout", "The engine did not start in time."))
      })
    )
  })

  const rest = Effect.sync(() => {
    stayAwake = after(idleMs, () => Effect.runFork(stop))
  })

  const answerOf = Effect.fnUntraced(
    function* (ask: SpokenLineAsk) {
      const engine = yield* start
      const id = ++lastId
      const answer = yield* report(
        engine,
        (message) => "id" in message && message.id === id,
        () => engine.child.send({ id, ask })
      ).pipe(
        Effect.timeoutOrElse({
          duration: timeoutMs,
          orElse: () =>
            Effect.fail(failed("timeout", `The engine was still busy with one sentence after ${timeoutMs} ms.`))
        })
      )
      if ("line" in answer) return answer.line
      return yield* failed("crashed", "fault" in answer ? answer.fault : "The engine gave no sound.")
      // Also if the caller goes away: an engine can't be stopped in the middle of a sentence.
    },
    Effect.onExit((exit) => (exit._tag === "Success" ? rest : stop))
  )

  const speak = (ask: SpokenLineAsk) =>
    answerOf(ask).pipe(
      oneAtATime.withPermit,
      Effect.flatMap((line) => examine(ask, line))
    )

  return { speak }
})
