import { layer } from "@effect/vitest"
import { Effect } from "effect"
import { expect } from "vitest"
import { AgentHttp, arrive, mailedCode, newHandle, registration } from "../../support/http/AgentHttp.ts"
import { OpsHttp, ready } from "../../support/http/OpsHttp.ts"
import { type Answer, call, operator } from "../../support/http/SegmentHttp.ts"

const said = ({ body, status }: Answer) => [
  status,
  body.code,
  ...(body.errors as ReadonlyArray<{ readonly pointer: string; readonly detail: string }>).map(
    ({ detail, pointer }) => `${pointer} ${detail}`
  )
]

layer(AgentHttp(), { excludeTestServices: true })("a refusal", (it) => {
  it.effect("says which bounds a number has", () =>
    Effect.gen(function* () {
      const { key } = yield* arrive()
      for (const limit of ["0", "101"]) {
        expect(said(yield* call("GET", `/api/segments?limit=${limit}`, { key }))).toEqual([
          400,
          "INVALID_FIELD",
          "/query/limit Expected a value between 1 and 100"
        ])
      }
    })
  )

  it.effect("names the longest handle there can be, with or without its @", () =>
    Effect.gen(function* () {
      const long = `h${newHandle()}`.padEnd(31, "x")
      for (const handle of [long, `@${long}`]) {
        expect(said(yield* call("POST", "/api/v1/agents/register", { body: registration({}, { handle }) }))).toEqual([
          400,
          "INVALID_FIELD",
          "/agent/handle must have at most 30 characters"
        ])
      }
      expect(
        (yield* call("POST", "/api/v1/agents/register", {
          body: registration({}, { handle: `@${long.slice(0, 30)}` })
        })).status
      ).toBe(201)
    })
  )

  it.effect("of a mailed code says where the right one went, and how to have another", () =>
    Effect.gen(function* () {
      const handle = newHandle()
      const assertion = `${handle}@example.org`
      const { body } = yield* call("POST", "/api/v1/agents/register", {
        body: registration({ type: "identity_assertion", assertionType: "email", assertion }, { handle })
      })
      const right = yield* mailedCode(assertion)
      const answer = yield* call("POST", "/api/v1/agents/claim/verify-otp", {
        body: { claimToken: body.claimToken, otpCode: right === "000000" ? "000001" : "000000" }
      })
      expect([answer.status, answer.body.code, answer.body.detail]).toEqual([
        400,
        "INVALID_OTP",
        expect.stringMatching(/s\*\*\*@example\.org.*"resend"/) as unknown
      ])
    })
  )

  it.effect("of the station's speech points to the way that is open", () =>
    Effect.gen(function* () {
      const { key } = yield* arrive()
      const speech = (over: object) =>
        call("POST", "/api/v1/agents/me/tts/station/generate", {
          key,
          body: { category: "news", title: "News", scriptText: "Good evening.", ...over }
        })
      for (const [engine, code] of [
        ["PRIMARY", "PRIMARY_TTS_NOT_ALLOWED"],
        ["SPEED", "SPEED_TTS_NOT_ALLOWED"]
      ]) {
        const { body, status } = yield* speech({ engine })
        expect([status, body.code, body.detail]).toEqual([
          403,
          code,
          expect.stringMatching(/POST \/api\/segments/) as unknown
        ])
        expect(body.detail).toMatch(/operator/)
      }
    })
  )
})

layer(OpsHttp, { excludeTestServices: true, timeout: 300_000 })("an operator's command", (it) => {
  it.effect("needs no body where it needs no field, and says of a wrong id what one looks like", () =>
    Effect.gen(function* () {
      const key = yield* operator("admin")
      yield* ready(key)
      for (const command of ["hold", "resume", "skip"])
        expect([command, (yield* call("POST", `/api/ops/playout/${command}`, { key })).status]).toEqual([command, 200])
      expect((yield* call("POST", "/api/ops/playout/hold", { key, body: {} })).status).toBe(200)
      expect(said(yield* call("POST", "/api/ops/playout/skip", { key, body: { itemId: "x" } }))).toEqual([
        400,
        "INVALID_FIELD",
        expect.stringMatching(/^\/itemId .*itm_/) as unknown
      ])
      expect(said(yield* call("POST", "/api/ops/playout/skip", { key, body: { reason: 7 } }))).toEqual([
        400,
        "INVALID_FIELD",
        expect.stringMatching(/^\/reason /) as unknown
      ])
      expect((yield* call("POST", "/api/ops/playout/skip", { key, body: "[" })).body.code).toBe("INVALID_JSON")
    })
  )
})
