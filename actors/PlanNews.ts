import { Effect, Layer } from "effect"
import type { Ids } from "../engine/Ids.ts"
import type { Outbox } from "../engine/store/Outbox.ts"
import { PlansForAir } from "../engine/store/PlansForAir.ts"
import type { Ranks } from "../engine/store/Ranks.ts"
import { Transaction } from "../engine/store/Transaction.ts"
import type { Bus } from "./Bus.ts"
import { tell } from "./Telling.ts"

/** What the scheduler says of plans, each with its news in one transaction. */
export const announcedPlans = Layer.effect(PlansForAir, Effect.gen(function*() {
  const marks = yield* PlansForAir
  const transaction = yield* Transaction
  const context = yield* Effect.context<Bus | Ids | Outbox | Ranks | Transaction>()
  return PlansForAir.of({
    ...marks,
    finish: (...asked) => transaction.run(Effect.gen(function*() {
      const moved = yield* marks.finish(...asked)
      if (moved !== null && moved.status === "aired") {
        const { agentId, airedItems, id: planId, items, title } = moved
        yield* tell({ _tag: "PlanAired", planId, agentId, title, airedItems, items })
      }
      return moved
    })).pipe(Effect.provideContext(context))
  })
}))
