import { Context, Effect, Layer } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import type { AgentId, HumanId, ItemId, SongRequestId, TrackId } from "../../schema/Ids.ts"
import type { SongRequestStatus } from "../../schema/SongRequest.ts"
import { addressHashHours, songRequestDisplacementsMax, songRequestHardHours } from "../Limits.ts"

/** A song and everybody who waits for it, oldest first. */
export interface WaitingSong {
  readonly trackId: TrackId
  readonly songRequestIds: ReadonlyArray<SongRequestId>
}

/** A request as a mark has left it, and what it was before. */
export interface Moved {
  readonly id: SongRequestId
  readonly agentId: AgentId | null
  readonly humanId: HumanId | null
  readonly listenerLabel: string
  readonly before: SongRequestStatus
  readonly status: SongRequestStatus
  readonly scheduledForMs: number | null
}

type Ids = ReadonlyArray<SongRequestId>

/**
 * Requests as the scheduler and the ledger see and move them. Each mark is a transition of the rules that changes nothing where it
 * leads nowhere, or when `fence` is no longer the station's.
 */
export class RequestsForAir extends Context.Service<RequestsForAir, {
  /** Songs of the rotation that are waited for, in the order in which they were first asked for. */
  readonly waiting: (limit: number) => Effect.Effect<ReadonlyArray<WaitingSong>>
  /** Of these, the ones that nobody waits for any more. */
  readonly gone: (ids: Ids) => Effect.Effect<Ids>
  /** They have a place: what is heard there is heard for them. */
  readonly markScheduled: (ids: Ids, place: { readonly itemId: ItemId; readonly atMs: number }, nowMs: number, fence: number) => Effect.Effect<ReadonlyArray<Moved>>
  /** They have lost it. */
  readonly markDisplaced: (ids: Ids, nowMs: number, fence: number) => Effect.Effect<ReadonlyArray<Moved>>
  readonly markFulfilled: (ids: Ids, atMs: number, fence: number) => Effect.Effect<ReadonlyArray<Moved>>
  /** All that are scheduled and not among `keep` wait again: nobody displaced them, the station was down. */
  readonly reclaim: (keep: Ids, nowMs: number, fence: number) => Effect.Effect<ReadonlyArray<Moved>>
  /** Ends what has waited too long, and what waits for a track that has left the rotation. */
  readonly settle: (nowMs: number, fence: number) => Effect.Effect<ReadonlyArray<Moved>>
  /** Forgets from where guests asked, two days after. */
  readonly forgetAddresses: (nowMs: number) => Effect.Effect<void>
}>()("longwave/engine/store/RequestsForAir") {
  static readonly layer = Layer.effect(RequestsForAir, Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const at = (ms: number) => sql`to_timestamp(${ms}::float8 / 1000)`
    const mine = (fence: number) => sql`NOT EXISTS (SELECT 1 FROM stations WHERE stations.fence > ${BigInt(fence)})`
    const change = (which: Statement.Fragment, to: Statement.Fragment, nowMs: number, fence: number) => Effect.orDie(sql<Moved>`
      UPDATE song_requests r SET ${to}, updated_at = ${at(nowMs)}
      FROM (SELECT o.id, o.status FROM song_requests o WHERE ${which} ORDER BY o.id FOR UPDATE) o WHERE r.id = o.id AND ${mine(fence)}
      RETURNING r.id, r.agent_id, r.human_id, r.listener_label, o.status AS before, r.status, round(extract(epoch from r.scheduled_for) * 1000)::float8 AS scheduled_for_ms`)
    const ofThese = (ids: Ids, from: ReadonlyArray<SongRequestStatus>) => sql`o.id IN ${sql.in(ids)} AND o.status IN ${sql.in(from)}`
    const noPlace = sql`item_id = NULL, scheduled_for = NULL`
    return RequestsForAir.of({
      waiting: (limit) => Effect.orDie(sql<WaitingSong>`
        SELECT r.track_id, array_agg(r.id ORDER BY r.created_at, r.id) AS song_request_ids FROM song_requests r JOIN tracks t ON t.id = r.track_id
        WHERE r.status IN ('pending', 'scheduled') AND t.approval_status = 'approved' GROUP BY r.track_id ORDER BY min(r.created_at), r.track_id LIMIT ${limit}`),
      gone: (ids) => ids.length === 0 ? Effect.succeed([]) : Effect.orDie(Effect.map(
        sql<{ id: SongRequestId }>`SELECT id FROM song_requests WHERE id IN ${sql.in(ids)} AND status IN ('pending', 'scheduled')`,
        (rows) => ids.filter((id) => !rows.some((row) => row.id === id)))),
      markScheduled: (ids, { atMs, itemId }, nowMs, fence) => ids.length === 0 ? Effect.succeed([]) :
        change(ofThese(ids, ["pending", "scheduled"]), sql`status = 'scheduled', status_reason = NULL, item_id = ${itemId}, scheduled_for = ${at(atMs)}`, nowMs, fence),
      markDisplaced: (ids, nowMs, fence) => ids.length === 0 ? Effect.succeed([]) : change(ofThese(ids, ["scheduled"]), sql`
        status = CASE WHEN r.displacements >= ${songRequestDisplacementsMax} THEN 'cancelled' ELSE 'pending' END, status_reason = 'DISPLACED',
        displacements = least(r.displacements + 1, ${songRequestDisplacementsMax}), ${noPlace}`, nowMs, fence),
      markFulfilled: (ids, atMs, fence) => ids.length === 0 ? Effect.succeed([]) :
        change(ofThese(ids, ["scheduled"]), sql`status = 'fulfilled', status_reason = NULL, fulfilled_at = ${at(atMs)}`, atMs, fence),
      reclaim: (keep, nowMs, fence) =>
        change(sql`o.status = 'scheduled' AND ${keep.length === 0 ? sql`true` : sql`NOT ${sql.in("o.id", keep)}`}`, sql`status = 'pending', ${noPlace}`, nowMs, fence),
      settle: (nowMs, fence) => Effect.gen(function*() {
        const over = yield* change(sql`
          (o.status = 'pending' AND o.expires_at <= ${at(nowMs)}) OR (o.status = 'scheduled' AND o.created_at <= ${at(nowMs - songRequestHardHours * 3_600_000)})`,
          sql`status = 'expired', ${noPlace}`, nowMs, fence)
        const refused = yield* change(sql`o.status IN ('pending', 'scheduled') AND NOT EXISTS (SELECT 1 FROM tracks t WHERE t.id = o.track_id AND t.approval_status = 'approved')`,
          sql`status = 'cancelled', status_reason = 'TRACK_WITHDRAWN', ${noPlace}`, nowMs, fence)
        return [...over, ...refused]
      }),
      forgetAddresses: (nowMs) => Effect.orDie(Effect.asVoid(sql`
        UPDATE song_requests SET requester = NULL WHERE requester LIKE 'guest\\_%' AND created_at <= ${at(nowMs - addressHashHours * 3_600_000)} AND status NOT IN ('pending', 'scheduled')`))
    })
  }))
}
