import { layer } from "@effect/vitest"
import { Effect } from "effect"
import { OpenApi } from "effect/http-api"
import { SqlClient } from "effect/sql"
import { readFileSync } from "node:fs"
import { describe, expect, it as plain } from "vitest"
import { Api } from "../../http/api/Api.ts"
import { AgentHttp, arrive, mailedCode, newHandle, registration } from "../support/AgentHttp.ts"
import { type Answer, call } from "../support/SegmentHttp.ts"

interface Operation {
  readonly method: string
  readonly path: string
  readonly auth: string | ReadonlyArray<string>
  readonly success: number
  readonly errors: ReadonlyArray<{ readonly status: number; readonly code: string | null }>
}

const { operations } = JSON.parse(readFileSync(new URL("../contract/contract.json", import.meta.url), "utf8")) as { readonly operations: ReadonlyArray<Operation> }
const spec = JSON.parse(JSON.stringify(OpenApi.fromApi(Api))) as {
  readonly openapi: string
  readonly paths: Record<string, Record<string, { readonly responses: Record<string, unknown>; readonly security?: ReadonlyArray<unknown> }>>
  readonly components: { readonly schemas: Record<string, unknown> }
}
const declared = ({ method, path }: Operation) => spec.paths[path]?.[method.toLowerCase()]
const served = operations.filter((operation) => declared(operation) !== undefined)
const named = ({ method, path }: Operation) => `${method} ${path}`

/** All that a response refers to, written out. */
const whole = (part: unknown, depth = 0): string => {
  const text = JSON.stringify(part ?? "")
  const names = [...text.matchAll(/#\/components\/schemas\/([^"]+)/g)].map(([, name]) => name!)
  return depth > 4 ? text : text + names.map((name) => whole(spec.components.schemas[name], depth + 1)).join("")
}

describe("the description for machines", () => {
  plain("is OpenAPI 3.1 and holds what the contract names, and nothing it doesn't", () => {
    expect(spec.openapi).toMatch(/^3\.1/)
    expect(served.length).toBeGreaterThanOrEqual(21)
    const known = new Set(operations.map(named))
    const strays = Object.entries(spec.paths).flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`)).filter((each) => !known.has(each))
    expect(strays).toEqual([])
  })

  plain.each(served.map((operation) => [named(operation), operation] as const))("%s declares its success and every code of its row", (_, operation) => {
    const { responses, security } = declared(operation)!
    expect(Object.keys(responses)).toContain(String(operation.success))
    for (const { code, status } of operation.errors) if (code !== null) expect([code, whole(responses[status]).includes(`"${code}"`)]).toEqual([code, true])
    if (operation.auth === "agent") expect([security?.length ?? 0, whole(responses["401"]).includes("INVALID_API_KEY")]).toEqual([1, true])
    if (operation.auth === "public") expect(security ?? []).toEqual([])
  })
})

const post = (path: string, body?: unknown, key?: string) => call("POST", path, { ...body === undefined ? {} : { body }, ...key === undefined ? {} : { key } })
const register = "/api/v1/agents/register"
const start = "/api/v1/agents/claim/start"
const verify = "/api/v1/agents/claim/verify-otp"
const complete = "/api/v1/agents/claim/complete"
const me = "/api/v1/agents/me"
const rotate = "/api/v1/agents/me/keys/rotate"

const mailed = Effect.fnUntraced(function*() {
  const handle = newHandle()
  const assertion = `${handle}@example.org`
  const { body } = yield* post(register, registration({ type: "identity_assertion", assertionType: "email", assertion }, { handle }))
  return { claimToken: body.claimToken as string, agentId: body.agentId as string, otpCode: yield* mailedCode(assertion) }
})
const wrong = (otpCode: string) => otpCode === "000000" ? "000001" : "000000"
const erase = (agentId: string) => Effect.flatMap(SqlClient.SqlClient, (sql) => sql`DELETE FROM agents WHERE id = ${agentId}`)

/** How each refusal of the rows is brought about. */
const scenes: Record<string, Record<string, Effect.Effect<Answer, unknown, Effect.Services<ReturnType<typeof call>> | Effect.Services<ReturnType<typeof mailed>> | SqlClient.SqlClient>>> = {
  [`POST ${register}`]: {
    INVALID_JSON: post(register, "{"),
    MISSING_FIELDS: post(register, { type: "anonymous" }),
    INVALID_ROLE: post(register, registration({}, { role: "king" })),
    INVALID_TYPE: post(register, registration({ type: "id_jag" })),
    HANDLE_TAKEN: Effect.flatMap(arrive(), ({ handle }) => post(register, registration({}, { handle }))),
    VOICE_ALREADY_CLAIMED: Effect.andThen(post(register, registration({}, { voiceId: "voice_cleo", rightsAttested: true })), post(register, registration({}, { voiceId: "voice_cleo", rightsAttested: true })))
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
    INVALID_OTP: Effect.flatMap(mailed(), ({ claimToken, otpCode }) => post(verify, { claimToken, otpCode: wrong(otpCode) })),
    OTP_EXPIRED: Effect.flatMap(mailed(), ({ claimToken, otpCode }) => Effect.andThen(Effect.repeat(post(verify, { claimToken, otpCode: wrong(otpCode) }), { times: 5 }), post(verify, { claimToken, otpCode })))
  },
  [`POST ${complete}`]: {
    INVALID_JSON: post(complete, "{"),
    MISSING_FIELDS: post(complete, {}),
    EMAIL_NOT_VERIFIED: Effect.flatMap(mailed(), ({ claimToken }) => post(complete, { claimToken, consentGiven: true })),
    CLAIM_INVALID_OR_EXPIRED: post(complete, { claimCode: "claim_none", ownerEmail: "a@b.cd", consentGiven: true }),
    AGENT_NOT_FOUND: Effect.flatMap(mailed(), ({ agentId, claimToken }) => Effect.andThen(erase(agentId), post(complete, { claimToken, consentGiven: true })))
  },
  [`POST ${rotate}`]: { INVALID_API_KEY: post(rotate) },
  [`GET ${me}`]: { INVALID_API_KEY: call("GET", me) },
  [`DELETE ${me}`]: { INVALID_API_KEY: call("DELETE", me) }
}

/** A key can't outlive its agent, and signup is open in this world: that refusal has a test of its own. */
const elsewhere = new Set([`GET ${me} AGENT_NOT_FOUND`, `POST ${register} OPEN_SIGNUP_DISABLED`])

layer(AgentHttp(), { excludeTestServices: true })("the contract's rows", (it) => {
  for (const operation of served.filter((each) => named(each) in scenes)) {
    it.effect(`${named(operation)} refuses as its row says`, () => Effect.gen(function*() {
      for (const { code, status } of operation.errors) {
        if (code === null || elsewhere.has(`${named(operation)} ${code}`)) continue
        const scene = scenes[named(operation)]![code]
        expect([code, scene !== undefined]).toEqual([code, true])
        const { body, headers, status: got } = yield* scene!
        expect([code, got, body.code, headers.get("content-type")]).toEqual([code, status, code, "application/problem+json"])
      }
    }))
  }

  for (const operation of served.filter(({ auth, path }) => auth === "agent" && path.includes("/agents/me"))) {
    it.effect(`${named(operation)} is closed to strangers and to keys of others`, () => Effect.gen(function*() {
      const path = operation.path.replaceAll(/\{\w+\}/g, "voice_ada")
      const { key } = yield* arrive()
      for (const wrongKey of [undefined, "nonsense", `${key.slice(0, -8)}AAAAAAAA`, key.replace("svc_agent_", "svc_ops_")]) {
        const { body, headers, status } = yield* call(operation.method, path, { ...wrongKey === undefined ? {} : { key: wrongKey }, ...operation.method === "POST" ? { body: {} } : {} })
        expect([status, body.code, headers.get("www-authenticate")?.startsWith("Bearer ")]).toEqual([401, "INVALID_API_KEY", true])
      }
    }))
  }
})
