import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { HumanId, ListenerId } from "../../../schema/Ids.ts"
import { Listener } from "../../../schema/listeners/Listener.ts"
import { at, msText } from "../sql/instants.ts"
import { row, rows, run } from "../sql/rows.ts"

const listener = row(Listener)
const listeners = rows(Listener)

/** Who listens. A listener who belongs to an account is blocked with it. */
export class ListenersWriter extends Context.Service<ListenersWriter>()("longwave/engine/store/ListenersWriter", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const select =
      sql.literal(`SELECT l.id, l.gen, l.human_id, h.display_name, coalesce(l.blocked_reason, h.blocked_reason) AS blocked_reason,
      ${msText("l.created_at")} AS created_at_ms, ${msText("l.seen_at")} AS seen_at_ms
      FROM listeners l LEFT JOIN humans h ON h.id = l.human_id`)
    const find = (id: string) => listener(sql`${select} WHERE l.id = ${id}`)
    // Locked first and read afterwards: a read that waited would show what was before.
    const held = (id: string, strength: "SHARE" | "UPDATE") =>
      Effect.andThen(run(sql`SELECT 1 FROM listeners WHERE id = ${id} FOR ${sql.literal(strength)}`), find(id))
    return {
      insert: (id: ListenerId, humanId: HumanId | null, atMs: number) =>
        run(sql`
        INSERT INTO listeners (id, human_id, created_at, seen_at, linked_at) VALUES (${id}, ${humanId}, ${at(atMs)}, ${at(atMs)}, ${humanId === null ? null : at(atMs)}) ON CONFLICT DO NOTHING`),
      find,
      /** As `find`, and nobody links, voids or erases it until the transaction is over. */
      held: (id: string) => held(id, "SHARE"),
      /** As `held`, for whoever is about to change it. */
      locked: (id: string) => held(id, "UPDATE"),
      /** Newest first. */
      list: (limit: number, beforeId: string | null) =>
        listeners(
          sql`${select} WHERE ${beforeId === null ? sql`true` : sql`l.id < ${beforeId}`} ORDER BY l.id DESC LIMIT ${limit}`
        ),
      ofHuman: (humanId: string) => listeners(sql`${select} WHERE l.human_id = ${humanId} ORDER BY l.id`),
      seen: (id: ListenerId, atMs: number) =>
        run(sql`UPDATE listeners SET seen_at = ${at(atMs)} WHERE id = ${id} AND seen_at < ${at(atMs)}`),
      /** Links it to an account. Tokens from before are void: whoever else had one has it no more. */
      link: (id: ListenerId, humanId: HumanId, atMs: number) =>
        run(sql`UPDATE listeners SET human_id = ${humanId}, linked_at = ${at(atMs)}, gen = gen + 1 WHERE id = ${id}`),
      block: (id: ListenerId, reason: string | null) =>
        run(sql`UPDATE listeners SET blocked_reason = ${reason} WHERE id = ${id}`),
      voidTokens: (id: ListenerId) => run(sql`UPDATE listeners SET gen = gen + 1 WHERE id = ${id}`),
      /** Those of all listeners of an account: for signing out everywhere. */
      voidTokensOf: (humanId: HumanId) => run(sql`UPDATE listeners SET gen = gen + 1 WHERE human_id = ${humanId}`),
      erase: (id: ListenerId) => run(sql`DELETE FROM listeners WHERE id = ${id}`),
      /** Guests who were not seen since, for whom no token is good any more. Who has voted stays, for the votes' sake: nothing else is known of them. */
      purge: (beforeMs: number) =>
        run(sql`
        DELETE FROM listeners l WHERE l.human_id IS NULL AND l.seen_at < ${at(beforeMs)} AND NOT EXISTS (SELECT 1 FROM track_votes v WHERE v.listener_id = l.id)`)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}

/** What everybody may read there. */
export class Listeners extends Context.Service<
  Listeners,
  Pick<ListenersWriter["Service"], "find" | "list" | "ofHuman">
>()("longwave/engine/store/Listeners") {
  static readonly layer = Layer.effect(this, ListenersWriter).pipe(Layer.provideMerge(ListenersWriter.layer))
}
