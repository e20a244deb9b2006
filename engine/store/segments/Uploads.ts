import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { type AgentId, AssetId, type SegmentId, type TrackId, UploadId } from "../../../schema/Ids.ts"
import { type Qc, type RightsDeclaration, UploadRecord, type UploadStatus } from "../../../schema/segments/Upload.ts"
import { CuePoints, type SoundFacts } from "../../../schema/Sound.ts"
import { at, msText } from "../sql/instants.ts"
import { onlyRow, row, rows, run } from "../sql/rows.ts"

/** Recorded speech of an agent. */
const SpeechUpload = Schema.Struct({
  id: UploadId,
  title: Schema.String,
  transcript: Schema.String,
  /** It passed its checks and wasn't rejected. */
  passed: Schema.Boolean,
  /** Transcript, rights and synthetic disclosure are given, which publication requires. */
  declared: Schema.Boolean,
  assetId: Schema.NullOr(AssetId),
  durationSec: Schema.NullOr(Schema.Finite),
  loudnessLufs: Schema.NullOr(Schema.Finite),
  cue: Schema.NullOr(CuePoints)
})
export type SpeechUpload = typeof SpeechUpload.Type

const speechUploads = rows(SpeechUpload)

/** Recordings as plans use them. */
export class SpeechUploads extends Context.Service<SpeechUploads>()("longwave/engine/store/SpeechUploads", {
  make: Effect.map(SqlClient.SqlClient, (sql) => ({
    /** Those that belong to the agent. */
    listByAgent: (agentId: AgentId, ids: ReadonlyArray<UploadId>) =>
      ids.length === 0
        ? Effect.succeed([])
        : speechUploads(sql`
      SELECT u.id, u.file_name AS title, coalesce(u.transcript_text, '') AS transcript, ${sql.literal(decidedStatus)} IN ('qc_passed', 'submitted', 'approved') AND u.asset_id IS NOT NULL AS passed,
        coalesce(u.transcript_text, '') <> '' AND u.rights_declaration IS NOT NULL AND coalesce(u.synthetic_disclosure, '') <> '' AS declared, u.asset_id, u.duration_sec, (a.body->'loudness'->>'integratedLufs')::float8 AS loudness_lufs, a.body->'cue' AS cue
      FROM uploads u LEFT JOIN assets a ON a.id = u.asset_id LEFT JOIN segments s ON s.id = u.segment_id LEFT JOIN tracks t ON t.id = u.track_id WHERE u.removed_at IS NULL AND u.purpose = 'speech' AND u.agent_id = ${agentId} AND u.id IN ${sql.in(ids)}`)
  }))
}) {
  static readonly layer = Layer.effect(this, this.make)
}

/** Columns to write; missing ones stay. */
export interface UploadChange {
  readonly status?: UploadStatus
  readonly assetId?: AssetId | null
  readonly durationSec?: number | null
  readonly transcriptText?: string
  readonly rightsDeclaration?: RightsDeclaration
  readonly syntheticDisclosure?: string
  readonly qc?: Qc
  readonly facts?: SoundFacts | null
  readonly fingerprint?: Uint8Array | null
  readonly segmentId?: SegmentId
  readonly trackId?: TrackId
  readonly failures?: number
  readonly swept?: boolean
}
const many = rows(UploadRecord)
const one = row(UploadRecord)
const total = onlyRow(Schema.Struct({ bytes: Schema.Finite }))
/** Status by the decision on the segment or track made from a recording, over `s`, `t` and `u`. */
export const decidedStatus = `CASE WHEN u.status <> 'submitted' THEN u.status
  WHEN s.status IN ('queued', 'aired') OR t.approval_status = 'approved' THEN 'approved'
  WHEN s.status IN ('rejected', 'expired', 'cancelled', 'failed') OR t.approval_status IN ('rejected', 'retired') THEN 'rejected' ELSE 'submitted' END`
const columns = `u.id, u.agent_id, u.purpose, ${decidedStatus} AS status, u.file_name, u.content_type, u.byte_size::float8 AS byte_size, u.sha256, u.duration_sec, u.transcript_text, u.rights_declaration,
  u.synthetic_disclosure, u.qc, u.segment_id, u.track_id, u.asset_id, u.facts, u.failures, ${msText("u.created_at")} AS created_at_ms,
  CASE WHEN s.status IN ('rejected', 'expired', 'cancelled', 'failed') THEN s.status_reason WHEN t.approval_status IN ('rejected', 'retired') THEN t.approval_reason END AS status_reason`
const joined = "LEFT JOIN segments s ON s.id = u.segment_id LEFT JOIN tracks t ON t.id = u.track_id"
/** Recordings whose bytes are unique: the predicate of the unique index. */
const holding = "status IN ('processing', 'qc_passed', 'submitted', 'approved', 'rejected') AND removed_at IS NULL"
const isTaken = (error: SqlError.SqlError): boolean => error.reason._tag === "UniqueViolation"
/** Recordings of agents. Only the agent's `Studio` writes here. */
export class UploadsWriter extends Context.Service<UploadsWriter>()("longwave/engine/store/UploadsWriter", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const [all, with_, held] = [sql.literal(columns), sql.literal(joined), sql.literal(holding)]
    const assignmentsOf = ({ facts, qc, ...plain }: UploadChange) => [
      ...Object.entries(plain).map(([name, value]) => sql`${sql(name)} = ${value as string}`),
      ...(facts === undefined ? [] : [sql`facts = ${facts === null ? null : JSON.stringify(facts)}::text::jsonb`]),
      ...(qc === undefined ? [] : [sql`qc = ${JSON.stringify(qc)}::text::jsonb`])
    ]
    const update = (
      id: UploadId,
      from: ReadonlyArray<UploadStatus>,
      change: UploadChange,
      sha256: string | null
    ) => sql`
      WITH u AS (UPDATE uploads SET ${sql.csv([...assignmentsOf(change), ...(sha256 === null ? [] : [sql`sha256 = ${sha256}`])])}
        WHERE id = ${id} AND status IN ${sql.in(from)} AND removed_at IS NULL RETURNING *) SELECT ${all} FROM u ${with_}`

    return {
      add: (record: UploadRecord) =>
        run(sql`
        INSERT INTO uploads (id, agent_id, purpose, status, file_name, content_type, byte_size, sha256, created_at)
        VALUES (${record.id}, ${record.agentId}, ${record.purpose}, ${record.status}, ${record.fileName}, ${record.contentType}, ${record.byteSize}, ${record.sha256}, ${at(record.createdAtMs)})`),
      find: (id: string) => one(sql`SELECT ${all} FROM uploads u ${with_} WHERE u.id = ${id} AND u.removed_at IS NULL`),
      /** The station's recording with these bytes, of any agent. */
      holder: (sha256: string) =>
        one(sql`SELECT ${all} FROM (SELECT * FROM uploads WHERE sha256 = ${sha256} AND ${held}) u ${with_}`),
      /** An agent's own recording with these bytes; the furthest advanced one before abandoned ones. */
      ownOf: (agentId: AgentId, sha256: string) =>
        one(sql`
        SELECT ${all} FROM (SELECT * FROM uploads WHERE agent_id = ${agentId} AND sha256 = ${sha256} AND removed_at IS NULL ORDER BY (${held}) DESC, created_at DESC LIMIT 1) u ${with_}`),
      /** Bytes of an agent's files at the station or possibly on their way. */
      bytesOf: (agentId: AgentId) =>
        Effect.map(
          total(sql`
        SELECT coalesce(sum(byte_size), 0)::float8 AS bytes FROM uploads WHERE agent_id = ${agentId} AND status NOT IN ('expired', 'qc_failed') AND removed_at IS NULL`),
          (found) => found.bytes
        ),
      /** Null if it is in none of these states. */
      change: (id: UploadId, from: ReadonlyArray<UploadStatus>, change: UploadChange) =>
        one(update(id, from, change, null)),
      /** Starts the examination, unless a recording with the same bytes exists. A unique index decides races. */
      examine: (id: UploadId, from: ReadonlyArray<UploadStatus>, sha256: string) =>
        Effect.catchIf(
          // With a savepoint, so that the caller's transaction survives a refusal.
          Effect.flatMap(sql.withTransaction(update(id, from, { status: "processing" }, sha256)), (found) =>
            one(Effect.succeed(found))
          ),
          isTaken,
          () => Effect.succeed("taken" as const)
        ).pipe(Effect.orDie),
      /** Initiated and abandoned. */
      listAbandoned: (beforeMs: number, limit: number) =>
        many(
          sql`SELECT ${all} FROM uploads u ${with_} WHERE u.status IN ('initiated', 'uploaded') AND u.created_at < ${at(beforeMs)} AND u.removed_at IS NULL ORDER BY u.created_at LIMIT ${limit}`
        ),
      /** Samples past their retention. */
      listOldSamples: (beforeMs: number, limit: number) =>
        many(sql`
        SELECT ${all} FROM uploads u ${with_} WHERE u.purpose = 'sample' AND u.status = 'qc_passed' AND u.created_at < ${at(beforeMs)} AND u.removed_at IS NULL ORDER BY u.created_at LIMIT ${limit}`),
      /** All of an agent's recordings of which nothing aired. */
      listUnheard: (agentId: AgentId) =>
        many(sql`
        SELECT ${all} FROM uploads u ${with_} WHERE u.agent_id = ${agentId} AND u.removed_at IS NULL AND t.approval_status IS DISTINCT FROM 'approved'
          AND NOT EXISTS (SELECT 1 FROM segments h JOIN airings air ON air.id = h.id AND air.state IN ('airing', 'aired') WHERE h.asset_id = u.asset_id) AND coalesce(t.play_count, 0) = 0`),
      /** Ended, with files that may still exist. */
      listUnswept: (limit: number) =>
        many(
          sql`SELECT ${all} FROM uploads u ${with_} WHERE NOT u.swept AND (u.status IN ('qc_failed', 'expired') OR u.removed_at IS NOT NULL) ORDER BY u.created_at LIMIT ${limit}`
        ),
      markRemoved: (id: UploadId, atMs: number) =>
        run(
          sql`UPDATE uploads SET removed_at = ${at(atMs)}, swept = false, transcript_text = NULL, synthetic_disclosure = NULL, fingerprint = NULL, facts = NULL WHERE id = ${id}`
        ),
      /** Deletes a recording of which nothing is kept. */
      forget: (id: UploadId) => run(sql`DELETE FROM uploads WHERE id = ${id}`),
      markSwept: (id: UploadId) => run(sql`UPDATE uploads SET swept = true WHERE id = ${id}`),
      /** Whether the recording is public: it waits to air or is in rotation. For aired ones see the sound. */
      isApproved: (id: UploadId) =>
        Effect.orDie(
          Effect.map(
            sql`
        SELECT 1 FROM uploads u ${with_} WHERE u.id = ${id} AND u.removed_at IS NULL AND (s.status = 'queued' AND NOT s.rerun_hold OR t.approval_status = 'approved')`,
            (rows) => rows.length > 0
          )
        )
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}

export class Uploads extends Context.Service<
  Uploads,
  Pick<
    UploadsWriter["Service"],
    | "find"
    | "holder"
    | "ownOf"
    | "bytesOf"
    | "listAbandoned"
    | "listOldSamples"
    | "listUnheard"
    | "listUnswept"
    | "isApproved"
  >
>()("longwave/engine/store/Uploads") {
  static readonly layer = Layer.effect(this, UploadsWriter).pipe(Layer.provideMerge(UploadsWriter.layer))
}
