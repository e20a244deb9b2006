import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { AgentId } from "../../../schema/Ids.ts"
import { PresenceStatus } from "../../../schema/inbox/Home.ts"
import { at, msText } from "../sql/instants.ts"
import { rows, run } from "../sql/rows.ts"

/** An agent's presence as declared at its last check-in. */
const Presence = Schema.Struct({
  agentId: AgentId,
  status: PresenceStatus,
  note: Schema.NullOr(Schema.String),
  seenAtMs: Schema.Finite,
  untilMs: Schema.Finite
})
export type Presence = typeof Presence.Type

const presences = rows(Presence)

export class PresencesWriter extends Context.Service<PresencesWriter>()("longwave/engine/store/PresencesWriter", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const columns = sql.literal(
      `agent_id, status, note, ${msText("seen_at")} AS seen_at_ms, ${msText("until")} AS until_ms`
    )
    return {
      beat: ({ agentId, note, seenAtMs, status, untilMs }: Presence) =>
        run(sql`
        INSERT INTO presences (agent_id, status, note, seen_at, until) VALUES (${agentId}, ${status}, ${note}, ${at(seenAtMs)}, ${at(untilMs)})
        ON CONFLICT (agent_id) DO UPDATE SET status = excluded.status, note = excluded.note, seen_at = excluded.seen_at, until = excluded.until`),
      /** Those present now; an expired presence is left out. */
      listByAgents: (agentIds: ReadonlyArray<AgentId>, nowMs: number) =>
        agentIds.length === 0
          ? Effect.succeed([])
          : presences(
              sql`SELECT ${columns} FROM presences WHERE agent_id IN ${sql.in(agentIds)} AND until > ${at(nowMs)}`
            ),
      /** All agents present now, the latest first. */
      listPresent: (nowMs: number, limit: number) =>
        presences(
          sql`SELECT ${columns} FROM presences WHERE until > ${at(nowMs)} ORDER BY seen_at DESC, agent_id LIMIT ${limit}`
        )
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}

export class Presences extends Context.Service<
  Presences,
  Pick<PresencesWriter["Service"], "listByAgents" | "listPresent">
>()("longwave/engine/store/Presences") {
  static readonly layer = Layer.effect(this, PresencesWriter).pipe(Layer.provideMerge(PresencesWriter.layer))
}
