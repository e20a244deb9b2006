import { Context, Effect, Layer } from "effect"
import { createHash, generateKeyPairSync, sign, verify } from "node:crypto"
import { Keys } from "./Keys.ts"

/** Hash and signature of the as-run log, with the station's Ed25519 key. */
export class AsRunKey extends Context.Service<
  AsRunKey,
  {
    readonly sha256: (text: string) => string
    readonly sign: (text: string) => string
    readonly verify: (text: string, signature: string) => boolean
  }
>()("longwave/engine/AsRunKey") {
  static readonly layer = Layer.effect(
    AsRunKey,
    Effect.map(Keys, (keys) =>
      AsRunKey.of({
        sha256: (text) => createHash("sha256").update(text).digest("hex"),
        sign: (text) => keys.sign(Buffer.from(text)),
        verify: (text, signature) => keys.verify(Buffer.from(text), signature)
      })
    )
  )

  /** A key that exists only in this process. */
  static readonly ephemeral = Layer.sync(AsRunKey, () => {
    const { privateKey, publicKey } = generateKeyPairSync("ed25519")
    return AsRunKey.of({
      sha256: (text) => createHash("sha256").update(text).digest("hex"),
      sign: (text) => sign(null, Buffer.from(text), privateKey).toString("base64url"),
      verify: (text, signature) => verify(null, Buffer.from(text), publicKey, Buffer.from(signature, "base64url"))
    })
  })
}
