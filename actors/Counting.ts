import { Effect, Exit, Metric } from "effect"

const handled = Metric.counter("actor_messages_total", { description: "messages handled, by actor and outcome" })

/** How many messages of this actor ended so. */
export const messagesHandled = (actor: string, outcome: "answered" | "done" | "died") => Metric.withAttributes(handled, { actor, outcome })

/** Counts what became of a message: a refusal is an answer, a defect is not. */
export const counted = (actor: string) => <A, E, R>(step: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.onExit(step, (exit) => Metric.update(messagesHandled(actor, Exit.isSuccess(exit) || Exit.hasFails(exit) ? "answered" : "died"), 1))

/** Every behaviour of an actor, counted. */
// oxlint-disable-next-line typescript/no-explicit-any
export const countedAll = <H extends Record<string, (message: any) => Effect.Effect<any, any, any>>>(actor: string, behaviours: H): H =>
  Object.fromEntries(Object.entries(behaviours).map(([name, behave]) => [name, (message: unknown) => counted(actor)(behave(message))])) as H
