import { Effect, Semaphore } from "effect"
import type { Scope } from "effect"
import {
  sentenceTimeoutMs,
  speechIdleMs,
  speechMemoryMaxMb,
  speechStartTimeoutMs
} from "../../engine/rules/voices/limits.ts"
import { SpeechFailed } from "../../engine/ports/Speech.ts"
import { messageFrom, type OwnProcess, startOwnProcess } from "../chain/OwnProcess.ts"
import { callAfter } from "../clock/Ticker.ts"
import { examine, type SpokenLine } from "./SpeechEngine.ts"
import type { TimbreRecipe } from "./Timbre.ts"

/** One sentence for eSpeak NG: plain text without markup. */
export interface EspeakAsk {
  readonly text: string
  readonly accentFile: string
  readonly variantName: string
  readonly variantFile: string
  readonly wordsPerMin: number
  readonly pitch: number
  readonly range: number
  readonly timbre: TimbreRecipe
}

export interface EspeakProcess {
  readonly speak: (ask: EspeakAsk) => Effect.Effect<SpokenLine, SpeechFailed>
}

type Report =
  | { readonly ready: true }
  | { readonly id: number; readonly line: SpokenLine }
  | { readonly id: number; readonly fault: string }

const failure = (reason: SpeechFailed["reason"], detail: string) => new SpeechFailed({ reason, detail })

/**
 * eSpeak NG in its own process. Starts at the first sentence and ends when idle; a hung or crashed one is killed, and the next
 * sentence starts another. Speaks one sentence at a time.
 */
export const makeEspeakProcess = Effect.fnUntraced(function* (
  script: URL,
  data: object,
  timeoutMs = sentenceTimeoutMs,
  idleMs = speechIdleMs
): Effect.fn.Return<EspeakProcess, never, Scope.Scope> {
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

  const report = (engine: OwnProcess, wanted: (report: Report) => boolean, send?: () => void) =>
    messageFrom(engine, wanted, (how) => failure("crashed", `The engine ended with ${how}`), send)

  const start = Effect.suspend(() => {
    stayAwake()
    if (running !== null) return Effect.succeed(running)
    const engine = (running = startOwnProcess(script, data, speechMemoryMaxMb))
    engine.child.on("close", () => {
      if (running === engine) running = null
    })
    return report(engine, (message) => "ready" in message).pipe(
      Effect.as(engine),
      Effect.timeoutOrElse({
        duration: speechStartTimeoutMs,
        orElse: () => Effect.fail(failure("timeout", "The engine did not start in time."))
      })
    )
  })

  const rest = Effect.sync(() => {
    stayAwake = callAfter(idleMs, () => Effect.runFork(stop))
  })

  const answerOf = Effect.fnUntraced(
    function* (ask: EspeakAsk) {
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
            Effect.fail(failure("timeout", `The engine was still busy with one sentence after ${timeoutMs} ms.`))
        })
      )
      if ("line" in answer) return answer.line
      return yield* failure("crashed", "fault" in answer ? answer.fault : "The engine gave no sound.")
      // Also if the caller goes away: an engine can't be stopped in the middle of a sentence.
    },
    Effect.onExit((exit) => (exit._tag === "Success" ? rest : stop))
  )

  const speak = (ask: EspeakAsk) =>
    answerOf(ask).pipe(
      oneAtATime.withPermit,
      Effect.flatMap((line) => examine(ask.text, line))
    )

  return { speak }
})
