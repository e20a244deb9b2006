import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { AgentId, JobId } from "../../schema/Ids.ts"
import { ProductionRecord } from "../../schema/Production.ts"

const decode = Schema.decodeUnknownEffect(Schema.Array(ProductionRecord))
const encode = Schema.encodeEffect(ProductionRecord)

/** One that somebody is to work at. `leases` counts how often it was taken up since it last moved. */
export interface ProductionLease {
  readonly id: JobId
  readonly agentId: AgentId
  readonly leases: number
}

/** Shows in the making. Only their `Showrunner` writes here, and whoever leases one. */
export class Productions extends Context.Service<Productions, {
  readonly add: (production: ProductionRecord, commandKey: string, wakesAtMs: number | null) => Effect.Effect<void>
  readonly find: (id: string) => Effect.Effect<ProductionRecord | null>
  readonly byCommand: (agentId: AgentId, commandKey: string) => Effect.Effect<ProductionRecord | null>
  /** Newest first; null when the cursor is none of this agent's. */
  readonly ofAgent: (agentId: AgentId, limit: number, cursor: string | null) => Effect.Effect<{ readonly productions: ReadonlyArray<ProductionRecord>; readonly next: string | null } | null>
  /** Writes over what it was; null when it has moved on since it was read. Nobody works at it before `wakesAtMs`, or at all for null. */
  readonly save: (production: ProductionRecord, wakesAtMs: number | null, nowMs: number) => Effect.Effect<ProductionRecord | null>
  /** Takes the one that has waited longest; until the instant nobody else does. */
  readonly lease: (nowMs: number, untilMs: number) => Effect.Effect<ProductionLease | null>
  /** It is still being worked at: nobody else takes it up before then, unless something has happened to it meanwhile that has to be looked at. */
  readonly prolong: (id: JobId, nowMs: number, untilMs: number) => Effect.Effect<void>
  /** Gives it back: it is taken up again then. */
  readonly wake: (id: JobId, atMs: number) => Effect.Effect<void>
  /** Something has happened to what these of an agent's wait for: also to one that is being worked at, which looks once more. Answers how many those are. */
  readonly rouse: (agentId: AgentId, nowMs: number) => Effect.Effect<number>
}>()("longwave/engine/store/Productions") {
  static readonly layer = Layer.effect(Productions, Effect.map(SqlClient.SqlClient, (sql) => {
    const at = (ms: number | null) => ms === null ? sql`NULL` : sql`to_timestamp(${ms}::float8 / 1000)`
    const many = (rows: Effect.Effect<ReadonlyArray<{ readonly body: object; readonly revision: number }>, unknown>) =>
      Effect.orDie(Effect.flatMap(rows, (found) => decode(found.map(({ body, revision }) => ({ ...body, revision })))))
    const one = (rows: Effect.Effect<ReadonlyArray<{ readonly body: object; readonly revision: number }>, unknown>) => Effect.map(many(rows), (found) => found[0] ?? null)
    const select = sql.literal("SELECT body, revision FROM productions")
    const bodyOf = (production: ProductionRecord) => Effect.map(Effect.orDie(encode(production)), (body) => sql`${JSON.stringify(body)}::text::jsonb`)
    return Productions.of({
      add: Effect.fn("Productions.add")(function*(production, commandKey, wakesAtMs) {
        yield* sql`
          INSERT INTO productions (id, agent_id, command_key, status, revision, wakes_at, body, created_at, updated_at)
          VALUES (${production.id}, ${production.agentId}, ${commandKey}, ${production.status}, ${production.revision}, ${at(wakesAtMs)}, ${yield* bodyOf(production)}, ${at(production.createdAtMs)}, ${at(production.createdAtMs)})`
      }, Effect.orDie),
      find: (id) => one(sql`${select} WHERE id = ${id}`),
      byCommand: (agentId, commandKey) => one(sql`${select} WHERE agent_id = ${agentId} AND command_key = ${commandKey}`),
      ofAgent: Effect.fn("Productions.ofAgent")(function*(agentId, limit, cursor) {
        if (cursor !== null && (yield* sql`SELECT 1 FROM productions WHERE id = ${cursor} AND agent_id = ${agentId}`).length === 0) return null
        const found = yield* many(sql`${select} WHERE agent_id = ${agentId} AND ${cursor === null ? sql`true` : sql`(created_at, id) < (SELECT c.created_at, c.id FROM productions c WHERE c.id = ${cursor})`}
          ORDER BY created_at DESC, id DESC LIMIT ${limit + 1}`)
        return { productions: found.slice(0, limit), next: found.length > limit ? found[limit - 1]!.id : null }
      }, Effect.orDie),
      save: Effect.fn("Productions.save")(function*(production, wakesAtMs, nowMs) {
        const moved = new ProductionRecord({ ...production, revision: production.revision + 1 })
        const rows = yield* sql`
          UPDATE productions SET status = ${moved.status}, revision = ${moved.revision}, wakes_at = CASE WHEN roused AND ${at(wakesAtMs)} > ${at(nowMs)} THEN ${at(nowMs)} ELSE ${at(wakesAtMs)} END, roused = false, leases = 0, body = ${yield* bodyOf(moved)}, updated_at = ${at(nowMs)}
          WHERE id = ${moved.id} AND revision = ${production.revision} RETURNING id`
        return rows.length === 1 ? moved : null
      }, Effect.orDie),
      lease: (nowMs, untilMs) => Effect.orDie(Effect.map(sql<ProductionLease>`
        UPDATE productions SET wakes_at = ${at(untilMs)}, roused = false, leases = leases + 1 WHERE id = (
          SELECT id FROM productions WHERE wakes_at <= ${at(nowMs)} ORDER BY wakes_at LIMIT 1 FOR UPDATE SKIP LOCKED
        ) RETURNING id, agent_id, leases`, (rows) => rows[0] ?? null)),
      prolong: (id, nowMs, untilMs) => Effect.orDie(Effect.asVoid(sql`UPDATE productions SET wakes_at = ${at(untilMs)} WHERE id = ${id} AND wakes_at > ${at(nowMs)} AND wakes_at < ${at(untilMs)}`)),
      wake: (id, atMs) => Effect.orDie(Effect.asVoid(sql`UPDATE productions SET wakes_at = ${at(atMs)} WHERE id = ${id} AND wakes_at IS NOT NULL`)),
      rouse: (agentId, nowMs) => Effect.orDie(Effect.map(sql`
        UPDATE productions SET wakes_at = ${at(nowMs)}, roused = true WHERE agent_id = ${agentId} AND status IN ('assembling', 'review', 'rendering', 'scheduled') AND wakes_at > ${at(nowMs)} RETURNING id`, (rows) => rows.length))
    })
  }))
}
