import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { purgeRows } from "../../rules/runtime/limits.ts"
import { HumanId } from "../../../schema/Ids.ts"
import { at, ms } from "../sql/instants.ts"
import { countChanged, row, rows, run, hasChanged } from "../sql/rows.ts"

const identities = rows(Schema.Struct({ issuer: Schema.String, subject: Schema.String, linkedAtMs: Schema.Finite }))
const linkedRow = row(Schema.Struct({ humanId: HumanId }))
const address = row(Schema.Struct({ emailSealed: Schema.NullOr(Schema.String) }))

/** Provider identities of people, and the encrypted address that a provider verified. */
export class HumanIdentitiesWriter extends Context.Service<HumanIdentitiesWriter>()(
  "longwave/engine/store/HumanIdentitiesWriter",
  {
    make: Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      return {
        find: (issuer: string, subject: string) =>
          Effect.map(
            linkedRow(sql`SELECT human_id FROM human_identities WHERE issuer = ${issuer} AND subject = ${subject}`),
            (found) => found?.humanId ?? null
          ),
        list: (humanId: string) =>
          identities(sql`
        SELECT issuer, subject, ${ms("linked_at")} AS linked_at_ms FROM human_identities WHERE human_id = ${humanId} ORDER BY linked_at, issuer`),
        link: (issuer: string, subject: string, humanId: string, atMs: number) =>
          run(sql`
        INSERT INTO human_identities (issuer, subject, human_id, linked_at) VALUES (${issuer}, ${subject}, ${humanId}, ${at(atMs)}) ON CONFLICT DO NOTHING`),
        /** False if another account has the address. */
        setAddress: (humanId: string, emailHash: string, emailSealed: string) =>
          hasChanged(sql`
        UPDATE humans SET email_hash = ${emailHash}, email_sealed = ${emailSealed}
        WHERE id = ${humanId} AND NOT EXISTS (SELECT 1 FROM humans o WHERE o.email_hash = ${emailHash} AND o.id <> ${humanId}) RETURNING id`),
        findSealedAddress: (humanId: string) =>
          Effect.map(
            address(sql`SELECT email_sealed FROM humans WHERE id = ${humanId}`),
            (found) => found?.emailSealed ?? null
          ),
        /** True once per state: a repeated return from the provider is no sign-in. */
        use: (stateSha256: string, expiresAtMs: number) =>
          hasChanged(
            sql`INSERT INTO sign_ins_used (state_sha256, expires_at) VALUES (${stateSha256}, ${at(expiresAtMs)}) ON CONFLICT DO NOTHING RETURNING state_sha256`
          ),
        /** Deletes states that have expired. */
        purgeUsed: (atMs: number) =>
          countChanged(
            sql`DELETE FROM sign_ins_used WHERE ctid = ANY(ARRAY(SELECT ctid FROM sign_ins_used WHERE expires_at < ${at(atMs)} LIMIT ${purgeRows})) RETURNING 1`
          )
      }
    })
  }
) {
  static readonly layer = Layer.effect(this, this.make)
}

export class HumanIdentities extends Context.Service<
  HumanIdentities,
  Pick<HumanIdentitiesWriter["Service"], "find" | "list" | "findSealedAddress">
>()("longwave/engine/store/HumanIdentities") {
  static readonly layer = Layer.effect(this, HumanIdentitiesWriter).pipe(
    Layer.provideMerge(HumanIdentitiesWriter.layer)
  )
}
