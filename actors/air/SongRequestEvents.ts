import { Effect, Layer } from "effect"
import type { IdSource } from "../../engine/runtime/IdSource.ts"
import { ListenerCredits } from "../../engine/store/air/ListenerCredits.ts"
import type { Outbox } from "../../engine/store/sql/Outbox.ts"
import type { Ranks } from "../../engine/store/ranks/Ranks.ts"
import { type Moved, RequestsForAir } from "../../engine/store/air/RequestsForAir.ts"
import { Transaction } from "../../engine/store/sql/Transaction.ts"
import { aListener } from "../../schema/listeners/Message.ts"
import { tellRequest } from "../music/SongRequests.ts"
import type { EventBus } from "../runtime/EventBus.ts"

/** What the scheduler and the ledger say of requests, each with its news and with the name that stands beside the item, in one transaction. */
export const announcedRequests = Layer.effect(
  RequestsForAir,
  Effect.gen(function* () {
    const marks = yield* RequestsForAir
    const credits = yield* ListenerCredits
    const transaction = yield* Transaction
    const context = yield* Effect.context<EventBus | IdSource | Outbox | Ranks | Transaction>()
    const telling = (
      mark: Effect.Effect<ReadonlyArray<Moved>>,
      also: (moved: ReadonlyArray<Moved>) => Effect.Effect<unknown> = () => Effect.void
    ) =>
      transaction
        .run(
          Effect.gen(function* () {
            const moved = yield* mark
            yield* also(moved)
            for (const request of moved) if (request.before !== request.status) yield* tellRequest(request)
            return moved
          })
        )
        .pipe(Effect.provideContext(context))
    return RequestsForAir.of({
      ...marks,
      markScheduled: (ids, place, ...rest) =>
        telling(marks.markScheduled(ids, place, ...rest), (moved) => {
          // Of those who agreed to be named, who asked first is.
          const named = ids
            .flatMap((id) => moved.find((request) => request.id === id) ?? [])
            .find(({ listenerLabel }) => listenerLabel !== aListener)
          return named === undefined
            ? Effect.void
            : credits.give({
                subjectId: place.itemId,
                label: named.listenerLabel,
                sourceId: named.id,
                humanId: named.humanId
              })
        }),
      markDisplaced: (...asked) => telling(marks.markDisplaced(...asked)),
      markFulfilled: (...asked) => telling(marks.markFulfilled(...asked)),
      reclaim: (...asked) => telling(marks.reclaim(...asked)),
      settle: (...asked) => telling(marks.settle(...asked))
    })
  })
)
