import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { fingerprintLengthShare, fingerprintsAlikeMax } from "../Limits.ts"
import type { AgentId, AssetId, SegmentId, TrackId, UploadId } from "../../schema/Ids.ts"
import { type Qc, type RightsDeclaration, type UploadPurpose, UploadRecord, type UploadStatus } from "../../schema/MediaUpload.ts"

/** What a change writes; what isn't named stays. */
export interface UploadChange {
  readonly status?: UploadStatus
  readonly assetId?: AssetId | null
  readonly durationSec?: number | null
  readonly transcriptText?: string
  readonly rightsDeclaration?: RightsDeclaration
  readonly syntheticDisclosure?: string
  readonly qc?: Qc
  readonly fingerprint?: Uint8Array | null
  readonly segmentId?: SegmentId
  readonly trackId?: TrackId
  readonly failures?: number
  readonly swept?: boolean
}

const decode = Schema.decodeUnknownEffect(Schema.Array(UploadRecord))

/** What was decided on the segment or track that was made of a recording; `s`, `t` and `u` are those three. */
export const decidedStatus = `CASE WHEN u.status <> 'submitted' THEN u.status
  WHEN s.status IN ('queued', 'scheduled', 'airing', 'aired') OR t.approval_status = 'approved' THEN 'approved'
  WHEN s.status IN ('rejected', 'expired', 'cancelled', 'failed') OR t.approval_status IN ('rejected', 'retired') THEN 'rejected' ELSE 'submitted' END`

const columns = `u.id, u.agent_id, u.purpose, ${decidedStatus} AS status, u.file_name, u.content_type, u.byte_size::float8 AS byte_size, u.sha256, u.duration_sec, u.transcript_text, u.rights_declaration,
  u.synthetic_disclosure, u.qc, u.segment_id, u.track_id, u.asset_id, u.failures, u.tries, round(extract(epoch from u.created_at) * 1000)::float8 AS created_at_ms,
  CASE WHEN s.status IN ('rejected', 'expired', 'cancelled', 'failed') THEN s.status_reason WHEN t.approval_status IN ('rejected', 'retired') THEN t.approval_reason END AS status_reason`
const joined = "LEFT JOIN segments s ON s.id = u.segment_id LEFT JOIN tracks t ON t.id = u.track_id"
/** Whose bytes nobody else may bring: the predicate of the unique index. */
const holding = "status IN ('processing', 'qc_passed', 'submitted', 'approved', 'rejected') AND removed_at IS NULL"
const isTaken = (error: SqlError.SqlError): boolean => error.reason._tag === "UniqueViolation"

/** Cut at its ends, a copy is as much shorter or longer. */
const aboutSec = (durationSec: number): number => Math.max(1, durationSec * fingerprintLengthShare)

/** Recordings of agents. Only their `Studio` writes here, and whoever holds the lease of one that is examined. */
export class MediaUploads extends Context.Service<MediaUploads, {
  readonly add: (record: UploadRecord) => Effect.Effect<void>
  readonly find: (id: string) => Effect.Effect<UploadRecord | null>
  /** Which recording the station has these bytes as, whoever brought them. */
  readonly holder: (sha256: string) => Effect.Effect<UploadRecord | null>
  /** An agent's own recording of these bytes; what it has come furthest with before what was left. */
  readonly ownOf: (agentId: AgentId, sha256: string) => Effect.Effect<UploadRecord | null>
  /** How much of an agent's lies at the station, or may be on its way. */
  readonly bytesOf: (agentId: AgentId) => Effect.Effect<number>
  /** Null when it is in none of these states any more. */
  readonly change: (id: UploadId, from: ReadonlyArray<UploadStatus>, change: UploadChange) => Effect.Effect<UploadRecord | null>
  /** Hands it to those who examine it, unless somebody has brought the same bytes. Outside of a transaction: the database decides races. */
  readonly examine: (id: UploadId, from: ReadonlyArray<UploadStatus>, sha256: string) => Effect.Effect<UploadRecord | "taken" | null>
  /** Takes the one that has waited longest and that nobody is at; one try more is counted. */
  readonly lease: (nowMs: number, untilMs: number) => Effect.Effect<UploadRecord | null>
  readonly prolong: (id: UploadId, untilMs: number) => Effect.Effect<void>
  /** What recordings sound like that are about as long and for the same purpose. */
  readonly alike: (upload: { readonly id: UploadId; readonly purpose: UploadPurpose }, durationSec: number) => Effect.Effect<ReadonlyArray<Uint8Array>>
  /** Announced and left. */
  readonly dead: (beforeMs: number, limit: number) => Effect.Effect<ReadonlyArray<UploadRecord>>
  /** Samples of a time that is over. */
  readonly oldSamples: (beforeMs: number, limit: number) => Effect.Effect<ReadonlyArray<UploadRecord>>
  /** All of an agent's of which nothing was heard. */
  readonly unheard: (agentId: AgentId) => Effect.Effect<ReadonlyArray<UploadRecord>>
  /** Ended, with files that may still be there. */
  readonly unswept: (limit: number) => Effect.Effect<ReadonlyArray<UploadRecord>>
  readonly removed: (id: UploadId, atMs: number) => Effect.Effect<void>
  readonly swept: (id: UploadId) => Effect.Effect<void>
  /** Whether everybody may hear it: it waits for the air, or is in the rotation. What was heard is told by its sound. */
  readonly isApproved: (id: UploadId) => Effect.Effect<boolean>
}>()("longwave/engine/store/MediaUploads") {
  static readonly layer = Layer.effect(MediaUploads, Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const [all, with_, held] = [sql.literal(columns), sql.literal(joined), sql.literal(holding)]
    const at = (ms: number) => sql`to_timestamp(${ms}::float8 / 1000)`
    const many = (rows: Effect.Effect<ReadonlyArray<object>, unknown>) => Effect.orDie(Effect.flatMap(rows, decode))
    const one = (rows: Effect.Effect<ReadonlyArray<object>, unknown>) => Effect.map(many(rows), (found) => found[0] ?? null)
    const plainly = (write: Effect.Effect<unknown, unknown>) => Effect.orDie(Effect.asVoid(write))
    const written = ({ qc, ...plain }: UploadChange) => [
      ...Object.entries(plain).map(([name, value]) => sql`${sql(name)} = ${value as string}`), ...qc === undefined ? [] : [sql`qc = ${JSON.stringify(qc)}::text::jsonb`]
    ]
    const changed = (id: UploadId, from: ReadonlyArray<UploadStatus>, change: UploadChange, sha256: string | null) => sql`
      WITH u AS (UPDATE uploads SET ${sql.csv([...written(change), ...sha256 === null ? [] : [sql`sha256 = ${sha256}`, sql`tries = 0`, sql`lease_until = NULL`]])}
        WHERE id = ${id} AND status IN ${sql.in(from)} AND removed_at IS NULL RETURNING *) SELECT ${all} FROM u ${with_}`

    return MediaUploads.of({
      add: (record) => plainly(sql`
        INSERT INTO uploads (id, agent_id, purpose, status, file_name, content_type, byte_size, sha256, created_at)
        VALUES (${record.id}, ${record.agentId}, ${record.purpose}, ${record.status}, ${record.fileName}, ${record.contentType}, ${record.byteSize}, ${record.sha256}, ${at(record.createdAtMs)})`),
      find: (id) => one(sql`SELECT ${all} FROM uploads u ${with_} WHERE u.id = ${id} AND u.removed_at IS NULL`),
      holder: (sha256) => one(sql`SELECT ${all} FROM (SELECT * FROM uploads WHERE sha256 = ${sha256} AND ${held}) u ${with_}`),
      ownOf: (agentId, sha256) => one(sql`
        SELECT ${all} FROM (SELECT * FROM uploads WHERE agent_id = ${agentId} AND sha256 = ${sha256} AND removed_at IS NULL ORDER BY (${held}) DESC, created_at DESC LIMIT 1) u ${with_}`),
      bytesOf: (agentId) => Effect.orDie(Effect.map(sql<{ bytes: number }>`
        SELECT coalesce(sum(byte_size), 0)::float8 AS bytes FROM uploads WHERE agent_id = ${agentId} AND status NOT IN ('expired', 'qc_failed') AND removed_at IS NULL`, (rows) => rows[0]!.bytes)),
      change: (id, from, change) => one(changed(id, from, change, null)),
      examine: (id, from, sha256) => Effect.catchIf(
        Effect.map(Effect.flatMap(changed(id, from, { status: "processing" }, sha256), (rows) => Effect.orDie(decode(rows))), (found): UploadRecord | "taken" | null => found[0] ?? null),
        isTaken, () => Effect.succeed("taken" as const)).pipe(Effect.orDie),
      lease: (nowMs, untilMs) => one(sql`
        WITH u AS (UPDATE uploads SET lease_until = ${at(untilMs)}, tries = tries + 1 WHERE id = (
          SELECT id FROM uploads WHERE status = 'processing' AND removed_at IS NULL AND (lease_until IS NULL OR lease_until <= ${at(nowMs)}) ORDER BY created_at, id LIMIT 1 FOR UPDATE SKIP LOCKED
        ) RETURNING *) SELECT ${all} FROM u ${with_}`),
      prolong: (id, untilMs) => plainly(sql`UPDATE uploads SET lease_until = ${at(untilMs)} WHERE id = ${id} AND status = 'processing'`),
      alike: ({ id, purpose }, durationSec) => Effect.orDie(Effect.map(sql<{ fingerprint: Uint8Array }>`
        SELECT fingerprint FROM uploads WHERE purpose = ${purpose} AND fingerprint IS NOT NULL AND removed_at IS NULL AND id <> ${id} AND status <> 'qc_failed'
          AND duration_sec BETWEEN ${durationSec}::float8 - ${aboutSec(durationSec)}::float8 AND ${durationSec}::float8 + ${aboutSec(durationSec)}::float8
        ORDER BY abs(duration_sec - ${durationSec}::float8) LIMIT ${fingerprintsAlikeMax}`, (rows) => rows.map(({ fingerprint }) => fingerprint))),
      dead: (beforeMs, limit) => many(sql`SELECT ${all} FROM uploads u ${with_} WHERE u.status IN ('initiated', 'uploaded') AND u.created_at < ${at(beforeMs)} AND u.removed_at IS NULL ORDER BY u.created_at LIMIT ${limit}`),
      oldSamples: (beforeMs, limit) => many(sql`
        SELECT ${all} FROM uploads u ${with_} WHERE u.purpose = 'sample' AND u.status = 'qc_passed' AND u.created_at < ${at(beforeMs)} AND u.removed_at IS NULL ORDER BY u.created_at LIMIT ${limit}`),
      unheard: (agentId) => many(sql`
        SELECT ${all} FROM uploads u ${with_} WHERE u.agent_id = ${agentId} AND u.removed_at IS NULL AND t.approval_status IS DISTINCT FROM 'approved'
          AND NOT EXISTS (SELECT 1 FROM segments h WHERE h.asset_id = u.asset_id AND h.status IN ('airing', 'aired')) AND coalesce(t.play_count, 0) = 0`),
      unswept: (limit) => many(sql`SELECT ${all} FROM uploads u ${with_} WHERE NOT u.swept AND (u.status IN ('qc_failed', 'expired') OR u.removed_at IS NOT NULL) ORDER BY u.created_at LIMIT ${limit}`),
      removed: (id, atMs) => plainly(sql`UPDATE uploads SET removed_at = ${at(atMs)}, swept = false, transcript_text = NULL, synthetic_disclosure = NULL, fingerprint = NULL WHERE id = ${id}`),
      swept: (id) => plainly(sql`UPDATE uploads SET swept = true WHERE id = ${id}`),
      isApproved: (id) => Effect.orDie(Effect.map(sql`
        SELECT 1 FROM uploads u ${with_} WHERE u.id = ${id} AND u.removed_at IS NULL AND (s.status IN ('queued', 'scheduled', 'airing') AND NOT s.rerun_hold OR t.approval_status = 'approved')`, (rows) => rows.length > 0))
    })
  }))
}
