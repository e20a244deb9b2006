import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { AgentId, JobId } from "../../../schema/Ids.ts"
import { ProductionRecord } from "../../../schema/programmes/Production.ts"
import { at } from "../sql/instants.ts"
import { row, rows, run, touched } from "../sql/rows.ts"

const stored = rows(Schema.Struct({ body: ProductionRecord, revision: ProductionRecord.fields.revision }))
const encode = Schema.encodeEffect(ProductionRecord)

/** One that somebody is to work at. `leases` counts how often it was taken up since it last moved. */
const ProductionLease = Schema.Struct({ id: JobId, agentId: AgentId, leases: Schema.Int })
export type ProductionLease = typeof ProductionLease.Type

const leased = row(ProductionLease)

/** Shows in the making. Only their `Showrunner` writes here, and whoever leases one. */
export class Productions extends Context.Service<Productions>()("longwave/engine/store/Productions", {
  make: Effect.map(SqlClient.SqlClient, (sql) => {
    const many = (statement: Parameters<typeof stored>[0]) =>
      Effect.map(stored(statement), (found) =>
        found.map(({ body, revision }) => new ProductionRecord({ ...body, revision }))
      )
    const one = (statement: Parameters<typeof stored>[0]) => Effect.map(many(statement), ([first]) => first ?? null)
    const select = sql.literal("SELECT body, revision FROM productions")
    const bodyOf = (production: ProductionRecord) =>
      Effect.map(Effect.orDie(encode(production)), (body) => sql`${JSON.stringify(body)}::text::jsonb`)
    return {
      add: Effect.fn("Productions.add")(function* (
        production: ProductionRecord,
        commandKey: string,
        wakesAtMs: number | null
      ) {
        yield* sql`
          INSERT INTO productions (id, agent_id, command_key, status, revision, wakes_at, body, created_at, updated_at)
          VALUES (${production.id}, ${production.agentId}, ${commandKey}, ${production.status}, ${production.revision}, ${at(wakesAtMs)}, ${yield* bodyOf(production)}, ${at(production.createdAtMs)}, ${at(production.createdAtMs)})`
      }, Effect.orDie),
      find: (id: string) => one(sql`${select} WHERE id = ${id}`),
      byCommand: (agentId: AgentId, commandKey: string) =>
        one(sql`${select} WHERE agent_id = ${agentId} AND command_key = ${commandKey}`),
      /** Newest first; null when the cursor is none of this agent's. */
      ofAgent: Effect.fn("Productions.ofAgent")(function* (agentId: AgentId, limit: number, cursor: string | null) {
        if (
          cursor !== null &&
          (yield* sql`SELECT 1 FROM productions WHERE id = ${cursor} AND agent_id = ${agentId}`).length === 0
        )
          return null
        const found =
          yield* many(sql`${select} WHERE agent_id = ${agentId} AND ${cursor === null ? sql`true` : sql`(created_at, id) < (SELECT c.created_at, c.id FROM productions c WHERE c.id = ${cursor})`}
          ORDER BY created_at DESC, id DESC LIMIT ${limit + 1}`)
        return { productions: found.slice(0, limit), next: found.length > limit ? found[limit - 1]!.id : null }
      }, Effect.orDie),
      /** Writes over what it was; null when it has moved on since it was read. Nobody works at it before `wakesAtMs`, or at all for null. */
      save: Effect.fn("Productions.save")(function* (
        production: ProductionRecord,
        wakesAtMs: number | null,
        nowMs: number
      ) {
        const moved = new ProductionRecord({ ...production, revision: production.revision + 1 })
        const isSaved = yield* touched(sql`
          UPDATE productions SET status = ${moved.status}, revision = ${moved.revision}, wakes_at = CASE WHEN roused AND ${at(wakesAtMs)} > ${at(nowMs)} THEN ${at(nowMs)} ELSE ${at(wakesAtMs)} END, roused = false, leases = 0, body = ${yield* bodyOf(moved)}, updated_at = ${at(nowMs)}
          WHERE id = ${moved.id} AND revision = ${production.revision} RETURNING id`)
        return isSaved ? moved : null
      }),
      /** Takes the one that has waited longest; until the instant nobody else does. */
      lease: (nowMs: number, untilMs: number) =>
        leased(sql`
        UPDATE productions SET wakes_at = ${at(untilMs)}, roused = false, leases = leases + 1 WHERE id = (
          SELECT id FROM productions WHERE wakes_at <= ${at(nowMs)} ORDER BY wakes_at LIMIT 1 FOR UPDATE SKIP LOCKED
        ) RETURNING id, agent_id, leases`),
      /** It is still being worked at: nobody else takes it up before then, unless something has happened to it meanwhile that has to be looked at. */
      prolong: (id: JobId, nowMs: number, untilMs: number) =>
        run(
          sql`UPDATE productions SET wakes_at = ${at(untilMs)} WHERE id = ${id} AND wakes_at > ${at(nowMs)} AND wakes_at < ${at(untilMs)}`
        ),
      /** Gives it back: it is taken up again then. */
      wake: (id: JobId, atMs: number) =>
        run(sql`UPDATE productions SET wakes_at = ${at(atMs)} WHERE id = ${id} AND wakes_at IS NOT NULL`),
      /** Something has happened to what these of an agent's wait for: also to one that is being worked at, which looks once more. Answers how many those are. */
      rouse: (agentId: AgentId, nowMs: number) =>
        Effect.orDie(
          Effect.map(
            sql`
        UPDATE productions SET wakes_at = ${at(nowMs)}, roused = true WHERE agent_id = ${agentId} AND status IN ('assembling', 'review', 'rendering', 'scheduled') AND wakes_at > ${at(nowMs)} RETURNING id`,
            (rows) => rows.length
          )
        )
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
