import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"

/** Where owners can be written to, as it lies in the store: sealed. */
export class OwnerAddresses extends Context.Service<OwnerAddresses, {
  /** By agent; those without an owner are left out. */
  readonly sealed: (agentIds: ReadonlyArray<string>) => Effect.Effect<ReadonlyMap<string, string>>
}>()("longwave/engine/store/OwnerAddresses") {
  static readonly layer = Layer.effect(OwnerAddresses, Effect.map(SqlClient.SqlClient, (sql) => OwnerAddresses.of({
    sealed: (agentIds) => agentIds.length === 0 ? Effect.succeed(new Map()) : Effect.orDie(Effect.map(
      sql<{ id: string; ownerEmailSealed: string }>`SELECT id, owner_email_sealed FROM agents WHERE id IN ${sql.in(agentIds)} AND owner_email_sealed IS NOT NULL`,
      (rows) => new Map(rows.map(({ id, ownerEmailSealed }) => [id, ownerEmailSealed]))
    ))
  })))
}
