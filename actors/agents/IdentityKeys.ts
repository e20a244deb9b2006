import { Clock, Context, Effect, Layer } from "effect"
import { calculateJwkThumbprint } from "jose"
import { createPrivateKey, generateKeyPairSync, type KeyObject } from "node:crypto"
import { Keys } from "../../engine/runtime/Keys.ts"
import { identityKeyDays } from "../../engine/rules/agents/limits.ts"
import { type SigningKey, SigningKeysWriter } from "../../engine/store/agents/SigningKeys.ts"

interface Signing {
  readonly kid: string
  readonly privateKey: KeyObject
}

const sealContextOf = (kid: string): string => `identity ${kid}`

/** The signing key of identity tokens, replaced every `identityKeyDays`. Earlier keys stay published for the tokens they signed. */
export class IdentityKeys extends Context.Service<
  IdentityKeys,
  {
    readonly findSigning: (atMs: number) => Effect.Effect<Signing>
  }
>()("longwave/actors/IdentityKeys") {
  static readonly layer = Layer.effect(
    IdentityKeys,
    Effect.gen(function* () {
      const keys = yield* Keys
      const store = yield* SigningKeysWriter

      const makeKey = (atMs: number) =>
        Effect.promise(async (): Promise<SigningKey> => {
          const { privateKey, publicKey } = generateKeyPairSync("ed25519")
          const x = publicKey.export({ format: "jwk" }).x!
          const kid = await calculateJwkThumbprint({ kty: "OKP", crv: "Ed25519", x })
          return {
            kid,
            publicX: x,
            privateSealed: keys.seal(
              privateKey.export({ format: "pem", type: "pkcs8" }).toString(),
              sealContextOf(kid)
            ),
            createdAtMs: atMs
          }
        })
      /** Null when the key was sealed with another master key; then a new one is made. */
      const openKey = ({ kid, privateSealed }: SigningKey): Effect.Effect<Signing | null> =>
        Effect.try(() => ({ kid, privateKey: createPrivateKey(keys.open(privateSealed, sealContextOf(kid))) })).pipe(
          Effect.catch(() =>
            Effect.as(
              Effect.logWarning(
                "the signing key of identity tokens was sealed with another master key: making a new one"
              ),
              null
            )
          )
        )
      const findSigning: (atMs: number) => Effect.Effect<Signing> = Effect.fnUntraced(function* (atMs) {
        const [newest] = yield* store.all
        const isDue = newest === undefined || atMs - newest.createdAtMs >= identityKeyDays * 86_400_000
        const key = isDue ? null : yield* openKey(newest)
        if (key !== null) return key
        yield* store.rotate(yield* makeKey(atMs), newest?.kid ?? null)
        return yield* findSigning(atMs)
      })
      // Made at the start, so that the first signing key is published before the first token.
      yield* Effect.flatMap(Clock.currentTimeMillis, findSigning)
      return IdentityKeys.of({ findSigning })
    })
  )
}
