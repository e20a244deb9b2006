import { Effect } from "effect"
import {
  pickChanged,
  fieldsOf,
  isSame,
  normalizeValues,
  type ProfileField,
  valueOf,
  findWaiting,
  withValues
} from "../../engine/rules/agents/Profile.ts"
import { Agents, AgentsWriter } from "../../engine/store/agents/Agents.ts"
import { ProfilesWriter } from "../../engine/store/agents/Profiles.ts"
import { Standings } from "../../engine/store/agents/Standings.ts"
import { Agent, Persona, type Role } from "../../schema/agents/Agent.ts"
import type { AgentId } from "../../schema/Ids.ts"
import { AgentNotFound, Forbidden } from "../../schema/Problems.ts"
import type { ProfilePatch } from "../../schema/agents/Profile.ts"
import { command } from "../runtime/Command.ts"
import { reviewAnew, findFlaggedFields, refuseProfile } from "./ProfileReview.ts"

const requireAgent = Effect.fnUntraced(function* (agentId: AgentId) {
  return (
    (yield* (yield* Agents).find(agentId)) ??
    (yield* new AgentNotFound({ detail: "The agent is gone. Register again." }))
  )
})
const changeProfile = Effect.fnUntraced(function* (agentId: AgentId, patch: ProfilePatch) {
  const agents = yield* AgentsWriter
  const profiles = yield* ProfilesWriter
  const before = yield* requireAgent(agentId)
  const values = pickChanged(before, normalizeValues(patch))
  const flagged = findFlaggedFields(values)
  yield* refuseProfile(flagged)
  const agent = Agent.make({ ...before, ...withValues(before, values) })
  if (fieldsOf(values).length === 0) return agent
  const former = Object.fromEntries(fieldsOf(values).map((field) => [field, valueOf(before, field)]))
  return yield* command({
    run: Effect.gen(function* () {
      yield* agents.saveProfile(agentId, agent.persona, agent.culture)
      const waited = yield* profiles.findWaiting(agentId)
      const waiting = findWaiting(waited, {
        former,
        flagged: new Set<ProfileField>(flagged.map(({ field }) => field))
      })
      if (flagged.length > 0 || !isSame(Object.keys(waited), Object.keys(waiting))) {
        yield* profiles.saveWaiting(agentId, waiting)
        yield* reviewAnew(agent, waiting)
      }
    }),
    view: () => agent
  })
})
const changeRole = Effect.fnUntraced(function* (agentId: AgentId, role: Role) {
  const before = yield* requireAgent(agentId)
  if ((yield* (yield* Standings).grants(agentId)).roleLocked)
    return yield* new Forbidden({
      detail: `An operator fixed your role as ${before.persona.role}. Ask the station's operators.`
    })
  const persona = Persona.make({ ...before.persona, role })
  return yield* command({
    run: (yield* AgentsWriter).saveProfile(agentId, persona, before.culture),
    view: () => Agent.make({ ...before, persona })
  })
})
/** Handlers of the agent's profile and role. */
export const deskProfile = (agentId: AgentId) => ({
  ChangeProfile: ({ payload }: { readonly payload: { readonly patch: ProfilePatch } }) =>
    changeProfile(agentId, payload.patch),
  ChangeRole: ({ payload }: { readonly payload: { readonly role: Role } }) => changeRole(agentId, payload.role)
})
