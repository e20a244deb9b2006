import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { HumanId, ListenerId } from "../../schema/Ids.ts"
import { Listener } from "../../schema/Listener.ts"

const decode = Schema.decodeUnknownEffect(Schema.Array(Listener))

/** Who listens. A listener who belongs to an account is blocked with it. */
export class Listeners extends Context.Service<Listeners, {
  readonly insert: (id: ListenerId, humanId: HumanId | null, atMs: number) => Effect.Effect<void>
  readonly find: (id: string) => Effect.Effect<Listener | null>
  /** As `find`, and nobody links, voids or erases it until the transaction is over. */
  readonly held: (id: string) => Effect.Effect<Listener | null>
  /** As `held`, for whoever is about to change it. */
  readonly locked: (id: string) => Effect.Effect<Listener | null>
  /** Newest first. */
  readonly list: (limit: number, beforeId: string | null) => Effect.Effect<ReadonlyArray<Listener>>
  readonly ofHuman: (humanId: string) => Effect.Effect<ReadonlyArray<Listener>>
  readonly seen: (id: ListenerId, atMs: number) => Effect.Effect<void>
  /** Links it to an account. Tokens from before are void: whoever else had one has it no more. */
  readonly link: (id: ListenerId, humanId: HumanId, atMs: number) => Effect.Effect<void>
  readonly block: (id: ListenerId, reason: string | null) => Effect.Effect<void>
  readonly voidTokens: (id: ListenerId) => Effect.Effect<void>
  /** Those of all listeners of an account: for signing out everywhere. */
  readonly voidTokensOf: (humanId: HumanId) => Effect.Effect<void>
  readonly erase: (id: ListenerId) => Effect.Effect<void>
  /** Guests who were not seen since, for whom no token is good any more. Who has voted stays, for the votes' sake: nothing else is known of them. */
  readonly purge: (beforeMs: number) => Effect.Effect<void>
}>()("longwave/engine/store/Listeners") {
  static readonly layer = Layer.effect(Listeners, Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const at = (ms: number) => sql`to_timestamp(${ms}::float8 / 1000)`
    const select = sql.literal(`SELECT l.id, l.gen, l.human_id, h.display_name, coalesce(l.blocked_reason, h.blocked_reason) AS blocked_reason,
      round(extract(epoch from l.created_at) * 1000)::float8 AS created_at_ms, round(extract(epoch from l.seen_at) * 1000)::float8 AS seen_at_ms
      FROM listeners l LEFT JOIN humans h ON h.id = l.human_id`)
    const all = Effect.fnUntraced(function*(rows: Effect.Effect<ReadonlyArray<object>, unknown>) {
      return yield* decode(yield* rows)
    }, Effect.orDie)
    const find = (id: string) => Effect.map(all(sql`${select} WHERE l.id = ${id}`), ([listener]) => listener ?? null)
    // Locked first and read afterwards: a read that waited would show what was before.
    const held = (id: string, strength: "SHARE" | "UPDATE") => Effect.andThen(Effect.orDie(sql`SELECT 1 FROM listeners WHERE id = ${id} FOR ${sql.literal(strength)}`), find(id))
    return Listeners.of({
      insert: (id, humanId, atMs) => Effect.orDie(Effect.asVoid(sql`
        INSERT INTO listeners (id, human_id, created_at, seen_at, linked_at) VALUES (${id}, ${humanId}, ${at(atMs)}, ${at(atMs)}, ${humanId === null ? null : at(atMs)}) ON CONFLICT DO NOTHING`)),
      find,
      held: (id) => held(id, "SHARE"),
      locked: (id) => held(id, "UPDATE"),
      list: (limit, beforeId) => all(sql`${select} WHERE ${beforeId === null ? sql`true` : sql`l.id < ${beforeId}`} ORDER BY l.id DESC LIMIT ${limit}`),
      ofHuman: (humanId) => all(sql`${select} WHERE l.human_id = ${humanId} ORDER BY l.id`),
      seen: (id, atMs) => Effect.orDie(Effect.asVoid(sql`UPDATE listeners SET seen_at = ${at(atMs)} WHERE id = ${id} AND seen_at < ${at(atMs)}`)),
      link: (id, humanId, atMs) => Effect.orDie(Effect.asVoid(sql`UPDATE listeners SET human_id = ${humanId}, linked_at = ${at(atMs)}, gen = gen + 1 WHERE id = ${id}`)),
      block: (id, reason) => Effect.orDie(Effect.asVoid(sql`UPDATE listeners SET blocked_reason = ${reason} WHERE id = ${id}`)),
      voidTokens: (id) => Effect.orDie(Effect.asVoid(sql`UPDATE listeners SET gen = gen + 1 WHERE id = ${id}`)),
      voidTokensOf: (humanId) => Effect.orDie(Effect.asVoid(sql`UPDATE listeners SET gen = gen + 1 WHERE human_id = ${humanId}`)),
      erase: (id) => Effect.orDie(Effect.asVoid(sql`DELETE FROM listeners WHERE id = ${id}`)),
      purge: (beforeMs) => Effect.orDie(Effect.asVoid(sql`
        DELETE FROM listeners l WHERE l.human_id IS NULL AND l.seen_at < ${at(beforeMs)} AND NOT EXISTS (SELECT 1 FROM track_votes v WHERE v.listener_id = l.id)`))
    })
  }))
}
