import { Effect } from "effect"
import {
  fieldsOf,
  isSame,
  type Profile,
  type ProfileField,
  type ProfileValues,
  proseOf,
  valueOf,
  withValues
} from "../../engine/rules/agents/Profile.ts"
import { undecided } from "../../engine/rules/moderation/Review.ts"
import { Agents, AgentsWriter } from "../../engine/store/agents/Agents.ts"
import { ProfilesWriter } from "../../engine/store/agents/Profiles.ts"
import { Reviews } from "../../engine/store/moderation/Reviews.ts"
import { type Agent, noCulture, type Persona } from "../../schema/agents/Agent.ts"
import type { AgentId } from "../../schema/Ids.ts"
import { ReviewConflict } from "../../schema/Problems.ts"
import { askForReview, makeReviewable, type Verdict, withdrawReview } from "../moderation/Reviews.ts"
import { Desk } from "./protocol/Desk.ts"
import { findFlaggedTexts, refuseFlagged, refuseEscalating } from "../moderation/TextChecks.ts"
import type { FlaggedText } from "../../engine/rules/moderation/Precheck.ts"
import type { ReviewRecord } from "../../schema/moderation/Review.ts"

export interface Flagged extends FlaggedText {
  readonly field: ProfileField
}

/** The flagged texts of a profile. `at` is the JSON pointer of the profile in the request body. */
export const findFlaggedFields = (values: ProfileValues, at = ""): ReadonlyArray<Flagged> =>
  fieldsOf(values).flatMap((field) =>
    findFlaggedTexts({ [`${at}/${field}`]: proseOf(field, values[field] ?? null) }).map((one) => ({ ...one, field }))
  )

/** Refuses unacceptable profile texts; a review can't permit them. */
export const refuseProfile = (all: ReadonlyArray<Flagged>) =>
  refuseEscalating("Nothing was changed: this text is not allowed in a profile.", all)

const presentOf = (agent: Profile, fields: ReadonlyArray<ProfileField>): ProfileValues =>
  Object.fromEntries(fields.map((field) => [field, valueOf(agent, field)]))
/** Withdraws the profile's review when the agent leaves. */
export const withdrawProfile = (agentId: AgentId) =>
  Effect.andThen(
    withdrawReview("profile", agentId, "AGENT_LEFT"),
    Effect.flatMap(ProfilesWriter, (profiles) => profiles.saveWaiting(agentId, {}))
  )
/** Replaces the open review by one of all waiting texts. */
export const reviewAnew = Effect.fnUntraced(function* (agent: Agent, waiting: ProfileValues) {
  yield* withdrawReview("profile", agent.id, "SUPERSEDED")
  const fields = fieldsOf(waiting)
  if (fields.length === 0) return
  yield* askForReview({
    kind: "profile",
    type: "profile",
    id: agent.id,
    agentId: agent.id,
    flags: findFlaggedFields(presentOf(agent, fields)).flatMap(({ flags }) => flags),
    title: fields.join(", "),
    body: fields.map((field) => `${field}: ${proseOf(field, valueOf(agent, field)) ?? ""}`).join("\n\n")
  })
})
const registered: ReadonlyArray<ProfileField> = [
  "displayName",
  "bio",
  "tagline",
  "speakingStyle",
  "specialties",
  "syntheticDisclosure",
  "avatarEntityType",
  "avatarArchetype",
  "avatarSignalTraits",
  "avatarWorldNotes"
]
/** Refuses unacceptable profile texts at registration. The handle can't be changed or reviewed later, so any flag refuses it. */
export const refuseRegistered = Effect.fnUntraced(function* (persona: Persona) {
  yield* refuseFlagged(
    "Register with another handle: handles are public and can't be changed.",
    findFlaggedTexts({ "/agent/handle": persona.handle })
  )
  yield* refuseProfile(findFlaggedFields(presentOf({ persona, culture: noCulture }, registered), "/agent"))
})
/** Requests a review of the flagged texts when the agent is claimed. Only the handle was public before. */
export const reviewClaimed = Effect.fnUntraced(function* (agent: Agent) {
  const doubtful = findFlaggedFields(presentOf(agent, registered))
  if (doubtful.length === 0) return
  const waiting: ProfileValues = Object.fromEntries(
    doubtful.map(({ field }) => [
      field,
      field === "displayName" ? agent.persona.handle : Array.isArray(valueOf(agent, field)) ? [] : null
    ])
  )
  yield* (yield* ProfilesWriter).saveWaiting(agent.id, waiting)
  yield* reviewAnew(agent, waiting)
})
interface BeforeDecision {
  readonly former: ProfileValues
  readonly refused: ProfileValues
}
/** Reviews of profile texts. A rejection restores the former text. */
export const profileReview = makeReviewable({
  type: "profile",
  entity: Desk,
  key: "agent",
  find: (id) => Effect.flatMap(Agents, (agents) => agents.find(id)),
  apply: Effect.fnUntraced(function* (agent: Agent, { reason, status }: Verdict) {
    const profiles = yield* ProfilesWriter
    const former: ProfileValues = yield* profiles.findWaiting(agent.id)
    const before: BeforeDecision = { former, refused: presentOf(agent, fieldsOf(former)) }
    if (undecided.includes(status)) return { before, after: { status } }
    if (status !== "approved") {
      const { culture, persona } = withValues(agent, former)
      yield* (yield* AgentsWriter).saveProfile(agent.id, persona, culture)
    }
    yield* profiles.saveWaiting(agent.id, {})
    return { before, after: { status, reason, profile: status === "approved" ? before.refused : former } }
  }),
  restore: Effect.fnUntraced(function* (agent: Agent, kept: unknown, { status }: ReviewRecord) {
    const { former, refused } = kept as BeforeDecision
    if ((yield* (yield* Reviews).openFor("profile", agent.id)) !== null)
      return yield* new ReviewConflict({
        detail: "The agent changed its profile since. Decide on the newer review."
      })
    // Only fields the agent has not changed since go back to waiting.
    const untouched = fieldsOf(former).filter((field) =>
      isSame(valueOf(agent, field), status === "approved" ? refused[field] : former[field])
    )
    const pickFields = (values: ProfileValues): ProfileValues =>
      Object.fromEntries(untouched.map((field) => [field, values[field]]))
    const { culture, persona } = withValues(agent, pickFields(refused))
    yield* (yield* AgentsWriter).saveProfile(agent.id, persona, culture)
    yield* (yield* ProfilesWriter).saveWaiting(agent.id, pickFields(former))
    return { profile: pickFields(refused) }
  })
})
