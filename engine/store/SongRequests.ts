import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { AgentId, HumanId, ListenerId, SongRequestId, TrackId } from "../../schema/Ids.ts"
import { aListener } from "../../schema/Interaction.ts"
import { SongRequest, type SongRequestStatus } from "../../schema/SongRequest.ts"
import type { Source } from "../../schema/Consent.ts"

export interface NewSongRequest {
  readonly id: SongRequestId
  readonly commandKey: string
  readonly trackId: TrackId
  readonly requester: string
  readonly humanId: HumanId | null
  readonly listenerId: ListenerId | null
  readonly agentId: AgentId | null
  readonly listenerLabel: string
  readonly note: string | null
  readonly source: Source
  readonly acknowledged: boolean
  readonly disclosureVersion: string | null
  readonly createdAtMs: number
  readonly expiresAtMs: number
}

/** Whose requests are meant: those of a requester, and those of a listener, from wherever it came. */
export interface Whose {
  readonly requester: string
  readonly listenerId: ListenerId | null
}

/**
 * Who may see a request: an account, a listener with a token, or a guest without one. An address is shared: what a listener
 * asked for with a token is not shown to the guests of its address, nor theirs to a listener.
 */
export type Caller =
  | { readonly _tag: "Account"; readonly humanId: HumanId; readonly listenerId: ListenerId }
  | { readonly _tag: "Listener"; readonly listenerId: ListenerId }
  | { readonly _tag: "Guest"; readonly requester: string }

const decode = Schema.decodeUnknownEffect(Schema.Array(SongRequest))

/** Songs that were asked for, as those see them who asked, and operators. What the air makes of them is told to `RequestsForAir`. */
export class SongRequests extends Context.Service<SongRequests, {
  /** False where one of theirs is waiting already. */
  readonly add: (request: NewSongRequest) => Effect.Effect<boolean>
  readonly find: (id: string) => Effect.Effect<SongRequest | null>
  readonly byCommand: (requester: string, commandKey: string) => Effect.Effect<SongRequest | null>
  /** The one that is waiting, or has a place. */
  readonly active: (whose: Whose) => Effect.Effect<SongRequest | null>
  /** The caller's own that is waiting, or has a place. */
  readonly ownActive: (caller: Caller) => Effect.Effect<SongRequest | null>
  /** The caller's own last that is over since an instant. */
  readonly ownTerminal: (caller: Caller, sinceMs: number) => Effect.Effect<SongRequest | null>
  /** When a requester made its requests since an instant. */
  readonly askedSince: (requester: string, sinceMs: number) => Effect.Effect<ReadonlyArray<number>>
  /** How many wait for a track. */
  readonly countOf: (trackId: string) => Effect.Effect<number>
  /** Ends those of theirs whose time has passed. */
  readonly expire: (whose: Whose, nowMs: number) => Effect.Effect<void>
  /** Null where it is over already. */
  readonly cancel: (id: string, reason: string, nowMs: number) => Effect.Effect<SongRequest | null>
  /** Newest first; null when the cursor is unknown. */
  readonly list: (filter: { readonly status: ReadonlyArray<SongRequestStatus> | null; readonly limit: number; readonly cursor: string | null }) => Effect.Effect<
    { readonly requests: ReadonlyArray<SongRequest>; readonly next: string | null } | null
  >
  /** An account is erased: what waits is cancelled, and nothing that was heard names it any more. */
  readonly forget: (humanId: HumanId, nowMs: number) => Effect.Effect<void>
}>()("longwave/engine/store/SongRequests") {
  static readonly layer = Layer.effect(SongRequests, Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const at = (ms: number) => sql`to_timestamp(${ms}::float8 / 1000)`
    const ms = (column: string) => `round(extract(epoch from r.${column}) * 1000)::float8 AS ${column}_ms`
    const columns = sql.literal(`r.id, jsonb_build_object('id', t.id, 'title', t.title, 'artist', t.artist, 'genre', t.genre, 'isInstrumental', t.is_instrumental, 'durationSec', t.duration_sec) AS track,
      r.requester, r.human_id, r.listener_id, r.agent_id, r.listener_label, r.note, r.source, r.status, r.status_reason, r.displacements, r.item_id,
      ${["scheduled_for", "fulfilled_at", "created_at", "expires_at", "updated_at"].map(ms).join(", ")}`)
    const select = sql`SELECT ${columns} FROM song_requests r JOIN tracks t ON t.id = r.track_id`
    const many = (rows: Effect.Effect<ReadonlyArray<object>, unknown>) => Effect.orDie(Effect.flatMap(rows, decode))
    const one = (rows: Effect.Effect<ReadonlyArray<object>, unknown>) => Effect.map(many(rows), (found) => found[0] ?? null)
    const theirs = ({ listenerId, requester }: Whose) => listenerId === null ? sql`r.requester = ${requester}` : sql`(r.requester = ${requester} OR r.listener_id = ${listenerId})`
    const own = (caller: Caller) =>
      caller._tag === "Account" ? sql`(r.requester = ${caller.humanId} OR r.listener_id = ${caller.listenerId})`
      : caller._tag === "Listener" ? sql`r.listener_id = ${caller.listenerId}`
      : sql`(r.requester = ${caller.requester} AND r.listener_id IS NULL)`
    const waiting = sql`r.status IN ('pending', 'scheduled')`
    const find = (id: string) => one(sql`${select} WHERE r.id = ${id}`)
    return SongRequests.of({
      add: (given) => Effect.orDie(Effect.map(sql`
        INSERT INTO song_requests (id, command_key, track_id, requester, human_id, listener_id, agent_id, listener_label, note, source, acknowledged, disclosure_version, created_at, expires_at, updated_at)
        VALUES (${given.id}, ${given.commandKey}, ${given.trackId}, ${given.requester}, ${given.humanId}, ${given.listenerId}, ${given.agentId}, ${given.listenerLabel}, ${given.note}, ${given.source},
          ${given.acknowledged}, ${given.disclosureVersion}, ${at(given.createdAtMs)}, ${at(given.expiresAtMs)}, ${at(given.createdAtMs)}) ON CONFLICT DO NOTHING RETURNING id`, (rows) => rows.length === 1)),
      find,
      byCommand: (requester, commandKey) => one(sql`${select} WHERE r.requester = ${requester} AND r.command_key = ${commandKey}`),
      active: (whose) => one(sql`${select} WHERE ${theirs(whose)} AND ${waiting} ORDER BY r.created_at DESC, r.id DESC LIMIT 1`),
      ownActive: (caller) => one(sql`${select} WHERE ${own(caller)} AND ${waiting} ORDER BY r.created_at DESC, r.id DESC LIMIT 1`),
      ownTerminal: (caller, sinceMs) => one(sql`${select} WHERE ${own(caller)} AND NOT ${waiting} AND r.updated_at >= ${at(sinceMs)} ORDER BY r.updated_at DESC, r.id DESC LIMIT 1`),
      askedSince: (requester, sinceMs) => Effect.orDie(Effect.map(sql<{ atMs: number }>`
        SELECT round(extract(epoch from r.created_at) * 1000)::float8 AS at_ms FROM song_requests r WHERE r.requester = ${requester} AND r.created_at > ${at(sinceMs)}`, (rows) => rows.map(({ atMs }) => atMs))),
      countOf: (trackId) => Effect.orDie(Effect.map(sql<{ n: number }>`SELECT count(*)::int AS n FROM song_requests r WHERE r.track_id = ${trackId} AND ${waiting}`, (rows) => rows[0]!.n)),
      expire: (whose, nowMs) => Effect.orDie(Effect.asVoid(sql`
        UPDATE song_requests r SET status = 'expired', item_id = NULL, scheduled_for = NULL, updated_at = ${at(nowMs)} WHERE ${theirs(whose)} AND r.status = 'pending' AND r.expires_at <= ${at(nowMs)}`)),
      cancel: (id, reason, nowMs) => Effect.gen(function*() {
        const moved = yield* Effect.orDie(sql`
          UPDATE song_requests r SET status = 'cancelled', status_reason = ${reason}, item_id = NULL, scheduled_for = NULL, updated_at = ${at(nowMs)} WHERE r.id = ${id} AND ${waiting} RETURNING r.id`)
        return moved.length === 0 ? null : yield* find(id)
      }),
      list: Effect.fn("SongRequests.list")(function*({ cursor, limit, status }) {
        if (cursor !== null && (yield* Effect.orDie(sql`SELECT 1 FROM song_requests WHERE id = ${cursor}`)).length === 0) return null
        const requests = yield* many(sql`${select} WHERE ${sql.and([
          sql`true`,
          ...status === null ? [] : [sql`r.status IN ${sql.in(status)}`],
          ...cursor === null ? [] : [sql`(r.created_at, r.id) < (SELECT c.created_at, c.id FROM song_requests c WHERE c.id = ${cursor})`]
        ])} ORDER BY r.created_at DESC, r.id DESC LIMIT ${limit + 1}`)
        return { requests: requests.slice(0, limit), next: requests.length > limit ? requests[limit - 1]!.id : null }
      }),
      forget: (humanId, nowMs) => Effect.orDie(sql.withTransaction(Effect.gen(function*() {
        yield* sql`UPDATE listener_credits SET label = ${aListener}, human_id = NULL WHERE human_id = ${humanId}`
        yield* sql`
          UPDATE song_requests r SET human_id = NULL, requester = NULL, listener_id = NULL, listener_label = ${aListener}, note = NULL, updated_at = ${at(nowMs)},
            status = CASE WHEN ${waiting} THEN 'cancelled' ELSE r.status END, status_reason = CASE WHEN ${waiting} THEN 'ACCOUNT_DELETED' ELSE r.status_reason END,
            item_id = CASE WHEN ${waiting} THEN NULL ELSE r.item_id END, scheduled_for = CASE WHEN ${waiting} THEN NULL ELSE r.scheduled_for END
          WHERE r.human_id = ${humanId}`
      })))
    })
  }))
}
