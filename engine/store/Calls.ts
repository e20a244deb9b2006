import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { AssetId, InteractionId, SegmentId } from "../../schema/Ids.ts"
import type { CallAirStatus, TranscriptStatus } from "../../schema/Message.ts"

/** A call as far as it is more than a message. */
export interface CallRecord {
  readonly interactionId: InteractionId
  /** What the rundown and the log know it by. */
  readonly segmentId: SegmentId
  readonly durationSec: number
  readonly recordingNoticeVersion: string | null
  readonly transcriptStatus: TranscriptStatus
  readonly airStatus: CallAirStatus
  readonly airReason: string | null
  readonly tries: number
  readonly assetId: AssetId | null
  readonly expectedAirAtMs: number | null
  readonly airedAtMs: number | null
  readonly airedCompletely: boolean | null
}

export type NewCall = Pick<CallRecord, "interactionId" | "segmentId" | "durationSec" | "recordingNoticeVersion" | "transcriptStatus">

/** Calls of listeners: what has to be done for them, and where they stand on their way to the air. */
export class Calls extends Context.Service<Calls, {
  readonly add: (call: NewCall, atMs: number) => Effect.Effect<void>
  readonly find: (interactionId: string) => Effect.Effect<CallRecord | null>
  readonly findMany: (interactionIds: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<CallRecord>>
  /** The next with something to do, kept for one worker until an instant; what is to air comes first. */
  readonly lease: (nowMs: number, untilMs: number) => Effect.Effect<CallRecord | null>
  /** When it may be taken up again. */
  readonly postpone: (interactionId: InteractionId, untilMs: number) => Effect.Effect<void>
  readonly setTranscript: (interactionId: InteractionId, status: TranscriptStatus) => Effect.Effect<void>
  /** False when it stands elsewhere by now. */
  readonly setAir: (interactionId: InteractionId, from: ReadonlyArray<CallAirStatus>, to: { readonly status: CallAirStatus; readonly reason?: string | null; readonly assetId?: AssetId; readonly atMs: number }) => Effect.Effect<boolean>
  /** Those whose recording isn't needed any more though they are: what aired. */
  readonly unswept: (beforeMs: number, limit: number) => Effect.Effect<ReadonlyArray<InteractionId>>
  readonly swept: (interactionId: InteractionId) => Effect.Effect<void>
}>()("longwave/engine/store/Calls") {
  static readonly layer = Layer.effect(Calls, Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const at = (ms: number) => sql`to_timestamp(${ms}::float8 / 1000)`
    const columns = sql.literal(`c.interaction_id, c.segment_id, c.duration_sec, c.recording_notice_version, c.transcript_status, c.air_status, c.air_reason, c.tries, c.asset_id, c.aired_completely,
      round(extract(epoch from c.expected_air_at) * 1000)::float8 AS expected_air_at_ms, round(extract(epoch from c.aired_at) * 1000)::float8 AS aired_at_ms`)
    const one = <E>(rows: Effect.Effect<ReadonlyArray<CallRecord>, E>) => Effect.orDie(Effect.map(rows, ([first]) => first ?? null))
    return Calls.of({
      add: (call, atMs) => Effect.orDie(Effect.asVoid(sql`
        INSERT INTO call_ins (interaction_id, segment_id, duration_sec, recording_notice_version, transcript_status, next_at)
        VALUES (${call.interactionId}, ${call.segmentId}, ${call.durationSec}, ${call.recordingNoticeVersion}, ${call.transcriptStatus}, ${at(atMs)}) ON CONFLICT DO NOTHING`)),
      find: (id) => one(sql<CallRecord>`SELECT ${columns} FROM call_ins c WHERE c.interaction_id = ${id}`),
      findMany: (ids) => ids.length === 0 ? Effect.succeed([]) : Effect.orDie(sql<CallRecord>`SELECT ${columns} FROM call_ins c WHERE c.interaction_id IN ${sql.in(ids)}`),
      lease: (nowMs, untilMs) => one(sql<CallRecord>`
        UPDATE call_ins c SET next_at = ${at(untilMs)}, tries = c.tries + 1 WHERE c.interaction_id = (
          SELECT interaction_id FROM call_ins WHERE (transcript_status = 'queued' OR air_status = 'preparing') AND next_at <= ${at(nowMs)}
          ORDER BY air_status <> 'preparing', next_at LIMIT 1 FOR UPDATE SKIP LOCKED) RETURNING ${columns}`),
      postpone: (id, untilMs) => Effect.orDie(Effect.asVoid(sql`UPDATE call_ins SET next_at = ${at(untilMs)} WHERE interaction_id = ${id}`)),
      setTranscript: (id, status) => Effect.orDie(Effect.asVoid(sql`UPDATE call_ins SET transcript_status = ${status}, tries = 0 WHERE interaction_id = ${id}`)),
      setAir: (id, from, { assetId, atMs, reason, status }) => Effect.orDie(Effect.map(sql`
        UPDATE call_ins SET air_status = ${status}, air_reason = ${reason ?? null}, tries = 0, next_at = ${at(atMs)}, asset_id = coalesce(${assetId ?? null}::text, asset_id), expected_air_at = NULL,
          approved_at = CASE WHEN ${status}::text IN ('preparing', 'queued') THEN coalesce(approved_at, ${at(atMs)}) WHEN ${status}::text = 'off' THEN NULL ELSE approved_at END
        WHERE interaction_id = ${id} AND air_status IN ${sql.in(from)} RETURNING interaction_id`, (rows) => rows.length === 1)),
      unswept: (beforeMs, limit) => Effect.orDie(Effect.map(sql<{ id: InteractionId }>`
        SELECT c.interaction_id AS id FROM call_ins c JOIN interactions i ON i.id = c.interaction_id
        WHERE NOT c.swept AND i.moderation_status = 'aired' AND i.created_at < ${at(beforeMs)} LIMIT ${limit}`, (rows) => rows.map(({ id }) => id))),
      swept: (id) => Effect.orDie(Effect.asVoid(sql`UPDATE call_ins SET swept = true WHERE interaction_id = ${id}`))
    })
  }))
}
