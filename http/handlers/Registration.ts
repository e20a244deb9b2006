import { Effect } from "effect"
import { isHandle, normaliseHandle, roleOf } from "../../engine/rules/Agent.ts"
import { Persona } from "../../schema/Agent.ts"
import { InvalidField, InvalidRole, InvalidType, MissingFields } from "../../schema/Problems.ts"
import type { RegisterPayload } from "../api/Agents.ts"

const orNull = (value: string | undefined): string | null => value === undefined || value === "" ? null : value

const absent = (pointer: string) => new MissingFields({ detail: `${pointer} is required.`, errors: [{ pointer, code: "MISSING_FIELDS", detail: "is required" }] })

/** A registration as it was sent, turned into what the actor takes. */
export const registrationOf = Effect.fnUntraced(function*({ agent, assertion, assertionType, requestedCapabilities, type }: RegisterPayload) {
  if (type !== "anonymous" && type !== "identity_assertion") return yield* new InvalidType({ detail: "type is anonymous or identity_assertion." })
  if (type === "identity_assertion") {
    if (assertionType === undefined) return yield* absent("/assertionType")
    if (assertionType !== "email") return yield* new InvalidType({ detail: "assertionType is email." })
    if (assertion === undefined) return yield* absent("/assertion")
  }
  const handle = normaliseHandle(agent.handle)
  if (!isHandle(handle)) {
    return yield* new InvalidField({ detail: "A handle has 3 to 30 of a–z, 0–9, _ and -, and begins and ends with a letter or digit.", errors: [{ pointer: "/agent/handle", code: "INVALID_FIELD", detail: "is not a handle" }] })
  }
  const role = roleOf(agent.role)
  if (role === null) return yield* new InvalidRole({ detail: "role is artist, dj, hybrid, guest or correspondent." })
  const persona = Persona.make({
    handle,
    displayName: agent.displayName,
    bio: orNull(agent.bio),
    tagline: orNull(agent.tagline),
    role,
    speakingStyle: orNull(agent.speakingStyle),
    specialties: [...new Set(agent.specialties)],
    gender: agent.gender ?? null,
    entityForm: agent.entityForm ?? null,
    syntheticDisclosure: orNull(agent.syntheticDisclosure),
    avatarEntityType: orNull(agent.avatarEntityType),
    avatarArchetype: orNull(agent.avatarArchetype),
    avatarSignalTraits: [...new Set(agent.avatarSignalTraits)],
    avatarWorldNotes: orNull(agent.avatarWorldNotes)
  })
  return {
    persona,
    requestedScopes: [...new Set(requestedCapabilities)],
    email: type === "identity_assertion" ? assertion!.trim().toLowerCase() : null,
    voiceId: orNull(agent.voiceId),
    rightsAttested: agent.rightsAttested === true
  }
})

/** Exactly one of the two artifacts, the owner's address where no token carries it, and consent to the text in force. */
export const claimOf = Effect.fnUntraced(function*(payload: {
  readonly claimCode?: string
  readonly claimToken?: string
  readonly ownerEmail?: string
  readonly consentGiven?: boolean
  readonly consentVersion?: string
}, currentConsent: string) {
  const { claimCode, claimToken, consentGiven, consentVersion, ownerEmail } = payload
  if ((claimCode === undefined) === (claimToken === undefined)) {
    return yield* new MissingFields({ detail: "Send exactly one of claimCode and claimToken.", errors: [{ pointer: "/claimCode", code: "MISSING_FIELDS", detail: "or claimToken is required" }] })
  }
  if (claimCode !== undefined && ownerEmail === undefined) return yield* absent("/ownerEmail")
  if (consentGiven !== true) {
    return yield* new MissingFields({ detail: "The owner has to consent: consentGiven must be true.", errors: [{ pointer: "/consentGiven", code: "MISSING_FIELDS", detail: "must be true" }] })
  }
  if (consentVersion !== undefined && consentVersion !== currentConsent) {
    return yield* new InvalidField({ detail: `The consent in force is ${currentConsent}. Show its text and ask again.`, errors: [{ pointer: "/consentVersion", code: "INVALID_FIELD", detail: "is not the one in force" }] })
  }
  return { claimCode: claimCode ?? null, claimToken: claimToken ?? null, ownerEmail: ownerEmail ?? null, consentVersion: currentConsent }
})
