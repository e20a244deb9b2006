import { Effect, Semaphore } from "effect"
import type { Scope } from "effect"
import {
  neuralGrowthMaxBytes,
  neuralJobsMax,
  neuralMemoryMaxMb,
  neuralStartTimeoutMs,
  speechIdleMs
} from "../../engine/rules/voices/limits.ts"
import { SpeechFailed } from "../../engine/ports/Speech.ts"
import { messageFrom, type OwnProcess, startOwnProcess } from "../chain/OwnProcess.ts"
import { callAfter } from "../clock/Ticker.ts"
import type { NeuralAsk, NeuralFacts, NeuralReport, NeuralTask } from "./NeuralWorker.ts"

type Answer = Extract<NeuralReport, { readonly pcm: Float32Array }>

export interface NeuralProcess {
  /** The model's own facts; loads it if it isn't loaded. */
  readonly facts: Effect.Effect<NeuralFacts, SpeechFailed>
  readonly speak: (ask: NeuralAsk, timeoutMs: number) => Effect.Effect<Answer, SpeechFailed>
  /** The child that runs now; null between two. */
  readonly pid: () => number | null
}

const failure = (reason: SpeechFailed["reason"], detail: string) => new SpeechFailed({ reason, detail })

interface Loaded extends OwnProcess {
  readonly facts: NeuralFacts
  readonly rssBytes: number
  jobs: number
}

/**
 * A neural voice in its own process, one sentence at a time. The process is replaced after a number of sentences, when it has grown, and
 * after each sentence with a model that crashes when it is reused. A sentence whose process dies is spoken by a fresh one; a second death is
 * the model's fault. A process that is silent past the deadline is killed.
 */
export const makeNeuralProcess = Effect.fnUntraced(function* (
  script: URL,
  task: NeuralTask,
  { growthMaxBytes = neuralGrowthMaxBytes, idleMs = speechIdleMs, jobsMax = neuralJobsMax } = {}
): Effect.fn.Return<NeuralProcess, never, Scope.Scope> {
  let running: OwnProcess | null = null
  let loaded: Loaded | null = null
  let lastId = 0
  let stayAwake = () => {}
  const oneAtATime = yield* Semaphore.make(1)
  const scope = yield* Effect.scope

  const stop = Effect.suspend(() => {
    const child = running
    running = null
    loaded = null
    return child === null ? Effect.void : child.end
  })
  yield* Effect.addFinalizer(() =>
    Effect.andThen(
      Effect.sync(() => stayAwake()),
      stop
    )
  )

  const report = (engine: OwnProcess, wanted: (report: NeuralReport) => boolean, send?: () => void) =>
    messageFrom(engine, wanted, (how) => failure("crashed", `The voice model's process ended with ${how}`), send)

  const start = Effect.suspend(() => {
    stayAwake()
    if (loaded !== null) return Effect.succeed(loaded)
    const child = (running = startOwnProcess(script, task, neuralMemoryMaxMb))
    child.child.on("close", () => {
      if (running !== child) return
      running = null
      loaded = null
    })
    return report(child, (message) => "ready" in message || "unfit" in message).pipe(
      Effect.flatMap((message) => {
        if (!("ready" in message))
          return Effect.fail(
            failure("crashed", "unfit" in message ? message.unfit : "The model said nothing of itself.")
          )
        loaded = { ...child, facts: message.ready, rssBytes: message.rssBytes, jobs: 0 }
        return Effect.succeed(loaded)
      }),
      Effect.timeoutOrElse({
        duration: neuralStartTimeoutMs,
        orElse: () => Effect.fail(failure("timeout", "The voice model was not loaded in time."))
      }),
      Effect.onExit((exit) => (exit._tag === "Success" ? Effect.void : stop))
    )
  })

  const rest = Effect.sync(() => {
    stayAwake()
    stayAwake = callAfter(idleMs, () => Effect.runFork(stop))
  })

  /** The next sentence finds the model loaded. */
  const replace = Effect.andThen(
    stop,
    Effect.forkIn(Effect.ignore(Effect.andThen(start, rest)).pipe(oneAtATime.withPermit), scope)
  )

  const speakOnce = Effect.fnUntraced(
    function* (ask: NeuralAsk, timeoutMs: number) {
      const child = yield* start
      const id = ++lastId
      const answer = yield* report(
        child,
        (message) => "id" in message && message.id === id,
        () => child.child.send({ id, ask })
      ).pipe(
        Effect.timeoutOrElse({
          duration: timeoutMs,
          orElse: () =>
            Effect.fail(failure("timeout", `The voice model was still busy with one sentence after ${timeoutMs} ms.`))
        })
      )
      if (!("pcm" in answer))
        return yield* failure("crashed", "fault" in answer ? answer.fault : "The model gave no sound.")
      child.jobs++
      const isSpent =
        child.jobs >= Math.min(jobsMax, child.facts.jobsMax ?? jobsMax) ||
        answer.rssBytes > child.rssBytes + growthMaxBytes
      yield* isSpent ? replace : rest
      return answer
    },
    // Also if the caller goes away: the library can't be stopped in the middle of a sentence.
    Effect.onExit((exit) => (exit._tag === "Success" ? Effect.void : stop))
  )

  const speak = (ask: NeuralAsk, timeoutMs: number) =>
    speakOnce(ask, timeoutMs).pipe(
      Effect.catchIf(
        ({ reason }) => reason === "crashed",
        (first) =>
          Effect.andThen(
            Effect.logWarning(`Another process speaks the sentence. ${first.detail}`),
            speakOnce(ask, timeoutMs)
          )
      ),
      oneAtATime.withPermit
    )

  return {
    speak,
    facts: Effect.map(start, ({ facts }) => facts).pipe(Effect.tap(rest), oneAtATime.withPermit),
    pid: () => running?.child.pid ?? null
  }
})
