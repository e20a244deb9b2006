import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { AgentId, AssetId, UploadId } from "../../schema/Ids.ts"
import { CuePoints } from "../../schema/Sound.ts"
import { decidedStatus } from "./MediaUploads.ts"

/** Speech that an agent has recorded itself. */
export interface SpeechUpload {
  readonly id: UploadId
  readonly title: string
  readonly transcript: string
  /** It is sound that may be spoken of: its checks have been passed, and nobody has rejected it. */
  readonly passed: boolean
  /** Its words, the rights to it and how it was made have been said: without them nothing is published. */
  readonly declared: boolean
  readonly assetId: AssetId | null
  readonly durationSec: number | null
  readonly loudnessLufs: number | null
  readonly cue: CuePoints | null
}

const decodeCue = Schema.decodeUnknownSync(Schema.NullOr(CuePoints))

/** Recordings as a plan sees them: what they are, not how they came. */
export class SpeechUploads extends Context.Service<SpeechUploads, {
  /** Of these, the agent's own. */
  readonly ofAgent: (agentId: AgentId, ids: ReadonlyArray<UploadId>) => Effect.Effect<ReadonlyArray<SpeechUpload>>
}>()("longwave/engine/store/SpeechUploads") {
  static readonly layer = Layer.effect(SpeechUploads, Effect.map(SqlClient.SqlClient, (sql) => SpeechUploads.of({
    ofAgent: (agentId, ids) => ids.length === 0 ? Effect.succeed([]) : Effect.orDie(Effect.map(sql<SpeechUpload>`
      SELECT u.id, u.file_name AS title, coalesce(u.transcript_text, '') AS transcript, ${sql.literal(decidedStatus)} IN ('qc_passed', 'submitted', 'approved') AND u.asset_id IS NOT NULL AS passed,
        coalesce(u.transcript_text, '') <> '' AND u.rights_declaration IS NOT NULL AND coalesce(u.synthetic_disclosure, '') <> '' AS declared, u.asset_id, u.duration_sec, (a.body->'loudness'->>'integratedLufs')::float8 AS loudness_lufs, a.body->'cue' AS cue
      FROM uploads u LEFT JOIN assets a ON a.id = u.asset_id LEFT JOIN segments s ON s.id = u.segment_id LEFT JOIN tracks t ON t.id = u.track_id WHERE u.removed_at IS NULL AND u.purpose = 'speech' AND u.agent_id = ${agentId} AND u.id IN ${sql.in(ids)}`,
      (rows) => rows.map((row) => ({ ...row, cue: decodeCue(row.cue) }))))
  })))
}
