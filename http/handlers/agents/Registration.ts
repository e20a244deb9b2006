import { Effect } from "effect"
import { isHandle, normaliseHandle, roleOf } from "../../../engine/rules/agents/Agent.ts"
import { Persona, Role } from "../../../schema/agents/Agent.ts"
import { notOneOf } from "../../../schema/Problem.ts"
import { InvalidField, InvalidRole, InvalidType, MissingFields } from "../../../schema/Problems.ts"
import type { RegisterPayload } from "../../api/agents/Agents.ts"

/** Aliases of fields, from the agent-registration convention. */
export type Spellings = Readonly<Record<string, ReadonlyArray<string>>>

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

/** Renames aliases to the contract's names. Two different values for one field are refused. */
export const resolveAliases = <A extends object>(body: A, spellings: Spellings): Effect.Effect<A, InvalidField> => {
  const sent = body as Readonly<Record<string, unknown>>
  const given = Object.entries(spellings).map(([name, others]) => ({
    name,
    found: [name, ...others].filter((each) => sent[each] !== undefined)
  }))
  const errors = given.flatMap(({ found: [first, ...rest] }) =>
    rest
      .filter((each) => !isSame(sent[each], sent[first!]))
      .map((each) => ({
        pointer: `/${each}`,
        code: "INVALID_FIELD",
        detail: `differs from ${first!}, another name of the same field`
      }))
  )
  if (errors.length > 0)
    return Effect.fail(
      new InvalidField({ detail: errors.map(({ detail, pointer }) => `${pointer}: ${detail}`).join("; "), errors })
    )
  return Effect.succeed({
    ...body,
    ...Object.fromEntries(
      given.flatMap(({ found: [first], name }) => (first === undefined ? [] : [[name, sent[first]] as const]))
    )
  })
}

export const registerSpellings: Spellings = {
  assertionType: ["assertion_type"],
  requestedCapabilities: ["requested_capabilities", "requested_scopes"],
  requestedCredentialType: ["requested_credential_type"]
}

export const startSpellings: Spellings = {
  agentId: ["agent_id", "registration_id"],
  requestedScopes: ["requested_scopes"]
}

export const verifySpellings: Spellings = { claimToken: ["claim_token"], otpCode: ["otp", "otp_code", "user_code"] }

export const completeSpellings: Spellings = {
  ...verifySpellings,
  claimCode: ["claim_code"],
  ownerEmail: ["owner_email", "email"],
  consentGiven: ["consent_given"],
  consentVersion: ["consent_version"]
}

const emptyToNull = (value: string | null | undefined): string | null =>
  value === undefined || value === "" ? null : value
/** Distinct values without empty ones. */
const distinctOf = (entries: ReadonlyArray<string> | null | undefined): ReadonlyArray<string> =>
  [...new Set(entries)].filter((entry) => entry !== "")
/** One refusal for all missing fields, each with its pointer. */
const missingFields = (missing: Record<string, string>) =>
  new MissingFields({
    detail: Object.entries(missing)
      .map(([pointer, detail]) => `${pointer}: ${detail}`)
      .join("; "),
    errors: Object.entries(missing).map(([pointer, detail]) => ({ pointer, code: "MISSING_FIELDS", detail }))
  })
const invalidType = (pointer: string, allowedValues: ReadonlyArray<string>) =>
  new InvalidType({
    detail: `${pointer} must be ${allowedValues.join(" or ")}.`,
    errors: [notOneOf(pointer, "INVALID_TYPE", allowedValues)]
  })
/** Decodes a registration into the actor's message. */
export const registrationOf = Effect.fnUntraced(function* (payload: RegisterPayload) {
  const {
    agent,
    assertion,
    assertionType: named,
    requestedCapabilities,
    requestedCredentialType,
    type
  } = yield* resolveAliases(payload, registerSpellings)
  // The convention calls the address verified, which is true only after the code came back.
  const assertionType = named === "verified_email" ? "email" : named
  if (emptyToNull(requestedCredentialType) !== null && !/^api_?key$/i.test(requestedCredentialType!)) {
    return yield* new InvalidField({
      detail: "A claim returns an API key. Leave requestedCredentialType out or send apiKey.",
      errors: [{ pointer: "/requestedCredentialType", code: "INVALID_FIELD", detail: "must be apiKey" }]
    })
  }
  if (type !== "anonymous" && type !== "identity_assertion")
    return yield* invalidType("/type", ["anonymous", "identity_assertion"])
  if (type === "identity_assertion") {
    if (emptyToNull(assertionType) !== null && assertionType !== "email")
      return yield* invalidType("/assertionType", ["email"])
    if (emptyToNull(assertionType) === null || emptyToNull(assertion) === null) {
      return yield* missingFields({
        ...(emptyToNull(assertionType) === null ? { "/assertionType": "is required" } : {}),
        ...(emptyToNull(assertion) === null ? { "/assertion": "is required" } : {})
      })
    }
  }
  const handle = normaliseHandle(agent.handle)
  if (!isHandle(handle)) {
    return yield* new InvalidField({
      detail: "A handle has 3 to 30 of a–z, 0–9, _ and -, and begins and ends with a letter or digit.",
      errors: [{ pointer: "/agent/handle", code: "INVALID_FIELD", detail: "is not a handle" }]
    })
  }
  if (emptyToNull(agent.voiceId) !== null && agent.rightsAttested !== true)
    return yield* missingFields({
      "/agent/rightsAttested": "must be true: who names a voice attests the right to use it"
    })
  const role = roleOf(emptyToNull(agent.role) ?? undefined)
  if (role === null)
    return yield* new InvalidRole({
      detail: "role is artist, dj, hybrid, guest or correspondent.",
      errors: [notOneOf("/agent/role", "INVALID_ROLE", Role.literals)]
    })
  const persona = Persona.make({
    handle,
    displayName: agent.displayName,
    bio: emptyToNull(agent.bio),
    tagline: emptyToNull(agent.tagline),
    role,
    speakingStyle: emptyToNull(agent.speakingStyle),
    specialties: distinctOf(agent.specialties),
    gender: agent.gender ?? null,
    entityForm: agent.entityForm ?? null,
    syntheticDisclosure: emptyToNull(agent.syntheticDisclosure),
    avatarEntityType: emptyToNull(agent.avatarEntityType),
    avatarArchetype: emptyToNull(agent.avatarArchetype),
    avatarSignalTraits: distinctOf(agent.avatarSignalTraits),
    avatarWorldNotes: emptyToNull(agent.avatarWorldNotes)
  })
  return {
    persona,
    requestedScopes: [...new Set(requestedCapabilities)],
    email: type === "identity_assertion" ? assertion!.toLowerCase() : null,
    voiceId: emptyToNull(agent.voiceId)
  }
})
/** Requires exactly one of code and token, the owner's address with a code, and consent to the current text. */
export const claimOf = Effect.fnUntraced(function* (
  payload: {
    readonly claimCode?: string
    readonly claimToken?: string
    readonly ownerEmail?: string
    readonly consentGiven?: boolean
    readonly consentVersion?: string
    readonly otpCode?: string
  },
  currentConsent: string
) {
  const sent = yield* resolveAliases(payload, completeSpellings)
  const [code, token, consentVersion, ownerEmail] = [
    sent.claimCode,
    sent.claimToken,
    sent.consentVersion,
    sent.ownerEmail
  ].map(emptyToNull) as [string | null, string | null, string | null, string | null]
  // In the convention a code is also called a token.
  const isCode = token !== null && /^(claim|device)_/.test(token) && (code === null || code === token)
  const [claimCode, claimToken] = isCode ? [token, null] : [code, token]
  const missing = {
    ...((claimCode === null) === (claimToken === null)
      ? { "/claimCode": "send exactly one of claimCode and claimToken" }
      : {}),
    ...(claimToken === null && ownerEmail === null ? { "/ownerEmail": "is required" } : {}),
    ...(sent.consentGiven === true ? {} : { "/consentGiven": "must be true: the owner has to consent" })
  }
  if (Object.keys(missing).length > 0) return yield* missingFields(missing)
  if (consentVersion !== null && consentVersion !== currentConsent) {
    return yield* new InvalidField({
      detail: `The consent in force is ${currentConsent}. Show its text and ask again.`,
      errors: [{ pointer: "/consentVersion", code: "INVALID_FIELD", detail: "is not the one in force" }]
    })
  }
  return { claimCode, claimToken, ownerEmail, otpCode: emptyToNull(sent.otpCode), consentVersion: currentConsent }
})
/** Required fields, under any of their names. */
export const requireFields = <A extends object, const Name extends keyof A & string>(
  body: A,
  names: ReadonlyArray<Name>
) => {
  const missing = names.filter((name) => (body[name] ?? "") === "")
  return missing.length > 0
    ? Effect.fail(
        missingFields(Object.fromEntries(missing.map((name) => [`/${name}`, "is required and must not be empty"])))
      )
    : Effect.succeed(body as A & { readonly [N in Name]: string })
}
