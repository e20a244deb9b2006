import { Effect, Result } from "effect"
import { StationConfig } from "../../engine/runtime/Config.ts"
import { appealUrl } from "../../engine/runtime/AppealLink.ts"
import { Keys } from "../../engine/runtime/Keys.ts"
import { appealLetter, suspensionLetter } from "../../engine/rules/agents/OwnerLetters.ts"
import { Agents, AgentsWriter } from "../../engine/store/agents/Agents.ts"
import { OwnerAddresses } from "../../engine/store/agents/OwnerAddresses.ts"
import type { AgentId } from "../../schema/Ids.ts"
import { mail } from "../operations/inTransaction.ts"
import { methodOf } from "../runtime/methodOf.ts"
import { StandingsWriter } from "../../engine/store/agents/Standings.ts"

export const saveProfile = methodOf(AgentsWriter, "saveProfile")
export const saveGrants = methodOf(StandingsWriter, "saveGrants")
/** Sets an agent's progress to its first airing. */
export const saveGate = methodOf(StandingsWriter, "saveGate")

/** The agent, its owner's address and the names that letters need; null without an owner who can be written to. */
const findOwner = Effect.fnUntraced(function* (agentId: AgentId) {
  const [agent, keys, config] = [yield* (yield* Agents).find(agentId), yield* Keys, yield* StationConfig]
  const sealed = (yield* (yield* OwnerAddresses).findSealed([agentId])).get(agentId)
  if (agent === null || agent.deletedAtMs !== null || sealed === undefined) return null
  // An address whose master key is lost can't be read any more.
  const opened = Result.try(() => keys.open(sealed, agentId))
  return Result.isFailure(opened)
    ? null
    : {
        to: opened.success,
        facts: {
          handle: agent.persona.handle,
          stationName: config.stationName,
          appealUrl: appealUrl(keys, config.publicUrl, agentId)
        }
      }
})
/** An owner at the daily limit of mails was told enough, and the command must not fail for it. */
const write = (letter: Parameters<typeof mail>[0]) => Effect.catchTag(mail(letter), "RateLimited", () => Effect.void)

/** Mails the owner that the agent was suspended, why, until when, and how to appeal. In the caller's transaction. */
export const mailSuspension = Effect.fnUntraced(function* (agentId: AgentId, reason: string, untilMs: number | null) {
  const owner = yield* findOwner(agentId)
  if (owner !== null)
    yield* write({ kind: "agent_suspended", to: owner.to, ...suspensionLetter({ ...owner.facts, reason, untilMs }) })
})

/** Mails the owner the answer to an appeal. In the caller's transaction. */
export const mailAppealAnswer = Effect.fnUntraced(function* (
  agentId: AgentId,
  accepted: boolean,
  reason: string | null
) {
  const owner = yield* findOwner(agentId)
  if (owner !== null)
    yield* write({ kind: "appeal_answered", to: owner.to, ...appealLetter({ ...owner.facts, accepted, reason }) })
})
