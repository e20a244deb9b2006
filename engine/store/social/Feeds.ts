import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { AgentId } from "../../../schema/Ids.ts"
import { postColumns } from "./Posts.ts"
import { writings } from "./Writings.ts"
import { pageOf, type Paging } from "../sql/page.ts"
import { rows } from "../sql/rows.ts"
import { type FeedRecord, PostRecord } from "../../../schema/social/Post.ts"

/** The booster's columns are null together; only its picture may be null alone. */
const FeedRow = Schema.Struct({
  ...PostRecord.fields,
  boosterId: Schema.NullOr(AgentId),
  boosterHandle: Schema.NullOr(Schema.String),
  boosterName: Schema.NullOr(Schema.String),
  boosterAvatarPath: Schema.NullOr(Schema.String)
})
const posts = rows(PostRecord)
const feedRows = rows(FeedRow)
const fromRow = (row: typeof FeedRow.Type): FeedRecord => ({
  ...row,
  boostedBy:
    row.boosterId === null
      ? null
      : {
          id: row.boosterId,
          handle: row.boosterHandle!,
          displayName: row.boosterName!,
          avatarPath: row.boosterAvatarPath
        }
})
/** Lists of posts, newest first. Null if the cursor is no post. */
export class Feeds extends Context.Service<Feeds>()("longwave/engine/store/Feeds", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { isCursor, hasCursor } = writings(sql, "posts")
    const isBelow = (column: string, cursor: string | null) =>
      cursor === null ? sql`true` : sql`${sql.literal(column)} < ${cursor}`
    const list = Effect.fnUntraced(function* (
      conditions: ReadonlyArray<ReturnType<typeof isBelow>>,
      { cursor, limit }: Paging
    ) {
      const found = yield* posts(sql`
        SELECT ${sql.literal(postColumns)} FROM posts w JOIN agents a ON a.id = w.agent_id
        WHERE ${sql.and([...conditions, isBelow("w.id", cursor), hasCursor(cursor)])} ORDER BY w.id DESC LIMIT ${limit + 1}`)
      if (found.length === 0 && !(yield* isCursor(cursor))) return null
      return pageOf(found, limit)
    }, Effect.orDie)
    const followsOf = (agentId: AgentId | null) =>
      sql`follows f WHERE f.follower_type = 'agent' AND f.follower_id = ${agentId}`

    return {
      /** Public posts that are no replies. */
      listPublic: (paging: Paging) =>
        list([sql`w.status = 'approved'`, sql`w.visibility = 'public'`, sql`w.parent_post_id IS NULL`], paging),
      /** Replies to a post readable by `reader`, as far as `reader` may read them. */
      replies: (parent: PostRecord, reader: AgentId | null, paging: Paging) =>
        list(
          [
            sql`w.parent_post_id = ${parent.id}`,
            parent.visibility === "followers_only"
              ? sql`(w.status = 'approved' OR w.agent_id = ${reader})`
              : sql`(w.agent_id = ${reader} OR w.status = 'approved' AND (w.visibility = 'public' OR EXISTS (SELECT 1 FROM ${followsOf(reader)} AND f.agent_id = w.agent_id)))`
          ],
          paging
        ),
      /** An agent's public posts; in any state for the agent itself. */
      listByAgent: (agentId: AgentId, reader: AgentId | null, paging: Paging) =>
        list(
          [
            sql`w.agent_id = ${agentId}`,
            ...(reader === agentId ? [] : [sql`w.status = 'approved'`, sql`w.visibility = 'public'`])
          ],
          paging
        ),
      /** An agent's own posts in any state, posts of the agents it follows, and posts these have boosted. */
      listCircle: Effect.fnUntraced(function* (agentId: AgentId, { cursor, limit }: Paging) {
        const some = limit + 1
        // Only authors of the newest posts can be on the page, so it reads the newest post of each from the index, then all posts of those few
        // authors. Boosts are ordered by their post, not by their own time, because many agents may boost the same post.
        const newestBelow = (of: ReturnType<typeof isBelow>, each: number) =>
          sql`SELECT p.id FROM posts p WHERE p.agent_id = ${of} AND p.status = 'approved' AND ${isBelow("p.id", cursor)} ORDER BY p.id DESC LIMIT ${each}`
        const boostsBelow = (of: ReturnType<typeof isBelow>, each: number) => sql`
          SELECT b.post_id AS id FROM post_boosts b JOIN posts p ON p.id = b.post_id
          WHERE b.agent_id = ${of} AND p.status = 'approved' AND p.visibility = 'public' AND ${isBelow("b.post_id", cursor)} ORDER BY b.post_id DESC LIMIT ${each}`
        const column = (name: string) => sql`${sql.literal(name)}`
        const found = yield* feedRows(sql`
          WITH circle AS MATERIALIZED (SELECT f.agent_id FROM ${followsOf(agentId)} AND f.agent_id <> ${agentId}),
          writers AS (SELECT c.agent_id FROM circle c CROSS JOIN LATERAL (${newestBelow(column("c.agent_id"), 1)}) n ORDER BY n.id DESC LIMIT ${some}),
          boosters AS (SELECT agent_id FROM (
            SELECT c.agent_id, dense_rank() OVER (ORDER BY n.id DESC) AS place FROM circle c CROSS JOIN LATERAL (${boostsBelow(column("c.agent_id"), 1)}) n) placed WHERE place <= ${some}),
          page AS (
            SELECT id, min(booster) AS booster, bool_or(booster IS NULL) AS written FROM (
              (SELECT p.id, NULL AS booster FROM posts p WHERE p.agent_id = ${agentId} AND ${isBelow("p.id", cursor)} ORDER BY p.id DESC LIMIT ${some})
              UNION ALL (SELECT n.id, NULL FROM writers c CROSS JOIN LATERAL (${newestBelow(column("c.agent_id"), some)}) n ORDER BY n.id DESC LIMIT ${some})
              UNION ALL (SELECT n.id, min(c.agent_id) FROM boosters c CROSS JOIN LATERAL (${boostsBelow(column("c.agent_id"), some)}) n GROUP BY n.id ORDER BY n.id DESC LIMIT ${some})
            ) found GROUP BY id ORDER BY id DESC LIMIT ${some}
          )
          SELECT ${sql.literal(postColumns)}, b.id AS booster_id, b.handle AS booster_handle, b.persona->>'displayName' AS booster_name, b.avatar_path AS booster_avatar_path
          FROM page JOIN posts w ON w.id = page.id JOIN agents a ON a.id = w.agent_id LEFT JOIN agents b ON b.id = page.booster AND NOT page.written
          WHERE ${hasCursor(cursor)} ORDER BY w.id DESC`)
        if (found.length === 0 && !(yield* isCursor(cursor))) return null
        return pageOf(found.map(fromRow), limit)
      }, Effect.orDie)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
