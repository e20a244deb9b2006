import { Effect, Latch, Layer, Stream } from "effect"
import { randomUUID } from "node:crypto"
import { changesToldMs } from "../../engine/rules/runtime/limits.ts"
import { Changes } from "../../engine/store/sql/Changes.ts"
import { EventBus } from "./EventBus.ts"

/** Tables that the actors' own machinery changes all the time, and no answer is made from. */
const isOfMachinery = (name: string): boolean => /^@|^cluster_|^(outbox|jobs|meters|idempotency_keys)/.test(name)

/** Tells the other processes of the station by the bus which tables this one has changed, and takes theirs. */
export const ChangeNews = Layer.effectDiscard(
  Effect.gen(function* () {
    const bus = yield* EventBus
    const changes = yield* Changes
    const process = randomUUID()
    const waiting = Latch.makeUnsafe()
    let due = new Set<string>()
    yield* Effect.acquireRelease(
      Effect.sync(() =>
        changes.listen((names, isElsewhere) => {
          if (isElsewhere || names === null) return
          for (const name of names) if (!isOfMachinery(name)) due.add(name)
          if (due.size > 0) waiting.openUnsafe()
        })
      ),
      (unlisten) => Effect.sync(unlisten)
    )
    yield* Effect.gen(function* () {
      yield* waiting.await
      yield* Effect.sleep(changesToldMs)
      waiting.closeUnsafe()
      const tables = [...due]
      due = new Set()
      yield* bus.publish({ _tag: "RecordsChanged", process, tables })
    }).pipe(Effect.forever, Effect.forkScoped)
    yield* Stream.runForEach(bus.events, ({ event }) =>
      Effect.sync(() => {
        if (event._tag === "RecordsChanged" && event.process !== process) changes.note(new Set(event.tables), true)
        else if (event._tag === "ProcessJoined" || event._tag === "ProcessLeft") changes.noteAll()
      })
    ).pipe(Effect.forkScoped)
  })
)
