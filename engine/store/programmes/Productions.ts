import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { type AgentId, JobId } from "../../../schema/Ids.ts"
import { ProductionRecord } from "../../../schema/programmes/Production.ts"
import { at } from "../sql/instants.ts"
import { rows, hasChanged } from "../sql/rows.ts"

const storedRows = rows(Schema.Struct({ body: ProductionRecord, revision: ProductionRecord.fields.revision }))
const ids = rows(Schema.Struct({ id: JobId }))
const encode = Schema.encodeEffect(ProductionRecord)

/** Productions of shows. Only their `Showrunner` writes here. */
export class ProductionsWriter extends Context.Service<ProductionsWriter>()("longwave/engine/store/ProductionsWriter", {
  make: Effect.map(SqlClient.SqlClient, (sql) => {
    const findMany = (statement: Parameters<typeof storedRows>[0]) =>
      Effect.map(storedRows(statement), (found) =>
        found.map(({ body, revision }) => new ProductionRecord({ ...body, revision }))
      )
    const findOne = (statement: Parameters<typeof storedRows>[0]) =>
      Effect.map(findMany(statement), ([first]) => first ?? null)
    const select = sql.literal("SELECT body, revision FROM productions")
    const bodyOf = (production: ProductionRecord) =>
      Effect.map(Effect.orDie(encode(production)), (body) => sql`${JSON.stringify(body)}::text::jsonb`)
    return {
      add: Effect.fnUntraced(function* (production: ProductionRecord) {
        yield* sql`
          INSERT INTO productions (id, agent_id, status, revision, body, created_at, updated_at)
          VALUES (${production.id}, ${production.agentId}, ${production.status}, ${production.revision}, ${yield* bodyOf(production)}, ${at(production.createdAtMs)}, ${at(production.createdAtMs)})`
      }, Effect.orDie),
      find: (id: string) => findOne(sql`${select} WHERE id = ${id}`),
      /** Newest first; null if the cursor isn't one of this agent's. */
      listByAgent: Effect.fnUntraced(function* (agentId: AgentId, limit: number, cursor: string | null) {
        if (
          cursor !== null &&
          (yield* sql`SELECT 1 FROM productions WHERE id = ${cursor} AND agent_id = ${agentId}`).length === 0
        )
          return null
        const found =
          yield* findMany(sql`${select} WHERE agent_id = ${agentId} AND ${cursor === null ? sql`true` : sql`(created_at, id) < (SELECT c.created_at, c.id FROM productions c WHERE c.id = ${cursor})`}
          ORDER BY created_at DESC, id DESC LIMIT ${limit + 1}`)
        return { productions: found.slice(0, limit), next: found.length > limit ? found[limit - 1]!.id : null }
      }, Effect.orDie),
      /** Null if another revision was saved since it was read. */
      save: Effect.fnUntraced(function* (production: ProductionRecord, nowMs: number) {
        const moved = new ProductionRecord({ ...production, revision: production.revision + 1 })
        const isSaved = yield* hasChanged(sql`
          UPDATE productions SET status = ${moved.status}, revision = ${moved.revision}, body = ${yield* bodyOf(moved)}, updated_at = ${at(nowMs)}
          WHERE id = ${moved.id} AND revision = ${production.revision} RETURNING id`)
        return isSaved ? moved : null
      }),
      /** An agent's productions that wait for its plans and voices. */
      listFollowing: (agentId: AgentId) =>
        Effect.map(
          ids(
            sql`SELECT id FROM productions WHERE agent_id = ${agentId} AND status IN ('assembling', 'review', 'rendering', 'scheduled')`
          ),
          (found) => found.map(({ id }) => id)
        )
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}

export class Productions extends Context.Service<
  Productions,
  Pick<ProductionsWriter["Service"], "find" | "listByAgent" | "listFollowing">
>()("longwave/engine/store/Productions") {
  static readonly layer = Layer.effect(this, ProductionsWriter).pipe(Layer.provideMerge(ProductionsWriter.layer))
}
