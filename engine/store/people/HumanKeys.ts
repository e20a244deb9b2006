import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { VoiceProvider } from "../../../schema/voices/Voice.ts"
import { ms, at } from "../sql/instants.ts"
import { rows, run, hasChanged } from "../sql/rows.ts"

const HumanKey = Schema.Struct({
  provider: VoiceProvider,
  /** The last characters of the key, for its owner to recognize it. */
  hint: Schema.String,
  storedAtMs: Schema.Finite
})
export type HumanKey = typeof HumanKey.Type

const keys = rows(HumanKey)

/** Provider keys for speech of an account's agents. Encrypted, and never returned to people. */
export class HumanKeysWriter extends Context.Service<HumanKeysWriter>()("longwave/engine/store/HumanKeysWriter", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return {
      list: (humanId: string) =>
        keys(sql`
        SELECT provider, hint, ${ms("stored_at")} AS stored_at_ms FROM human_provider_keys WHERE human_id = ${humanId} ORDER BY provider`),
      put: (humanId: string, { hint, keySealed, provider, storedAtMs }: HumanKey & { readonly keySealed: string }) =>
        run(sql`
        INSERT INTO human_provider_keys (human_id, provider, key_sealed, hint, stored_at) VALUES (${humanId}, ${provider}, ${keySealed}, ${hint}, ${at(storedAtMs)})
        ON CONFLICT (human_id, provider) DO UPDATE SET key_sealed = excluded.key_sealed, hint = excluded.hint, stored_at = excluded.stored_at`),
      /** False if there was none. */
      drop: (humanId: string, provider: string) =>
        hasChanged(
          sql`DELETE FROM human_provider_keys WHERE human_id = ${humanId} AND provider = ${provider} RETURNING provider`
        )
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}

export class HumanKeys extends Context.Service<HumanKeys, Pick<HumanKeysWriter["Service"], "list">>()(
  "longwave/engine/store/HumanKeys"
) {
  static readonly layer = Layer.effect(this, HumanKeysWriter).pipe(Layer.provideMerge(HumanKeysWriter.layer))
}
