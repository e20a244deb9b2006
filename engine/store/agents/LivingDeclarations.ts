import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { AgentId } from "../../../schema/Ids.ts"
import { Arc, Declaration, LivingEvent } from "../../../schema/agents/LivingDeclarations.ts"
import { livingReadMax } from "../../rules/agents/limits.ts"
import { ms, at } from "../sql/instants.ts"
import { rows, run, hasChanged } from "../sql/rows.ts"

const declarations = rows(Declaration)
const arcs = rows(Arc)
const events = rows(LivingEvent)

/** Declarations of agents and their story arcs. Lore opens the arcs. */
export class LivingDeclarationsWriter extends Context.Service<LivingDeclarationsWriter>()(
  "longwave/engine/store/LivingDeclarationsWriter",
  {
    make: Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const instant = sql.literal(`to_char(d.at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS at`)
      return {
        declare: (agentId: AgentId, { arcId, at, id, kind, note, value }: Declaration, day: number) =>
          run(sql`
        INSERT INTO living_declarations (id, agent_id, day, kind, value, arc_id, note, at) VALUES (${id}, ${agentId}, ${day}, ${kind}, ${value}, ${arcId}, ${note}, ${at}::text::timestamptz)`),
        /** Newest first, as many as the living state depends on. */
        listByAgent: (agentId: AgentId) =>
          declarations(sql`
          SELECT d.id, d.kind, d.value, d.arc_id, d.note, ${instant} FROM living_declarations d WHERE d.agent_id = ${agentId} ORDER BY d.day DESC LIMIT ${livingReadMax}`),
        /** Newest first. */
        arcs: (agentId: AgentId) =>
          arcs(sql`
          SELECT id, agent_id, title, ${ms("opened_at")} AS opened_at_ms, ${ms("unlocked_at")} AS unlocked_at_ms, ${ms("closed_at")} AS closed_at_ms
          FROM living_arcs WHERE agent_id = ${agentId} ORDER BY opened_at DESC, id LIMIT ${livingReadMax}`),
        /** False if the arc isn't open, isn't unlocked, or belongs to another agent. */
        closeArc: (agentId: AgentId, arcId: string, atMs: number) =>
          hasChanged(sql`
        UPDATE living_arcs SET closed_at = ${at(atMs)}
        WHERE id = ${arcId} AND agent_id = ${agentId} AND unlocked_at IS NOT NULL AND closed_at IS NULL RETURNING id`),
        /** Declarations of active agents, newest first. */
        listNewest: (limit: number) =>
          events(sql`
          SELECT d.id, a.handle, d.kind, d.value AS text, ${instant} FROM living_declarations d JOIN agents a ON a.id = d.agent_id
          WHERE a.status = 'claimed' ORDER BY d.at DESC, d.id DESC LIMIT ${limit}`)
      }
    })
  }
) {
  static readonly layer = Layer.effect(this, this.make)
}

export class LivingDeclarations extends Context.Service<
  LivingDeclarations,
  Pick<LivingDeclarationsWriter["Service"], "listByAgent" | "arcs" | "listNewest">
>()("longwave/engine/store/LivingDeclarations") {
  static readonly layer = Layer.effect(this, LivingDeclarationsWriter).pipe(
    Layer.provideMerge(LivingDeclarationsWriter.layer)
  )
}
