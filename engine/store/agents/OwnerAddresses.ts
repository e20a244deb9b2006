import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { AgentId } from "../../../schema/Ids.ts"
import { rows } from "../sql/rows.ts"

const addresses = rows(Schema.Struct({ id: AgentId, ownerEmailSealed: Schema.String }))

/** Owners' mail addresses, encrypted. */
export class OwnerAddresses extends Context.Service<OwnerAddresses>()("longwave/engine/store/OwnerAddresses", {
  make: Effect.map(SqlClient.SqlClient, (sql) => ({
    /** By agent id; agents without an owner are left out. */
    findSealed: (agentIds: ReadonlyArray<string>) =>
      agentIds.length === 0
        ? Effect.succeed(new Map())
        : Effect.map(
            addresses(
              sql`SELECT id, owner_email_sealed FROM agents WHERE id IN ${sql.in(agentIds)} AND owner_email_sealed IS NOT NULL`
            ),
            (found) => new Map(found.map(({ id, ownerEmailSealed }) => [id, ownerEmailSealed]))
          )
  }))
}) {
  static readonly layer = Layer.effect(this, this.make)
}
