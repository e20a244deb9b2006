import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { HumanId } from "../../schema/Ids.ts"

export interface HumanIdentity {
  readonly issuer: string
  readonly subject: string
  readonly linkedAtMs: number
}

/** By what providers say of them, people are known; and the address that one of them vouched for, sealed. */
export class HumanIdentities extends Context.Service<HumanIdentities, {
  readonly find: (issuer: string, subject: string) => Effect.Effect<HumanId | null>
  readonly list: (humanId: string) => Effect.Effect<ReadonlyArray<HumanIdentity>>
  readonly link: (issuer: string, subject: string, humanId: string, atMs: number) => Effect.Effect<void>
  /** False when the address is another's. */
  readonly setAddress: (humanId: string, emailHash: string, emailSealed: string) => Effect.Effect<boolean>
  readonly addressSealed: (humanId: string) => Effect.Effect<string | null>
  /** True once for each: what comes back from a provider a second time is no sign-in. */
  readonly use: (stateSha256: string, expiresAtMs: number, atMs: number) => Effect.Effect<boolean>
}>()("longwave/engine/store/HumanIdentities") {
  static readonly layer = Layer.effect(HumanIdentities, Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const at = (ms: number) => sql`to_timestamp(${ms}::float8 / 1000)`
    return HumanIdentities.of({
      find: (issuer, subject) => Effect.orDie(Effect.map(
        sql<{ humanId: HumanId }>`SELECT human_id FROM human_identities WHERE issuer = ${issuer} AND subject = ${subject}`, (rows) => rows[0]?.humanId ?? null)),
      list: (humanId) => Effect.orDie(sql<HumanIdentity>`
        SELECT issuer, subject, round(extract(epoch from linked_at) * 1000)::float8 AS linked_at_ms FROM human_identities WHERE human_id = ${humanId} ORDER BY linked_at, issuer`),
      link: (issuer, subject, humanId, atMs) => Effect.orDie(Effect.asVoid(sql`
        INSERT INTO human_identities (issuer, subject, human_id, linked_at) VALUES (${issuer}, ${subject}, ${humanId}, ${at(atMs)}) ON CONFLICT DO NOTHING`)),
      setAddress: (humanId, emailHash, emailSealed) => Effect.orDie(Effect.map(sql`
        UPDATE humans SET email_hash = ${emailHash}, email_sealed = ${emailSealed}
        WHERE id = ${humanId} AND NOT EXISTS (SELECT 1 FROM humans o WHERE o.email_hash = ${emailHash} AND o.id <> ${humanId}) RETURNING id`, (rows) => rows.length === 1)),
      addressSealed: (humanId) => Effect.orDie(Effect.map(
        sql<{ emailSealed: string | null }>`SELECT email_sealed FROM humans WHERE id = ${humanId}`, (rows) => rows[0]?.emailSealed ?? null)),
      use: (stateSha256, expiresAtMs, atMs) => Effect.orDie(Effect.gen(function*() {
        yield* sql`DELETE FROM sign_ins_used WHERE expires_at < ${at(atMs)}`
        return (yield* sql`INSERT INTO sign_ins_used (state_sha256, expires_at) VALUES (${stateSha256}, ${at(expiresAtMs)}) ON CONFLICT DO NOTHING RETURNING state_sha256`).length === 1
      }))
    })
  }))
}
