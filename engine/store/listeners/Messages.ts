import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { type AgentId, InteractionId, type SegmentId } from "../../../schema/Ids.ts"
import { aListener, Interaction, type NewInteraction } from "../../../schema/listeners/Message.ts"
import { at, msText } from "../sql/instants.ts"
import { row, rows, run, hasChanged } from "../sql/rows.ts"

const interaction = row(Interaction)
const interactions = rows(Interaction)
const interactionIds = rows(Schema.Struct({ id: InteractionId }))
const ids = (found: ReadonlyArray<{ readonly id: InteractionId }>) => found.map(({ id }) => id)

/** Messages and calls of listeners. */
export class InteractionsWriter extends Context.Service<InteractionsWriter>()(
  "longwave/engine/store/InteractionsWriter",
  {
    make: Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const columns =
        sql.literal(`i.id, i.type, i.content, i.visibility, i.moderation_status, i.flags, i.to_agent_id, i.to_show_slug, i.listener_id, i.human_id, i.listener_label, i.track_id,
      i.source, i.consent_version, i.featured_by, i.answered_by, i.segment_id,
      ${msText("i.created_at")} AS created_at_ms, ${msText("i.featured_until")} AS featured_until_ms`)
      const free = (agentId: AgentId, atMs: number) => sql`
      i.moderation_status = 'approved' AND (i.answered_by IS NULL OR i.answered_by = ${agentId}) AND (i.featured_by IS NULL OR i.featured_by = ${agentId} OR i.featured_until <= ${at(atMs)})`
      const find = (id: string) => interaction(sql`SELECT ${columns} FROM interactions i WHERE i.id = ${id}`)
      return {
        add: (given: NewInteraction) =>
          run(sql`
        INSERT INTO interactions (id, type, content, visibility, moderation_status, flags, to_agent_id, to_show_slug, listener_id, human_id, listener_label, track_id, source, consent_version, created_at)
        VALUES (${given.id}, ${given.type}, ${given.content}, ${given.visibility}, ${given.moderationStatus}, ${JSON.stringify(given.flags)}::text::jsonb, ${given.toAgentId}, ${given.toShowSlug},
          ${given.listenerId}, ${given.humanId ?? null}, ${given.listenerLabel}, ${given.trackId}, ${given.source}, ${given.consentVersion}, ${at(given.createdAtMs)}) ON CONFLICT DO NOTHING`),
        find,
        /** Newest first; null if the cursor is unknown. */
        list: Effect.fnUntraced(function* ({
          cursor,
          limit,
          statuses,
          types
        }: {
          readonly types: ReadonlyArray<Interaction["type"]>
          readonly statuses: ReadonlyArray<Interaction["moderationStatus"]>
          readonly limit: number
          readonly cursor: string | null
        }) {
          const after = cursor === null ? null : yield* find(cursor)
          if (cursor !== null && after === null) return null
          const found = yield* interactions(sql`
          SELECT ${columns} FROM interactions i WHERE ${sql.in("i.type", types)} AND ${sql.in("i.moderation_status", statuses)}
            AND ${after === null ? sql`true` : sql`(i.created_at, i.id) < (${at(after.createdAtMs)}, ${after.id})`}
          ORDER BY i.created_at DESC, i.id DESC LIMIT ${limit + 1}`)
          const records = found.slice(0, limit)
          return { records, next: found.length > limit ? records[records.length - 1]!.id : null }
        }),
        /** False if its state is no longer the expected one. */
        move: (
          id: InteractionId,
          from: Interaction["moderationStatus"],
          to: Pick<Interaction, "moderationStatus" | "visibility">
        ) =>
          hasChanged(sql`
        UPDATE interactions SET moderation_status = ${to.moderationStatus}, visibility = ${to.visibility} WHERE id = ${id} AND moderation_status = ${from} RETURNING id`),
        /** Stores the transcript of a call. */
        write: (id: InteractionId, { content, flags }: Pick<Interaction, "content" | "flags">) =>
          run(
            sql`UPDATE interactions SET content = ${content}, flags = ${JSON.stringify(flags)}::text::jsonb WHERE id = ${id}`
          ),
        /** A message this agent may answer: approved, and addressed to it or reserved for it. */
        findAnswerable: (id: string, agentId: AgentId) =>
          interaction(sql`
        SELECT ${columns} FROM interactions i WHERE i.id = ${id} AND i.moderation_status = 'approved'
          AND (i.to_agent_id = ${agentId} OR EXISTS (SELECT 1 FROM inbox_items b WHERE b.agent_id = ${agentId} AND b.id = 'listener_msg:' || i.id))`),
        /** Reserves a message for an agent. Repeats keep the first end. Null while another agent has it. */
        feature: (id: InteractionId, agentId: AgentId, atMs: number, untilMs: number) =>
          interaction(sql`
        UPDATE interactions i SET featured_by = ${agentId}, visibility = 'on_air',
          featured_until = CASE WHEN i.featured_by = ${agentId} AND i.featured_until > ${at(atMs)} THEN i.featured_until ELSE ${at(untilMs)} END
        WHERE i.id = ${id} AND ${free(agentId, atMs)} RETURNING ${columns}`),
        /** Stores the answering segment; false if another agent has reserved or answered the message. */
        answer: (id: InteractionId, agentId: AgentId, segmentId: SegmentId, atMs: number) =>
          hasChanged(sql`
        UPDATE interactions i SET answered_by = ${agentId}, segment_id = ${segmentId}, visibility = 'on_air' WHERE i.id = ${id} AND ${free(agentId, atMs)} RETURNING i.id`),
        /** Marks the call as aired. */
        markCallAired: (airingId: string) =>
          run(sql`
        UPDATE interactions SET moderation_status = 'aired', visibility = 'on_air' WHERE moderation_status = 'approved'
          AND id = (SELECT subject_id FROM airings WHERE id = ${airingId})`),
        /** Marks the message answered by this segment as aired; returns its id the first time. */
        markAired: (segmentId: SegmentId) =>
          Effect.map(
            interactionIds(sql`
        UPDATE interactions SET moderation_status = 'aired' WHERE segment_id = ${segmentId} AND moderation_status = 'approved' RETURNING id`),
            ids
          ),
        /** Old messages of these types that never aired, at most `limit`. Those on air are left out. */
        listStale: (types: ReadonlyArray<Interaction["type"]>, beforeMs: number, limit: number) =>
          Effect.map(
            interactionIds(sql`
        SELECT i.id FROM interactions i WHERE ${sql.in("i.type", types)} AND i.moderation_status <> 'aired' AND i.created_at < ${at(beforeMs)}
          AND NOT EXISTS (SELECT 1 FROM airings air WHERE air.subject = 'call' AND air.subject_id = i.id AND air.state = 'airing')
        ORDER BY i.created_at LIMIT ${limit}`),
            ids
          ),
        /** Deletes messages with all that belongs to them. */
        remove: (ids: ReadonlyArray<InteractionId>) =>
          ids.length === 0 ? Effect.void : run(sql`DELETE FROM interactions WHERE id IN ${sql.in(ids)}`),
        /** All messages of an account, oldest first. */
        listByHuman: (humanId: string) =>
          interactions(
            sql`SELECT ${columns} FROM interactions i WHERE i.human_id = ${humanId} ORDER BY i.created_at, i.id`
          ),
        /** Aired messages of an erased person stay under the name "a listener". */
        disown: (humanId: string) =>
          run(
            sql`UPDATE interactions SET human_id = NULL, listener_id = NULL, listener_label = ${aListener} WHERE human_id = ${humanId} AND moderation_status = 'aired'`
          )
      }
    })
  }
) {
  static readonly layer = Layer.effect(this, this.make)
}

export class Interactions extends Context.Service<
  Interactions,
  Pick<InteractionsWriter["Service"], "find" | "list" | "findAnswerable" | "listStale" | "listByHuman">
>()("longwave/engine/store/Interactions") {
  static readonly layer = Layer.effect(this, InteractionsWriter).pipe(Layer.provideMerge(InteractionsWriter.layer))
}
