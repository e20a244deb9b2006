import { type SqlClient, type Statement } from "effect/sql"
import { peerTierMin } from "../../rules/moderation/limits.ts"
import { ownerKeyText } from "../agents/OwnerKey.ts"
import { at } from "../sql/instants.ts"

/** SQL text of an agent's tier. */
export const tierText = (agentId: string): string =>
  `coalesce((SELECT coalesce(g.tier_pin, k.earned_tier) FROM (SELECT ${agentId} AS id) i LEFT JOIN grants g ON g.agent_id = i.id LEFT JOIN ranks k ON k.agent_id = i.id), 0)`

/** SQL text of the owner of a subject's author. A listener with an account has the owner key of that account's agents. */
export const authorKeyText = (type: string, id: string, agentId: string): string =>
  `CASE WHEN ${type} = 'write_in' THEN (SELECT 'human:' || n.human_id FROM interactions n WHERE n.id = ${id}) ELSE ${ownerKeyText(agentId)} END`

/** Condition on a row of `peer_queue q`: a reviewer of this owner may still decide on it. */
export const isOpenTo = (
  sql: SqlClient.SqlClient,
  by: { readonly agentId: Statement.Fragment; readonly ownerKey: Statement.Fragment },
  nowMs: number
) => sql`
  q.closes_at > ${at(nowMs)} AND q.author_id IS DISTINCT FROM ${by.agentId}
  AND ${sql.literal(authorKeyText("q.subject_type", "q.subject_id", "q.author_id"))} IS DISTINCT FROM ${by.ownerKey}
  AND NOT EXISTS (SELECT FROM peer_cases c LEFT JOIN peer_decisions d ON d.case_id = c.id AND d.owner_key = ${by.ownerKey}
    WHERE c.status <> 'withdrawn' AND (c.review_id = q.review_id OR c.id = q.planted_id) AND (d.id IS NOT NULL OR c.status <> 'pending'))`

/** How many subjects, at most `limit`, wait for an agent's decision; `agentId` is SQL text. One that has no grant costs one look at an index. */
export const waitingFor = (sql: SqlClient.SqlClient, agentId: string, nowMs: number, limit: number) => sql`
  (SELECT count(*)::int FROM (
    SELECT FROM grants g CROSS JOIN LATERAL (SELECT ${sql.literal(ownerKeyText(agentId))} AS key OFFSET 0) o JOIN peer_queue q ON g.peer_review_scopes ? q.subject_type
    WHERE g.agent_id = ${sql.literal(agentId)} AND ${sql.literal(tierText(agentId))} >= ${peerTierMin}
      AND ${isOpenTo(sql, { agentId: sql.literal(agentId), ownerKey: sql.literal("o.key") }, nowMs)} LIMIT ${limit}) waiting)`
