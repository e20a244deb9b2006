import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { AgentId, SegmentId, TopicId } from "../../schema/Ids.ts"
import { Flag } from "../../schema/Precheck.ts"
import { Topic, type TopicCategory, type TopicSource, type TopicStatus } from "../../schema/Topic.ts"
import { topicPatienceHours } from "../Limits.ts"
import { type Page, pageOf, type Paging } from "./Writings.ts"

/** A topic as it lies in the store. Whoever reads it asks `topicView` how it stands: time runs out for it without anybody writing. */
export interface TopicRecord extends Pick<Topic, "id" | "title" | "description" | "category" | "status" | "agentsNeeded" | "contributors"> {
  readonly agentId: AgentId | null
  readonly handle: string | null
  readonly source: TopicSource
  readonly flags: ReadonlyArray<Flag>
  readonly createdAtMs: number
  readonly expiresAtMs: number
}

export type NewTopic = Omit<TopicRecord, "contributors" | "handle"> & { readonly commandKey: string }

/** All that contributed to one topic and may air together now, in the order in which it came. */
export interface TopicBlock {
  readonly topicId: TopicId
  readonly title: string
  readonly segmentIds: ReadonlyArray<SegmentId>
}

export interface TopicFilter extends Paging {
  readonly status: TopicStatus
  readonly category: TopicCategory | null
  readonly source: TopicSource | null
  readonly nowMs: number
}

const decodeFlags = Schema.decodeUnknownSync(Schema.Array(Flag))
const instant = (ms: number) => new Date(ms).toISOString()
const runs = (status: TopicStatus) => status === "pending" || status === "active"

/** As everybody may see it. */
export const topicView = ({ agentId, agentsNeeded, category, contributors, createdAtMs, description, expiresAtMs, handle, id, source, status, title }: TopicRecord, nowMs: number): Topic => new Topic({
  id, title, description, category, status: runs(status) && expiresAtMs <= nowMs ? "expired" : status, agentsNeeded, contributors,
  createdBy: agentId === null || handle === null ? null : { agentId, handle }, createdAt: instant(createdAtMs), expiresAt: instant(expiresAtMs), metadata: { source }
})

/** A contribution whose segment has come to nothing counts no more. */
const alive = "s.status NOT IN ('rejected', 'cancelled', 'expired', 'failed')"

/** Of a segment `s`: it airs together with the others of its topic, or once that has run out, but not by itself before. What has a time or a show of its own airs there. */
export const airsWithTopic = "s.scheduled_for IS NULL AND s.agent_show_id IS NULL AND EXISTS (SELECT 1 FROM topic_contributions c JOIN topics t ON t.id = c.topic_id WHERE c.segment_id = s.id AND (t.status = 'filled' OR t.status IN ('pending', 'active') AND t.expires_at > now()))"

/** What several agents are asked to speak about, and what has come of it. */
export class Topics extends Context.Service<Topics, {
  readonly add: (topic: NewTopic) => Effect.Effect<void>
  readonly find: (id: string) => Effect.Effect<TopicRecord | null>
  /** Null asks for those of the station's own people. */
  readonly byCommand: (agentId: AgentId | null, commandKey: string) => Effect.Effect<TopicRecord | null>
  /** How many of an agent's run, looked at or waiting to be. */
  readonly running: (agentId: AgentId, nowMs: number) => Effect.Effect<number>
  /** Newest first; null when the cursor is unknown. What waits for a review is in none. */
  readonly list: (filter: TopicFilter) => Effect.Effect<Page<TopicRecord> | null>
  /** Those that take contributions, newest first. */
  readonly titles: (nowMs: number, limit: number) => Effect.Effect<ReadonlyArray<{ readonly id: TopicId; readonly title: string }>>
  /** Nobody else contributes until the caller's transaction ends. */
  readonly lock: (id: string) => Effect.Effect<void>
  /** Within a transaction that holds the lock. False where the agent has contributed, unless that came to nothing. */
  readonly contribute: (topicId: TopicId, agentId: AgentId, segmentId: SegmentId, atMs: number) => Effect.Effect<boolean>
  /** False when it is not `from` any more. */
  readonly move: (id: string, from: TopicStatus, to: TopicStatus, atMs: number) => Effect.Effect<boolean>
  /** Ends what has run out and closes what was asked by somebody who has left; answers what of it still waited for a review. */
  readonly expire: (nowMs: number) => Effect.Effect<ReadonlyArray<TopicId>>
  /** Closes those that are filled and of which nothing is left to air. */
  readonly closeAired: Effect.Effect<void>
  /**
   * Topics that have all the voices they asked for, the longest filled first: each with what of it is queued and has its sound.
   * One of which something still waits for a review or for its sound comes a day later than it was filled, without that.
   */
  readonly filledForAir: (nowMs: number, limit: number) => Effect.Effect<ReadonlyArray<TopicBlock>>
}>()("longwave/engine/store/Topics") {
  static readonly layer = Layer.effect(Topics, Effect.map(SqlClient.SqlClient, (sql) => {
    const at = (ms: number) => sql`to_timestamp(${ms}::float8 / 1000)`
    const live = sql.literal(alive)
    const select = sql.literal(`SELECT t.id, t.title, t.description, t.category, t.status, t.agents_needed, t.agent_id, a.handle, t.source, t.flags,
      round(extract(epoch from t.created_at) * 1000)::float8 AS created_at_ms, round(extract(epoch from t.expires_at) * 1000)::float8 AS expires_at_ms,
      coalesce((SELECT jsonb_agg(jsonb_build_object('handle', ca.handle, 'segmentId', s.id) ORDER BY c.at, c.segment_id)
        FROM topic_contributions c JOIN segments s ON s.id = c.segment_id JOIN agents ca ON ca.id = c.agent_id WHERE c.topic_id = t.id AND ${alive}), '[]') AS contributors
      FROM topics t LEFT JOIN agents a ON a.id = t.agent_id AND a.deleted_at IS NULL`)
    const many = (rows: Effect.Effect<ReadonlyArray<TopicRecord>, unknown>) => Effect.orDie(Effect.map(rows, (all) => all.map((row): TopicRecord => ({ ...row, flags: decodeFlags(row.flags) }))))
    const one = (rows: Effect.Effect<ReadonlyArray<TopicRecord>, unknown>) => Effect.map(many(rows), (all) => all[0] ?? null)
    const find = (id: string) => one(sql<TopicRecord>`${select} WHERE t.id = ${id}`)
    const standing = (status: TopicStatus, nowMs: number) => status === "expired"
      ? sql`(t.status = 'expired' OR t.status = 'active' AND t.expires_at <= ${at(nowMs)})`
      : status === "active" ? sql`t.status = 'active' AND t.expires_at > ${at(nowMs)}` : status === "pending" ? sql`false` : sql`t.status = ${status}`
    return Topics.of({
      add: (topic) => Effect.orDie(Effect.asVoid(sql`
        INSERT INTO topics (id, command_key, title, description, category, status, agents_needed, agent_id, source, flags, created_at, expires_at)
        VALUES (${topic.id}, ${topic.commandKey}, ${topic.title}, ${topic.description}, ${topic.category}, ${topic.status}, ${topic.agentsNeeded}, ${topic.agentId}, ${topic.source},
          ${JSON.stringify(topic.flags)}::text::jsonb, ${at(topic.createdAtMs)}, ${at(topic.expiresAtMs)})`)),
      find,
      byCommand: (agentId, commandKey) => one(sql<TopicRecord>`${select} WHERE t.agent_id IS NOT DISTINCT FROM ${agentId}::text AND t.command_key = ${commandKey}`),
      running: (agentId, nowMs) => Effect.orDie(Effect.map(sql<{ n: number }>`
        SELECT count(*)::int AS n FROM topics WHERE agent_id = ${agentId} AND status IN ('pending', 'active') AND expires_at > ${at(nowMs)}`, (rows) => rows[0]!.n)),
      list: Effect.fn("Topics.list")(function*({ category, cursor, limit, nowMs, source, status }) {
        const after = cursor === null ? null : yield* find(cursor)
        if (cursor !== null && after === null) return null
        const rows = yield* many(sql<TopicRecord>`${select} WHERE ${sql.and([
          standing(status, nowMs),
          ...category === null ? [] : [sql`t.category = ${category}`],
          ...source === null ? [] : [sql`t.source = ${source}`],
          ...after === null ? [] : [sql`(t.created_at, t.id) < (${at(after.createdAtMs)}, ${after.id})`]
        ])} ORDER BY t.created_at DESC, t.id DESC LIMIT ${limit + 1}`)
        return pageOf(rows, limit)
      }),
      titles: (nowMs, limit) => Effect.orDie(sql<{ id: TopicId; title: string }>`SELECT t.id, t.title FROM topics t WHERE ${standing("active", nowMs)} ORDER BY t.created_at DESC, t.id DESC LIMIT ${limit}`),
      lock: (id) => Effect.orDie(Effect.asVoid(sql`SELECT 1 FROM topics WHERE id = ${id} FOR UPDATE`)),
      contribute: Effect.fn("Topics.contribute")(function*(topicId, agentId, segmentId, atMs) {
        const taken = yield* sql`
          INSERT INTO topic_contributions AS c (topic_id, agent_id, segment_id, at) VALUES (${topicId}, ${agentId}, ${segmentId}, ${at(atMs)})
          ON CONFLICT (topic_id, agent_id) DO UPDATE SET segment_id = excluded.segment_id, at = excluded.at
            WHERE NOT EXISTS (SELECT 1 FROM segments s WHERE s.id = c.segment_id AND ${live}) RETURNING c.agent_id`
        if (taken.length === 0) return false
        yield* sql`UPDATE segments SET topic_ids = topic_ids || to_jsonb(${topicId}::text), updated_at = ${at(atMs)} WHERE id = ${segmentId} AND NOT topic_ids @> to_jsonb(${topicId}::text)`
        return true
      }, Effect.orDie),
      move: (id, from, to, atMs) => Effect.orDie(Effect.map(sql`
        UPDATE topics SET status = ${to}, filled_at = CASE WHEN ${to} = 'filled' THEN ${at(atMs)} ELSE filled_at END WHERE id = ${id} AND status = ${from} RETURNING id`, (rows) => rows.length === 1)),
      expire: (nowMs) => Effect.orDie(Effect.map(sql<{ id: TopicId; pending: boolean }>`
        WITH over AS (SELECT id, status FROM topics WHERE status IN ('pending', 'active') AND (expires_at <= ${at(nowMs)} OR agent_id IN (SELECT id FROM agents WHERE deleted_at IS NOT NULL)) ORDER BY id FOR UPDATE)
        UPDATE topics SET status = CASE WHEN expires_at <= ${at(nowMs)} THEN 'expired' ELSE 'closed' END FROM over WHERE topics.id = over.id RETURNING topics.id, over.status = 'pending' AS pending`, (rows) => rows.flatMap(({ id, pending }) => pending ? [id] : []))),
      closeAired: Effect.orDie(Effect.asVoid(sql`
        UPDATE topics SET status = 'closed' WHERE status = 'filled' AND NOT EXISTS (
          SELECT 1 FROM topic_contributions c JOIN segments s ON s.id = c.segment_id WHERE c.topic_id = topics.id AND s.status <> 'aired' AND ${live})`)),
      filledForAir: (nowMs, limit) => Effect.orDie(sql<TopicBlock>`
        SELECT t.id AS topic_id, t.title, jsonb_agg(s.id ORDER BY c.at, s.id) AS segment_ids
        FROM topics t JOIN topic_contributions c ON c.topic_id = t.id
          JOIN segments s ON s.id = c.segment_id AND s.status = 'queued' AND s.audio_status = 'ready' AND NOT s.rerun_hold AND s.agent_show_id IS NULL AND s.plan_id IS NULL AND s.scheduled_for IS NULL
        WHERE t.status = 'filled' AND (t.filled_at <= ${at(nowMs)} - make_interval(hours => ${topicPatienceHours}::int) OR NOT EXISTS (
          SELECT 1 FROM topic_contributions o JOIN segments s ON s.id = o.segment_id WHERE o.topic_id = t.id AND s.agent_show_id IS NULL AND s.scheduled_for IS NULL
            AND (s.status IN ('pending_review', 'held') OR s.status = 'queued' AND s.audio_status <> 'ready')))
        GROUP BY t.id, t.title, t.filled_at ORDER BY t.filled_at, t.id LIMIT ${limit}`)
    })
  }))
}
