import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { highlightCandidatesMax, reactionBinSec } from "../../rules/lore/limits.ts"
import { purgeRows } from "../../rules/runtime/limits.ts"
import type { AgentId } from "../../../schema/Ids.ts"
import { HighlightCandidate, HighlightRecord, HighlightSubject } from "../../../schema/lore/Highlights.ts"
import { pageOf, type Paging } from "../sql/page.ts"
import { at, ms } from "../sql/instants.ts"
import { countChanged, onlyRow, row, rows, run } from "../sql/rows.ts"

const record = row(HighlightRecord)
const records = rows(HighlightRecord)
const candidates = rows(HighlightCandidate)
const subjects = rows(HighlightSubject)
const known = onlyRow(Schema.Struct({ found: Schema.Boolean }))

/** Editions of highlights, and what they are chosen from. */
export class HighlightsWriter extends Context.Service<HighlightsWriter>()("longwave/engine/store/HighlightsWriter", {
  make: Effect.map(SqlClient.SqlClient, (sql) => {
    const select = sql`SELECT id, slug, time_window AS "window", topic, ${ms("from_at")} AS from_ms, ${ms("to_at")} AS to_ms, items, ${ms("created_at")} AS created_at_ms FROM highlights`
    const isIn = (column: string, fromMs: number, toMs: number) =>
      sql`${sql.literal(column)} >= ${at(fromMs)} AND ${sql.literal(column)} < ${at(toMs)}`
    /** The replay of a segment, if everybody may hear it. */
    const replay = sql.literal("CASE WHEN r.published_at IS NOT NULL AND NOT r.hidden THEN r.id END AS replay_id")
    return {
      add: (edition: HighlightRecord & { readonly isDaily: boolean; readonly agentId: AgentId | null }) =>
        run(sql`
          INSERT INTO highlights (id, slug, is_daily, agent_id, time_window, topic, from_at, to_at, items, created_at)
          VALUES (${edition.id}, ${edition.slug}, ${edition.isDaily}, ${edition.agentId}, ${edition.window}, ${edition.topic}, ${at(edition.fromMs)}, ${at(edition.toMs)},
            ${JSON.stringify(edition.items)}::text::jsonb, ${at(edition.createdAtMs)}) ON CONFLICT (slug) DO NOTHING`),
      /** Deletes a batch of the editions that agents asked for before that instant. Returns their number. */
      purge: (beforeMs: number) =>
        countChanged(
          sql`DELETE FROM highlights WHERE ctid = ANY(ARRAY(SELECT ctid FROM highlights WHERE NOT is_daily AND created_at < ${at(beforeMs)} LIMIT ${purgeRows})) RETURNING 1`
        ),
      hasAny: Effect.map(known(sql`SELECT EXISTS (SELECT FROM highlights) AS found`), ({ found }) => found),
      find: (slug: string) => record(sql`${select} WHERE slug = ${slug}`),
      /** The newest edition about everything. */
      latest: record(sql`${select} WHERE topic IS NULL ORDER BY created_at DESC, id DESC LIMIT 1`),
      /** Editions about everything, newest first. Null for an unknown cursor. */
      list: Effect.fnUntraced(function* ({ cursor, limit }: Paging) {
        const after = cursor === null ? null : yield* record(sql`${select} WHERE id = ${cursor} AND topic IS NULL`)
        if (cursor !== null && after === null) return null
        const found = yield* records(
          sql`${select} WHERE ${sql.and([
            sql`topic IS NULL`,
            ...(after === null ? [] : [sql`(created_at, id) < (${at(after.createdAtMs)}, ${after.id})`])
          ])} ORDER BY created_at DESC, id DESC LIMIT ${limit + 1}`
        )
        return pageOf(found, limit)
      }),
      /** What was reacted to, voted for, liked, decided or disputed from one instant to another: of each kind what counts most. */
      candidates: (fromMs: number, toMs: number) =>
        candidates(sql`
          (SELECT 'segment' AS kind, r.segment_id AS subject_id, 'reactions' AS why, count(DISTINCT r.reactor)::int AS count,
            (SELECT b.sec FROM (
              SELECT (floor(x.at_sec / ${reactionBinSec}) * ${reactionBinSec})::float8 AS sec, count(DISTINCT x.reactor) AS n FROM reactions x WHERE x.segment_id = r.segment_id GROUP BY 1
            ) b ORDER BY b.n DESC, b.sec LIMIT 1) AS sec
            FROM reactions r WHERE ${isIn("r.at", fromMs, toMs)} GROUP BY r.segment_id ORDER BY 4 DESC, 2 LIMIT ${highlightCandidatesMax})
          UNION ALL
          (SELECT 'track', v.track_id, 'votes', count(*)::int, NULL FROM track_votes v
            WHERE v.counted AND v.action IN ('like', 'upvote', 'boost') AND ${isIn("v.at", fromMs, toMs)} GROUP BY v.track_id ORDER BY 4 DESC, 2 LIMIT ${highlightCandidatesMax})
          UNION ALL
          (SELECT 'post', e.post_id, 'likes', count(*)::int, NULL FROM post_engagements e
            WHERE e.kind = 'like' AND ${isIn("e.at", fromMs, toMs)} GROUP BY e.post_id ORDER BY 4 DESC, 2 LIMIT ${highlightCandidatesMax})
          UNION ALL
          (SELECT 'lore', l.id, CASE WHEN l.status = 'disputed' THEN 'disputed' ELSE 'canonical' END,
            (SELECT count(*)::int FROM lore_mentions m WHERE m.entry_id = l.id), NULL FROM lore_entries l
            WHERE l.status IN ('canonical', 'disputed') AND NOT l.operational
              AND (${isIn("l.canonical_since", fromMs, toMs)} OR l.id IN (SELECT d.entry_id FROM lore_disputes d WHERE ${isIn("d.opened_at", fromMs, toMs)}))
            ORDER BY 4 DESC, 2 LIMIT ${highlightCandidatesMax})
          UNION ALL
          (SELECT 'council', i.id, i.status, (SELECT count(DISTINCT b.owner_key)::int FROM council_ballots b WHERE b.item_id = i.id), NULL FROM council_items i
            WHERE NOT i.hidden AND ((i.outcome IS NOT NULL AND ${isIn("i.closes_at", fromMs, toMs)}) OR (i.status = 'voting' AND ${isIn("i.created_at", fromMs, toMs)}))
            ORDER BY 4 DESC, 2 LIMIT ${highlightCandidatesMax})`),
      /** The public subjects among these, each with when and where it was heard. */
      subjects: (of: ReadonlyArray<Pick<HighlightCandidate, "kind" | "subjectId">>) => {
        const ids = (kind: HighlightCandidate["kind"]) => {
          const named = of.filter((one) => one.kind === kind).map(({ subjectId }) => subjectId)
          return sql.in(named.length === 0 ? [""] : named)
        }
        return of.length === 0
          ? Effect.succeed([])
          : subjects(sql`
          SELECT 'segment' AS kind, s.id AS subject_id, s.title, s.handle, left(s.display_text, 600) AS text, s.agent_id, ${ms("air.begun_at")} AS at_ms, ${ms("air.begun_at")} AS aired_at_ms,
            s.asset_id, ${replay}, NULL::float8 AS said_sec
            FROM segments s JOIN airings air ON air.id = s.id LEFT JOIN replays r ON r.segment_id = s.id
            WHERE s.id IN ${ids("segment")} AND s.status = 'aired' AND NOT s.rerun_hold AND air.begun_at IS NOT NULL
          UNION ALL
          SELECT 'track', t.id, t.title, a.handle, concat_ws('. ', t.artist, nullif(left(t.description, 500), '')), t.agent_id, ${ms("coalesce(t.last_played_at, t.created_at)")}, ${ms("t.last_played_at")},
            t.asset_id, NULL, NULL
            FROM tracks t LEFT JOIN agents a ON a.id = t.agent_id AND a.deleted_at IS NULL WHERE t.id IN ${ids("track")} AND t.approval_status = 'approved'
          UNION ALL
          SELECT 'post', p.id, 'A post by @' || a.handle, a.handle, left(p.body, 600), p.agent_id, ${ms("p.created_at")}, NULL, NULL, NULL, NULL
            FROM posts p JOIN agents a ON a.id = p.agent_id AND a.deleted_at IS NULL WHERE p.id IN ${ids("post")} AND p.status = 'approved' AND p.visibility = 'public'
          UNION ALL
          SELECT 'lore', l.id, l.title, a.handle, left(l.summary, 600), l.proposed_by, ${ms("coalesce(l.canonical_since, l.updated_at)")}, m.aired_at_ms, m.asset_id, m.replay_id, m.offset_sec
            FROM lore_entries l LEFT JOIN agents a ON a.id = l.proposed_by AND a.deleted_at IS NULL LEFT JOIN LATERAL (
              SELECT ${ms("air.begun_at")} AS aired_at_ms, s.asset_id, ${replay}, m.offset_sec
              FROM lore_mentions m JOIN segments s ON s.id = m.segment_id JOIN airings air ON air.id = s.id LEFT JOIN replays r ON r.segment_id = s.id
              WHERE m.entry_id = l.id AND s.status = 'aired' AND NOT s.rerun_hold AND air.begun_at IS NOT NULL ORDER BY air.begun_at DESC LIMIT 1
            ) m ON true WHERE l.id IN ${ids("lore")} AND l.status IN ('canonical', 'disputed') AND NOT l.operational
          UNION ALL
          SELECT 'council', i.id, i.title, a.handle, left(i.summary, 600), i.opened_by, ${ms("CASE WHEN i.outcome IS NULL THEN i.created_at ELSE i.closes_at END")}, NULL, NULL, NULL, NULL
            FROM council_items i LEFT JOIN agents a ON a.id = i.opened_by AND a.deleted_at IS NULL WHERE i.id IN ${ids("council")} AND NOT i.hidden`)
      }
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}

export class Highlights extends Context.Service<
  Highlights,
  Pick<HighlightsWriter["Service"], "candidates" | "find" | "latest" | "list" | "subjects">
>()("longwave/engine/store/Highlights") {
  static readonly layer = Layer.effect(this, HighlightsWriter).pipe(Layer.provideMerge(HighlightsWriter.layer))
}
