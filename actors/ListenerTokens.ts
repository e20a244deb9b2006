import { Context, Effect, Layer } from "effect"
import { StationConfig } from "../engine/Config.ts"
import { Ids } from "../engine/Ids.ts"
import { signListenerToken } from "../engine/ListenerToken.ts"
import type { ListenerId } from "../schema/Ids.ts"
import { IdentityKeys } from "./IdentityKeys.ts"

/** Signs what listeners prove themselves with. */
export class ListenerTokens extends Context.Service<ListenerTokens, {
  readonly issue: (listenerId: ListenerId, gen: number, nowMs: number) => Effect.Effect<{ readonly token: string; readonly expiresAtMs: number }>
}>()("longwave/actors/ListenerTokens") {
  static readonly layer = Layer.effect(ListenerTokens, Effect.gen(function*() {
    const { publicUrl } = yield* StationConfig
    const identityKeys = yield* IdentityKeys
    const ids = yield* Ids
    return ListenerTokens.of({
      issue: Effect.fn("ListenerTokens.issue")(function*(listenerId, gen, nowMs) {
        return yield* signListenerToken(yield* identityKeys.signing(nowMs), publicUrl, { listenerId, gen, jti: yield* ids.make("ltk") }, nowMs)
      })
    })
  })).pipe(Layer.provide(IdentityKeys.layer))
}
