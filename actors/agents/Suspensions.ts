import { Clock, Effect } from "effect"
import { Agents, AgentsWriter } from "../../engine/store/agents/Agents.ts"
import { Transaction } from "../../engine/store/sql/Transaction.ts"
import type { AgentId } from "../../schema/Ids.ts"
import { SubjectConflict } from "../../schema/Problems.ts"
import { type Act, record } from "../runtime/audit.ts"
import { mailSuspension } from "./inTransaction.ts"
import { emit } from "../runtime/emit.ts"

const state = Effect.fnUntraced(function* (agentId: AgentId) {
  const agent = yield* (yield* Agents).find(agentId)
  return agent === null
    ? null
    : {
        status: agent.status,
        reason: agent.suspendedReason,
        until: agent.suspendedUntilMs === null ? null : new Date(agent.suspendedUntilMs).toISOString()
      }
})

const subject = (agentId: AgentId) => ({ type: "agent", id: agentId })
const actOf = ({ actor, reason }: Act): Act => ({ actor, reason })

/** Suspends an agent. The agent reads `reason`. Null `untilMs`: without an end. */
export const suspend = Effect.fnUntraced(function* (
  agentId: AgentId,
  reason: string,
  untilMs: number | null,
  act: Act
) {
  const agents = yield* AgentsWriter
  yield* (yield* Transaction).run(
    Effect.gen(function* () {
      const before = yield* state(agentId)
      if (!(yield* agents.shutOut(agentId, reason, untilMs)))
        return yield* new SubjectConflict({
          detail: "The agent has left or was never claimed. It can't be suspended."
        })
      yield* record(actOf(act), "agent.suspend", subject(agentId), before, yield* state(agentId))
      yield* emit({ _tag: "AgentSuspended", agentId, reason })
      yield* mailSuspension(agentId, reason, untilMs)
    })
  )
})

/** Reinstates an agent. Plans cancelled by the suspension stay cancelled. */
export const reinstate = Effect.fnUntraced(function* (agentId: AgentId, act: Act) {
  const agents = yield* AgentsWriter
  yield* (yield* Transaction).run(
    Effect.gen(function* () {
      const before = yield* state(agentId)
      if (before?.status === "claimed") return
      if (!(yield* agents.reinstate(agentId)))
        return yield* new SubjectConflict({
          detail: "The agent has left or was never claimed. It can't be reinstated."
        })
      yield* record(actOf(act), "agent.reinstate", subject(agentId), before, yield* state(agentId))
      yield* emit({ _tag: "AgentReinstated", agentId })
    })
  )
})

/** Revokes all keys of the agent at once and answers their ids. */
export const revokeKeys = Effect.fnUntraced(function* (agentId: AgentId, act: Act) {
  const agents = yield* AgentsWriter
  return yield* (yield* Transaction).run(
    Effect.gen(function* () {
      const revoked = yield* agents.revokeKeys(agentId, yield* Clock.currentTimeMillis)
      yield* record(actOf(act), "agent.revoke_keys", subject(agentId), null, { revokedKeyIds: revoked })
      return revoked
    })
  )
})
