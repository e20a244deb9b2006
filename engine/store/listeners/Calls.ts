import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { AssetId, InteractionId, SegmentId } from "../../../schema/Ids.ts"
import type { AiringState } from "../../../schema/air/Airing.ts"
import { CallAirStatus, TranscriptStatus } from "../../../schema/listeners/Message.ts"
import { caseOf, endAiring, offer } from "../sql/airings.ts"
import { at, msText } from "../sql/instants.ts"
import { row, rows, run, hasChanged } from "../sql/rows.ts"

/** The fields of a call beyond its message. */
const CallRecord = Schema.Struct({
  interactionId: InteractionId,
  /** Its id in the rundown and the log. */
  segmentId: SegmentId,
  durationSec: Schema.Finite,
  recordingNoticeVersion: Schema.NullOr(Schema.String),
  transcriptStatus: TranscriptStatus,
  airStatus: CallAirStatus,
  airReason: Schema.NullOr(Schema.String),
  assetId: Schema.NullOr(AssetId),
  expectedAirAtMs: Schema.NullOr(Schema.Finite),
  airedAtMs: Schema.NullOr(Schema.Finite),
  airedCompletely: Schema.NullOr(Schema.Boolean)
})
export type CallRecord = typeof CallRecord.Type

const oneCall = row(CallRecord)
const manyCalls = rows(CallRecord)
const callIds = rows(Schema.Struct({ id: InteractionId }))

export type NewCall = Pick<
  CallRecord,
  "interactionId" | "segmentId" | "durationSec" | "recordingNoticeVersion" | "transcriptStatus"
>

/** Air status of a call that was offered for airing. */
const given: { readonly [State in AiringState]: CallAirStatus } = {
  waiting: "queued",
  placed: "scheduled",
  airing: "airing",
  aired: "aired",
  withdrawn: "queued",
  expired: "failed",
  failed: "failed"
}
const current = `CASE WHEN c.air_status = 'queued' THEN ${caseOf("air.state", given)} ELSE c.air_status END`

/** Calls of listeners: pending work, and their status on air. */
export class CallsWriter extends Context.Service<CallsWriter>()("longwave/engine/store/CallsWriter", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const columns =
      sql.literal(`c.interaction_id, c.segment_id, c.duration_sec, c.recording_notice_version, c.transcript_status, c.asset_id, ${current} AS air_status, coalesce(air.reason, c.air_reason) AS air_reason,
      air.complete AS aired_completely, ${msText("air.expected_at")} AS expected_air_at_ms, ${msText("air.begun_at")} AS aired_at_ms`)
    const select = sql`SELECT ${columns} FROM call_ins c LEFT JOIN airings air ON c.air_status = 'queued' AND air.id = c.segment_id`
    return {
      add: (call: NewCall) =>
        run(sql`
        INSERT INTO call_ins (interaction_id, segment_id, duration_sec, recording_notice_version, transcript_status)
        VALUES (${call.interactionId}, ${call.segmentId}, ${call.durationSec}, ${call.recordingNoticeVersion}, ${call.transcriptStatus}) ON CONFLICT DO NOTHING`),
      find: (id: string) => oneCall(sql`${select} WHERE c.interaction_id = ${id}`),
      findMany: (ids: ReadonlyArray<string>) =>
        ids.length === 0 ? Effect.succeed([]) : manyCalls(sql`${select} WHERE c.interaction_id IN ${sql.in(ids)}`),
      setTranscript: (id: InteractionId, status: TranscriptStatus) =>
        run(sql`UPDATE call_ins SET transcript_status = ${status} WHERE interaction_id = ${id}`),
      /** False if its status is no longer the expected one. */
      setAir: (
        id: InteractionId,
        from: ReadonlyArray<CallAirStatus>,
        {
          assetId,
          atMs,
          reason,
          status
        }: {
          readonly status: CallAirStatus
          readonly reason?: string | null
          readonly assetId?: AssetId
          readonly atMs: number
        }
      ) =>
        sql
          .withTransaction(
            Effect.gen(function* () {
              // Same lock order as the scheduler, which locks the airing first.
              if (status === "off")
                yield* run(sql`${endAiring("call", "Withdraw", sql`subject_id = ${id}`, reason ?? null, atMs)}`)
              return yield* hasChanged(sql`
        WITH made AS (UPDATE call_ins c SET air_status = ${status}, air_reason = ${reason ?? null}, asset_id = coalesce(${assetId ?? null}::text, asset_id),
          approved_at = CASE WHEN ${status}::text IN ('preparing', 'queued') THEN coalesce(approved_at, ${at(atMs)}) WHEN ${status}::text = 'off' THEN NULL ELSE approved_at END
        WHERE c.interaction_id = ${id} AND coalesce((SELECT ${sql.literal(current)} FROM airings air WHERE air.id = c.segment_id AND c.air_status = 'queued'), c.air_status) IN ${sql.in(from)}
        RETURNING c.segment_id AS id, c.interaction_id AS subject_id)
        ${status === "queued" ? offer("call", "made", atMs) : sql`SELECT id FROM made`}`)
            })
          )
          .pipe(Effect.orDie),
      /** Calls with recordings that are no longer needed: those that aired. */
      listUnswept: (beforeMs: number, limit: number) =>
        Effect.map(
          callIds(sql`
        SELECT c.interaction_id AS id FROM call_ins c JOIN interactions i ON i.id = c.interaction_id
        WHERE NOT c.swept AND i.moderation_status = 'aired' AND i.created_at < ${at(beforeMs)} LIMIT ${limit}`),
          (found) => found.map(({ id }) => id)
        ),
      markSwept: (id: InteractionId) => run(sql`UPDATE call_ins SET swept = true WHERE interaction_id = ${id}`)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}

export class Calls extends Context.Service<Calls, Pick<CallsWriter["Service"], "find" | "findMany" | "listUnswept">>()(
  "longwave/engine/store/Calls"
) {
  static readonly layer = Layer.effect(this, CallsWriter).pipe(Layer.provideMerge(CallsWriter.layer))
}
