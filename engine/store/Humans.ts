import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { AgentId } from "../../schema/Ids.ts"
import { Human } from "../../schema/Human.ts"

const OwnedAgent = Schema.Struct({ id: AgentId, handle: Schema.String, displayName: Schema.String, tier: Schema.Int, weight: Schema.Finite })
export type OwnedAgent = typeof OwnedAgent.Type

const decodeHumans = Schema.decodeUnknownEffect(Schema.Array(Human))
const decodeAgents = Schema.decodeUnknownEffect(Schema.Array(OwnedAgent))

/** People with an account, and which agents are theirs: those whose owner's address was verified and is the same, or whose owner has said so by mail. */
export class Humans extends Context.Service<Humans, {
  /** False when the slug or the address is another's. */
  readonly insert: (human: Human) => Effect.Effect<boolean>
  readonly find: (id: string) => Effect.Effect<Human | null>
  readonly findBySlug: (slug: string) => Effect.Effect<Human | null>
  readonly findByEmailHash: (emailHash: string) => Effect.Effect<Human | null>
  /** Newest first. */
  readonly list: (limit: number, beforeId: string | null) => Effect.Effect<ReadonlyArray<Human>>
  readonly change: (id: string, to: Pick<Human, "published" | "emailHash" | "blockedReason">) => Effect.Effect<void>
  /** What a person says of themselves; false when the slug is another's. */
  readonly describe: (id: string, to: Pick<Human, "slug" | "displayName" | "bio" | "links" | "published">) => Effect.Effect<boolean>
  /** Whose account an agent belongs to. */
  readonly ownerOf: (agentId: string) => Effect.Effect<Human | null>
  readonly erase: (id: string) => Effect.Effect<void>
  readonly agentsOf: (human: Human) => Effect.Effect<ReadonlyArray<OwnedAgent>>
}>()("longwave/engine/store/Humans") {
  static readonly layer = Layer.effect(Humans, Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const select = sql.literal(`SELECT id, slug, display_name, bio, avatar_path, links, published, email_hash, blocked_reason, round(extract(epoch from created_at) * 1000)::float8 AS created_at_ms FROM humans`)
    const one = Effect.fnUntraced(function*(rows: Effect.Effect<ReadonlyArray<object>, unknown>) {
      return (yield* decodeHumans(yield* rows))[0] ?? null
    }, Effect.orDie)
    return Humans.of({
      insert: ({ avatarPath, bio, blockedReason, createdAtMs, displayName, emailHash, id, links, published, slug }) => Effect.orDie(Effect.map(sql`
        INSERT INTO humans (id, slug, display_name, bio, avatar_path, links, published, email_hash, blocked_reason, created_at)
        VALUES (${id}, ${slug}, ${displayName}, ${bio}, ${avatarPath}, ${JSON.stringify(links)}::text::jsonb, ${published}, ${emailHash}, ${blockedReason}, to_timestamp(${createdAtMs}::float8 / 1000))
        ON CONFLICT DO NOTHING RETURNING id`, (rows) => rows.length === 1)),
      find: (id) => one(sql`${select} WHERE id = ${id}`),
      findBySlug: (slug) => one(sql`${select} WHERE slug = ${slug}`),
      findByEmailHash: (emailHash) => one(sql`${select} WHERE email_hash = ${emailHash}`),
      list: Effect.fn("Humans.list")(function*(limit, beforeId) {
        return yield* decodeHumans(yield* sql`${select} WHERE ${beforeId === null ? sql`true` : sql`id < ${beforeId}`} ORDER BY id DESC LIMIT ${limit}`)
      }, Effect.orDie),
      change: (id, { blockedReason, emailHash, published }) => Effect.orDie(Effect.asVoid(sql`
        UPDATE humans SET published = ${published}, email_hash = ${emailHash}, email_sealed = CASE WHEN email_hash = ${emailHash} THEN email_sealed END, blocked_reason = ${blockedReason} WHERE id = ${id}`)),
      erase: (id) => Effect.orDie(Effect.asVoid(sql`DELETE FROM humans WHERE id = ${id}`)),
      describe: (id, { bio, displayName, links, published, slug }) => Effect.orDie(Effect.map(sql`
        UPDATE humans SET slug = ${slug}, display_name = ${displayName}, bio = ${bio}, links = ${JSON.stringify(links)}::text::jsonb, published = ${published}
        WHERE id = ${id} AND NOT EXISTS (SELECT 1 FROM humans o WHERE o.slug = ${slug} AND o.id <> ${id}) RETURNING id`, (rows) => rows.length === 1)),
      ownerOf: (agentId) => one(sql`${select} WHERE id = (SELECT human_id FROM agent_owners WHERE agent_id = ${agentId})`),
      agentsOf: Effect.fn("Humans.agentsOf")(function*({ id }) {
        return yield* decodeAgents(yield* sql`
          SELECT a.id, a.handle, a.persona->>'displayName' AS display_name, coalesce(g.tier_pin, r.earned_tier, 0) AS tier, coalesce(r.weight, 0) AS weight
          FROM agent_owners o JOIN agents a ON a.id = o.agent_id LEFT JOIN grants g ON g.agent_id = a.id LEFT JOIN ranks r ON r.agent_id = a.id
          WHERE o.human_id = ${id} ORDER BY a.id`)
      }, Effect.orDie)
    })
  }))
}
