import { Clock, Effect, Exit, Metric } from "effect"

const handled = Metric.counter("actor_messages_total", { description: "messages handled, by actor and outcome" })
const handling = Metric.histogram("actor_handling_seconds", {
  description: "time from taking a message to handling it, by actor",
  boundaries: Metric.exponentialBoundaries({ start: 0.001, factor: 4, count: 9 })
})

/** Counter of this actor's messages with this outcome. */
export const handledCounter = (actor: string, outcome: "answered" | "done" | "died") =>
  Metric.withAttributes(handled, { actor, outcome })

/** Counts the outcome and duration of a message. A typed error counts as an answer, a defect as `died`; `good` is the name of the first. */
export const count =
  (actor: string, good: "answered" | "done" = "answered") =>
  <A, E, R>(step: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.flatMap(Clock.currentTimeMillis, (begunMs) =>
      Effect.onExit(step, (exit) =>
        Effect.gen(function* () {
          const endedMs = yield* Clock.currentTimeMillis
          yield* Metric.update(Metric.withAttributes(handling, { actor }), (endedMs - begunMs) / 1_000)
          yield* Metric.update(handledCounter(actor, Exit.isSuccess(exit) || Exit.hasFails(exit) ? good : "died"), 1)
        })
      )
    )

/** Wraps all handlers of an actor with `count`. */
// oxlint-disable-next-line typescript/no-explicit-any
export const countAll = <H extends Record<string, (message: any) => Effect.Effect<any, any, any>>>(
  actor: string,
  behaviours: H
): H =>
  Object.fromEntries(
    Object.entries(behaviours).map(([name, behave]) => [name, (message: unknown) => count(actor)(behave(message))])
  ) as H
