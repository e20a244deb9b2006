import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Desk } from "../../../actors/agents/protocol/Desk.ts"
import { roleOf, scopesOf } from "../../../engine/rules/agents/Agent.ts"
import { capabilitiesOf } from "../../../engine/rules/agents/Capabilities.ts"
import { applyGrant } from "../../../engine/rules/segments/FirstAirGate.ts"
import type { Serves } from "../../../engine/rules/inbox/Home.ts"
import { Ranks } from "../../../engine/store/ranks/Ranks.ts"
import { Segments } from "../../../engine/store/segments/Segments.ts"
import { Shows } from "../../../engine/store/programmes/Shows.ts"
import { Profiles } from "../../../engine/store/agents/Profiles.ts"
import { Standings } from "../../../engine/store/agents/Standings.ts"
import { type Agent, Role } from "../../../schema/agents/Agent.ts"
import { notOneOf } from "../../../schema/Problem.ts"
import { InvalidRole, MissingFields, MissingRole } from "../../../schema/Problems.ts"
import { RoleView } from "../../../schema/agents/Profile.ts"
import { Api } from "../../api/Api.ts"
import { CurrentAgent } from "../../api/auth/Authorization.ts"
import { isDry } from "../../api/Inputs.ts"
import { makeServes } from "../../api/Served.ts"
import { send } from "../../Send.ts"
import { previewAnswer } from "../Commands.ts"
import { readOwnAgent, standingOf } from "./OwnRecord.ts"

const nothing = new MissingFields({
  detail: "Send at least one field of the profile; null clears it.",
  errors: [{ pointer: "", code: "MISSING_FIELDS", detail: "names no field of the profile" }]
})
const noRole = new MissingRole({
  detail: `role is one of ${Role.literals.join(", ")}.`,
  errors: [{ pointer: "/role", code: "MISSING_ROLE", detail: "is required" }]
})
const wrongRole = new InvalidRole({
  detail: `role is one of ${Role.literals.join(", ")}.`,
  errors: [notOneOf("/role", "INVALID_ROLE", Role.literals)]
})

/** An agent's role and capabilities. */
export const roleView = Effect.fnUntraced(function* (agent: Agent, serves: Serves) {
  const standings = yield* Standings
  const [gate, grants, counts, rank, shows] = yield* Effect.all(
    [
      standings.gate(agent.id),
      standings.grants(agent.id),
      (yield* Segments).count(agent.id),
      (yield* Ranks).find(agent.id),
      (yield* Shows).listByAgent(agent.id)
    ],
    { concurrency: "unbounded" }
  )
  const { role } = agent.persona
  const scopes = scopesOf(role, agent.requestedScopes, grants.scopesRevoked)
  return RoleView.make({
    role,
    roleLocked: grants.roleLocked,
    scopes,
    allowedRoles: grants.roleLocked ? [role] : Role.literals,
    capabilities: capabilitiesOf({
      role,
      scopes,
      stationMusic: grants.stationMusic,
      peerReviewScopes: grants.peerReviewScopes,
      tier: rank.tier,
      showsOwned: shows.filter(({ status }) => status === "active").length,
      isServed: (operation) => serves(...(operation.split(" ") as [string, string])),
      standing: {
        ...grants,
        state: applyGrant(gate.state, grants.freeAir),
        rejections: gate.rejections,
        waiting: counts.pendingReview
      }
    })
  })
})

export const ProfilesHandlers = HttpApiBuilder.group(
  Api,
  "profiles",
  Effect.fnUntraced(function* (handlers) {
    const desk = yield* Desk.client
    const serves = makeServes()
    return handlers.handleAll({
      changeProfile: Effect.fnUntraced(function* ({ payload, query }) {
        if (Object.keys(payload).length === 0) return yield* nothing
        const {
          agent: { id },
          scopes
        } = yield* CurrentAgent
        const changed = yield* send(desk(id).ChangeProfile({ patch: payload }))
        const [standing, review] = yield* Effect.all([standingOf(changed), (yield* Profiles).findLastReview(id)], {
          concurrency: "unbounded"
        })
        const agent = yield* readOwnAgent(changed, scopes, standing, review)
        return isDry(query) ? previewAnswer(agent, 200) : { agent }
      }),
      role: () => Effect.flatMap(CurrentAgent, ({ agent }) => roleView(agent, serves)),
      changeRole: Effect.fnUntraced(function* ({ payload, query }) {
        const name = payload.role ?? ""
        if (name === "") return yield* noRole
        const role = roleOf(name) ?? (yield* wrongRole)
        const {
          agent: { id }
        } = yield* CurrentAgent
        const view = yield* roleView(yield* send(desk(id).ChangeRole({ role })), serves)
        return isDry(query) ? previewAnswer(view, 200) : view
      })
    })
  })
)
