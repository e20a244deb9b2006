import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { AgentId, HumanId, type ItemId, SongRequestId, TrackId } from "../../../schema/Ids.ts"
import { SongRequestStatus } from "../../../schema/music/SongRequest.ts"
import { songRequestHardHours } from "../../rules/air/limits.ts"
import { addressHashHours } from "../../rules/listeners/limits.ts"
import { songRequestDisplacementsMax } from "../../rules/music/limits.ts"
import { at, ms } from "../sql/instants.ts"
import { rows, run } from "../sql/rows.ts"

/** A song and everybody who waits for it, oldest first. */
const WaitingSong = Schema.Struct({ trackId: TrackId, songRequestIds: Schema.Array(SongRequestId) })

/** A request as a mark has left it, and what it was before. */
const Moved = Schema.Struct({
  id: SongRequestId,
  agentId: Schema.NullOr(AgentId),
  humanId: Schema.NullOr(HumanId),
  listenerLabel: Schema.String,
  before: SongRequestStatus,
  status: SongRequestStatus,
  scheduledForMs: Schema.NullOr(Schema.Finite)
})
export type Moved = typeof Moved.Type

const songs = rows(WaitingSong)
const moves = rows(Moved)
const waited = rows(Schema.Struct({ id: SongRequestId }))

type Ids = ReadonlyArray<SongRequestId>

/**
 * Requests as the scheduler and the ledger see and move them. Each mark is a transition of the rules that changes nothing where it
 * leads nowhere, or when `fence` is no longer the station's.
 */
export class RequestsForAir extends Context.Service<RequestsForAir>()("longwave/engine/store/RequestsForAir", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const mine = (fence: number) => sql`NOT EXISTS (SELECT 1 FROM stations WHERE stations.fence > ${BigInt(fence)})`
    const change = (which: Statement.Fragment, to: Statement.Fragment, nowMs: number, fence: number) =>
      moves(sql`
      UPDATE song_requests r SET ${to}, updated_at = ${at(nowMs)}
      FROM (SELECT o.id, o.status FROM song_requests o WHERE ${which} ORDER BY o.id FOR UPDATE) o WHERE r.id = o.id AND ${mine(fence)}
      RETURNING r.id, r.agent_id, r.human_id, r.listener_label, o.status AS before, r.status, ${ms("r.scheduled_for")} AS scheduled_for_ms`)
    const ofThese = (ids: Ids, from: ReadonlyArray<SongRequestStatus>) =>
      sql`o.id IN ${sql.in(ids)} AND o.status IN ${sql.in(from)}`
    const noPlace = sql`item_id = NULL, scheduled_for = NULL`
    return {
      /** Songs of the rotation that are waited for, in the order in which they were first asked for. */
      waiting: (limit: number) =>
        songs(sql`
        SELECT r.track_id, array_agg(r.id ORDER BY r.created_at, r.id) AS song_request_ids FROM song_requests r JOIN tracks t ON t.id = r.track_id
        WHERE r.status IN ('pending', 'scheduled') AND t.approval_status = 'approved' GROUP BY r.track_id ORDER BY min(r.created_at), r.track_id LIMIT ${limit}`),
      /** Of these, the ones that nobody waits for any more. */
      gone: (ids: Ids) =>
        ids.length === 0
          ? Effect.succeed([])
          : Effect.map(
              waited(
                sql`SELECT id FROM song_requests WHERE id IN ${sql.in(ids)} AND status IN ('pending', 'scheduled')`
              ),
              (found) => ids.filter((id) => !found.some((request) => request.id === id))
            ),
      /** They have a place: what is heard there is heard for them. */
      markScheduled: (
        ids: Ids,
        { atMs, itemId }: { readonly itemId: ItemId; readonly atMs: number },
        nowMs: number,
        fence: number
      ) =>
        ids.length === 0
          ? Effect.succeed([])
          : change(
              ofThese(ids, ["pending", "scheduled"]),
              sql`status = 'scheduled', status_reason = NULL, item_id = ${itemId}, scheduled_for = ${at(atMs)}`,
              nowMs,
              fence
            ),
      /** They have lost it. */
      markDisplaced: (ids: Ids, nowMs: number, fence: number) =>
        ids.length === 0
          ? Effect.succeed([])
          : change(
              ofThese(ids, ["scheduled"]),
              sql`
        status = CASE WHEN r.displacements >= ${songRequestDisplacementsMax} THEN 'cancelled' ELSE 'pending' END, status_reason = 'DISPLACED',
        displacements = least(r.displacements + 1, ${songRequestDisplacementsMax}), ${noPlace}`,
              nowMs,
              fence
            ),
      markFulfilled: (ids: Ids, atMs: number, fence: number) =>
        ids.length === 0
          ? Effect.succeed([])
          : change(
              ofThese(ids, ["scheduled"]),
              sql`status = 'fulfilled', status_reason = NULL, fulfilled_at = ${at(atMs)}`,
              atMs,
              fence
            ),
      /** All that are scheduled and not among `keep` wait again: nobody displaced them, the station was down. */
      reclaim: (keep: Ids, nowMs: number, fence: number) =>
        change(
          sql`o.status = 'scheduled' AND ${keep.length === 0 ? sql`true` : sql`NOT ${sql.in("o.id", keep)}`}`,
          sql`status = 'pending', ${noPlace}`,
          nowMs,
          fence
        ),
      /** Ends what has waited too long, and what waits for a track that has left the rotation. */
      settle: (nowMs: number, fence: number) =>
        Effect.gen(function* (): Effect.fn.Return<ReadonlyArray<Moved>> {
          const over = yield* change(
            sql`
          (o.status = 'pending' AND o.expires_at <= ${at(nowMs)}) OR (o.status = 'scheduled' AND o.created_at <= ${at(nowMs - songRequestHardHours * 3_600_000)})`,
            sql`status = 'expired', ${noPlace}`,
            nowMs,
            fence
          )
          const refused = yield* change(
            sql`o.status IN ('pending', 'scheduled') AND NOT EXISTS (SELECT 1 FROM tracks t WHERE t.id = o.track_id AND t.approval_status = 'approved')`,
            sql`status = 'cancelled', status_reason = 'TRACK_WITHDRAWN', ${noPlace}`,
            nowMs,
            fence
          )
          return [...over, ...refused]
        }),
      /** Forgets from where guests asked, two days after. */
      forgetAddresses: (nowMs: number) =>
        run(sql`
        UPDATE song_requests SET requester = NULL WHERE requester LIKE 'guest\\_%' AND created_at <= ${at(nowMs - addressHashHours * 3_600_000)} AND status NOT IN ('pending', 'scheduled')`)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
