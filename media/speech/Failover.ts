import { Cause, Duration, Effect, type Exit, Option, Result, Schedule, type Scope } from "effect"
import { CircuitBreaker } from "effect/persistence"
import { retryAfterMaxSec } from "../../engine/rules/runtime/limits.ts"
import { speechEngineRestMaxMs, speechEngineRestMs } from "../../engine/rules/voices/limits.ts"
import { SpeechFailed } from "../../engine/ports/Speech.ts"

/** One of several that can do the same. */
export interface Member<in Ask, out A> {
  readonly name: string
  readonly speak: (ask: Ask) => Effect.Effect<A, SpeechFailed>
}

/** A text that no engine can speak, or too much to do: the next engine would answer the same. */
const isFinal = ({ reason }: SpeechFailed): boolean => reason === "unreadable" || reason === "busy"

const failureOf = <A>(exit: Exit.Exit<A, SpeechFailed>): SpeechFailed | null =>
  exit._tag === "Success" ? null : Option.getOrNull(Cause.findErrorOption(exit.cause))

/**
 * Asks members in order until one speaks. A failed one rests, longer each time in a row, so that a script of sixty sentences doesn't wait
 * sixty times for a hanging engine. If all rest, all are asked. `isFault` says whether a failure counts against a member.
 */
export const failover = Effect.fnUntraced(function* <Ask, A>(
  isFault: (failure: SpeechFailed, member: string) => boolean
): Effect.fn.Return<
  {
    readonly speak: (members: ReadonlyArray<Member<Ask, A>>, ask: Ask) => Effect.Effect<A, SpeechFailed>
    readonly isOut: (name: string) => Effect.Effect<boolean>
  },
  never,
  Scope.Scope
> {
  const breaker = yield* CircuitBreaker.make({
    tripPolicy: CircuitBreaker.consecutive(1),
    openDuration: Schedule.min([
      Schedule.exponential(Duration.millis(speechEngineRestMs)),
      Schedule.spaced(Duration.millis(speechEngineRestMaxMs))
    ]),
    maxOpenDuration: Duration.seconds(retryAfterMaxSec)
  }).pipe(Effect.provide(CircuitBreaker.layerStoreMemory()))

  const guard = ({ name, speak }: Member<Ask, A>, ask: Ask) =>
    breaker.execute(speak(ask), {
      key: name,
      classify: (exit) => {
        const failure = failureOf(exit)
        return exit._tag === "Success"
          ? CircuitBreaker.success
          : failure !== null && !isFault(failure, name)
            ? CircuitBreaker.ignored
            : CircuitBreaker.failure(
                failure?.retryAfterSec === undefined ? {} : { retryAfter: Duration.seconds(failure.retryAfterSec) }
              )
      }
    })

  const speak = Effect.fnUntraced(function* (
    members: ReadonlyArray<Member<Ask, A>>,
    ask: Ask
  ): Effect.fn.Return<A, SpeechFailed> {
    let failure: SpeechFailed | null = null
    const tryMember = (
      member: Member<Ask, A>,
      asked: Effect.Effect<A, SpeechFailed | CircuitBreaker.CircuitBreakerError>
    ) =>
      Effect.gen(function* () {
        const spoken = yield* Effect.result(asked)
        if (Result.isSuccess(spoken)) return Option.some(spoken.success)
        if (spoken.failure._tag === "CircuitBreakerError") return Option.none()
        failure = spoken.failure
        if (isFinal(failure)) return yield* failure
        yield* Effect.logWarning(`Speech engine ${member.name} failed (${failure.reason}): ${failure.detail}`)
        return Option.none()
      })
    for (const member of members) {
      const spoken = yield* tryMember(member, guard(member, ask))
      if (Option.isSome(spoken)) return spoken.value
    }
    if (failure === null)
      for (const member of members) {
        const spoken = yield* tryMember(member, member.speak(ask))
        if (Option.isSome(spoken)) return spoken.value
      }
    return yield* failure ?? new SpeechFailed({ reason: "crashed", detail: "No speech engine is in working order." })
  })

  return {
    speak,
    isOut: (name) => Effect.map(Effect.orDie(breaker.state(name)), ({ _tag }) => _tag !== "Closed")
  }
})
