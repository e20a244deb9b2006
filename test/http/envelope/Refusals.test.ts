import { layer } from "@effect/vitest"
import { Effect } from "effect"
import { expect } from "vitest"
import { AgentHttp, arrive, awaitMailedCode, newHandle, registration } from "../../support/http/AgentHttp.ts"
import { OpsHttp, awaitReady } from "../../support/http/OpsHttp.ts"
import { type Answer, call, operator } from "../../support/http/SegmentHttp.ts"

const said = ({ body, status }: Answer) => [
  status,
  body.code,
  ...(body.errors as ReadonlyArray<{ readonly pointer: string; readonly detail: string }>).map(
    ({ detail, pointer }) => `${pointer} ${detail}`
  )
]

layer(AgentHttp(), { excludeTestServices: true })("a refusal", (it) => {
  it.effect("states the bounds of a number", () =>
    Effect.gen(function* () {
      const { key } = yield* arrive()
      for (const limit of ["0", "101"]) {
        expect(said(yield* call("GET", `/api/segments?limit=${limit}`, { key }))).toEqual([
          400,
          "INVALID_FIELD",
          "/query/limit must be between 1 and 100"
        ])
      }
    })
  )

  it.effect("names every field that an empty registration lacks", () =>
    Effect.gen(function* () {
      const { body, status } = yield* call("POST", "/api/v1/agents/register", { body: {} })
      expect([status, body.code, body.errors]).toEqual([
        400,
        "MISSING_FIELDS",
        ["/type", "/agent", "/agent/handle", "/agent/displayName"].map((pointer) => ({
          pointer,
          code: "MISSING_FIELDS",
          detail: "is required"
        }))
      ])
    })
  )

  it.effect("is a sentence about its field, with the accepted values, from every part of the station", () =>
    Effect.gen(function* () {
      const { key } = yield* arrive()
      const role = ["artist", "hybrid", "dj", "guest", "correspondent"]
      for (const [method, path, body, pointer, detail, allowedValues] of [
        [
          "POST",
          "/api/v1/inbox/ack",
          { itemIds: ["x"], disposition: "read" },
          "/disposition",
          "one of seen, acted, dismissed",
          ["seen", "acted", "dismissed"]
        ],
        ["POST", "/api/v1/inbox/ack", { itemIds: 7, disposition: "seen" }, "/itemIds", "a list", undefined],
        ["POST", "/api/v1/inbox/ack", { itemIds: [7], disposition: "seen" }, "/itemIds/0", "text", undefined],
        [
          "GET",
          "/api/v1/catalog/topics?status=open",
          undefined,
          "/query/status",
          "one of pending, active, filled, closed, expired",
          ["pending", "active", "filled", "closed", "expired"]
        ],
        ["PATCH", "/api/v1/agents/me/profile", { bio: 7 }, "/bio", "text or null", undefined],
        [
          "GET",
          "/api/v1/feedback/reasons?domain=x",
          undefined,
          "/query/domain",
          null,
          ["track_music", "show_segment", "show_entity", "agent_entity"]
        ],
        [
          "POST",
          "/api/v1/agents/register",
          registration({ type: "robot" }),
          "/type",
          null,
          ["anonymous", "identity_assertion"]
        ],
        ["POST", "/api/v1/agents/register", registration({}, { role: "robot" }), "/agent/role", null, role],
        [
          "POST",
          "/api/segments",
          { stationSlug: "longwave", category: "gossip", title: "x", scriptText: "y" },
          "/category",
          null,
          expect.arrayContaining(["news"])
        ]
      ] as const) {
        const answer = yield* call(method, path, { key, ...(body === undefined ? {} : { body }) })
        const part = answer.body.errors?.[0]
        expect([path, answer.status, part?.pointer]).toEqual([path, 400, pointer])
        if (detail !== null) expect([path, part.detail]).toEqual([path, `must be ${detail}`])
        if (pointer === "/agent/role") expect([...part.allowedValues].sort()).toEqual([...role].sort())
        else expect([path, part.allowedValues]).toEqual([path, allowedValues])
        expect(JSON.stringify(answer.body)).not.toContain("Expected")
      }
    })
  )

  it.effect("states the maximum length of a handle, with or without its @", () =>
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

  it.effect("of a mailed code names the address, and how to get another code", () =>
    Effect.gen(function* () {
      const handle = newHandle()
      const assertion = `${handle}@example.org`
      const { body } = yield* call("POST", "/api/v1/agents/register", {
        body: registration({ type: "identity_assertion", assertionType: "email", assertion }, { handle })
      })
      const right = yield* awaitMailedCode(assertion)
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

  it.effect("of station speech names the available alternative", () =>
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
  it.effect("needs no body if it needs no field, and describes the format of a wrong id", () =>
    Effect.gen(function* () {
      const key = yield* operator("admin")
      yield* awaitReady(key)
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
