import { Clock, Deferred, Effect, Exit, Metric, Queue, Schema } from "effect"
import { CurrentCommand } from "./Command.ts"
import { EventBus } from "./EventBus.ts"
import { count } from "./MessageCounters.ts"

const depth = Metric.gauge("actor_mailbox_depth", { description: "waiting messages, by actor" })
const oldest = Metric.gauge("actor_mailbox_oldest_seconds", {
  description: "age of the oldest message not yet handled, by actor"
})

/** The mailbox is full: the message is refused, as by any other actor's mailbox. */
export class MailboxFull extends Schema.TaggedError<MailboxFull>()("MailboxFull", { actor: Schema.String }) {}

/** A queue of steps that one fiber runs in order, so the state they touch has one writer. */
export interface Mailbox {
  /** Runs the step in turn and answers its result. Dies with MailboxFull when the queue is full. */
  readonly ask: <A, E>(step: Effect.Effect<A, E>) => Effect.Effect<A, E>
  /** Queues the step without waiting. False when the queue is full. */
  readonly tell: (step: Effect.Effect<unknown, unknown>) => Effect.Effect<boolean>
  readonly depth: Effect.Effect<number>
  /** Runs the steps. A step that dies fails only for its sender; the next step runs. */
  readonly serve: Effect.Effect<never>
}

/** Makes a mailbox of `capacity` messages. Its metrics are read on demand, because a mailbox that isn't served can't report itself. */
export const makeMailbox = Effect.fnUntraced(function* (actor: string, capacity: number) {
  interface Message {
    readonly step: Effect.Effect<void>
    readonly atMs: number
  }
  const queue = yield* Queue.dropping<Message>(capacity)
  const unhandled = new Set<Message>()
  const offer = Effect.fnUntraced(function* (step: Effect.Effect<void>) {
    const message = { step, atMs: yield* Clock.currentTimeMillis }
    unhandled.add(message)
    const taken = yield* Queue.offer(queue, message)
    if (!taken) unhandled.delete(message)
    return taken
  })
  yield* (yield* EventBus).registerMeasure(
    Effect.gen(function* () {
      const nowMs = yield* Clock.currentTimeMillis
      const [first] = unhandled
      yield* Metric.update(Metric.withAttributes(depth, { actor }), yield* Queue.size(queue))
      yield* Metric.update(
        Metric.withAttributes(oldest, { actor }),
        first === undefined ? 0 : (nowMs - first.atMs) / 1_000
      )
    })
  )
  const box: Mailbox = {
    ask: <A, E>(step: Effect.Effect<A, E>) =>
      Effect.gen(function* () {
        const reply = yield* Deferred.make<A, E>()
        const asked = Effect.provideService(count(actor)(step), CurrentCommand, yield* CurrentCommand)
        const taken = yield* offer(
          Effect.flatMap(Effect.exit(asked), (exit) => Effect.asVoid(Deferred.done(reply, exit)))
        )
        if (!taken) return yield* Effect.die(new MailboxFull({ actor }))
        return yield* Deferred.await(reply)
      }),
    tell: (step) =>
      offer(
        Effect.flatMap(Effect.exit(count(actor, "done")(step)), (exit) =>
          Exit.isSuccess(exit) || Exit.hasFails(exit)
            ? Effect.void
            : Effect.logError(`${actor}: a message was dropped`, exit.cause)
        )
      ),
    depth: Queue.size(queue),
    serve: Effect.forever(
      Effect.flatMap(Queue.take(queue), (message) =>
        Effect.ensuring(
          message.step,
          Effect.sync(() => unhandled.delete(message))
        )
      )
    )
  }
  return box
})
