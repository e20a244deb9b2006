import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { AgentId } from "../../schema/Ids.ts"

/** Whose desk it is that is a show's: a listener writes to the show, and its host reads it. */
export class ShowDesks extends Context.Service<ShowDesks, {
  /** Null where there is no such show, or where nobody reads for it any more. */
  readonly host: (slug: string) => Effect.Effect<AgentId | null>
}>()("longwave/engine/store/ShowDesks") {
  static readonly layer = Layer.effect(ShowDesks, Effect.map(SqlClient.SqlClient, (sql) => ShowDesks.of({
    host: (slug) => Effect.orDie(Effect.map(sql<{ hostAgentId: AgentId }>`
      SELECT s.host_agent_id FROM shows s JOIN agents a ON a.id = s.host_agent_id WHERE s.slug = ${slug} AND s.status <> 'retired' AND a.deleted_at IS NULL`, (rows) => rows[0]?.hostAgentId ?? null))
  })))
}
