import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { purgeRows } from "../../rules/runtime/limits.ts"
import type { HumanId, ListenerId } from "../../../schema/Ids.ts"
import { Listener } from "../../../schema/listeners/Listener.ts"
import { at, msText } from "../sql/instants.ts"
import { countChanged, row, rows, run } from "../sql/rows.ts"

const listener = row(Listener)
const listeners = rows(Listener)

/** Listeners. A block of an account applies to its listeners. */
export class ListenersWriter extends Context.Service<ListenersWriter>()("longwave/engine/store/ListenersWriter", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const select =
      sql.literal(`SELECT l.id, l.gen, l.human_id, h.display_name, coalesce(l.blocked_reason, h.blocked_reason) AS blocked_reason,
      ${msText("l.created_at")} AS created_at_ms, ${msText("l.seen_at")} AS seen_at_ms
      FROM listeners l LEFT JOIN humans h ON h.id = l.human_id`)
    const find = (id: string) => listener(sql`${select} WHERE l.id = ${id}`)
    // Locks before it reads: a read that waits for its lock would return the old row.
    const lockRow = (id: string, strength: "SHARE" | "UPDATE") =>
      Effect.andThen(run(sql`SELECT 1 FROM listeners WHERE id = ${id} FOR ${sql.literal(strength)}`), find(id))
    return {
      insert: (id: ListenerId, humanId: HumanId | null, atMs: number) =>
        run(sql`
        INSERT INTO listeners (id, human_id, created_at, seen_at, linked_at) VALUES (${id}, ${humanId}, ${at(atMs)}, ${at(atMs)}, ${humanId === null ? null : at(atMs)}) ON CONFLICT DO NOTHING`),
      find,
      /** Like `find`, and prevents linking, voiding and erasing until the transaction ends. */
      lockShared: (id: string) => lockRow(id, "SHARE"),
      /** Like `held`, for an update. */
      lock: (id: string) => lockRow(id, "UPDATE"),
      /** Newest first. */
      list: (limit: number, beforeId: string | null) =>
        listeners(
          sql`${select} WHERE ${beforeId === null ? sql`true` : sql`l.id < ${beforeId}`} ORDER BY l.id DESC LIMIT ${limit}`
        ),
      listByHuman: (humanId: string) => listeners(sql`${select} WHERE l.human_id = ${humanId} ORDER BY l.id`),
      markSeen: (id: ListenerId, atMs: number) =>
        run(sql`UPDATE listeners SET seen_at = ${at(atMs)} WHERE id = ${id} AND seen_at < ${at(atMs)}`),
      /** Links a listener to an account and voids its earlier tokens, so that a former holder loses access. */
      link: (id: ListenerId, humanId: HumanId, atMs: number) =>
        run(sql`UPDATE listeners SET human_id = ${humanId}, linked_at = ${at(atMs)}, gen = gen + 1 WHERE id = ${id}`),
      block: (id: ListenerId, reason: string | null) =>
        run(sql`UPDATE listeners SET blocked_reason = ${reason} WHERE id = ${id}`),
      voidTokens: (id: ListenerId) => run(sql`UPDATE listeners SET gen = gen + 1 WHERE id = ${id}`),
      /** Voids the tokens of all of an account's listeners, to sign out everywhere. */
      voidTokensOf: (humanId: HumanId) => run(sql`UPDATE listeners SET gen = gen + 1 WHERE human_id = ${humanId}`),
      erase: (id: ListenerId) => run(sql`DELETE FROM listeners WHERE id = ${id}`),
      /** Deletes guests not seen since, whose tokens have all expired. Guests with votes stay until the totals of tracks hold their votes. */
      purge: (beforeMs: number) =>
        countChanged(sql`
        DELETE FROM listeners WHERE ctid = ANY(ARRAY(
          SELECT l.ctid FROM listeners l WHERE l.human_id IS NULL AND l.seen_at < ${at(beforeMs)} AND NOT EXISTS (SELECT 1 FROM track_votes v WHERE v.listener_id = l.id) LIMIT ${purgeRows}
        )) RETURNING 1`)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}

export class Listeners extends Context.Service<
  Listeners,
  Pick<ListenersWriter["Service"], "find" | "list" | "listByHuman">
>()("longwave/engine/store/Listeners") {
  static readonly layer = Layer.effect(this, ListenersWriter).pipe(Layer.provideMerge(ListenersWriter.layer))
}
