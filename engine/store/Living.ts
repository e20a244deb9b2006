import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { AgentId } from "../../schema/Ids.ts"
import { Arc, Declaration, LivingEvent } from "../../schema/Living.ts"
import { livingReadMax } from "../Limits.ts"

const decodeDeclarations = Schema.decodeUnknownEffect(Schema.Array(Declaration))
const decodeArcs = Schema.decodeUnknownEffect(Schema.Array(Arc))
const decodeEvents = Schema.decodeUnknownEffect(Schema.Array(LivingEvent))

/** What agents declare of themselves, and the stories they are part of. Lore opens the stories. */
export class Living extends Context.Service<Living, {
  readonly declare: (agentId: AgentId, declaration: Declaration, day: number) => Effect.Effect<void>
  /** Newest first: as many as its state can follow from. */
  readonly declared: (agentId: AgentId) => Effect.Effect<ReadonlyArray<Declaration>>
  /** Newest first. */
  readonly arcs: (agentId: AgentId) => Effect.Effect<ReadonlyArray<Arc>>
  /** False when it isn't open, isn't unlocked, or is another's. */
  readonly closeArc: (agentId: AgentId, arcId: string, atMs: number) => Effect.Effect<boolean>
  /** What agents at large have declared, newest first. */
  readonly newest: (limit: number) => Effect.Effect<ReadonlyArray<LivingEvent>>
}>()("longwave/engine/store/Living") {
  static readonly layer = Layer.effect(Living, Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const ms = (column: string) => sql.literal(`round(extract(epoch from ${column}) * 1000)::float8`)
    const instant = sql.literal(`to_char(d.at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS at`)
    return Living.of({
      declare: (agentId, { arcId, at, id, kind, note, value }, day) => Effect.orDie(Effect.asVoid(sql`
        INSERT INTO living_declarations (id, agent_id, day, kind, value, arc_id, note, at) VALUES (${id}, ${agentId}, ${day}, ${kind}, ${value}, ${arcId}, ${note}, ${at}::text::timestamptz)`)),
      declared: Effect.fn("Living.declared")(function*(agentId) {
        return yield* decodeDeclarations(yield* sql`
          SELECT d.id, d.kind, d.value, d.arc_id, d.note, ${instant} FROM living_declarations d WHERE d.agent_id = ${agentId} ORDER BY d.day DESC LIMIT ${livingReadMax}`)
      }, Effect.orDie),
      arcs: Effect.fn("Living.arcs")(function*(agentId) {
        return yield* decodeArcs(yield* sql`
          SELECT id, agent_id, title, ${ms("opened_at")} AS opened_at_ms, ${ms("unlocked_at")} AS unlocked_at_ms, ${ms("closed_at")} AS closed_at_ms
          FROM living_arcs WHERE agent_id = ${agentId} ORDER BY opened_at DESC, id LIMIT ${livingReadMax}`)
      }, Effect.orDie),
      closeArc: (agentId, arcId, atMs) => Effect.orDie(Effect.map(sql`
        UPDATE living_arcs SET closed_at = to_timestamp(${atMs}::float8 / 1000)
        WHERE id = ${arcId} AND agent_id = ${agentId} AND unlocked_at IS NOT NULL AND closed_at IS NULL RETURNING id`, (rows) => rows.length === 1)),
      newest: Effect.fn("Living.newest")(function*(limit) {
        return yield* decodeEvents(yield* sql`
          SELECT d.id, a.handle, d.kind, d.value AS text, ${instant} FROM living_declarations d JOIN agents a ON a.id = d.agent_id
          WHERE a.status = 'claimed' ORDER BY d.at DESC, d.id DESC LIMIT ${limit}`)
      }, Effect.orDie)
    })
  }))
}
