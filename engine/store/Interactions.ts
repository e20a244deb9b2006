import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { AgentId, InteractionId, SegmentId } from "../../schema/Ids.ts"
import { aListener, Interaction, type NewInteraction } from "../../schema/Interaction.ts"

const decode = Schema.decodeUnknownEffect(Schema.Array(Interaction))

/** What listeners send in to be read, answered or played. */
export class Interactions extends Context.Service<Interactions, {
  readonly add: (interaction: NewInteraction) => Effect.Effect<void>
  readonly find: (id: string) => Effect.Effect<Interaction | null>
  readonly byCommand: (commandKey: string) => Effect.Effect<Interaction | null>
  /** Newest first; null when the cursor is none of them. */
  readonly list: (ask: { readonly types: ReadonlyArray<Interaction["type"]>; readonly statuses: ReadonlyArray<Interaction["moderationStatus"]>; readonly limit: number; readonly cursor: string | null }) =>
    Effect.Effect<{ readonly records: ReadonlyArray<Interaction>; readonly next: string | null } | null>
  /** False when it stands elsewhere by now. */
  readonly move: (id: InteractionId, from: Interaction["moderationStatus"], to: Pick<Interaction, "moderationStatus" | "visibility">) => Effect.Effect<boolean>
  /** What was said in a call, as somebody wrote it down. */
  readonly write: (id: InteractionId, words: Pick<Interaction, "content" | "flags">) => Effect.Effect<void>
  /** One that may be answered by this agent: approved, and either sent to it or laid on its desk. */
  readonly answerable: (id: string, agentId: AgentId) => Effect.Effect<Interaction | null>
  /** Keeps it for an agent until an instant, once: asked again, the first instant stays. Null while somebody else has it. */
  readonly feature: (id: InteractionId, agentId: AgentId, atMs: number, untilMs: number) => Effect.Effect<Interaction | null>
  /** The segment that answers it; false when another agent has it or has answered. */
  readonly answer: (id: InteractionId, agentId: AgentId, segmentId: SegmentId, atMs: number) => Effect.Effect<boolean>
  /** What this segment answers has been answered on the air. Names what that is, once. */
  readonly aired: (segmentId: SegmentId) => Effect.Effect<ReadonlyArray<InteractionId>>
  /** Of these types what never aired and is older, at most `limit`. What is being heard is let be. */
  readonly stale: (types: ReadonlyArray<Interaction["type"]>, beforeMs: number, limit: number) => Effect.Effect<ReadonlyArray<InteractionId>>
  /** Gone for good, with what belongs to them. */
  readonly remove: (ids: ReadonlyArray<InteractionId>) => Effect.Effect<void>
  /** All that an account has sent, oldest first. */
  readonly ofHuman: (humanId: string) => Effect.Effect<ReadonlyArray<Interaction>>
  /** What has aired of a person who is erased stays, and is of 'a listener' from then on. */
  readonly disown: (humanId: string) => Effect.Effect<void>
}>()("longwave/engine/store/Interactions") {
  static readonly layer = Layer.effect(Interactions, Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const at = (ms: number) => sql`to_timestamp(${ms}::float8 / 1000)`
    const columns = sql.literal(`i.id, i.type, i.content, i.visibility, i.moderation_status, i.flags, i.to_agent_id, i.to_show_slug, i.listener_id, i.human_id, i.listener_label, i.track_id,
      i.source, i.consent_version, i.featured_by, i.answered_by, i.segment_id,
      round(extract(epoch from i.created_at) * 1000)::float8 AS created_at_ms, round(extract(epoch from i.featured_until) * 1000)::float8 AS featured_until_ms`)
    const all = Effect.fnUntraced(function*(rows: Effect.Effect<ReadonlyArray<object>, unknown>) {
      return yield* decode(yield* rows)
    }, Effect.orDie)
    const one = (rows: Effect.Effect<ReadonlyArray<object>, unknown>) => Effect.map(all(rows), ([first]) => first ?? null)
    const free = (agentId: AgentId, atMs: number) => sql`
      i.moderation_status = 'approved' AND (i.answered_by IS NULL OR i.answered_by = ${agentId}) AND (i.featured_by IS NULL OR i.featured_by = ${agentId} OR i.featured_until <= ${at(atMs)})`
    const find = (id: string) => one(sql`SELECT ${columns} FROM interactions i WHERE i.id = ${id}`)
    return Interactions.of({
      add: (given) => Effect.orDie(Effect.asVoid(sql`
        INSERT INTO interactions (id, type, content, visibility, moderation_status, flags, to_agent_id, to_show_slug, listener_id, human_id, listener_label, track_id, source, consent_version, command_key, created_at)
        VALUES (${given.id}, ${given.type}, ${given.content}, ${given.visibility}, ${given.moderationStatus}, ${JSON.stringify(given.flags)}::text::jsonb, ${given.toAgentId}, ${given.toShowSlug},
          ${given.listenerId}, ${given.humanId ?? null}, ${given.listenerLabel}, ${given.trackId}, ${given.source}, ${given.consentVersion}, ${given.commandKey ?? null}, ${at(given.createdAtMs)}) ON CONFLICT DO NOTHING`)),
      find,
      byCommand: (commandKey) => one(sql`SELECT ${columns} FROM interactions i WHERE i.command_key = ${commandKey}`),
      list: Effect.fn("Interactions.list")(function*({ cursor, limit, statuses, types }) {
        const after = cursor === null ? null : yield* find(cursor)
        if (cursor !== null && after === null) return null
        const rows = yield* all(sql`
          SELECT ${columns} FROM interactions i WHERE ${sql.in("i.type", types)} AND ${sql.in("i.moderation_status", statuses)}
            AND ${after === null ? sql`true` : sql`(i.created_at, i.id) < (${at(after.createdAtMs)}, ${after.id})`}
          ORDER BY i.created_at DESC, i.id DESC LIMIT ${limit + 1}`)
        const records = rows.slice(0, limit)
        return { records, next: rows.length > limit ? records[records.length - 1]!.id : null }
      }),
      move: (id, from, to) => Effect.orDie(Effect.map(sql`
        UPDATE interactions SET moderation_status = ${to.moderationStatus}, visibility = ${to.visibility} WHERE id = ${id} AND moderation_status = ${from} RETURNING id`, (rows) => rows.length === 1)),
      write: (id, { content, flags }) => Effect.orDie(Effect.asVoid(sql`UPDATE interactions SET content = ${content}, flags = ${JSON.stringify(flags)}::text::jsonb WHERE id = ${id}`)),
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
        UPDATE interactions SET moderation_status = 'aired' WHERE segment_id = ${segmentId} AND moderation_status = 'approved' RETURNING id`, (rows) => rows.map(({ id }) => id))),
      stale: (types, beforeMs, limit) => Effect.orDie(Effect.map(sql<{ id: InteractionId }>`
        SELECT i.id FROM interactions i WHERE ${sql.in("i.type", types)} AND i.moderation_status <> 'aired' AND i.created_at < ${at(beforeMs)}
          AND NOT EXISTS (SELECT 1 FROM call_ins c WHERE c.interaction_id = i.id AND c.air_status = 'airing')
        ORDER BY i.created_at LIMIT ${limit}`, (rows) => rows.map(({ id }) => id))),
      remove: (ids) => ids.length === 0 ? Effect.void : Effect.orDie(Effect.asVoid(sql`DELETE FROM interactions WHERE id IN ${sql.in(ids)}`)),
      ofHuman: (humanId) => all(sql`SELECT ${columns} FROM interactions i WHERE i.human_id = ${humanId} ORDER BY i.created_at, i.id`),
      disown: (humanId) => Effect.orDie(Effect.asVoid(sql`UPDATE interactions SET human_id = NULL, listener_id = NULL, listener_label = ${aListener} WHERE human_id = ${humanId} AND moderation_status = 'aired'`))
    })
  }))
}
