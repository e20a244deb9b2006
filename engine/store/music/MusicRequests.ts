import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { AgentId, AssetId, MusicRequestId, type VariantId } from "../../../schema/Ids.ts"
import {
  type MusicError,
  MusicOrder,
  MusicRequest,
  type MusicRequestStatus,
  MusicVariant
} from "../../../schema/music/MusicRequest.ts"
import { at, msText } from "../sql/instants.ts"
import { onlyRow, row, rows, run, hasChanged } from "../sql/rows.ts"

const columns = `id, job_id, agent_id, kind, status, music_order AS "order", error, provider_task, track_id,
  ${msText("spent_at")} AS spent_at_ms, ${msText("created_at")} AS created_at_ms, ${msText("updated_at")} AS updated_at_ms,
  ${msText("completed_at")} AS completed_at_ms`
const variantColumns = `id, request_id, index, asset_id, duration_sec, title, bpm, musical_key, is_instrumental, lyrics,
  ${msText("previewed_at")} AS previewed_at_ms, is_designated`

const request = row(MusicRequest)
const requests = rows(MusicRequest)
const variants = rows(MusicVariant)
const variant = row(MusicVariant)
const count = onlyRow(Schema.Struct({ n: Schema.Finite }))
const stale = rows(Schema.Struct({ id: MusicRequestId, agentId: AgentId }))
const sounds = rows(Schema.Struct({ assetId: AssetId }))
const encodeOrder = Schema.encodeEffect(MusicOrder)

/** Statuses of requests that still take up a place. */
export const open = ["queued", "generating"] as const satisfies ReadonlyArray<MusicRequestStatus>

/** Columns to write; missing ones stay. */
export interface MusicRequestChange {
  readonly status?: MusicRequestStatus
  readonly error?: MusicError | null
  readonly providerTask?: string | null
  readonly trackId?: string
  readonly completedAtMs?: number
}

/** Agents' requests for new music. Only the agent's `MusicDesk` writes here. */
export class MusicRequestsWriter extends Context.Service<MusicRequestsWriter>()(
  "longwave/engine/store/MusicRequestsWriter",
  {
    make: Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [all, ofVariant] = [sql.literal(columns), sql.literal(variantColumns)]
      return {
        add: Effect.fnUntraced(function* (made: MusicRequest) {
          const order = JSON.stringify(yield* encodeOrder(made.order))
          yield* sql`
            INSERT INTO music_requests (id, job_id, agent_id, kind, status, music_order, spent_at, created_at, updated_at)
            VALUES (${made.id}, ${made.jobId}, ${made.agentId}, ${made.kind}, ${made.status}, ${order}::text::jsonb, ${at(made.spentAtMs)}, ${at(made.createdAtMs)}, ${at(made.createdAtMs)})`
        }, Effect.orDie),
        find: (id: string) => request(sql`SELECT ${all} FROM music_requests WHERE id = ${id}`),
        findByJob: (jobId: string) => request(sql`SELECT ${all} FROM music_requests WHERE job_id = ${jobId}`),
        /** An agent's requests, newest first. */
        listByAgent: (agentId: AgentId, statuses: ReadonlyArray<MusicRequestStatus>, limit: number) =>
          requests(
            sql`SELECT ${all} FROM music_requests WHERE agent_id = ${agentId} AND status IN ${sql.in(statuses)} ORDER BY created_at DESC, id DESC LIMIT ${limit}`
          ),
        /** How many of an agent's requests are under way. */
        countRunning: (agentId: AgentId) =>
          Effect.map(
            count(
              sql`SELECT count(*)::float8 AS n FROM music_requests WHERE agent_id = ${agentId} AND status IN ${sql.in(open)}`
            ),
            ({ n }) => n
          ),
        /** How many requests of an agent had this track or sample as their source. */
        countOn: (agentId: AgentId, of: "sourceTrackId" | "uploadId", id: string) =>
          Effect.map(
            count(
              sql`SELECT count(*)::float8 AS n FROM music_requests WHERE agent_id = ${agentId} AND music_order->>${of} = ${id}`
            ),
            ({ n }) => n
          ),
        /** Null if it is in none of these states. */
        change: (
          id: MusicRequestId,
          from: ReadonlyArray<MusicRequestStatus>,
          { completedAtMs, error, providerTask, status, trackId }: MusicRequestChange,
          nowMs: number
        ) =>
          request(sql`
            UPDATE music_requests SET ${sql.csv([
              sql`updated_at = ${at(nowMs)}`,
              ...(status === undefined ? [] : [sql`status = ${status}`]),
              ...(error === undefined
                ? []
                : [sql`error = ${error === null ? null : JSON.stringify(error)}::text::jsonb`]),
              ...(providerTask === undefined ? [] : [sql`provider_task = ${providerTask}`]),
              ...(trackId === undefined ? [] : [sql`track_id = ${trackId}`]),
              ...(completedAtMs === undefined ? [] : [sql`completed_at = ${at(completedAtMs)}`])
            ])} WHERE id = ${id} AND status IN ${sql.in(from)} RETURNING ${all}`),
        /** The pieces of a request, in order. */
        variants: (id: string) =>
          variants(sql`SELECT ${ofVariant} FROM music_variants WHERE request_id = ${id} ORDER BY index`),
        /** The pieces of several requests. */
        variantsOf: (ids: ReadonlyArray<string>) =>
          ids.length === 0
            ? Effect.succeed([])
            : variants(
                sql`SELECT ${ofVariant} FROM music_variants WHERE request_id IN ${sql.in(ids)} ORDER BY request_id, index`
              ),
        /** False if the request has a piece at this place. */
        addVariant: (made: MusicVariant, fingerprint: Uint8Array | null) =>
          hasChanged(sql`
            INSERT INTO music_variants (id, request_id, index, asset_id, duration_sec, title, bpm, musical_key, is_instrumental, lyrics, fingerprint)
            VALUES (${made.id}, ${made.requestId}, ${made.index}, ${made.assetId}, ${made.durationSec}, ${made.title}, ${made.bpm}, ${made.musicalKey}, ${made.isInstrumental}, ${made.lyrics}, ${fingerprint})
            ON CONFLICT (request_id, index) DO NOTHING RETURNING id`),
        markPreviewed: (id: VariantId, nowMs: number) =>
          variant(sql`UPDATE music_variants SET previewed_at = ${at(nowMs)} WHERE id = ${id} RETURNING ${ofVariant}`),
        designate: (id: VariantId) =>
          variant(sql`UPDATE music_variants SET is_designated = true WHERE id = ${id} RETURNING ${ofVariant}`),
        /** Ended requests that are past their retention. */
        listStale: (beforeMs: number, limit: number) =>
          stale(
            sql`SELECT id, agent_id FROM music_requests WHERE status NOT IN ${sql.in(open)} AND updated_at < ${at(beforeMs)} ORDER BY updated_at LIMIT ${limit}`
          ),
        /** The sounds of a request's pieces that no track uses. */
        listUnusedSounds: (id: MusicRequestId) =>
          Effect.map(
            sounds(sql`
              SELECT v.asset_id FROM music_variants v WHERE v.request_id = ${id} AND NOT EXISTS (SELECT FROM tracks t WHERE t.asset_id = v.asset_id)`),
            (found) => found.map(({ assetId }) => assetId)
          ),
        /** Deletes a request with its pieces. */
        remove: (id: MusicRequestId) =>
          Effect.andThen(
            run(sql`DELETE FROM music_variants WHERE request_id = ${id}`),
            run(sql`DELETE FROM music_requests WHERE id = ${id}`)
          )
      }
    })
  }
) {
  static readonly layer = Layer.effect(this, this.make)
}

export class MusicRequests extends Context.Service<
  MusicRequests,
  Pick<
    MusicRequestsWriter["Service"],
    "countOn" | "find" | "findByJob" | "listByAgent" | "countRunning" | "variants" | "variantsOf" | "listStale"
  >
>()("longwave/engine/store/MusicRequests") {
  static readonly layer = Layer.effect(this, MusicRequestsWriter).pipe(Layer.provideMerge(MusicRequestsWriter.layer))
}
