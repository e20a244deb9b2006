import { Context, Effect, Layer, Schema, Struct } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { AgentId, type BlockId, SegmentId, type ShowId } from "../../../schema/Ids.ts"
import { Show } from "../../../schema/programmes/Show.ts"
import { at } from "../sql/instants.ts"
import { onlyRow, row, rows, run } from "../sql/rows.ts"

const hosts = row(Schema.Struct({ hostAgentId: AgentId }))

/** The recipient of listeners' messages to a show: its host. */
export class ShowDesks extends Context.Service<ShowDesks>()("longwave/engine/store/ShowDesks", {
  make: Effect.map(SqlClient.SqlClient, (sql) => ({
    /** Null if there is no such show or its host has left. */
    host: (slug: string) =>
      Effect.map(
        hosts(sql`
      SELECT s.host_agent_id FROM shows s JOIN agents a ON a.id = s.host_agent_id WHERE s.slug = ${slug} AND s.status <> 'retired' AND a.deleted_at IS NULL`),
        (found) => found?.hostAgentId ?? null
      )
  }))
}) {
  static readonly layer = Layer.effect(this, this.make)
}

/** A new show. The store derives its slug, with a number if it is taken. */
export type NewShow = Omit<Show, "slug" | "hostHandle" | "visibility" | "createdAt"> & {
  readonly wantedSlug: string
  readonly createdAtMs: number
}
const shows = rows(Show)
const show = row(Show)
const activeCount = row(Schema.Struct({ n: Schema.Int }))
const participation = onlyRow(Schema.Struct({ has: Schema.Boolean }))
const showsOfSegments = rows(Schema.Struct({ id: SegmentId, ...Struct.pick(Show.fields, ["slug", "title"]) }))
const slugs = rows(Schema.Struct({ slug: Schema.String }))
/** Shows of all hosts. */
export class ShowsWriter extends Context.Service<ShowsWriter>()("longwave/engine/store/ShowsWriter", {
  make: Effect.map(SqlClient.SqlClient, (sql) => {
    const select = (rest: Statement.Fragment) => sql`
      SELECT s.id, s.slug, s.title, s.tagline, s.description, s.format, s.audience, s.genres, s.host_agent_id, a.handle AS host_handle, s.status, 'public' AS visibility,
        s.block_id, s.reserved_voice_ids, to_char(s.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS created_at
      FROM shows s JOIN agents a ON a.id = s.host_agent_id ${rest}`
    const findById = (id: ShowId) => show(select(sql`WHERE s.id = ${id}`))
    return {
      findById,
      findBySlug: (slug: string) => show(select(sql`WHERE s.slug = ${slug}`)),
      /** Newest first. */
      listByAgent: (agentId: AgentId) =>
        shows(select(sql`WHERE s.host_agent_id = ${agentId} ORDER BY s.created_at DESC, s.id DESC`)),
      /** Newest first, of any host; null if the cursor is unknown. `open` leaves out retired shows and those without a host. */
      list: Effect.fnUntraced(function* ({
        cursor,
        limit,
        open
      }: {
        readonly open: boolean
        readonly limit: number
        readonly cursor: string | null
      }) {
        if (cursor !== null && (yield* sql`SELECT 1 FROM shows WHERE id = ${cursor}`).length === 0) return null
        const found = yield* shows(
          select(
            sql`WHERE ${sql.and([
              sql`true`,
              ...(open ? [sql`s.status <> 'retired' AND a.deleted_at IS NULL`] : []),
              ...(cursor === null
                ? []
                : [sql`(s.created_at, s.id) < (SELECT c.created_at, c.id FROM shows c WHERE c.id = ${cursor})`])
            ])} ORDER BY s.created_at DESC, s.id DESC LIMIT ${limit + 1}`
          )
        )
        return { shows: found.slice(0, limit), next: found.length > limit ? found[limit - 1]!.id : null }
      }, Effect.orDie),
      /** Number of an agent's active shows, locked until the caller's transaction ends. */
      activeOf: Effect.fnUntraced(function* (agentId: AgentId) {
        yield* run(sql`SELECT pg_advisory_xact_lock(hashtext(${`shows-of:${agentId}`}))`)
        const active = yield* activeCount(
          sql`SELECT count(*)::int AS n FROM shows WHERE host_agent_id = ${agentId} AND status = 'active'`
        )
        return active!.n
      }),
      /** Whether an agent takes part in another agent's show: with a seat in a session or an item of a plan. */
      hasPart: (id: ShowId, agentId: AgentId) =>
        Effect.map(
          participation(sql`
        SELECT EXISTS (SELECT 1 FROM panel_sessions p JOIN panel_seats t ON t.session_id = p.id WHERE p.show_id = ${id} AND t.agent_id = ${agentId} AND p.status NOT IN ('expired', 'cancelled'))
          OR EXISTS (SELECT 1 FROM plans p CROSS JOIN LATERAL jsonb_array_elements(p.items) i JOIN segments g ON g.id = i->>'segmentId' LEFT JOIN panel_seats t ON t.session_id = g.session_id AND t.agent_id = ${agentId}
            WHERE p.agent_show_id = ${id} AND p.status NOT IN ('rejected', 'cancelled') AND (g.agent_id = ${agentId} OR t.agent_id IS NOT NULL)) AS has`),
          (found) => found.has
        ),
      /** The show of each segment: of its own, its plan's or its panel's. */
      findBySegments: (segmentIds: ReadonlyArray<string>) =>
        segmentIds.length === 0
          ? Effect.succeed(new Map())
          : Effect.map(
              showsOfSegments(sql`
        SELECT g.id, s.slug, s.title FROM segments g LEFT JOIN plans p ON p.id = g.plan_id LEFT JOIN panel_sessions n ON n.id = g.session_id
        JOIN shows s ON s.id = coalesce(g.agent_show_id, p.agent_show_id, n.show_id) WHERE g.id IN ${sql.in(segmentIds)}`),
              (found) => new Map(found.map(({ id, slug, title }) => [id, { slug, title }]))
            ),
      /** Within the caller's transaction. */
      add: Effect.fnUntraced(function* (show: NewShow) {
        // Serialized by slug, so that two shows of one title get different numbers.
        yield* sql`SELECT pg_advisory_xact_lock(hashtext(${`show:${show.wantedSlug}`}))`
        const alike = yield* slugs(
          sql`SELECT slug FROM shows WHERE slug = ${show.wantedSlug} OR slug LIKE ${`${show.wantedSlug}-%`}`
        )
        const taken = new Set(alike.map(({ slug }) => slug))
        let slug = show.wantedSlug
        for (let n = 2; taken.has(slug); n++) slug = `${show.wantedSlug}-${n}`
        yield* sql`
          INSERT INTO shows (id, slug, title, tagline, description, format, audience, genres, host_agent_id, status, block_id, reserved_voice_ids, created_at)
          VALUES (${show.id}, ${slug}, ${show.title}, ${show.tagline}, ${show.description}, ${show.format}, ${show.audience}, ${JSON.stringify(show.genres)}::text::jsonb,
            ${show.hostAgentId}, ${show.status}, ${show.blockId}, ${JSON.stringify(show.reservedVoiceIds)}::text::jsonb, ${at(show.createdAtMs)})`
        return (yield* findById(show.id))!
      }, Effect.orDie),
      change: Effect.fnUntraced(function* (
        id: ShowId,
        to: Partial<
          Pick<
            Show,
            | "title"
            | "tagline"
            | "description"
            | "format"
            | "audience"
            | "genres"
            | "hostAgentId"
            | "status"
            | "reservedVoiceIds"
          >
        >
      ) {
        const before = yield* findById(id)
        if (before === null) return null
        const show = { ...before, ...to }
        yield* sql`
          UPDATE shows SET title = ${show.title}, tagline = ${show.tagline}, description = ${show.description}, format = ${show.format}, audience = ${show.audience},
            genres = ${JSON.stringify(show.genres)}::text::jsonb, host_agent_id = ${show.hostAgentId}, status = ${show.status}, reserved_voice_ids = ${JSON.stringify(show.reservedVoiceIds)}::text::jsonb
          WHERE id = ${id}`
        return yield* findById(id)
      }, Effect.orDie),
      bind: (id: ShowId, blockId: BlockId | null) => run(sql`UPDATE shows SET block_id = ${blockId} WHERE id = ${id}`)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}

export class Shows extends Context.Service<
  Shows,
  Pick<ShowsWriter["Service"], "findById" | "findBySlug" | "listByAgent" | "list" | "hasPart" | "findBySegments">
>()("longwave/engine/store/Shows") {
  static readonly layer = Layer.effect(this, ShowsWriter).pipe(Layer.provideMerge(ShowsWriter.layer))
}
