import { Effect } from "effect"
import { Keys } from "../engine/runtime/Keys.ts"
import { Operators } from "../engine/store/operations/Operators.ts"

/** Tells the operators what is lost with keys that were missing. A new station, which has no operator yet, has lost nothing with its first keys. */
export const alertOfLostKeys = Effect.gen(function* () {
  const { lost } = yield* Keys
  if (lost.length === 0 || !(yield* (yield* Operators).hasAny)) return
  for (const what of lost)
    yield* Effect.logError(`alert: keys: ${what} If there is a backup, stop the station and restore it.`)
})
