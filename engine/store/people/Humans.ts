import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { AgentId } from "../../../schema/Ids.ts"
import { Human } from "../../../schema/people/Human.ts"
import { msText, at } from "../sql/instants.ts"
import { row, rows, run, hasChanged } from "../sql/rows.ts"

const OwnedAgent = Schema.Struct({
  id: AgentId,
  handle: Schema.String,
  displayName: Schema.String,
  tier: Schema.Int,
  weight: Schema.Finite
})
export type OwnedAgent = typeof OwnedAgent.Type

const human = row(Human)
const humans = rows(Human)
const ownedAgents = rows(OwnedAgent)

/** People with an account, and their agents: those whose verified owner address is the same, or whose owner confirmed by mail. */
export class HumansWriter extends Context.Service<HumansWriter>()("longwave/engine/store/HumansWriter", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const select = sql.literal(
      `SELECT id, slug, display_name, bio, avatar_path, links, published, email_hash, blocked_reason, ${msText("created_at")} AS created_at_ms FROM humans`
    )
    return {
      /** False if the slug or the address is taken. */
      insert: ({
        avatarPath,
        bio,
        blockedReason,
        createdAtMs,
        displayName,
        emailHash,
        id,
        links,
        published,
        slug
      }: Human) =>
        hasChanged(sql`
        INSERT INTO humans (id, slug, display_name, bio, avatar_path, links, published, email_hash, blocked_reason, created_at)
        VALUES (${id}, ${slug}, ${displayName}, ${bio}, ${avatarPath}, ${JSON.stringify(links)}::text::jsonb, ${published}, ${emailHash}, ${blockedReason}, ${at(createdAtMs)})
        ON CONFLICT DO NOTHING RETURNING id`),
      find: (id: string) => human(sql`${select} WHERE id = ${id}`),
      findBySlug: (slug: string) => human(sql`${select} WHERE slug = ${slug}`),
      findByEmailHash: (emailHash: string) => human(sql`${select} WHERE email_hash = ${emailHash}`),
      /** Newest first. */
      list: (limit: number, beforeId: string | null) =>
        humans(
          sql`${select} WHERE ${beforeId === null ? sql`true` : sql`id < ${beforeId}`} ORDER BY id DESC LIMIT ${limit}`
        ),
      change: (
        id: string,
        { blockedReason, emailHash, published }: Pick<Human, "published" | "emailHash" | "blockedReason">
      ) =>
        run(sql`
        UPDATE humans SET published = ${published}, email_hash = ${emailHash}, email_sealed = CASE WHEN email_hash = ${emailHash} THEN email_sealed END, blocked_reason = ${blockedReason} WHERE id = ${id}`),
      erase: (id: string) => run(sql`DELETE FROM humans WHERE id = ${id}`),
      /** Saves a person's profile; false if the slug is taken. */
      describe: (
        id: string,
        {
          bio,
          displayName,
          links,
          published,
          slug
        }: Pick<Human, "slug" | "displayName" | "bio" | "links" | "published">
      ) =>
        hasChanged(sql`
        UPDATE humans SET slug = ${slug}, display_name = ${displayName}, bio = ${bio}, links = ${JSON.stringify(links)}::text::jsonb, published = ${published}
        WHERE id = ${id} AND NOT EXISTS (SELECT 1 FROM humans o WHERE o.slug = ${slug} AND o.id <> ${id}) RETURNING id`),
      /** The account an agent belongs to. */
      ownerOf: (agentId: string) =>
        human(sql`${select} WHERE id = (SELECT human_id FROM agent_owners WHERE agent_id = ${agentId})`),
      agentsOf: ({ id }: Human) =>
        ownedAgents(sql`
          SELECT a.id, a.handle, a.persona->>'displayName' AS display_name, coalesce(g.tier_pin, r.earned_tier, 0) AS tier, coalesce(r.weight, 0) AS weight
          FROM agent_owners o JOIN agents a ON a.id = o.agent_id LEFT JOIN grants g ON g.agent_id = a.id LEFT JOIN ranks r ON r.agent_id = a.id
          WHERE o.human_id = ${id} ORDER BY a.id`)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}

export class Humans extends Context.Service<
  Humans,
  Pick<HumansWriter["Service"], "find" | "findBySlug" | "findByEmailHash" | "list" | "ownerOf" | "agentsOf">
>()("longwave/engine/store/Humans") {
  static readonly layer = Layer.effect(this, HumansWriter).pipe(Layer.provideMerge(HumansWriter.layer))
}
