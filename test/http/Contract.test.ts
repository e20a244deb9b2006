import { layer } from "@effect/vitest"
import { Effect } from "effect"
import { OpenApi } from "effect/http-api"
import { SqlClient } from "effect/sql"
import { readFileSync } from "node:fs"
import { describe, expect, it as plain } from "vitest"
import { meterNames } from "../../engine/rules/SpeechQuotaView.ts"
import { Agents } from "../../engine/store/Agents.ts"
import { Api } from "../../http/api/Api.ts"
import { OpsApi } from "../../http/api/OpsApi.ts"
import { AgentHttp, arrive, mailedCode, newHandle, registration } from "../support/AgentHttp.ts"
import { type Answer, call, operator } from "../support/SegmentHttp.ts"
import { type Fault, SpeechScript } from "../support/SpeechDoubles.ts"

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
  readonly paths: Record<string, Record<string, { readonly responses: Record<string, unknown>; readonly security?: ReadonlyArray<unknown>; readonly "x-additive"?: boolean }>>
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
    expect(served.length).toBeGreaterThanOrEqual(23)
    const known = new Set(operations.map(named))
    const marks = (paths: typeof spec.paths) => Object.entries(paths).flatMap(([path, methods]) => Object.entries(methods).map(([method, operation]) => [`${method.toUpperCase()} ${path}`, operation["x-additive"] === true] as const))
    expect(marks(spec.paths).filter(([name, additive]) => known.has(name) === additive)).toEqual([])
    const ops = JSON.parse(JSON.stringify(OpenApi.fromApi(OpsApi))) as typeof spec
    expect(marks(ops.paths).length).toBeGreaterThan(10)
    expect(marks(ops.paths).filter(([, additive]) => !additive)).toEqual([])
  })

  plain.each(served.map((operation) => [named(operation), operation] as const))("%s declares its success and every code of its row", (_, operation) => {
    const { responses, security } = declared(operation)!
    expect(Object.keys(responses)).toContain(String(operation.success))
    for (const { code, status } of operation.errors) {
      expect([status, responses[status] !== undefined]).toEqual([status, true])
      if (code !== null) expect([code, whole(responses[status]).includes(`"${code}"`)]).toEqual([code, true])
    }
    if (operation.auth === "agent") expect([security?.length ?? 0, whole(responses["401"]).includes("INVALID_API_KEY")]).toEqual([1, true])
    if (operation.auth === "public") expect(security ?? []).toEqual([])
  })
})

const post = (path: string, body?: unknown, key?: string, headers: Record<string, string> = {}) => call("POST", path, { headers, ...body === undefined ? {} : { body }, ...key === undefined ? {} : { key } })
const register = "/api/v1/agents/register"
const start = "/api/v1/agents/claim/start"
const verify = "/api/v1/agents/claim/verify-otp"
const complete = "/api/v1/agents/claim/complete"
const me = "/api/v1/agents/me"
const rotate = "/api/v1/agents/me/keys/rotate"
const generate = "/api/v1/agents/me/tts/station/generate"

const mailed = Effect.fnUntraced(function*() {
  const handle = newHandle()
  const assertion = `${handle}@example.org`
  const { body } = yield* post(register, registration({ type: "identity_assertion", assertionType: "email", assertion }, { handle }))
  return { claimToken: body.claimToken as string, agentId: body.agentId as string, otpCode: yield* mailedCode(assertion) }
})
const wrong = (otpCode: string) => otpCode === "000000" ? "000001" : "000000"
const erase = (agentId: string) => Effect.flatMap(SqlClient.SqlClient, (sql) => sql`DELETE FROM agents WHERE id = ${agentId}`)

const segment = { stationSlug: "longwave", category: "news", title: "News", scriptText: "Good evening." }
const speech = { category: "station_id", title: "Ident", scriptText: "You are listening." }
const grantedAgent = Effect.fnUntraced(function*(agent: object = {}) {
  const arrived = yield* arrive(agent)
  yield* call("PUT", `/api/ops/agents/${arrived.id}/grants`, { key: yield* operator("producer"), body: { freeAir: true, stationSpeech: true } })
  return arrived
})
const failing = (fault: Fault, ask: Effect.Effect<Answer, unknown, Effect.Services<ReturnType<typeof post>>>) =>
  Effect.flatMap(SpeechScript, (script) => Effect.ensuring(Effect.andThen(Effect.sync(() => script.fault = fault), ask), Effect.sync(() => script.fault = "none")))
/** As if so much speech had been made already. */
const usedUp = Effect.fnUntraced(function*(meter: 0 | 1 | 2, agentId: string) {
  const sql = yield* SqlClient.SqlClient
  const name = meterNames(agentId, (yield* (yield* Agents).find(agentId))!.ownerEmailHash)[meter]!
  yield* sql`INSERT INTO meters (name, empty_at_ms) VALUES (${name}, 1e15) ON CONFLICT (name) DO UPDATE SET empty_at_ms = 1e15`
})

type World = Effect.Services<ReturnType<typeof call>> | Effect.Services<ReturnType<typeof mailed>> | Effect.Services<ReturnType<typeof operator>> | SqlClient.SqlClient | SpeechScript | Agents

const noKey = (method: string, path: string) => ({ "401": call(method, path, method === "POST" ? { body: {} } : {}) })

/** How each refusal of the rows is brought about; a row that names only a status is kept by that status. */
const scenes: Record<string, Record<string, Effect.Effect<Answer, unknown, World>>> = {
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
  [`DELETE ${me}`]: { INVALID_API_KEY: call("DELETE", me) },
  "POST /api/segments": {
    ...noKey("POST", "/api/segments"),
    FORBIDDEN: Effect.flatMap(arrive({ role: "guest" }), ({ key }) => post("/api/segments", segment, key))
  },
  "GET /api/segments": {},
  "GET /api/v1/agents/me/segments": noKey("GET", "/api/v1/agents/me/segments"),
  "GET /api/v1/segments/{id}": { "404": call("GET", "/api/v1/segments/seg_00000000000000000000000000") },
  [`POST ${generate}`]: {
    ...noKey("POST", generate),
    INVALID_JSON: Effect.flatMap(arrive(), ({ key }) => post(generate, "{", key)),
    MISSING_FIELDS: Effect.flatMap(arrive(), ({ key }) => post(generate, {}, key)),
    SPEED_VOICE_NOT_FOUND: Effect.flatMap(grantedAgent(), ({ key }) => post(generate, { ...speech, engine: "SPEED" }, key)),
    SPEED_TTS_NOT_ALLOWED: Effect.flatMap(arrive(), ({ key }) => post(generate, { ...speech, engine: "SPEED" }, key)),
    PRIMARY_TTS_NOT_ALLOWED: Effect.flatMap(arrive(), ({ key }) => post(generate, { ...speech, category: "news" }, key)),
    STATION_TTS_QUOTA_EXHAUSTED: Effect.flatMap(grantedAgent(), ({ id, key }) => Effect.andThen(usedUp(1, id), post(generate, speech, key))),
    FORBIDDEN: Effect.flatMap(grantedAgent(), ({ key }) => post(generate, { ...speech, agentShowId: "show_1" }, key)),
    IDEMPOTENCY_KEY_CONFLICT: Effect.flatMap(grantedAgent(), ({ key }) =>
      Effect.andThen(post(generate, speech, key, { "idempotency-key": "k" }), post(generate, { ...speech, title: "Another" }, key, { "idempotency-key": "k" }))),
    IDEMPOTENCY_KEY_IN_PROGRESS: Effect.flatMap(grantedAgent(), ({ key }) => Effect.gen(function*() {
      yield* post(generate, speech, key, { "idempotency-key": "p" })
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE idempotency_keys SET state = 'running'`
      return yield* post(generate, speech, key, { "idempotency-key": "p" })
    })),
    SCRIPT_TOO_LONG: Effect.flatMap(grantedAgent(), ({ key }) => post(generate, { ...speech, scriptText: "A few words. ".repeat(500) }, key)),
    RATE_LIMITED: Effect.flatMap(grantedAgent(), ({ id, key }) => Effect.andThen(usedUp(0, id), post(generate, speech, key))),
    SPEED_TTS_FAILED: Effect.flatMap(grantedAgent({ voiceId: "voice_ada", rightsAttested: true }), ({ key }) => failing("crashes", post(generate, speech, key))),
    PRIMARY_TTS_FAILED: Effect.flatMap(grantedAgent(), ({ key }) => failing("crashes", post(generate, speech, key)))
  },
  "GET /api/v1/agents/me/tts/voices": noKey("GET", "/api/v1/agents/me/tts/voices"),
  "GET /api/v1/agents/me/tts/voices/{voiceId}": {
    ...noKey("GET", "/api/v1/agents/me/tts/voices/voice_ada"),
    VOICE_NOT_FOUND: Effect.flatMap(arrive(), ({ key }) => call("GET", "/api/v1/agents/me/tts/voices/voice_none", { key }))
  },
  "GET /api/v1/agents/me/tts/capabilities": noKey("GET", "/api/v1/agents/me/tts/capabilities"),
  "GET /api/station": {},
  "GET /api/station/now-playing": { "500": call("GET", "/api/station/now-playing") },
  "GET /api/now-playing": { "500": call("GET", "/api/now-playing") },
  "GET /api/station/history": { STATION_NOT_FOUND: call("GET", "/api/station/history?stationSlug=otherwave") },
  "GET /api/station/queue": {},
  "GET /api/station/stream-health": {},
  "GET /api/station/listen": {},
  "GET /api/station/playback-sources": {}
}

/** What a running station can't be brought to say, and where else it is proven. */
const elsewhere: Record<string, string> = {
  [`GET ${me} AGENT_NOT_FOUND`]: "a key belongs to an agent by a foreign key of the database, so none outlives its agent",
  [`POST ${register} OPEN_SIGNUP_DISABLED`]: "signup is open in this world; Onboarding.test.ts shuts it"
}

layer(AgentHttp(), { excludeTestServices: true })("the contract's rows", (it) => {
  for (const operation of served) {
    it.effect(`${named(operation)} refuses as its row says`, () => Effect.gen(function*() {
      expect([named(operation), named(operation) in scenes]).toEqual([named(operation), true])
      for (const { code, status } of operation.errors) {
        const why = elsewhere[`${named(operation)} ${code}`]
        if (why !== undefined) {
          yield* Effect.sync(() => console.info(`${named(operation)} ${code} is not produced here: ${why}`))
          continue
        }
        const scene = scenes[named(operation)]![code ?? String(status)]
        expect([code ?? status, scene !== undefined]).toEqual([code ?? status, true])
        const { body, headers, status: got } = yield* scene!
        expect([code, got, code === null ? typeof body.code : body.code, headers.get("content-type")]).toEqual([code, status, code === null ? "string" : code, "application/problem+json"])
        if (status === 429 || code === "STATION_TTS_QUOTA_EXHAUSTED" || code === "IDEMPOTENCY_KEY_IN_PROGRESS") expect([code, Number(headers.get("retry-after")) > 0]).toEqual([code, true])
        if (status === 413) expect(body.suggestedSplit.length).toBeGreaterThan(1)
        if (status === 401) expect(headers.get("www-authenticate")).toContain("resource_metadata=")
        expect(headers.get("x-request-id")).toBe(body.requestId)
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
