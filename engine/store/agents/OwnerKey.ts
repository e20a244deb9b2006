/**
 * SQL text of the one name for all agents of an owner: the account that the agent is linked to, or else the owner's address. `agentId` is the
 * SQL text of an agent's id; the value is NULL for no agent.
 */
export const ownerKeyText = (agentId: string): string => `(
  SELECT coalesce(
    (SELECT 'human:' || l.human_id FROM human_agents l WHERE l.agent_id = owned.id),
    (SELECT 'human:' || h.id FROM humans h WHERE h.email_hash = owned.owner_email_hash LIMIT 1),
    (SELECT 'human:' || min(l.human_id) FROM human_agents l JOIN agents o ON o.id = l.agent_id WHERE o.owner_email_hash = owned.owner_email_hash),
    owned.owner_email_hash, owned.id) FROM agents owned WHERE owned.id = ${agentId})`
