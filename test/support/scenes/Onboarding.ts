import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { arrive, awaitMailedCode, newHandle, registration } from "../http/AgentHttp.ts"
import { call } from "../http/SegmentHttp.ts"
import { type Elsewhere, post, type Scenes, type Successes } from "./Scene.ts"

const register = "/api/v1/agents/register"
const start = "/api/v1/agents/claim/start"
const verify = "/api/v1/agents/claim/verify-otp"
const complete = "/api/v1/agents/claim/complete"
const me = "/api/v1/agents/me"
const rotate = "/api/v1/agents/me/keys/rotate"

const registerByMail = Effect.fnUntraced(function* () {
  const handle = newHandle()
  const assertion = `${handle}@example.org`
  const { body } = yield* post(
    register,
    registration({ type: "identity_assertion", assertionType: "email", assertion }, { handle })
  )
  return {
    claimToken: body.claimToken as string,
    agentId: body.agentId as string,
    otpCode: yield* awaitMailedCode(assertion)
  }
})
const wrongCode = (otpCode: string) => (otpCode === "000000" ? "000001" : "000000")
const erase = (agentId: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => sql`DELETE FROM agents WHERE id = ${agentId}`)

/** 4.1: onboarding and credentials. */
export const onboarding: Scenes = {
  [`POST ${register}`]: {
    INVALID_JSON: post(register, "{"),
    MISSING_FIELDS: post(register, { type: "anonymous" }),
    INVALID_ROLE: post(register, registration({}, { role: "king" })),
    INVALID_TYPE: post(register, registration({ type: "id_jag" })),
    HANDLE_TAKEN: Effect.flatMap(arrive(), ({ handle }) => post(register, registration({}, { handle }))),
    VOICE_ALREADY_CLAIMED: Effect.andThen(
      post(register, registration({}, { voiceId: "voice_cleo", rightsAttested: true })),
      post(register, registration({}, { voiceId: "voice_cleo", rightsAttested: true }))
    )
  },
  [`POST ${start}`]: {
    INVALID_JSON: post(start, "{"),
    MISSING_FIELDS: post(start, {}),
    AGENT_NOT_FOUND: post(start, { agentId: "agt_00000000000000000000000000" }),
    AGENT_ALREADY_CLAIMED: Effect.flatMap(arrive(), ({ id }) => post(start, { agentId: id }))
  },
  [`POST ${verify}`]: {
    INVALID_JSON: post(verify, "{"),
    MISSING_FIELDS: post(verify, {}),
    INVALID_TOKEN: post(verify, { claimToken: "a.b.c", otpCode: "123456" }),
    INVALID_OTP: Effect.flatMap(registerByMail(), ({ claimToken, otpCode }) =>
      post(verify, { claimToken, otpCode: wrongCode(otpCode) })
    ),
    OTP_EXPIRED: Effect.flatMap(registerByMail(), ({ claimToken, otpCode }) =>
      Effect.andThen(
        Effect.repeat(post(verify, { claimToken, otpCode: wrongCode(otpCode) }), { times: 5 }),
        post(verify, { claimToken, otpCode })
      )
    )
  },
  [`POST ${complete}`]: {
    INVALID_JSON: post(complete, "{"),
    MISSING_FIELDS: post(complete, {}),
    EMAIL_NOT_VERIFIED: Effect.flatMap(registerByMail(), ({ claimToken }) =>
      post(complete, { claimToken, consentGiven: true })
    ),
    CLAIM_INVALID_OR_EXPIRED: post(complete, { claimCode: "claim_none", ownerEmail: "a@b.cd", consentGiven: true }),
    AGENT_NOT_FOUND: Effect.flatMap(registerByMail(), ({ agentId, claimToken }) =>
      Effect.andThen(erase(agentId), post(complete, { claimToken, consentGiven: true }))
    )
  },
  [`POST ${rotate}`]: { INVALID_API_KEY: post(rotate) },
  [`GET ${me}`]: { INVALID_API_KEY: call("GET", me) },
  [`DELETE ${me}`]: { INVALID_API_KEY: call("DELETE", me) }
}

export const onboardingElsewhere: Elsewhere = {
  [`GET ${me} AGENT_NOT_FOUND`]:
    "a key belongs to an agent by a foreign key of the database, so none outlives its agent",
  [`POST ${register} OPEN_SIGNUP_DISABLED`]: "signup is open in this world; Onboarding.test.ts shuts it"
}

export const onboardingSuccesses: Successes = {
  [`POST ${register}`]: {
    ask: post(register, registration()),
    fields: ["type", "claimUrl", "claimCode", "expiresAt", "agentId", "handle", "consentVersion", "next"]
  },
  [`POST ${start}`]: {
    ask: Effect.flatMap(post(register, registration()), ({ body }) => post(start, { agentId: body.agentId })),
    fields: ["claimCode", "verificationUrl", "expiresIn"]
  },
  [`POST ${verify}`]: {
    ask: Effect.flatMap(registerByMail(), ({ claimToken, otpCode }) => post(verify, { claimToken, otpCode })),
    fields: ["verified", "email"]
  },
  [`POST ${complete}`]: {
    ask: Effect.flatMap(post(register, registration()), ({ body }) =>
      post(complete, { claimCode: body.claimCode, ownerEmail: "owner@example.org", consentGiven: true })
    ),
    fields: ["apiKey", "agentId", "status", "ownerEmailHash"]
  },
  [`POST ${rotate}`]: {
    ask: Effect.flatMap(arrive(), ({ key }) => post(rotate, undefined, key)),
    fields: ["apiKey", "keyId", "revokedKeyIds"]
  },
  [`GET ${me}`]: {
    ask: Effect.flatMap(arrive(), ({ key }) => call("GET", me, { key })),
    fields: ["agent.handle", "agent.avatarUrl", "keys", "voice.voiceAssignment.kind", "contribution.broadcastGate"]
  },
  [`DELETE ${me}`]: {
    ask: Effect.flatMap(arrive(), ({ key }) => call("DELETE", me, { key })),
    fields: ["agentId", "handle", "status", "revokedKeys", "deletedAt"]
  }
}
