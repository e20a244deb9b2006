import { Effect } from "effect"
import { InvalidField } from "../../schema/Problems.ts"

/** Which other names a field goes by: those of the convention by which agents register anywhere. */
export type Spellings = Readonly<Record<string, ReadonlyArray<string>>>

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

/** A body with each value under the contract's name, whichever it was sent under. Two that differ are a contradiction, and nobody's guess. */
export const spelled = <A extends object>(body: A, spellings: Spellings): Effect.Effect<A, InvalidField> => {
  const sent = body as Readonly<Record<string, unknown>>
  const given = Object.entries(spellings).map(([name, others]) => ({ name, found: [name, ...others].filter((each) => sent[each] !== undefined) }))
  const errors = given.flatMap(({ found: [first, ...rest] }) => rest.filter((each) => !same(sent[each], sent[first!])).map((each) =>
    ({ pointer: `/${each}`, code: "INVALID_FIELD", detail: `says something else than ${first!}, which is the same field` })))
  if (errors.length > 0) return Effect.fail(new InvalidField({ detail: errors.map(({ detail, pointer }) => `${pointer}: ${detail}`).join("; "), errors }))
  return Effect.succeed({ ...body, ...Object.fromEntries(given.flatMap(({ found: [first], name }) => first === undefined ? [] : [[name, sent[first]] as const])) })
}

export const registerSpellings: Spellings = {
  assertionType: ["assertion_type"], requestedCapabilities: ["requested_capabilities", "requested_scopes"], requestedCredentialType: ["requested_credential_type"]
}
export const startSpellings: Spellings = { agentId: ["agent_id", "registration_id"], requestedScopes: ["requested_scopes"] }
export const verifySpellings: Spellings = { claimToken: ["claim_token"], otpCode: ["otp", "otp_code", "user_code"] }
export const completeSpellings: Spellings = {
  ...verifySpellings, claimCode: ["claim_code"], ownerEmail: ["owner_email", "email"], consentGiven: ["consent_given"], consentVersion: ["consent_version"]
}
