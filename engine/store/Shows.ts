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
  /** Newest first; null for every host. */
  readonly list: (limit: number) => Effect.Effect<ReadonlyArray<Show>>
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
      list: (limit) => read(sql`ORDER BY s.created_at DESC, s.id DESC LIMIT ${limit}`),
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
