import { Context, Effect, Layer } from "effect"
import { KeyUses, type KeyUse } from "../../actors/agents/protocol/KeyUses.ts"
import { keyUsesSentEveryMs, keyUsesTogetherMax, seenEveryMs } from "../../engine/rules/agents/limits.ts"
import { sendLater } from "../../actors/runtime/protocol.ts"
import { StationFacts } from "../../engine/store/sql/StationFacts.ts"

/** Uses of agents' keys that aren't saved yet. Those of a second are sent to their actor together. */
export class UsedKeys extends Context.Service<
  UsedKeys,
  {
    /**
     * Notes a use, unless one of the last minute is saved. An agent's first use is sent at once, because its `progress` depends on it. Beyond
     * `keyUsesTogetherMax` a second, the key's next use is noted instead.
     */
    readonly note: (use: KeyUse, saved: { readonly atMs: number; readonly isNone: boolean }) => Effect.Effect<void>
  }
>()("longwave/http/UsedKeys") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const actor = (yield* KeyUses.client)((yield* StationFacts).slug)
      const waiting = new Map<string, KeyUse>()
      const send = Effect.suspend(() => {
        if (waiting.size === 0) return Effect.void
        const uses = [...waiting.values()]
        waiting.clear()
        return Effect.ignoreCause(actor.Seen({ uses }))
      })
      // A dead database must not hold up the stop of the station.
      yield* Effect.addFinalizer(() => Effect.ignore(Effect.timeout(send, keyUsesSentEveryMs)))
      yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(keyUsesSentEveryMs), send)))
      return UsedKeys.of({
        note: (use, saved) =>
          Effect.suspend(() => {
            if (saved.isNone) return sendLater(actor.Seen({ uses: [use] }))
            if (use.atMs - saved.atMs > seenEveryMs && (waiting.size < keyUsesTogetherMax || waiting.has(use.keyId)))
              waiting.set(use.keyId, use)
            return Effect.void
          })
      })
    })
  )
}
