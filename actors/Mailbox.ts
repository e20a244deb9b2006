import { Deferred, Effect, Exit, Metric, Queue, Schema } from "effect"
import { messagesHandled } from "./Counting.ts"

const depth = Metric.gauge("actor_mailbox_depth", { description: "messages that wait, by actor" })

/** More waits than is ever worked off in time: whoever asks is refused, as by the mailbox of any other actor. */
export class MailboxFull extends Schema.TaggedError<MailboxFull>()("MailboxFull", { actor: Schema.String }) {}

/** A queue of steps that one fiber performs in order: what they touch has one writer. */
export interface Mailbox {
  /** Waits for its turn and for the answer. */
  readonly ask: <A, E>(step: Effect.Effect<A, E>) => Effect.Effect<A, E>
  /** Leaves it there; false when the box is full. */
  readonly tell: (step: Effect.Effect<unknown, unknown>) => Effect.Effect<boolean>
  readonly depth: Effect.Effect<number>
  /** The performing fiber: a step that dies is its sender's affair, the next one is served all the same. */
  readonly serve: Effect.Effect<never>
}

/** Bounded: who asks a full box waits, who tells it is told so. */
export const makeMailbox = Effect.fnUntraced(function*(actor: string, capacity: number) {
  const queue = yield* Queue.dropping<Effect.Effect<void>>(capacity)
  const counted = (outcome: "answered" | "done" | "died") => Metric.update(messagesHandled(actor, outcome), 1)
  const measured = Effect.flatMap(Queue.size(queue), (size) => Metric.update(Metric.withAttributes(depth, { actor }), size))
  const box: Mailbox = {
    ask: <A, E>(step: Effect.Effect<A, E>) => Effect.gen(function*() {
      const reply = yield* Deferred.make<A, E>()
      const taken = yield* Queue.offer(queue, Effect.flatMap(Effect.exit(step), (exit) =>
        Effect.andThen(counted(Exit.isSuccess(exit) || Exit.hasFails(exit) ? "answered" : "died"), Effect.asVoid(Deferred.done(reply, exit)))))
      if (!taken) return yield* Effect.die(new MailboxFull({ actor }))
      return yield* Deferred.await(reply)
    }),
    tell: (step) => Queue.offer(queue, Effect.flatMap(Effect.exit(step), (exit) => Exit.isSuccess(exit) || Exit.hasFails(exit)
      ? counted("done")
      : Effect.andThen(counted("died"), Effect.logError(`${actor}: a message was dropped`, exit.cause)))),
    depth: Queue.size(queue),
    serve: Effect.forever(Effect.andThen(Effect.flatten(Queue.take(queue)), measured))
  }
  return box
})
