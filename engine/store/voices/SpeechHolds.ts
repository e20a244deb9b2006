import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { AgentId } from "../../../schema/Ids.ts"
import { at, ms } from "../sql/instants.ts"
import { rows, run, hasChanged } from "../sql/rows.ts"

/** A reservation on the meters for speech being synthesized. */
const SpeechHold = Schema.Struct({
  id: Schema.String,
  agentId: AgentId,
  ownerKey: Schema.NullOr(Schema.String),
  /** Requested by its agent, by the station on its own initiative, or for a plan. */
  purpose: Schema.Literals(["agent", "house", "plan"]),
  tier: Schema.Literals([0, 1, 2, 3, 4]),
  seconds: Schema.Finite,
  atMs: Schema.Finite
})
export type SpeechHold = typeof SpeechHold.Type

const holdRows = rows(SpeechHold)
const holders = rows(Schema.Struct({ agentId: AgentId }))

/** Opened and closed in the transaction that changes the meters: exactly the existing holds are counted. */
export class SpeechHoldsWriter extends Context.Service<SpeechHoldsWriter>()("longwave/engine/store/SpeechHoldsWriter", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return {
      open: (hold: SpeechHold) =>
        run(sql`
        INSERT INTO speech_holds (id, agent_id, owner_key, purpose, tier, seconds, at)
        VALUES (${hold.id}, ${hold.agentId}, ${hold.ownerKey}, ${hold.purpose}, ${hold.tier}, ${hold.seconds}, ${at(hold.atMs)})`),
      /** False if it was closed before. */
      close: (id: string) => hasChanged(sql`DELETE FROM speech_holds WHERE id = ${id} RETURNING id`),
      listByAgent: (agentId: AgentId) =>
        holdRows(sql`
        SELECT id, agent_id, owner_key, purpose, tier, seconds, ${ms("at")} AS at_ms FROM speech_holds WHERE agent_id = ${agentId} ORDER BY id`),
      /** Agents with holds from before then. */
      agentsBefore: (atMs: number, limit: number) =>
        Effect.map(
          holders(sql`SELECT DISTINCT agent_id FROM speech_holds WHERE at <= ${at(atMs)} LIMIT ${limit}`),
          (found) => found.map(({ agentId }) => agentId)
        )
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}

export class SpeechHolds extends Context.Service<
  SpeechHolds,
  Pick<SpeechHoldsWriter["Service"], "listByAgent" | "agentsBefore">
>()("longwave/engine/store/SpeechHolds") {
  static readonly layer = Layer.effect(this, SpeechHoldsWriter).pipe(Layer.provideMerge(SpeechHoldsWriter.layer))
}
