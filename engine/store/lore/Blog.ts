import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { AgentId, BlogId } from "../../../schema/Ids.ts"
import { type BlogDraft, BlogRecord, type BlogStatus } from "../../../schema/lore/Blog.ts"
import { pageOf, type Paging } from "../sql/page.ts"
import { at, ms } from "../sql/instants.ts"
import { onlyRow, row, rows, run, hasChanged } from "../sql/rows.ts"

const entry = row(BlogRecord)
const entries = rows(BlogRecord)
const isTaken = onlyRow(Schema.Struct({ taken: Schema.Boolean }))

export interface NewBlogEntry extends BlogDraft {
  readonly id: BlogId
  readonly agentId: AgentId
  /** The draft's name for ever; null for a draft without one. */
  readonly commandKey: string | null
  readonly contentSha256: string
}
export interface BlogFilter extends Paging {
  readonly tag: string | null
}

/** The blog: drafts in review and published entries; those of a list have no body. Entries of agents that left aren't public. */
export class BlogWriter extends Context.Service<BlogWriter>()("longwave/engine/store/BlogWriter", {
  make: Effect.map(SqlClient.SqlClient, (sql) => {
    const json = (value: unknown) => sql`${JSON.stringify(value)}::text::jsonb`
    // A list carries no texts: a page of it would have some MB.
    const chosen = (body: "b.body_markdown" | "''") => sql`
      SELECT b.id, b.agent_id, b.title, b.summary, ${sql.literal(body)} AS body_markdown, b.tags, b.cover_url, b.sources, b.content_sha256, b.status, b.review_note, b.slug,
        ${ms("b.created_at")} AS created_at_ms, ${ms("b.published_at")} AS published_at_ms, a.handle, a.persona->>'displayName' AS display_name
      FROM blog_entries b JOIN agents a ON a.id = b.agent_id`
    const [select, listed] = [chosen("b.body_markdown"), chosen("''")]
    const isPublic = sql`b.status = 'published' AND b.slug IS NOT NULL AND a.deleted_at IS NULL`
    return {
      add: (added: NewBlogEntry, atMs: number) =>
        run(sql`
          INSERT INTO blog_entries (id, agent_id, command_key, content_sha256, title, summary, body_markdown, tags, cover_url, sources, status, created_at)
          VALUES (${added.id}, ${added.agentId}, ${added.commandKey}, ${added.contentSha256}, ${added.title}, ${added.summary}, ${added.bodyMarkdown},
            ${json(added.tags)}, ${added.coverUrl}, ${json(added.sources)}, 'in_review', ${at(atMs)})`),
      find: (id: string) => entry(sql`${select} WHERE b.id = ${id}`),
      /** The agent's draft of this name. */
      named: (agentId: AgentId, commandKey: string) =>
        entry(sql`${select} WHERE b.agent_id = ${agentId} AND b.command_key = ${commandKey}`),
      /** An agent's drafts and entries, newest first. Null for an unknown cursor. */
      listByAgent: Effect.fnUntraced(function* (agentId: AgentId, { cursor, limit }: Paging) {
        const after = cursor === null ? null : yield* entry(sql`${select} WHERE b.id = ${cursor}`)
        if (cursor !== null && after?.agentId !== agentId) return null
        const found = yield* entries(
          sql`${listed} WHERE ${sql.and([
            sql`b.agent_id = ${agentId}`,
            ...(after === null ? [] : [sql`(b.created_at, b.id) < (${at(after.createdAtMs)}, ${after.id})`])
          ])} ORDER BY b.created_at DESC, b.id DESC LIMIT ${limit + 1}`
        )
        return pageOf(found, limit)
      }),
      /** Published entries, newest first; the cursor is the slug of the previous page's last. Null for an unknown cursor. */
      listPublished: Effect.fnUntraced(function* ({ cursor, limit, tag }: BlogFilter) {
        const after = cursor === null ? null : yield* entry(sql`${select} WHERE b.slug = ${cursor}`)
        if (cursor !== null && after?.publishedAtMs == null) return null
        const found = yield* entries(
          sql`${listed} WHERE ${sql.and([
            isPublic,
            ...(tag === null ? [] : [sql`b.tags @> ${json([tag])}`]),
            ...(after === null ? [] : [sql`(b.published_at, b.id) < (${at(after.publishedAtMs)}, ${after.id})`])
          ])} ORDER BY b.published_at DESC, b.id DESC LIMIT ${limit + 1}`
        )
        const { records } = pageOf(found, limit)
        return { records, next: found.length > limit ? records[records.length - 1]!.slug : null }
      }),
      findPublished: (slug: string) => entry(sql`${select} WHERE b.slug = ${slug} AND ${isPublic}`),
      /** Whether an entry has or had this slug. */
      isSlugTaken: (slug: string) =>
        Effect.map(
          isTaken(sql`SELECT EXISTS (SELECT FROM blog_entries WHERE slug = ${slug}) AS taken`),
          ({ taken }) => taken
        ),
      /** Moves an entry. False if it isn't in the state `from`. `findPublished` is the slug and the time of its first publication. */
      move: (
        id: BlogId,
        from: BlogStatus,
        to: { readonly status: BlogStatus; readonly note: string | null },
        publishedAs: { readonly slug: string; readonly atMs: number } | null
      ) =>
        hasChanged(sql`
          UPDATE blog_entries SET status = ${to.status}, review_note = ${to.note}, slug = coalesce(slug, ${publishedAs?.slug ?? null}),
            published_at = coalesce(published_at, ${at(publishedAs?.atMs ?? null)})
          WHERE id = ${id} AND status = ${from} RETURNING id`)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}

export class Blog extends Context.Service<
  Blog,
  Pick<BlogWriter["Service"], "find" | "listByAgent" | "listPublished" | "findPublished">
>()("longwave/engine/store/Blog") {
  static readonly layer = Layer.effect(this, BlogWriter).pipe(Layer.provideMerge(BlogWriter.layer))
}
