import { Context, Effect, Layer } from "effect"
import { StationConfig } from "../../engine/runtime/Config.ts"
import { IdSource } from "../../engine/runtime/IdSource.ts"
import { signListenerToken } from "../../engine/runtime/ListenerToken.ts"
import type { ListenerId } from "../../schema/Ids.ts"
import { IdentityKeys } from "../agents/IdentityKeys.ts"

/** Signs listener tokens. */
export class ListenerTokens extends Context.Service<
  ListenerTokens,
  {
    readonly issue: (
      listenerId: ListenerId,
      gen: number,
      nowMs: number
    ) => Effect.Effect<{ readonly token: string; readonly expiresAtMs: number }>
  }
>()("longwave/actors/ListenerTokens") {
  static readonly layer = Layer.effect(
    ListenerTokens,
    Effect.gen(function* () {
      const { publicUrl } = yield* StationConfig
      const identityKeys = yield* IdentityKeys
      const ids = yield* IdSource
      return ListenerTokens.of({
        issue: Effect.fnUntraced(function* (listenerId, gen, nowMs) {
          return yield* signListenerToken(
            yield* identityKeys.findSigning(nowMs),
            publicUrl,
            { listenerId, gen, jti: yield* ids.make("ltk") },
            nowMs
          )
        })
      })
    })
  ).pipe(Layer.provide(IdentityKeys.layer))
}
