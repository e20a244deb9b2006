import { Effect } from "effect"
import { Keys } from "../engine/runtime/Keys.ts"
import { Operators } from "../engine/store/operations/Operators.ts"

/** Alerts operators to the losses by missing keys. A new station has no operator yet and loses nothing by its first keys. */
export const alertOfLostKeys = Effect.gen(function* () {
  const { lost } = yield* Keys
  if (lost.length === 0 || !(yield* (yield* Operators).hasAny)) return
  for (const what of lost)
    yield* Effect.logError(`alert: keys: ${what} If there is a backup, stop the station and restore it.`)
})
