import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { purgeRows } from "../../rules/runtime/limits.ts"
import type { AgentId, HumanId, ListenerId, SongRequestId, TrackId } from "../../../schema/Ids.ts"
import { aListener } from "../../../schema/listeners/Message.ts"
import { SongRequest, type SongRequestStatus } from "../../../schema/music/SongRequest.ts"
import type { Source } from "../../../schema/listeners/Consent.ts"
import { requestStatus } from "../../rules/music/SongRequest.ts"
import { caseOf, endAiring, offer, stateIn } from "../sql/airings.ts"
import { at, msText, ms } from "../sql/instants.ts"
import { countChanged, onlyRow, row, rows, run, hasChanged } from "../sql/rows.ts"

export interface NewSongRequest {
  readonly id: SongRequestId
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
/** Selects requests: those of a requester, or those of a listener from any address. */
export interface Whose {
  readonly requester: string
  readonly listenerId: ListenerId | null
}
/**
 * The reader of a request: an account, a listener with a token, or a guest without one. Guests share an address, so requests made with a token and
 * requests of guests at the same address are kept apart.
 */
export type Caller =
  | { readonly _tag: "Account"; readonly humanId: HumanId; readonly listenerId: ListenerId }
  | { readonly _tag: "Listener"; readonly listenerId: ListenerId }
  | { readonly _tag: "Guest"; readonly requester: string }
const many = rows(SongRequest)
const one = row(SongRequest)
const instants = rows(Schema.Struct({ atMs: Schema.Finite }))
const countRow = onlyRow(Schema.Struct({ n: Schema.Int }))
/** Song requests as requesters and operators see them. The air works with their `Airings`. */
export class SongRequestsWriter extends Context.Service<SongRequestsWriter>()(
  "longwave/engine/store/SongRequestsWriter",
  {
    make: Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const columnMs = (column: string) => `${msText(`r.${column}`)} AS ${column}_ms`
      const columns =
        sql.literal(`r.id, jsonb_build_object('id', t.id, 'title', t.title, 'artist', t.artist, 'genre', t.genre, 'isInstrumental', t.is_instrumental, 'durationSec', t.duration_sec) AS track,
      r.requester, r.human_id, r.listener_id, r.agent_id, r.listener_label, r.note, r.source, ${caseOf("air.state", requestStatus)} AS status, air.reason AS status_reason, air.displacements, air.placement AS item_id,
      ${msText("air.expected_at")} AS scheduled_for_ms, ${msText("air.ended_at")} AS fulfilled_at_ms, ${msText("air.updated_at")} AS updated_at_ms, ${["created_at", "expires_at"].map(columnMs).join(", ")}`)
      const select = sql`SELECT ${columns} FROM song_requests r JOIN airings air ON air.id = r.id JOIN tracks t ON t.id = r.track_id`
      const isTheirs = ({ listenerId, requester }: Whose) =>
        listenerId === null
          ? sql`r.requester = ${requester}`
          : sql`(r.requester = ${requester} OR r.listener_id = ${listenerId})`
      const isOwn = (caller: Caller) =>
        caller._tag === "Account"
          ? sql`(r.requester = ${caller.humanId} OR r.listener_id = ${caller.listenerId})`
          : caller._tag === "Listener"
            ? sql`r.listener_id = ${caller.listenerId}`
            : sql`(r.requester = ${caller.requester} AND r.listener_id IS NULL)`
      const waiting = sql`r.status = 'pending'`
      const end = (step: "Withdraw" | "Expire", which: Statement.Fragment, reason: string | null, atMs: number) => sql`
      WITH over AS (${endAiring("song_request", step, sql`subject_id IN (SELECT r.id FROM song_requests r WHERE ${which})`, reason, atMs)})
      UPDATE song_requests SET status = ${requestStatus[step === "Expire" ? "expired" : "withdrawn"]} FROM over WHERE song_requests.id = over.id RETURNING over.id`
      const find = (id: string) => one(sql`${select} WHERE r.id = ${id}`)
      return {
        /** False if one of theirs is already active. */
        add: (given: NewSongRequest) =>
          hasChanged(sql`
        WITH made AS (INSERT INTO song_requests (id, track_id, requester, human_id, listener_id, agent_id, listener_label, note, source, acknowledged, disclosure_version, created_at, expires_at, updated_at)
        VALUES (${given.id}, ${given.trackId}, ${given.requester}, ${given.humanId}, ${given.listenerId}, ${given.agentId}, ${given.listenerLabel}, ${given.note}, ${given.source},
          ${given.acknowledged}, ${given.disclosureVersion}, ${at(given.createdAtMs)}, ${at(given.expiresAtMs)}, ${at(given.createdAtMs)}) ON CONFLICT DO NOTHING RETURNING id, id AS subject_id)
        ${offer("song_request", "made", given.createdAtMs)}`),
        find,
        /** The request that is waiting or has a place. */
        active: (whose: Whose) =>
          one(sql`${select} WHERE ${isTheirs(whose)} AND ${waiting} ORDER BY r.created_at DESC, r.id DESC LIMIT 1`),
        /** The caller's own request that is waiting or has a place. */
        findOwnActive: (caller: Caller) =>
          one(sql`${select} WHERE ${isOwn(caller)} AND ${waiting} ORDER BY r.created_at DESC, r.id DESC LIMIT 1`),
        /** A requester's last request in any state; null if it has made none. */
        findLatest: (requester: string) =>
          one(sql`${select} WHERE r.requester = ${requester} ORDER BY r.created_at DESC, r.id DESC LIMIT 1`),
        /** The caller's own last request that ended since an instant. */
        findOwnEnded: (caller: Caller, sinceMs: number) =>
          one(
            sql`${select} WHERE ${isOwn(caller)} AND NOT ${waiting} AND air.updated_at >= ${at(sinceMs)} ORDER BY air.updated_at DESC, r.id DESC LIMIT 1`
          ),
        /** Times of a requester's requests since an instant. */
        listTimesSince: (requester: string, sinceMs: number) =>
          Effect.map(
            instants(sql`
        SELECT ${ms("r.created_at")} AS at_ms FROM song_requests r WHERE r.requester = ${requester} AND r.created_at > ${at(sinceMs)}`),
            (found) => found.map(({ atMs }) => atMs)
          ),
        /** Number of waiting requests for a track. */
        countOf: (trackId: string) =>
          Effect.map(
            countRow(sql`SELECT count(*)::int AS n FROM song_requests r WHERE r.track_id = ${trackId} AND ${waiting}`),
            (found) => found.n
          ),
        /** Ends their requests that are past their time. */
        expire: (whose: Whose, nowMs: number) =>
          run(end("Expire", sql`${isTheirs(whose)} AND ${waiting} AND r.expires_at <= ${at(nowMs)}`, null, nowMs)),
        /** Null if it is already over. */
        cancel: (id: string, reason: string, nowMs: number) =>
          Effect.gen(function* () {
            const isMoved = yield* hasChanged(end("Withdraw", sql`r.id = ${id} AND ${waiting}`, reason, nowMs))
            return isMoved ? yield* find(id) : null
          }),
        /** Newest first; null when the cursor is unknown. */
        list: Effect.fnUntraced(function* ({
          cursor,
          limit,
          status
        }: {
          readonly status: ReadonlyArray<SongRequestStatus> | null
          readonly limit: number
          readonly cursor: string | null
        }) {
          if (
            cursor !== null &&
            (yield* Effect.orDie(sql`SELECT 1 FROM song_requests WHERE id = ${cursor}`)).length === 0
          )
            return null
          const requests = yield* many(
            sql`${select} WHERE ${sql.and([
              sql`true`,
              ...(status === null ? [] : [sql.literal(stateIn("air.state", requestStatus, status))]),
              ...(cursor === null
                ? []
                : [sql`(r.created_at, r.id) < (SELECT c.created_at, c.id FROM song_requests c WHERE c.id = ${cursor})`])
            ])} ORDER BY r.created_at DESC, r.id DESC LIMIT ${limit + 1}`
          )
          return { requests: requests.slice(0, limit), next: requests.length > limit ? requests[limit - 1]!.id : null }
        }),
        /** Ends the request with its airing, so that the requester may make another one. */
        endWithAiring: (id: string, status: SongRequestStatus) =>
          run(sql`UPDATE song_requests SET status = ${status} WHERE id = ${id}`),
        /** Erases the addresses of guests from ended requests made before an instant. */
        eraseAddresses: (beforeMs: number) =>
          countChanged(sql`
        UPDATE song_requests SET requester = NULL WHERE ctid = ANY(ARRAY(
          SELECT ctid FROM song_requests WHERE requester LIKE 'guest\\_%' AND created_at < ${at(beforeMs)} AND status <> 'pending' LIMIT ${purgeRows}
        )) RETURNING 1`),
        /** Erases an account: cancels its active requests and removes its name from those that aired. */
        forget: (humanId: HumanId, nowMs: number) =>
          run(
            sql.withTransaction(
              Effect.all([
                end("Withdraw", sql`r.human_id = ${humanId} AND ${waiting}`, "ACCOUNT_DELETED", nowMs),
                sql`
          UPDATE song_requests SET human_id = NULL, requester = NULL, listener_id = NULL, listener_label = ${aListener}, note = NULL WHERE human_id = ${humanId}`
              ])
            )
          )
      }
    })
  }
) {
  static readonly layer = Layer.effect(this, this.make)
}

export class SongRequests extends Context.Service<
  SongRequests,
  Pick<
    SongRequestsWriter["Service"],
    "find" | "active" | "findLatest" | "findOwnActive" | "findOwnEnded" | "listTimesSince" | "countOf" | "list"
  >
>()("longwave/engine/store/SongRequests") {
  static readonly layer = Layer.effect(this, SongRequestsWriter).pipe(Layer.provideMerge(SongRequestsWriter.layer))
}
