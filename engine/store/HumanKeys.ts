import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { VoiceProvider } from "../../schema/Voice.ts"

export interface HumanKey {
  readonly provider: VoiceProvider
  /** The last characters of the key: enough to tell one's own keys apart. */
  readonly hint: string
  readonly storedAtMs: number
}

/** Keys to providers that an account's agents may speak with. They lie here sealed, and nothing reads them back to people. */
export class HumanKeys extends Context.Service<HumanKeys, {
  readonly list: (humanId: string) => Effect.Effect<ReadonlyArray<HumanKey>>
  readonly put: (humanId: string, key: HumanKey & { readonly keySealed: string }) => Effect.Effect<void>
  /** False when there was none. */
  readonly drop: (humanId: string, provider: string) => Effect.Effect<boolean>
}>()("longwave/engine/store/HumanKeys") {
  static readonly layer = Layer.effect(HumanKeys, Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    return HumanKeys.of({
      list: (humanId) => Effect.orDie(sql<HumanKey>`
        SELECT provider, hint, round(extract(epoch from stored_at) * 1000)::float8 AS stored_at_ms FROM human_provider_keys WHERE human_id = ${humanId} ORDER BY provider`),
      put: (humanId, { hint, keySealed, provider, storedAtMs }) => Effect.orDie(Effect.asVoid(sql`
        INSERT INTO human_provider_keys (human_id, provider, key_sealed, hint, stored_at) VALUES (${humanId}, ${provider}, ${keySealed}, ${hint}, to_timestamp(${storedAtMs}::float8 / 1000))
        ON CONFLICT (human_id, provider) DO UPDATE SET key_sealed = excluded.key_sealed, hint = excluded.hint, stored_at = excluded.stored_at`)),
      drop: (humanId, provider) => Effect.orDie(Effect.map(sql`DELETE FROM human_provider_keys WHERE human_id = ${humanId} AND provider = ${provider} RETURNING provider`, (rows) => rows.length === 1))
    })
  }))
}
