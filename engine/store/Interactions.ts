import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { AgentId, InteractionId, SegmentId } from "../../schema/Ids.ts"
import { Interaction, type NewInteraction } from "../../schema/Interaction.ts"

const decode = Schema.decodeUnknownEffect(Schema.Array(Interaction))

/** What listeners send in to be read, answered or played. */
export class Interactions extends Context.Service<Interactions, {
  readonly add: (interaction: NewInteraction) => Effect.Effect<void>
  readonly find: (id: string) => Effect.Effect<Interaction | null>
  /** One that may be answered by this agent: approved, and either sent to it or laid on its desk. */
  readonly answerable: (id: string, agentId: AgentId) => Effect.Effect<Interaction | null>
  /** Keeps it for an agent until an instant, once: asked again, the first instant stays. Null while somebody else has it. */
  readonly feature: (id: InteractionId, agentId: AgentId, atMs: number, untilMs: number) => Effect.Effect<Interaction | null>
  /** The segment that answers it; false when another agent has it or has answered. */
  readonly answer: (id: InteractionId, agentId: AgentId, segmentId: SegmentId, atMs: number) => Effect.Effect<boolean>
  /** What this segment answers has been answered on the air. Names what that is, once. */
  readonly aired: (segmentId: SegmentId) => Effect.Effect<ReadonlyArray<InteractionId>>
}>()("longwave/engine/store/Interactions") {
  static readonly layer = Layer.effect(Interactions, Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const at = (ms: number) => sql`to_timestamp(${ms}::float8 / 1000)`
    const columns = sql.literal(`i.id, i.type, i.content, i.visibility, i.moderation_status, i.flags, i.to_agent_id, i.to_show_slug, i.listener_id, i.listener_label, i.track_id,
      i.source, i.consent_version, i.featured_by, i.answered_by, i.segment_id,
      round(extract(epoch from i.created_at) * 1000)::float8 AS created_at_ms, round(extract(epoch from i.featured_until) * 1000)::float8 AS featured_until_ms`)
    const one = Effect.fnUntraced(function*(rows: Effect.Effect<ReadonlyArray<object>, unknown>) {
      return (yield* decode(yield* rows))[0] ?? null
    }, Effect.orDie)
    const free = (agentId: AgentId, atMs: number) => sql`
      i.moderation_status = 'approved' AND (i.answered_by IS NULL OR i.answered_by = ${agentId}) AND (i.featured_by IS NULL OR i.featured_by = ${agentId} OR i.featured_until <= ${at(atMs)})`
    return Interactions.of({
      add: (given) => Effect.orDie(Effect.asVoid(sql`
        INSERT INTO interactions (id, type, content, visibility, moderation_status, flags, to_agent_id, to_show_slug, listener_id, listener_label, track_id, source, consent_version, created_at)
        VALUES (${given.id}, ${given.type}, ${given.content}, ${given.visibility}, ${given.moderationStatus}, ${JSON.stringify(given.flags)}::text::jsonb, ${given.toAgentId}, ${given.toShowSlug},
          ${given.listenerId}, ${given.listenerLabel}, ${given.trackId}, ${given.source}, ${given.consentVersion}, ${at(given.createdAtMs)}) ON CONFLICT DO NOTHING`)),
      find: (id) => one(sql`SELECT ${columns} FROM interactions i WHERE i.id = ${id}`),
      answerable: (id, agentId) => one(sql`
        SELECT ${columns} FROM interactions i WHERE i.id = ${id} AND i.moderation_status = 'approved'
          AND (i.to_agent_id = ${agentId} OR EXISTS (SELECT 1 FROM inbox_items b WHERE b.agent_id = ${agentId} AND b.id = 'listener_msg:' || i.id))`),
      feature: (id, agentId, atMs, untilMs) => one(sql`
        UPDATE interactions i SET featured_by = ${agentId}, visibility = 'on_air',
          featured_until = CASE WHEN i.featured_by = ${agentId} AND i.featured_until > ${at(atMs)} THEN i.featured_until ELSE ${at(untilMs)} END
        WHERE i.id = ${id} AND ${free(agentId, atMs)} RETURNING ${columns}`),
      answer: (id, agentId, segmentId, atMs) => Effect.orDie(Effect.map(sql`
        UPDATE interactions i SET answered_by = ${agentId}, segment_id = ${segmentId}, visibility = 'on_air' WHERE i.id = ${id} AND ${free(agentId, atMs)} RETURNING i.id`,
        (rows) => rows.length === 1)),
      aired: (segmentId) => Effect.orDie(Effect.map(sql<{ id: InteractionId }>`
        UPDATE interactions SET moderation_status = 'aired' WHERE segment_id = ${segmentId} AND moderation_status = 'approved' RETURNING id`, (rows) => rows.map(({ id }) => id)))
    })
  }))
}
