import { Context, Effect, Layer, Schema, Struct } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { type AgentId, AssetId, type SegmentId, type SessionId } from "../../../schema/Ids.ts"
import { type SegmentStatus, SegmentRecord } from "../../../schema/segments/Segment.ts"
import type { AiringState } from "../../../schema/air/Airing.ts"
import { pageOf } from "../sql/page.ts"
import { at, msText } from "../sql/instants.ts"
import { onlyRow, row, rows, run, hasChanged } from "../sql/rows.ts"
import { joinTransaction } from "../sql/Transaction.ts"
import { airingStepFrom } from "../../rules/air/Airing.ts"
import { segmentStatus } from "../../rules/segments/Segment.ts"
import { shareAiring, hideAiring, endAiring, offer, segmentsAndAirings, segmentStatusNow } from "../sql/airings.ts"

/** For statements that begin with `selectSegments`. */
export const segments = rows(SegmentRecord)
const segment = row(SegmentRecord)
const sounds = rows(Schema.Struct({ ...Struct.pick(SegmentRecord.fields, ["id", "agentId"]), assetId: AssetId }))
const ownedRows = rows(Schema.Struct(Struct.pick(SegmentRecord.fields, ["id", "agentId"])))
/** An agent's segments by state, without panel turns. */
export const SegmentCounts = Schema.Struct({ pendingReview: Schema.Int, waiting: Schema.Int, aired: Schema.Int })
const countRow = onlyRow(SegmentCounts)
/** Selects `SegmentCounts` of the agent with this id. */
export const segmentCountsOf = (sql: SqlClient.SqlClient, agentId: AgentId | Statement.Fragment) => sql`
  SELECT count(*) FILTER (WHERE status = 'pending_review')::int AS pending_review,
    count(*) FILTER (WHERE status IN ('queued', 'held', 'pending_review') AND plan_id IS NULL
      AND NOT EXISTS (SELECT 1 FROM airings air WHERE air.id = segments.id AND air.state = 'airing'))::int AS waiting,
    count(*) FILTER (WHERE status = 'aired')::int AS aired
  FROM segments WHERE agent_id = ${agentId} AND category <> 'panel_turn'`

const columns = `s.id, s.agent_id, s.handle, s.display_name, s.lane, s.agent_show_id, s.topic_ids, s.category, s.title, s.script_text, s.display_text, s.body_hash,
  ${segmentStatusNow} AS status, CASE WHEN s.status IN ('queued', 'aired') THEN coalesce(s.status_reason, air.reason) ELSE s.status_reason END AS status_reason,
  s.is_first_air, s.flags, s.audio_status, s.audio_tries, s.asset_id, s.bed_asset_id, s.duration_sec, s.engine, s.voice_id, s.bed_status, s.bed_track_id,
  s.word_count, s.loudness_lufs, air.complete AS aired_completely, coalesce(air.cut, false) AS cut_before, s.rerun_hold, s.plan_id, s.session_id,
  (SELECT coalesce(jsonb_agg(sound.synthetic ORDER BY sound.id = s.bed_asset_id), '[]') FROM assets sound WHERE sound.id IN (s.asset_id, s.bed_asset_id)) AS marks,
  ${msText("CASE s.status WHEN 'queued' THEN coalesce(air.changed_at, s.status_changed_at) ELSE s.status_changed_at END")} AS status_changed_at_ms,
  ${msText("s.scheduled_for")} AS scheduled_for_ms,
  ${msText("air.expected_at")} AS expected_air_at_ms,
  ${msText("air.begun_at")} AS aired_at_ms,
  ${msText("s.created_at")} AS created_at_ms,
  ${msText("greatest(s.updated_at, air.updated_at)")} AS updated_at_ms`
/** Head of every statement that reads segments; the rest refers to `s` and `air`. */
export const selectSegments = `SELECT ${columns} FROM ${segmentsAndAirings}`

/** Stored statuses for these effective statuses, so that an index applies. */
const rowStatus = (wanted: ReadonlyArray<SegmentStatus>): ReadonlyArray<SegmentStatus> =>
  wanted.map((status) => (status === "scheduled" || status === "airing" ? "queued" : status))

/** Fields written once, at the submission; the others begin empty. */
export type NewSegment = Omit<
  SegmentRecord,
  | "statusChangedAtMs"
  | "audioTries"
  | "expectedAirAtMs"
  | "airedAtMs"
  | "airedCompletely"
  | "cutBefore"
  | "rerunHold"
  | "updatedAtMs"
  | "marks"
  | "planId"
  | "sessionId"
> &
  Partial<Pick<SegmentRecord, "planId" | "sessionId">> & {
    /** Key of a segment made by the station, at most one per key: `panel:…`, `panel_turn:…`. */
    readonly origin?: string
  }
/** The sound assigned to a segment. */
export interface SegmentSound {
  readonly assetId: AssetId
  readonly bedAssetId: AssetId | null
  readonly durationSec: number
  readonly engine: NonNullable<SegmentRecord["engine"]>
  readonly voiceId: string
  readonly bedStatus: SegmentRecord["bedStatus"]
  readonly bedTrackId: string | null
  readonly loudnessLufs: number
}
export interface SegmentFilter {
  readonly agentId: AgentId
  readonly status: ReadonlyArray<SegmentStatus> | null
  readonly sinceMs: number | null
  readonly limit: number
  /** Id of the previous page's last segment. */
  readonly cursor: string | null
}
/** Segments of agents and of the station. Only the agent's `Studio` and the scheduler write here. */
export class SegmentsWriter extends Context.Service<SegmentsWriter>()("longwave/engine/store/SegmentsWriter", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const join = joinTransaction(sql)
    const all = sql.literal(selectSegments)
    const now = sql.literal(segmentStatusNow)
    const find = (id: string) => segment(sql`${all} WHERE s.id = ${id}`)

    const offerAiring = (id: SegmentId, reason: string | null, atMs: number) =>
      run(
        sql`WITH made AS (SELECT ${id}::text AS id, ${id}::text AS subject_id) ${offer("segment", "made", atMs, reason)}`
      )
    /** The segment after a change. */
    const findAfter = (id: SegmentId, change: Effect.Effect<boolean>) =>
      Effect.flatMap(change, (isDone) => (isDone ? find(id) : Effect.succeed(null)))

    const add = Effect.fnUntraced(
      function* (given: NewSegment) {
        const origin = given.origin ?? given.id
        const made = yield* hasChanged(sql`
        INSERT INTO segments (id, command_key, agent_id, handle, display_name, lane, agent_show_id, topic_ids, category, title, script_text, display_text, body_hash,
          status, status_reason, status_changed_at, is_first_air, flags, audio_status, asset_id, bed_asset_id, duration_sec, engine, voice_id, bed_status, bed_track_id,
          word_count, loudness_lufs, scheduled_for, plan_id, session_id, created_at, updated_at)
        VALUES (${given.id}, ${origin}, ${given.agentId}, ${given.handle}, ${given.displayName}, ${given.lane}, ${given.agentShowId},
          ${JSON.stringify(given.topicIds)}::text::jsonb, ${given.category}, ${given.title}, ${given.scriptText}, ${given.displayText}, ${given.bodyHash},
          ${given.status}, ${given.statusReason}, ${at(given.createdAtMs)}, ${given.isFirstAir}, ${JSON.stringify(given.flags)}::text::jsonb,
          ${given.audioStatus}, ${given.assetId}, ${given.bedAssetId}, ${given.durationSec}, ${given.engine}, ${given.voiceId}, ${given.bedStatus},
          ${given.bedTrackId}, ${given.wordCount}, ${given.loudnessLufs}, ${at(given.scheduledForMs)}, ${given.planId ?? null}, ${given.sessionId ?? null}, ${at(given.createdAtMs)}, ${at(given.createdAtMs)})
        ON CONFLICT (agent_id, command_key) DO NOTHING RETURNING id`)
        if (made && given.status === "queued") yield* offerAiring(given.id, null, given.createdAtMs)
        const saved = yield* segment(sql`${all} WHERE s.agent_id = ${given.agentId} AND s.command_key = ${origin}`)
        return saved === null
          ? yield* Effect.die(new Error(`segment ${given.id} vanished while it was saved`))
          : { record: saved, repeated: !made }
      },
      join,
      Effect.orDie
    )

    const list = Effect.fnUntraced(function* (filter: SegmentFilter) {
      const after = filter.cursor === null ? null : yield* find(filter.cursor)
      if (filter.cursor !== null && (after === null || after.agentId !== filter.agentId)) return null
      const found = yield* segments(sql`
        ${all} WHERE ${sql.and([
          sql`s.agent_id = ${filter.agentId}`,
          ...(filter.status === null
            ? []
            : [sql`s.status IN ${sql.in(rowStatus(filter.status))} AND ${now} IN ${sql.in(filter.status)}`]),
          ...(filter.sinceMs === null ? [] : [sql`s.created_at >= ${at(filter.sinceMs)}`]),
          ...(after === null ? [] : [sql`(s.created_at, s.id) < (${at(after.createdAtMs)}, ${after.id})`])
        ])} ORDER BY s.created_at DESC, s.id DESC LIMIT ${filter.limit + 1}`)
      return pageOf(found, filter.limit)
    })

    return {
      /** Saves it, or returns the segment of the same origin. */
      add,
      find,
      findBySound: (assetId: string) => segment(sql`${all} WHERE s.asset_id = ${assetId} LIMIT 1`),
      /** Newest first; `next` is the cursor of the following page. Null if the cursor isn't one of this agent's segments. */
      list,
      /** Moves a segment in one of the states `from`; null if it isn't. */
      move: Effect.fnUntraced(
        function* (
          id: SegmentId,
          change: {
            readonly from: ReadonlyArray<SegmentStatus>
            readonly to: SegmentStatus
            readonly reason: string | null
            readonly atMs: number
          }
        ) {
          const { atMs, from, reason, to } = change
          const step = to === "expired" ? "Expire" : "Withdraw"
          const named: { readonly [State in AiringState]?: SegmentStatus } = segmentStatus
          const states = airingStepFrom("segment", step).filter((state) =>
            from.some((status) => status === named[state])
          )
          const which = states.length === 0 ? sql`false` : sql`id = ${id} AND ${sql.in("state", states)}`
          const isWithdrawn = yield* hasChanged(sql`${endAiring("segment", step, which, reason, atMs)}`)
          // A segment offered for airing is 'queued' in this table, whatever the state of its airing.
          const decided: ReadonlyArray<SegmentStatus> = isWithdrawn
            ? ["queued"]
            : from.filter((status) => status !== "queued")
          if (decided.length === 0) return null
          const isMoved = yield* hasChanged(sql`
            UPDATE segments SET status = ${to}, status_reason = ${to === "queued" ? null : reason}, status_changed_at = ${at(atMs)}, updated_at = ${at(atMs)}
            WHERE id = ${id} AND status IN ${sql.in(decided)} RETURNING id`)
          if (isMoved && to === "queued") yield* offerAiring(id, reason, atMs)
          return isMoved ? yield* find(id) : null
        },
        join,
        Effect.orDie
      ),
      /** Hides the copies of a segment that has begun to air. If it is cut afterwards, it doesn't air again. */
      hide: (
        id: SegmentId,
        { atMs, hidden, reason }: { readonly hidden: boolean; readonly reason: string | null; readonly atMs: number }
      ) =>
        findAfter(
          id,
          hasChanged(sql`
          WITH heard AS (${hideAiring(id, hidden, atMs)})
          UPDATE segments SET rerun_hold = ${hidden}, status_reason = ${reason}, updated_at = ${at(atMs)} WHERE id IN (SELECT id FROM heard) RETURNING id`)
        ),
      /** Ends the segment with its airing. */
      endWithAiring: (
        id: string,
        {
          atMs,
          reason,
          state
        }: { readonly state: "aired" | "failed"; readonly reason: string | null; readonly atMs: number }
      ) =>
        run(sql`
          UPDATE segments SET status = ${state}, status_reason = ${state === "failed" ? reason : sql`status_reason`},
            audio_status = ${state === "failed" ? "failed" : "ready"}, status_changed_at = ${at(atMs)}, updated_at = ${at(atMs)}
          WHERE id = ${id} AND status = 'queued'`),
      /** Ends a turn like its panel's segment. */
      endTurn: (
        id: SegmentId,
        end: {
          readonly to: SegmentStatus
          readonly reason: string | null
          readonly airedAtMs: number | null
          readonly airedCompletely: boolean | null
          readonly atMs: number
        }
      ) =>
        run(sql`
        WITH ended AS (UPDATE segments SET status = ${end.to}, status_reason = ${end.reason}, status_changed_at = ${at(end.atMs)}, updated_at = ${at(end.atMs)}
          WHERE id = ${id} AND category = 'panel_turn' AND status = 'queued' RETURNING id)
        ${shareAiring("ended", { ...end, complete: end.airedCompletely, state: end.to === "aired" || end.to === "expired" ? end.to : "withdrawn" })}`),
      /** Ends the turns of a panel that won't air. */
      discardTurns: (sessionId: SessionId, reason: string, atMs: number) =>
        run(sql`
        WITH gone AS (${endAiring("segment", "Withdraw", sql`id IN (SELECT id FROM segments WHERE session_id = ${sessionId} AND category = 'panel_turn' AND status = 'queued')`, reason, atMs)})
        UPDATE segments SET status = 'cancelled', status_reason = ${reason}, status_changed_at = ${at(atMs)}, updated_at = ${at(atMs)} WHERE id IN (SELECT id FROM gone)`),
      /** Adds the segment to a topic. */
      joinTopic: (id: SegmentId, topicId: string, atMs: number) =>
        run(
          sql`UPDATE segments SET topic_ids = topic_ids || to_jsonb(${topicId}::text), updated_at = ${at(atMs)} WHERE id = ${id} AND NOT topic_ids @> to_jsonb(${topicId}::text)`
        ),
      markRendering: (id: SegmentId, atMs: number) =>
        findAfter(
          id,
          hasChanged(sql`
          UPDATE segments SET audio_status = 'rendering', audio_tries = audio_tries + 1, updated_at = ${at(atMs)}
          WHERE id = ${id} AND status = 'queued' AND audio_status IN ('none', 'rendering') RETURNING id`)
        ),
      addSound: (id: SegmentId, sound: SegmentSound, atMs: number) =>
        findAfter(
          id,
          hasChanged(sql`
          UPDATE segments SET audio_status = 'ready', asset_id = ${sound.assetId}, bed_asset_id = ${sound.bedAssetId}, duration_sec = ${sound.durationSec},
            engine = ${sound.engine}, voice_id = ${sound.voiceId}, bed_status = ${sound.bedStatus}, bed_track_id = ${sound.bedTrackId},
            loudness_lufs = ${sound.loudnessLufs}, status_reason = CASE WHEN status_reason IN ('NO_AUDIO', 'NO_AIRTIME') THEN NULL ELSE status_reason END, updated_at = ${at(atMs)}
          WHERE id = ${id} AND audio_status <> 'ready' RETURNING id`)
        ),
      markSoundless: (id: SegmentId, audioStatus: "none" | "failed", reason: string, atMs: number) =>
        run(sql`
        UPDATE segments SET audio_status = ${audioStatus}, status_reason = ${reason}, updated_at = ${at(atMs)} WHERE id = ${id} AND audio_status <> 'ready'`),
      /** Segments that ended unheard before an instant, whose sound nothing else refers to. Oldest first. */
      listUnheardSounds: (beforeMs: number, limit: number) =>
        sounds(sql`
        SELECT s.id, s.agent_id, s.asset_id FROM segments s
        WHERE s.asset_id IS NOT NULL AND s.status IN ('rejected', 'expired', 'cancelled') AND s.status_changed_at < ${at(beforeMs)}
          AND NOT EXISTS (SELECT FROM segments other WHERE other.asset_id = s.asset_id AND other.id <> s.id)
          AND NOT EXISTS (SELECT FROM uploads u WHERE u.asset_id = s.asset_id AND u.status <> 'rejected')
          AND NOT EXISTS (SELECT FROM tracks t WHERE t.asset_id = s.asset_id)
          AND NOT EXISTS (SELECT FROM panel_recordings r WHERE r.asset_id = s.asset_id)
          AND NOT EXISTS (SELECT FROM clips c WHERE c.asset_id = s.asset_id)
        ORDER BY s.status_changed_at LIMIT ${limit}`),
      /** Forgets the sound of a segment that ended unheard. */
      removeSound: (id: SegmentId) =>
        run(sql`
        UPDATE segments SET asset_id = NULL, audio_status = 'none' WHERE id = ${id} AND status IN ('rejected', 'expired', 'cancelled')`),
      /** An agent's segments by state, for its limits. */
      count: (agentId: AgentId) => countRow(segmentCountsOf(sql, agentId)),
      listBehindReview: (agentId: AgentId) =>
        segments(sql`
        ${all} WHERE s.agent_id = ${agentId} AND s.status = 'pending_review' ORDER BY s.created_at, s.id`),
      /** All that could still air: in review, held, queued or scheduled. */
      listWaiting: (agentId: AgentId) =>
        segments(sql`
        ${all} WHERE s.agent_id = ${agentId} AND s.status IN ('pending_review', 'held', 'queued') AND ${now} <> 'airing' ORDER BY s.created_at, s.id`),
      hasSameBodySince: (agentId: AgentId, bodyHash: string, sinceMs: number) =>
        Effect.orDie(
          Effect.map(
            sql`
        SELECT 1 FROM segments WHERE agent_id = ${agentId} AND body_hash = ${bodyHash} AND created_at >= ${at(sinceMs)} LIMIT 1`,
            (rows) => rows.length > 0
          )
        ),
      /** Past one of the dates after which they no longer air. */
      listOverdue: (
        before: {
          readonly unreviewedMs: number
          readonly queuedMs: number
          readonly showBoundMs: number
          readonly scheduledForMs: number
        },
        limit: number
      ) =>
        ownedRows(sql`
        SELECT id, agent_id FROM (
          SELECT id, agent_id, status_changed_at AS since FROM segments WHERE status = 'pending_review' AND plan_id IS NULL AND status_changed_at <= ${at(before.unreviewedMs)}
          UNION ALL
          SELECT s.id, s.agent_id, air.changed_at FROM airings air JOIN segments s ON s.id = air.id AND s.category <> 'panel_turn'
          WHERE air.subject = 'segment' AND air.state = 'waiting' AND (air.changed_at <= ${at(before.queuedMs)} OR (s.agent_show_id IS NOT NULL AND s.plan_id IS NULL AND air.changed_at <= ${at(before.showBoundMs)})
            OR s.scheduled_for IS NOT NULL AND greatest(s.scheduled_for, air.changed_at) <= ${at(before.scheduledForMs)})) late
        ORDER BY since LIMIT ${limit}`)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}

export class Segments extends Context.Service<
  Segments,
  Pick<
    SegmentsWriter["Service"],
    | "find"
    | "findBySound"
    | "list"
    | "count"
    | "listBehindReview"
    | "listWaiting"
    | "hasSameBodySince"
    | "listOverdue"
    | "listUnheardSounds"
  >
>()("longwave/engine/store/Segments") {
  static readonly layer = Layer.effect(this, SegmentsWriter).pipe(Layer.provideMerge(SegmentsWriter.layer))
}
