import { Console, Effect, Layer } from "effect"
import { verifyAsRun } from "../actors/air/AsRunAudit.ts"
import { AsRunKey } from "../engine/runtime/AsRunKey.ts"
import { IdSource } from "../engine/runtime/IdSource.ts"
import { Keys } from "../engine/runtime/Keys.ts"
import { AsRun } from "../engine/store/air/AsRun.ts"
import { Fences } from "../engine/store/air/Fences.ts"
import { OwnDatabase } from "./simulation/OwnStore.ts"

/** Checks the as-run log, or one UTC day (yyyy-mm-dd) of it, prints the result, and returns whether the log is intact. */
export const verify = Effect.fnUntraced(
  function* (day: string | undefined) {
    const stationId = yield* (yield* Fences).stationId
    let told = 0
    const { fault, rows } = yield* verifyAsRun(stationId, day, (done, total) => {
      if (done < told + 10) return Effect.void
      told = done - (done % 10)
      return Console.log(`  ${told} of ${total} %`)
    })
    yield* fault === null
      ? Console.log(`as-run log: ${rows} rows, each chained to the one before and signed, every sample accounted for`)
      : Console.error(`as-run log: the first bad row is ${JSON.stringify(fault)}`)
    return fault === null
  },
  Effect.provide(
    Layer.mergeAll(Fences.layer, AsRun.layer).pipe(
      Layer.provideMerge(OwnDatabase),
      Layer.provideMerge(Layer.mergeAll(IdSource.layer, AsRunKey.layer).pipe(Layer.provideMerge(Keys.layer)))
    )
  )
)
