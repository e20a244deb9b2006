import { Effect, Layer, Context } from "effect"
import { markRoundAssetsMax, markTickSec } from "../../engine/rules/segments/limits.ts"
import { Prepare } from "../../engine/ports/Prepare.ts"
import { Assets } from "../../engine/store/sound/Assets.ts"
import type { AssetId } from "../../schema/Ids.ts"
import { work, type Wakeup, makeWakeup } from "../runtime/Wakeup.ts"

/** Calls the worker that writes marks into files. */
export class MarkBell extends Context.Service<MarkBell, Wakeup>()("longwave/actors/MarkBell") {
  static readonly layer = Layer.effect(MarkBell, makeWakeup)
}

/**
 * Marks the files of sounds that were made before their mark was known: recordings whose agents have declared them since, and all that an
 * older version of the station made. One after the other; a file that can't be written now is tried again in a later round.
 */
export const markRound = Effect.fn("MarkWorker.round")(function* () {
  const assets = yield* Assets
  const prepare = yield* Prepare
  let after: AssetId | null = null
  for (;;) {
    const page: ReadonlyArray<Parameters<typeof assets.marked>[0]> = yield* assets.unmarked(after, markRoundAssetsMax)
    for (const asset of page) {
      yield* Effect.matchEffect(prepare.mark(asset), {
        onFailure: ({ detail }) => Effect.logWarning(`marks: the files of ${asset.id} could not be marked`, detail),
        onSuccess: () => assets.marked(asset)
      })
    }
    if (page.length < markRoundAssetsMax) return
    after = page.at(-1)!.id
  }
})
/** Called by every declaration, and looking by itself for what was left. */
export const MarkWorkerLive = Layer.effectDiscard(
  Effect.gen(function* () {
    yield* work("MarkWorker", yield* MarkBell, markTickSec, markRound())
  })
).pipe(Layer.provide(MarkBell.layer))
