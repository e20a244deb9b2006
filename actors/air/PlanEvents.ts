import { Effect, Layer } from "effect"
import type { IdSource } from "../../engine/runtime/IdSource.ts"
import type { Outbox } from "../../engine/store/sql/Outbox.ts"
import { PlansForAir } from "../../engine/store/air/PlansForAir.ts"
import type { Ranks } from "../../engine/store/ranks/Ranks.ts"
import { Transaction } from "../../engine/store/sql/Transaction.ts"
import type { EventBus } from "../runtime/EventBus.ts"
import { emit } from "../runtime/emit.ts"

/** What the scheduler says of plans, each with its news in one transaction. */
export const announcedPlans = Layer.effect(
  PlansForAir,
  Effect.gen(function* () {
    const marks = yield* PlansForAir
    const transaction = yield* Transaction
    const context = yield* Effect.context<EventBus | IdSource | Outbox | Ranks | Transaction>()
    return PlansForAir.of({
      ...marks,
      finish: (...asked) =>
        transaction
          .run(
            Effect.gen(function* () {
              const moved = yield* marks.finish(...asked)
              if (moved !== null && moved.status === "aired") {
                const { agentId, airedItems, id: planId, items, title } = moved
                yield* emit({ _tag: "PlanAired", planId, agentId, title, airedItems, items })
              }
              return moved
            })
          )
          .pipe(Effect.provideContext(context))
    })
  })
)
