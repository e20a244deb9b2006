import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { purgeRows } from "../../rules/runtime/limits.ts"
import { at } from "../sql/instants.ts"
import { countChanged, run } from "../sql/rows.ts"

/** Reactions to segments while they are heard. Highlights are chosen from them. */
export class ReactionsWriter extends Context.Service<ReactionsWriter>()("longwave/engine/store/ReactionsWriter", {
  make: Effect.map(SqlClient.SqlClient, (sql) => ({
    add: (reaction: {
      readonly segmentId: string
      /** Hash of the listener, different for each segment. */
      readonly reactor: string
      readonly atSec: number
      readonly atMs: number
    }) =>
      run(
        sql`INSERT INTO reactions (segment_id, reactor, at_sec, at) VALUES (${reaction.segmentId}, ${reaction.reactor}, ${reaction.atSec}, ${at(reaction.atMs)})`
      ),
    /** Deletes a batch of reactions from before that instant. Returns their number. */
    purge: (beforeMs: number) =>
      countChanged(
        sql`DELETE FROM reactions WHERE ctid = ANY(ARRAY(SELECT ctid FROM reactions WHERE at < ${at(beforeMs)} LIMIT ${purgeRows})) RETURNING 1`
      )
  }))
}) {
  static readonly layer = Layer.effect(this, this.make)
}
