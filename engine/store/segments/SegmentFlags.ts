import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { AgentId, SegmentId } from "../../../schema/Ids.ts"
import { FlagReason } from "../../../schema/segments/Flag.ts"
import { at } from "../sql/instants.ts"
import { rows, run } from "../sql/rows.ts"

const Flag = Schema.Struct({
  id: Schema.String,
  agentId: Schema.String,
  reason: FlagReason,
  note: Schema.NullOr(Schema.String),
  weight: Schema.Int,
  settled: Schema.Boolean
})
export type Flag = typeof Flag.Type
const flags = rows(Flag)

/** Agents' flags on aired segments. */
export class SegmentFlagsWriter extends Context.Service<SegmentFlagsWriter>()(
  "longwave/engine/store/SegmentFlagsWriter",
  {
    make: Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      return {
        /** All flags on a segment, oldest first. */
        listBySegment: (segmentId: string) =>
          flags(
            sql`SELECT id, agent_id, reason, note, weight, settled FROM segment_flags WHERE segment_id = ${segmentId} ORDER BY created_at, id`
          ),
        add: (segmentId: SegmentId, { agentId, id, note, reason, weight }: Omit<Flag, "settled">, atMs: number) =>
          run(
            sql`INSERT INTO segment_flags (segment_id, agent_id, id, reason, note, weight, created_at)
              VALUES (${segmentId}, ${agentId}, ${id}, ${reason}, ${note}, ${weight}, ${at(atMs)})`
          ),
        /** Ends the count of the flags so far: a reviewer decided on them. */
        settle: (segmentId: SegmentId) =>
          run(sql`UPDATE segment_flags SET settled = true WHERE segment_id = ${segmentId} AND NOT settled`),
        /** Deletes the flags of an agent that left. */
        forget: (agentId: AgentId) => run(sql`DELETE FROM segment_flags WHERE agent_id = ${agentId}`)
      }
    })
  }
) {
  static readonly layer = Layer.effect(this, this.make)
}
