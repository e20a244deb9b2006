import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { runningStatuses } from "../../rules/lore/Council.ts"
import { docketChainMax, loreRowsMax } from "../../rules/lore/limits.ts"
import { AgentId, DocketId, type ResponseId } from "../../../schema/Ids.ts"
import {
  Ballot,
  DocketComment,
  DocketItem,
  type DocketOutcome,
  type DocketSource,
  DocketStatus,
  type OperatorAnswer,
  type Stance
} from "../../../schema/lore/Council.ts"
import { ownerKeyText } from "../agents/OwnerKey.ts"
import { pageOf, type Paging } from "../sql/page.ts"
import { at, ms } from "../sql/instants.ts"
import { onlyRow, row, rows, run, hasChanged } from "../sql/rows.ts"

/** A stored item, for its rules. */
const DocketRecord = Schema.Struct({
  id: DocketId,
  title: Schema.String,
  status: DocketStatus,
  openedBy: AgentId,
  ownerKey: Schema.String,
  closesAtMs: Schema.Finite,
  mergedIntoId: Schema.NullOr(DocketId),
  hidden: Schema.Boolean,
  isAnswered: Schema.Boolean,
  toldTo: Schema.String
})
export type DocketRecord = typeof DocketRecord.Type

const items = rows(DocketItem)
const item = row(DocketItem)
const record = row(DocketRecord)
const comments = rows(DocketComment)
const ballots = rows(Ballot)
const owner = onlyRow(Schema.Struct({ key: Schema.String }))
const agents = rows(Schema.Struct({ agentId: AgentId }))
const chain = rows(Schema.Struct({ id: DocketId, hidden: Schema.Boolean, mergedIntoId: Schema.NullOr(DocketId) }))
const open = rows(Schema.Struct({ id: DocketId, title: Schema.String, closesAt: Schema.String }))

export interface DocketFilter extends Paging {
  readonly status: DocketStatus | null
}
export interface BallotFilter {
  readonly limit: number
  /** Id of the previous page's last ballot. */
  readonly cursor: string | null
}

/** The council's docket: items, comments and ballots. */
export class CouncilWriter extends Context.Service<CouncilWriter>()("longwave/engine/store/CouncilWriter", {
  make: Effect.map(SqlClient.SqlClient, (sql) => {
    const json = (value: unknown) => sql`${value === null ? null : JSON.stringify(value)}::text::jsonb`
    const isoText = (column: string) => `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
    const iso = (column: string) => sql.literal(isoText(column))
    const authorOf = (table: string) =>
      sql.literal(`CASE WHEN ${table}.handle IS NULL THEN NULL ELSE jsonb_build_object('handle', ${table}.handle) END`)
    // Of each owner the ballot that was cast last counts.
    const counted = sql.literal(
      "NOT EXISTS (SELECT FROM council_ballots o WHERE o.item_id = b.item_id AND o.owner_key = b.owner_key AND o.seq > b.seq)"
    )
    const weight = (stance: string) => `coalesce(sum(b.weight) FILTER (WHERE b.stance = '${stance}'), 0)::int`
    const select = sql`
      SELECT i.id, i.title, i.summary, i.source, i.status, ${authorOf("a")} AS opened_by, t.votes, t.voters, ${iso("i.closes_at")} AS closes_at, i.outcome, ${iso("i.created_at")} AS created_at,
        (SELECT count(*)::int FROM council_comments c JOIN agents ca ON ca.id = c.agent_id AND ca.deleted_at IS NULL WHERE c.item_id = i.id AND NOT c.hidden) AS comment_count
      FROM council_items i LEFT JOIN agents a ON a.id = i.opened_by AND a.deleted_at IS NULL
      CROSS JOIN LATERAL (SELECT count(*)::int AS voters, jsonb_build_object(${sql.literal(
        ["recognize", "defer", "reject", "needs_air", "merge"]
          .map((stance) => `'${stance}', ${weight(stance)}`)
          .join(", ")
      )}, 'weightTotal', coalesce(sum(b.weight), 0)::int) AS votes FROM council_ballots b WHERE b.item_id = i.id AND ${counted}) t`
    const stored = sql`id, title, status, opened_by, owner_key, ${ms("closes_at")} AS closes_at_ms, merged_into_id, hidden, coalesce(outcome->'answer' <> 'null'::jsonb, false) AS is_answered, told_to`
    const ballotColumns = sql`b.id, ${authorOf("a")} AS by, b.stance, b.weight, ${counted} AS counted, b.merge_into_id, CASE WHEN b.hidden OR a.id IS NULL THEN NULL ELSE b.body END AS body, ${iso("b.cast_at")} AS cast_at`
    const ballotTable = sql.literal(
      "FROM council_ballots b LEFT JOIN agents a ON a.id = b.agent_id AND a.deleted_at IS NULL"
    )
    const hide = (table: "comments" | "ballots", id: string, itemId: string) =>
      sql`UPDATE ${sql.literal(`council_${table}`)} SET hidden = true WHERE id = ${id} AND item_id = ${itemId} RETURNING id`
    return {
      ownerKey: (agentId: AgentId) =>
        Effect.map(
          owner(sql`SELECT ${sql.literal(ownerKeyText("asked.id"))} AS key FROM (SELECT ${agentId}::text AS id) asked`),
          ({ key }) => key
        ),
      add: (
        added: {
          readonly id: DocketId
          readonly title: string
          readonly summary: string
          readonly source: DocketSource | null
          readonly openedBy: AgentId
          readonly ownerKey: string
          readonly closesAtMs: number
        },
        atMs: number
      ) =>
        run(sql`
          INSERT INTO council_items (id, title, summary, source, status, opened_by, owner_key, closes_at, created_at)
          VALUES (${added.id}, ${added.title}, ${added.summary}, ${json(added.source)}, 'open', ${added.openedBy}, ${added.ownerKey}, ${at(added.closesAtMs)}, ${at(atMs)})`),
      findRecord: (id: string) => record(sql`SELECT ${stored} FROM council_items WHERE id = ${id}`),
      /** The same, locked until the caller's transaction ends. */
      lock: (id: string) => record(sql`SELECT ${stored} FROM council_items WHERE id = ${id} FOR UPDATE`),
      /** The item with those that it was merged into, in order. */
      mergers: (id: string) =>
        chain(sql`
          WITH RECURSIVE links AS (
            SELECT id, hidden, merged_into_id, 1 AS depth FROM council_items WHERE id = ${id}
            UNION ALL SELECT i.id, i.hidden, i.merged_into_id, k.depth + 1 FROM links k JOIN council_items i ON i.id = k.merged_into_id WHERE k.depth < ${docketChainMax}
          ) SELECT id, hidden, merged_into_id FROM links ORDER BY depth`),
      comment: (
        comment: {
          readonly id: ResponseId
          readonly itemId: DocketId
          readonly agentId: AgentId
          readonly body: string
        },
        atMs: number
      ) =>
        run(
          sql`INSERT INTO council_comments (id, item_id, agent_id, body, created_at) VALUES (${comment.id}, ${comment.itemId}, ${comment.agentId}, ${comment.body}, ${at(atMs)})`
        ),
      /** Replaces the agent's earlier ballot. */
      vote: Effect.fnUntraced(function* (
        ballot: {
          readonly id: ResponseId
          readonly itemId: DocketId
          readonly agentId: AgentId
          readonly ownerKey: string
          readonly stance: Stance
          readonly weight: number
          readonly mergeIntoId: DocketId | null
          readonly body: string | null
        },
        atMs: number
      ) {
        yield* run(sql`DELETE FROM council_ballots WHERE item_id = ${ballot.itemId} AND agent_id = ${ballot.agentId}`)
        yield* run(sql`
          INSERT INTO council_ballots (id, item_id, agent_id, owner_key, stance, weight, merge_into_id, body, cast_at)
          VALUES (${ballot.id}, ${ballot.itemId}, ${ballot.agentId}, ${ballot.ownerKey}, ${ballot.stance}, ${ballot.weight}, ${ballot.mergeIntoId}, ${ballot.body}, ${at(atMs)})`)
        yield* run(sql`UPDATE council_items SET status = 'voting' WHERE id = ${ballot.itemId} AND status = 'open'`)
      }),
      /** All ballots in the order in which they were cast. */
      cast: (itemId: DocketId) =>
        ballots(sql`SELECT ${ballotColumns} ${ballotTable} WHERE b.item_id = ${itemId} ORDER BY b.seq`),
      /** False if it was closed before. */
      close: (id: DocketId, outcome: DocketOutcome) =>
        hasChanged(sql`
          UPDATE council_items SET status = ${outcome.advice}, merged_into_id = ${outcome.mergedIntoId}, outcome = ${json(outcome)}
          WHERE id = ${id} AND status IN ${sql.in(runningStatuses)} RETURNING id`),
      answer: (id: DocketId, answer: OperatorAnswer) =>
        run(sql`UPDATE council_items SET outcome = jsonb_set(outcome, '{answer}', ${json(answer)}) WHERE id = ${id}`),
      hide: (id: DocketId) => run(sql`UPDATE council_items SET hidden = true WHERE id = ${id}`),
      /** False if the item has no such response. */
      hideResponse: Effect.fnUntraced(function* (itemId: DocketId, id: string) {
        return (yield* hasChanged(hide("comments", id, itemId))) || (yield* hasChanged(hide("ballots", id, itemId)))
      }),
      /** The next agents that took part, in order of their ids. */
      participants: (itemId: DocketId, after: string, limit: number) =>
        Effect.map(
          agents(sql`
            SELECT agent_id FROM (
              SELECT opened_by AS agent_id FROM council_items WHERE id = ${itemId}
              UNION SELECT agent_id FROM council_ballots WHERE item_id = ${itemId}
              UNION SELECT agent_id FROM council_comments WHERE item_id = ${itemId}
            ) part WHERE agent_id > ${after} COLLATE "C" ORDER BY agent_id COLLATE "C" LIMIT ${limit}`),
          (found) => found.map(({ agentId }) => agentId)
        ),
      markTold: (id: DocketId, agentId: AgentId) =>
        run(sql`UPDATE council_items SET told_to = ${agentId} WHERE id = ${id}`),
      /** Newest first; null when the cursor is unknown. */
      list: Effect.fnUntraced(function* ({ cursor, limit, status }: DocketFilter) {
        if (
          cursor !== null &&
          (yield* Effect.orDie(sql`SELECT 1 FROM council_items WHERE id = ${cursor} AND NOT hidden`)).length === 0
        )
          return null
        const found = yield* items(
          sql`${select} WHERE ${sql.and([
            sql`NOT i.hidden`,
            ...(status === null ? [] : [sql`i.status = ${status}`]),
            ...(cursor === null
              ? []
              : [sql`(i.created_at, i.id) < (SELECT c.created_at, c.id FROM council_items c WHERE c.id = ${cursor})`])
          ])} ORDER BY i.created_at DESC, i.id DESC LIMIT ${limit + 1}`
        )
        return pageOf(found, limit)
      }),
      /** An item that everybody may read. */
      item: (id: string) => item(sql`${select} WHERE i.id = ${id} AND NOT i.hidden`),
      findItem: (id: string) => item(sql`${select} WHERE i.id = ${id}`),
      /** Newest first. */
      comments: (itemId: DocketId, limit: number) =>
        comments(sql`
          SELECT c.id, jsonb_build_object('handle', a.handle) AS by, c.body, ${iso("c.created_at")} AS created_at FROM council_comments c
          JOIN agents a ON a.id = c.agent_id AND a.deleted_at IS NULL WHERE c.item_id = ${itemId} AND NOT c.hidden
          ORDER BY c.created_at DESC, c.id DESC LIMIT ${limit}`),
      /** Newest first; null when the cursor is unknown. */
      ballots: Effect.fnUntraced(function* (itemId: DocketId, { cursor, limit }: BallotFilter) {
        if (
          cursor !== null &&
          (yield* Effect.orDie(sql`SELECT 1 FROM council_ballots WHERE id = ${cursor} AND item_id = ${itemId}`))
            .length === 0
        )
          return null
        const found = yield* ballots(sql`
          SELECT ${ballotColumns} ${ballotTable} WHERE b.item_id = ${itemId}
            ${cursor === null ? sql`` : sql`AND b.seq < (SELECT c.seq FROM council_ballots c WHERE c.id = ${cursor})`}
          ORDER BY b.seq DESC LIMIT ${limit + 1}`)
        return pageOf(found, limit)
      }),
      /** Items that are open, those that close soonest first. */
      listClosing: (limit: number) =>
        open(sql`
          SELECT id, title, ${iso("closes_at")} AS closes_at FROM council_items WHERE status IN ${sql.in(runningStatuses)} AND NOT hidden
          ORDER BY closes_at, id LIMIT ${Math.min(limit, loreRowsMax)}`)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}

export class Council extends Context.Service<
  Council,
  Pick<CouncilWriter["Service"], "ballots" | "listClosing" | "comments" | "findRecord" | "item" | "list">
>()("longwave/engine/store/Council") {
  static readonly layer = Layer.effect(this, CouncilWriter).pipe(Layer.provideMerge(CouncilWriter.layer))
}
