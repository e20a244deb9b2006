import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import type { AgentId, BlockId, ShowId } from "../../schema/Ids.ts"
import { Show } from "../../schema/Show.ts"

/** A show that isn't there yet: the slug is given by the store, numbered where it is taken. */
export type NewShow = Omit<Show, "slug" | "hostHandle" | "visibility" | "createdAt"> & { readonly wantedSlug: string; readonly createdAtMs: number }

const decode = Schema.decodeUnknownEffect(Schema.Array(Show))

/** The shows of the station, whoever hosts them. */
export class Shows extends Context.Service<Shows, {
  readonly byId: (id: ShowId) => Effect.Effect<Show | null>
  readonly bySlug: (slug: string) => Effect.Effect<Show | null>
  /** Newest first. */
  readonly ofAgent: (agentId: AgentId) => Effect.Effect<ReadonlyArray<Show>>
  /** Newest first, of any host; null when the cursor is unknown. `open` leaves out what is retired and what lost its host. */
  readonly list: (ask: { readonly open: boolean; readonly limit: number; readonly cursor: string | null }) => Effect.Effect<{ readonly shows: ReadonlyArray<Show>; readonly next: string | null } | null>
  /** How many of an agent's are on the air, within the caller's transaction: until that ends nobody else counts them. */
  readonly activeOf: (agentId: AgentId) => Effect.Effect<number>
  /** Whether an agent has a part in a show that isn't its own: a seat in a session of it, or something in a plan of it. */
  readonly hasPart: (id: ShowId, agentId: AgentId) => Effect.Effect<boolean>
  /** The show in which each of these segments is or was heard: by itself, in a plan or as a panel. */
  readonly ofSegments: (segmentIds: ReadonlyArray<string>) => Effect.Effect<ReadonlyMap<string, { readonly slug: string; readonly title: string }>>
  /** Within the caller's transaction. */
  readonly add: (show: NewShow) => Effect.Effect<Show>
  readonly change: (id: ShowId, to: Partial<Pick<Show, "title" | "tagline" | "description" | "format" | "audience" | "genres" | "hostAgentId" | "status" | "reservedVoiceIds">>) => Effect.Effect<Show | null>
  readonly bind: (id: ShowId, blockId: BlockId | null) => Effect.Effect<void>
}>()("longwave/engine/store/Shows") {
  static readonly layer = Layer.effect(Shows, Effect.map(SqlClient.SqlClient, (sql) => {
    const read = (rest: Statement.Fragment) => Effect.orDie(Effect.flatMap(sql`
      SELECT s.id, s.slug, s.title, s.tagline, s.description, s.format, s.audience, s.genres, s.host_agent_id, a.handle AS host_handle, s.status, 'public' AS visibility,
        s.block_id, s.reserved_voice_ids, to_char(s.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS created_at
      FROM shows s JOIN agents a ON a.id = s.host_agent_id ${rest}`, decode))
    const one = (rest: Statement.Fragment) => Effect.map(read(rest), (rows) => rows[0] ?? null)
    const byId = (id: ShowId) => one(sql`WHERE s.id = ${id}`)
    return Shows.of({
      byId,
      bySlug: (slug) => one(sql`WHERE s.slug = ${slug}`),
      ofAgent: (agentId) => read(sql`WHERE s.host_agent_id = ${agentId} ORDER BY s.created_at DESC, s.id DESC`),
      list: Effect.fn("Shows.list")(function*({ cursor, limit, open }) {
        if (cursor !== null && (yield* sql`SELECT 1 FROM shows WHERE id = ${cursor}`).length === 0) return null
        const shows = yield* read(sql`WHERE ${sql.and([
          sql`true`,
          ...open ? [sql`s.status <> 'retired' AND a.deleted_at IS NULL`] : [],
          ...cursor === null ? [] : [sql`(s.created_at, s.id) < (SELECT c.created_at, c.id FROM shows c WHERE c.id = ${cursor})`]
        ])} ORDER BY s.created_at DESC, s.id DESC LIMIT ${limit + 1}`)
        return { shows: shows.slice(0, limit), next: shows.length > limit ? shows[limit - 1]!.id : null }
      }, Effect.orDie),
      activeOf: Effect.fn("Shows.activeOf")(function*(agentId) {
        yield* sql`SELECT pg_advisory_xact_lock(hashtext(${`shows-of:${agentId}`}))`
        return (yield* sql<{ n: number }>`SELECT count(*)::int AS n FROM shows WHERE host_agent_id = ${agentId} AND status = 'active'`)[0]!.n
      }, Effect.orDie),
      hasPart: (id, agentId) => Effect.orDie(Effect.map(sql<{ has: boolean }>`
        SELECT EXISTS (SELECT 1 FROM panel_sessions p JOIN panel_seats t ON t.session_id = p.id WHERE p.show_id = ${id} AND t.agent_id = ${agentId} AND p.status NOT IN ('expired', 'cancelled'))
          OR EXISTS (SELECT 1 FROM plans p CROSS JOIN LATERAL jsonb_array_elements(p.items) i JOIN segments g ON g.id = i->>'segmentId' LEFT JOIN panel_seats t ON t.session_id = g.session_id AND t.agent_id = ${agentId}
            WHERE p.agent_show_id = ${id} AND p.status NOT IN ('rejected', 'cancelled') AND (g.agent_id = ${agentId} OR t.agent_id IS NOT NULL)) AS has`, ([row]) => row!.has)),
      ofSegments: (segmentIds) => segmentIds.length === 0 ? Effect.succeed(new Map()) : Effect.orDie(Effect.map(sql<{ id: string; slug: string; title: string }>`
        SELECT g.id, s.slug, s.title FROM segments g LEFT JOIN plans p ON p.id = g.plan_id LEFT JOIN panel_sessions n ON n.id = g.session_id
        JOIN shows s ON s.id = coalesce(g.agent_show_id, p.agent_show_id, n.show_id) WHERE g.id IN ${sql.in(segmentIds)}`, (rows) => new Map(rows.map(({ id, slug, title }) => [id, { slug, title }])))),
      add: Effect.fn("Shows.add")(function*(show) {
        // One after the other: two shows of one title find different numbers.
        yield* sql`SELECT pg_advisory_xact_lock(hashtext(${`show:${show.wantedSlug}`}))`
        const taken = new Set((yield* sql<{ slug: string }>`SELECT slug FROM shows WHERE slug = ${show.wantedSlug} OR slug LIKE ${`${show.wantedSlug}-%`}`).map(({ slug }) => slug))
        let slug = show.wantedSlug
        for (let n = 2; taken.has(slug); n++) slug = `${show.wantedSlug}-${n}`
        yield* sql`
          INSERT INTO shows (id, slug, title, tagline, description, format, audience, genres, host_agent_id, status, block_id, reserved_voice_ids, created_at)
          VALUES (${show.id}, ${slug}, ${show.title}, ${show.tagline}, ${show.description}, ${show.format}, ${show.audience}, ${JSON.stringify(show.genres)}::text::jsonb,
            ${show.hostAgentId}, ${show.status}, ${show.blockId}, ${JSON.stringify(show.reservedVoiceIds)}::text::jsonb, to_timestamp(${show.createdAtMs}::float8 / 1000))`
        return (yield* byId(show.id))!
      }, Effect.orDie),
      change: Effect.fn("Shows.change")(function*(id, to) {
        const before = yield* byId(id)
        if (before === null) return null
        const show = { ...before, ...to }
        yield* sql`
          UPDATE shows SET title = ${show.title}, tagline = ${show.tagline}, description = ${show.description}, format = ${show.format}, audience = ${show.audience},
            genres = ${JSON.stringify(show.genres)}::text::jsonb, host_agent_id = ${show.hostAgentId}, status = ${show.status}, reserved_voice_ids = ${JSON.stringify(show.reservedVoiceIds)}::text::jsonb
          WHERE id = ${id}`
        return yield* byId(id)
      }, Effect.orDie),
      bind: (id, blockId) => Effect.orDie(Effect.asVoid(sql`UPDATE shows SET block_id = ${blockId} WHERE id = ${id}`))
    })
  }))
}
