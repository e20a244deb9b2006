import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { type AgentId, SegmentId, TopicId } from "../../../schema/Ids.ts"
import {
  type TopicSource,
  type TopicCategory,
  type TopicStatus,
  TopicRecord
} from "../../../schema/programmes/Topic.ts"
import { topicPatienceHours } from "../../rules/programmes/limits.ts"
import { pageOf, type Paging } from "../sql/page.ts"
import { at, msText } from "../sql/instants.ts"
import { onlyRow, row, rows, run, hasChanged } from "../sql/rows.ts"

export type NewTopic = Omit<TopicRecord, "contributors" | "handle">

/** All contributions to one topic that may air together now, in order of arrival. */
const TopicBlock = Schema.Struct({ topicId: TopicId, title: Schema.String, segmentIds: Schema.Array(SegmentId) })
export type TopicBlock = typeof TopicBlock.Type

const topics = rows(TopicRecord)
const topic = row(TopicRecord)
const count = onlyRow(Schema.Struct({ n: Schema.Int }))
const titles = rows(Schema.Struct({ id: TopicId, title: Schema.String }))
const endedRows = rows(Schema.Struct({ id: TopicId, pending: Schema.Boolean }))
const blocks = rows(TopicBlock)

export interface TopicFilter extends Paging {
  readonly status: TopicStatus
  readonly category: TopicCategory | null
  readonly source: TopicSource | null
  readonly nowMs: number
}

/** A contribution whose segment has come to nothing counts no more. */
const alive = "s.status NOT IN ('rejected', 'cancelled', 'expired', 'failed')"

/**
 * Condition on a segment `s`: it airs with the others of its topic, or after the topic expired, but not alone before. A segment with a time or show
 * of its own is exempt.
 */
export const airsWithTopic =
  "s.scheduled_for IS NULL AND s.agent_show_id IS NULL AND EXISTS (SELECT 1 FROM topic_contributions c JOIN topics t ON t.id = c.topic_id WHERE c.segment_id = s.id AND (t.status = 'filled' OR t.status IN ('pending', 'active') AND t.expires_at > now()))"

/** Topics for contributions of several agents, and the contributions. */
export class TopicsWriter extends Context.Service<TopicsWriter>()("longwave/engine/store/TopicsWriter", {
  make: Effect.map(SqlClient.SqlClient, (sql) => {
    const live = sql.literal(alive)
    const select =
      sql.literal(`SELECT t.id, t.title, t.description, t.category, t.status, t.agents_needed, t.agent_id, a.handle, t.source, t.flags,
      ${msText("t.created_at")} AS created_at_ms, ${msText("t.expires_at")} AS expires_at_ms,
      coalesce((SELECT jsonb_agg(jsonb_build_object('handle', ca.handle, 'segmentId', s.id) ORDER BY c.at, c.segment_id)
        FROM topic_contributions c JOIN segments s ON s.id = c.segment_id JOIN agents ca ON ca.id = c.agent_id WHERE c.topic_id = t.id AND ${alive}), '[]') AS contributors
      FROM topics t LEFT JOIN agents a ON a.id = t.agent_id AND a.deleted_at IS NULL`)
    const find = (id: string) => topic(sql`${select} WHERE t.id = ${id}`)
    const isInState = (status: TopicStatus, nowMs: number) =>
      status === "expired"
        ? sql`(t.status = 'expired' OR t.status = 'active' AND t.expires_at <= ${at(nowMs)})`
        : status === "active"
          ? sql`t.status = 'active' AND t.expires_at > ${at(nowMs)}`
          : status === "pending"
            ? sql`false`
            : sql`t.status = ${status}`
    return {
      add: (topic: NewTopic) =>
        run(sql`
        INSERT INTO topics (id, title, description, category, status, agents_needed, agent_id, source, flags, created_at, expires_at)
        VALUES (${topic.id}, ${topic.title}, ${topic.description}, ${topic.category}, ${topic.status}, ${topic.agentsNeeded}, ${topic.agentId}, ${topic.source},
          ${JSON.stringify(topic.flags)}::text::jsonb, ${at(topic.createdAtMs)}, ${at(topic.expiresAtMs)})`),
      find,
      /** Number of an agent's open topics, reviewed or not. */
      countRunning: (agentId: AgentId, nowMs: number) =>
        Effect.map(
          count(sql`
        SELECT count(*)::int AS n FROM topics WHERE agent_id = ${agentId} AND status IN ('pending', 'active') AND expires_at > ${at(nowMs)}`),
          ({ n }) => n
        ),
      /** Newest first; null if the cursor is unknown. Topics in review are left out. */
      list: Effect.fnUntraced(function* ({ category, cursor, limit, nowMs, source, status }: TopicFilter) {
        const after = cursor === null ? null : yield* find(cursor)
        if (cursor !== null && after === null) return null
        const found = yield* topics(
          sql`${select} WHERE ${sql.and([
            isInState(status, nowMs),
            ...(category === null ? [] : [sql`t.category = ${category}`]),
            ...(source === null ? [] : [sql`t.source = ${source}`]),
            ...(after === null ? [] : [sql`(t.created_at, t.id) < (${at(after.createdAtMs)}, ${after.id})`])
          ])} ORDER BY t.created_at DESC, t.id DESC LIMIT ${limit + 1}`
        )
        return pageOf(found, limit)
      }),
      /** Topics open for contributions, newest first. */
      titles: (nowMs: number, limit: number) =>
        titles(
          sql`SELECT t.id, t.title FROM topics t WHERE ${isInState("active", nowMs)} ORDER BY t.created_at DESC, t.id DESC LIMIT ${limit}`
        ),
      /** Locks the topic until the caller's transaction ends. */
      lock: (id: string) => run(sql`SELECT 1 FROM topics WHERE id = ${id} FOR UPDATE`),
      /** Within a transaction that holds the lock. False if the agent has contributed, unless that contribution failed. */
      contribute: Effect.fnUntraced(function* (topicId: TopicId, agentId: AgentId, segmentId: SegmentId, atMs: number) {
        const isFirst = yield* hasChanged(sql`
          INSERT INTO topic_contributions AS c (topic_id, agent_id, segment_id, at) VALUES (${topicId}, ${agentId}, ${segmentId}, ${at(atMs)})
          ON CONFLICT (topic_id, agent_id) DO UPDATE SET segment_id = excluded.segment_id, at = excluded.at
            WHERE NOT EXISTS (SELECT 1 FROM segments s WHERE s.id = c.segment_id AND ${live}) RETURNING c.agent_id`)
        return isFirst
      }),
      /** False if its status isn't `from`. */
      move: (id: string, from: TopicStatus, to: TopicStatus, atMs: number) =>
        hasChanged(sql`
        UPDATE topics SET status = ${to}, filled_at = CASE WHEN ${to} = 'filled' THEN ${at(atMs)} ELSE filled_at END WHERE id = ${id} AND status = ${from} RETURNING id`),
      /** Ends expired topics and closes those whose author left; returns those that were in review. */
      expire: (nowMs: number) =>
        Effect.map(
          endedRows(sql`
        WITH over AS (SELECT id, status FROM topics WHERE status IN ('pending', 'active') AND (expires_at <= ${at(nowMs)} OR agent_id IN (SELECT id FROM agents WHERE deleted_at IS NOT NULL)) ORDER BY id FOR UPDATE)
        UPDATE topics SET status = CASE WHEN expires_at <= ${at(nowMs)} THEN 'expired' ELSE 'closed' END FROM over WHERE topics.id = over.id RETURNING topics.id, over.status = 'pending' AS pending`),
          (found) => found.flatMap(({ id, pending }) => (pending ? [id] : []))
        ),
      /** Closes filled topics with nothing left to air. */
      closeAired: run(sql`
        UPDATE topics SET status = 'closed' WHERE status = 'filled' AND NOT EXISTS (
          SELECT 1 FROM topic_contributions c JOIN segments s ON s.id = c.segment_id WHERE c.topic_id = topics.id AND s.status <> 'aired' AND ${live})`),
      /**
       * Topics with all their contributions, the longest filled first, each with its queued segments that have sound. A topic with contributions
       * still in review or without sound airs without them a day after it was filled.
       */
      listFilledForAir: (nowMs: number, limit: number) =>
        blocks(sql`
        SELECT t.id AS topic_id, t.title, jsonb_agg(s.id ORDER BY c.at, s.id) AS segment_ids
        FROM topics t JOIN topic_contributions c ON c.topic_id = t.id
          JOIN segments s ON s.id = c.segment_id AND s.status = 'queued' AND s.audio_status = 'ready' AND NOT s.rerun_hold AND s.agent_show_id IS NULL AND s.plan_id IS NULL AND s.scheduled_for IS NULL
          JOIN airings air ON air.id = s.id AND air.state = 'waiting'
        WHERE t.status = 'filled' AND (t.filled_at <= ${at(nowMs)} - make_interval(hours => ${topicPatienceHours}::int) OR NOT EXISTS (
          SELECT 1 FROM topic_contributions o JOIN segments s ON s.id = o.segment_id WHERE o.topic_id = t.id AND s.agent_show_id IS NULL AND s.scheduled_for IS NULL
            AND (s.status IN ('pending_review', 'held') OR s.status = 'queued' AND s.audio_status <> 'ready')))
        GROUP BY t.id, t.title, t.filled_at ORDER BY t.filled_at, t.id LIMIT ${limit}`)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}

export class Topics extends Context.Service<
  Topics,
  Pick<TopicsWriter["Service"], "find" | "countRunning" | "list" | "titles" | "listFilledForAir">
>()("longwave/engine/store/Topics") {
  static readonly layer = Layer.effect(this, TopicsWriter).pipe(Layer.provideMerge(TopicsWriter.layer))
}
