import { layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { expect } from "vitest"
import { otpTriesMax, wrongCodesPerRecipientPerDay } from "../../../engine/rules/agents/limits.ts"
import { mailsPerRecipientPerDay } from "../../../engine/rules/operations/limits.ts"
import { consentVersion } from "../../../schema/agents/ClaimConsent.ts"
import { AgentHttp, arrive, awaitMailedCode, newHandle, registration } from "../../support/http/AgentHttp.ts"
import { awaitMail, codeFor, Post } from "../../support/people/MailDouble.ts"
import { type Answer, call, operator } from "../../support/http/SegmentHttp.ts"

const register = "/api/v1/agents/register"
const complete = "/api/v1/agents/claim/complete"
const me = "/api/v1/agents/me"
const rotate = "/api/v1/agents/me/keys/rotate"
/** Members of every refusal, whichever part of the station made it. */
const expectProblem = ({ body, headers, status }: Answer, wanted: number, code: string) => {
  expect([status, body.code]).toEqual([wanted, code])
  expect(headers.get("content-type")).toBe("application/problem+json")
  const requestId = headers.get("x-request-id")
  expect(body).toMatchObject({
    type: `http://radio.test/problems/${code.toLowerCase().replaceAll("_", "-")}`,
    title: expect.any(String),
    status: wanted,
    instance: `urn:request:${requestId}`,
    requestId,
    detail: expect.any(String)
  })
  expect(body.errors).toBeInstanceOf(Array)
  if (wanted === 429) expect([body.error, Number(headers.get("retry-after")) > 0]).toEqual(["rate_limited", true])
  if (wanted === 503) expect(Number(headers.get("retry-after"))).toBeGreaterThan(0)
  if (wanted === 401)
    expect(headers.get("www-authenticate")).toContain(
      `resource_metadata="http://radio.test/.well-known/oauth-protected-resource"`
    )
}
layer(AgentHttp(), { excludeTestServices: true })("registration over HTTP", (it) => {
  it.effect("works without an address", () =>
    Effect.gen(function* () {
      const sent = registration(
        { requestedCapabilities: ["broadcast", "inbox.read"] },
        {
          handle: "@Nova_7",
          displayName: "  Nova  ",
          bio: "Ünïcode — fine.",
          role: "DJ/host",
          gender: "nonbinary",
          specialties: ["jazz", "jazz", "tides"]
        }
      )
      const registered = yield* call("POST", register, { body: sent })
      expect(registered.status).toBe(201)
      expect(registered.body).toMatchObject({
        type: "anonymous",
        handle: "nova_7",
        consentVersion,
        claimUrl: `http://radio.test/claim/${registered.body.claimCode}`,
        expiresAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
      })
      expect(registered.headers.get("x-request-id")).toMatch(/^req_/)
      expect(registered.headers.get("ratelimit-policy")).toContain("q=")
      const claim = {
        claimCode: registered.body.claimCode,
        ownerEmail: "nova@example.org",
        consentGiven: true,
        consentVersion
      }
      const claimed = yield* call("POST", complete, { body: claim })
      expect(claimed).toMatchObject({
        status: 200,
        body: {
          agentId: registered.body.agentId,
          status: "claimed",
          apiKey: expect.stringMatching(/^svc_agent_[A-Za-z0-9]{12}_[A-Za-z0-9_-]{43}$/)
        }
      })
      expectProblem(yield* call("POST", complete, { body: claim }), 404, "CLAIM_INVALID_OR_EXPIRED")
      const record = yield* call("GET", me, { key: claimed.body.apiKey })
      expect(record.status).toBe(200)
      expect(record.body.agent).toMatchObject({
        handle: "nova_7",
        displayName: "Nova",
        role: "dj",
        gender: "nonbinary",
        specialties: ["jazz", "tides"],
        status: "claimed",
        ownerEmailVerified: false,
        ownerEmailHash: claimed.body.ownerEmailHash,
        suspension: null
      })
      expect([...record.body.agent.scopes].sort()).toEqual(["broadcast", "inbox.read"])
      expect(record.body.keys).toHaveLength(1)
      expect(record.body.contribution).toMatchObject({
        broadcastGate: { state: "not_started" },
        canUseStationTts: false,
        canUseByokTts: true,
        segmentsAired: 0
      })
      expect(JSON.stringify(record.body)).not.toMatch(/nova@example|sealed|secret/)
      expect(claimed.body.apiKey.startsWith(record.body.keys[0].prefix)).toBe(true)
    })
  )

  it.effect(
    "gives one answer about the owner's provider key, from the claim until the right to broadcast is withdrawn",
    () =>
      Effect.gen(function* () {
        const { id, key } = yield* arrive()
        const rights = Effect.gen(function* () {
          const own = yield* call("GET", me, { key })
          const { body } = yield* call("GET", `${me}/tts/capabilities`, { key })
          const path = body.paths.find(({ id }: { readonly id: string }) => id === "byok")
          return [own.body.contribution.canUseByokTts, body.canUseByokTts, path.reason.startsWith("You have the right")]
        })
        expect(yield* rights).toEqual([true, true, true])
        yield* call("PUT", `/api/ops/agents/${id}/grants`, {
          key: yield* operator("producer"),
          body: { canBroadcast: false, reason: "for now" }
        })
        expect(yield* rights).toEqual([false, false, false])
      })
  )

  it.effect("works with an address, after the mailed code", () =>
    Effect.gen(function* () {
      const handle = newHandle()
      const assertion = `${handle}@Example.org`
      const registered = yield* call("POST", register, {
        body: registration({ type: "identity_assertion", assertionType: "email", assertion }, { handle })
      })
      expect(registered).toMatchObject({
        status: 201,
        body: {
          type: "identity_assertion",
          assertionType: "email",
          claimUrl: `http://radio.test/claim/${registered.body.claimToken}`
        }
      })
      expect(registered.body.claimCode).toBeUndefined()
      const { claimToken } = registered.body
      expectProblem(
        yield* call("POST", complete, { body: { claimToken, consentGiven: true } }),
        403,
        "EMAIL_NOT_VERIFIED"
      )
      const otpCode = yield* awaitMailedCode(assertion.toLowerCase())
      expectProblem(
        yield* call("POST", "/api/v1/agents/claim/verify-otp", {
          body: { claimToken, otpCode: otpCode === "111111" ? "222222" : "111111" }
        }),
        400,
        "INVALID_OTP"
      )
      expect((yield* call("POST", "/api/v1/agents/claim/verify-otp", { body: { claimToken, otpCode } })).body).toEqual({
        verified: true,
        email: "s***@example.org"
      })
      const claimed = yield* call("POST", complete, { body: { claimToken, consentGiven: true } })
      expect(claimed.body.status).toBe("claimed")
      expect((yield* call("GET", me, { key: claimed.body.apiKey })).body.agent.ownerEmailVerified).toBe(true)
    })
  )

  it.effect("limits mails for each address and day, over all agents", () =>
    Effect.gen(function* () {
      const to = `${newHandle()}@example.org`
      const named = (assertion: string) =>
        call("POST", register, {
          body: registration({ type: "identity_assertion", assertionType: "email", assertion })
        })
      for (let n = 0; n < mailsPerRecipientPerDay; n++)
        expect((yield* named(n % 2 === 0 ? to : to.toUpperCase())).status).toBe(201)
      expectProblem(yield* named(to), 429, "RATE_LIMITED")
      expect((yield* named(`${newHandle()}@example.org`)).status).toBe(201)
      // A claim by code continues: only its notice is left out.
      const { body } = yield* call("POST", register, { body: registration() })
      const claim = { claimCode: body.claimCode, ownerEmail: to, consentGiven: true }
      expect((yield* call("POST", complete, { body: claim })).status).toBe(200)
      const { letters } = yield* Post
      yield* awaitMail((all) =>
        all.filter((one) => one.to === to).length === mailsPerRecipientPerDay ? true : undefined
      )
      expect(letters.filter((one) => one.to === to && one.subject.includes("you own"))).toEqual([])
    })
  )

  it.effect("counts wrong codes of an address over all its claims, and then refuses even the right one", () =>
    Effect.gen(function* () {
      const assertion = `${newHandle()}@example.org`
      const verify = (claimToken: string, otpCode: string) =>
        call("POST", "/api/v1/agents/claim/verify-otp", { body: { claimToken, otpCode } })
      let wrong = 0
      while (wrong < wrongCodesPerRecipientPerDay) {
        const { body } = yield* call("POST", register, {
          body: registration({ type: "identity_assertion", assertionType: "email", assertion })
        })
        for (let tries = 0; tries < otpTriesMax && wrong < wrongCodesPerRecipientPerDay; tries++, wrong++)
          expectProblem(yield* verify(body.claimToken, "wrong"), 400, "INVALID_OTP")
      }
      const { body } = yield* call("POST", register, {
        body: registration({ type: "identity_assertion", assertionType: "email", assertion })
      })
      const newest = yield* awaitMail((all) => {
        const mine = all.filter((one) => one.to === assertion && one.text.includes(body.claimToken))
        return mine.length > 0 ? codeFor(mine, assertion) : undefined
      })
      expectProblem(yield* verify(body.claimToken, newest), 429, "RATE_LIMITED")
      expectProblem(
        yield* call("POST", complete, { body: { claimToken: body.claimToken, otpCode: newest, consentGiven: true } }),
        429,
        "RATE_LIMITED"
      )
      // Another recipient is not affected.
      const other = `${newHandle()}@example.org`
      const theirs = yield* call("POST", register, {
        body: registration({ type: "identity_assertion", assertionType: "email", assertion: other })
      })
      expect((yield* verify(theirs.body.claimToken, yield* awaitMailedCode(other))).status).toBe(200)
    })
  )

  it.effect("refuses with the contract's code and lists all faults with their pointers", () =>
    Effect.gen(function* () {
      const agent = { handle: "fine_one", displayName: "Fine" }
      const cases: ReadonlyArray<readonly [string, unknown, number, string, ReadonlyArray<string>?]> = [
        [register, "{", 400, "INVALID_JSON"],
        [register, "[]", 400, "INVALID_JSON"],
        [register, "null", 400, "INVALID_JSON"],
        [register, "7", 400, "INVALID_JSON"],
        [register, "", 400, "INVALID_JSON"],
        [register, `{"type":"anonymous","type":"anonymous"}`, 400, "INVALID_JSON"],
        [register, "[".repeat(40) + "]".repeat(40), 400, "INVALID_JSON"],
        [register, {}, 400, "MISSING_FIELDS", ["/type", "/agent", "/agent/handle", "/agent/displayName"]],
        [register, { type: "anonymous", agent: {} }, 400, "MISSING_FIELDS", ["/agent/handle", "/agent/displayName"]],
        [
          register,
          { type: "anonymous", agent: { handle: " ", displayName: "" } },
          400,
          "MISSING_FIELDS",
          ["/agent/handle", "/agent/displayName"]
        ],
        [register, { type: "identity_assertion", agent }, 400, "MISSING_FIELDS", ["/assertionType", "/assertion"]],
        [
          register,
          { type: "identity_assertion", assertionType: "email", agent },
          400,
          "MISSING_FIELDS",
          ["/assertion"]
        ],
        [register, { type: "id_jag", agent }, 400, "INVALID_TYPE"],
        [
          register,
          { type: "identity_assertion", assertionType: "phone", assertion: "a@b.cd", agent },
          400,
          "INVALID_TYPE"
        ],
        [
          register,
          { type: "identity_assertion", assertionType: "email", assertion: "nobody", agent },
          400,
          "INVALID_FIELD",
          ["/assertion"]
        ],
        [register, { type: "anonymous", agent: { ...agent, role: "king" } }, 400, "INVALID_ROLE"],
        [register, { type: "anonymous", agent: { ...agent, role: "constructor" } }, 400, "INVALID_ROLE"],
        [
          register,
          { type: "anonymous", agent: { ...agent, handle: "no spaces" } },
          400,
          "INVALID_FIELD",
          ["/agent/handle"]
        ],
        [
          register,
          { type: "anonymous", agent: { ...agent, handle: "x".repeat(31) } },
          400,
          "INVALID_FIELD",
          ["/agent/handle"]
        ],
        [
          register,
          { type: "anonymous", agent: { ...agent, displayName: 7, bio: [], gender: "robot", specialties: "x" } },
          400,
          "INVALID_FIELD",
          ["/agent/displayName", "/agent/bio", "/agent/gender", "/agent/specialties"]
        ],
        [
          register,
          { type: "anonymous", agent: { ...agent, displayName: "bell\u0007" } },
          400,
          "INVALID_FIELD",
          ["/agent/displayName"]
        ],
        [
          register,
          { type: "anonymous", agent: { ...agent, tagline: "x".repeat(141) } },
          400,
          "INVALID_FIELD",
          ["/agent/tagline"]
        ],
        [
          register,
          { type: "anonymous", agent, requestedCapabilities: ["broadcast", "root"] },
          400,
          "INVALID_FIELD",
          ["/requestedCapabilities/1"]
        ],
        [register, { type: "anonymous", agent: { ...agent, handle: "admin" } }, 409, "HANDLE_TAKEN"],
        ...["me", "register", "claim"].map(
          (handle) => [register, { type: "anonymous", agent: { ...agent, handle } }, 409, "HANDLE_TAKEN"] as const
        ),
        [
          register,
          { type: "anonymous", agent: { ...agent, voiceId: "voice_none", rightsAttested: true } },
          404,
          "VOICE_NOT_FOUND"
        ],
        [
          register,
          { type: "anonymous", agent: { ...agent, voiceId: "voice_bo" } },
          400,
          "MISSING_FIELDS",
          ["/agent/rightsAttested"]
        ],
        ["/api/v1/agents/claim/start", "{", 400, "INVALID_JSON"],
        ["/api/v1/agents/claim/start", {}, 400, "MISSING_FIELDS", ["/agentId"]],
        ["/api/v1/agents/claim/start", { agentId: "nobody" }, 404, "AGENT_NOT_FOUND"],
        ["/api/v1/agents/claim/verify-otp", "x", 400, "INVALID_JSON"],
        ["/api/v1/agents/claim/verify-otp", {}, 400, "MISSING_FIELDS", ["/claimToken", "/otpCode"]],
        ["/api/v1/agents/claim/verify-otp", { claimToken: "x.y.z", otpCode: "123456" }, 400, "INVALID_TOKEN"],
        [
          "/api/v1/agents/claim/verify-otp",
          { claimToken: "x.y.z", otpCode: 123456 },
          400,
          "INVALID_FIELD",
          ["/otpCode"]
        ],
        [complete, "x", 400, "INVALID_JSON"],
        [complete, {}, 400, "MISSING_FIELDS", ["/claimCode", "/ownerEmail", "/consentGiven"]],
        [complete, { claimCode: "a", claimToken: "b", consentGiven: true }, 400, "MISSING_FIELDS"],
        [complete, { claimCode: "a", consentGiven: true }, 400, "MISSING_FIELDS", ["/ownerEmail"]],
        [complete, { claimCode: "a", ownerEmail: "a@b.cd" }, 400, "MISSING_FIELDS", ["/consentGiven"]],
        [
          complete,
          { claimCode: "a", ownerEmail: "a@b.cd", consentGiven: false },
          400,
          "MISSING_FIELDS",
          ["/consentGiven"]
        ],
        [
          complete,
          { claimCode: "a", ownerEmail: "a@b.cd", consentGiven: true, consentVersion: "1999" },
          400,
          "INVALID_FIELD",
          ["/consentVersion"]
        ],
        [complete, { claimCode: "a", ownerEmail: "a@b.cd", consentGiven: true }, 404, "CLAIM_INVALID_OR_EXPIRED"],
        [complete, { claimToken: "a.b.c", consentGiven: true }, 404, "CLAIM_INVALID_OR_EXPIRED"]
      ]
      for (const [path, body, status, code, pointers] of cases) {
        const answer = yield* call("POST", path, { body })
        const sent = JSON.stringify(body).slice(0, 120)
        expect([sent, answer.status, answer.body.code]).toEqual([sent, status, code])
        expectProblem(answer, status, code)
        if (pointers !== undefined)
          expect([sent, answer.body.errors.map(({ pointer }: { pointer: string }) => pointer).sort()]).toEqual([
            sent,
            [...pointers].sort()
          ])
      }
      const sql = yield* SqlClient.SqlClient
      expect(yield* sql`SELECT 1 FROM agents WHERE handle = 'fine_one'`).toHaveLength(0)
    })
  )

  it.effect("ignores fields that the server sets, and lists them as ignored", () =>
    Effect.gen(function* () {
      const answer = yield* call("POST", register, {
        body: registration(
          { id: "agt_1", status: "claimed", shoe: 9 },
          { status: "claimed", tier: 4, ownerEmailHash: "x" }
        )
      })
      expect(answer.status).toBe(201)
      expect(answer.body.agentId).not.toBe("agt_1")
      expect(answer.headers.get("x-ignored-fields")?.split(/,\s*/).sort()).toEqual([
        "agent.ownerEmailHash",
        "agent.status",
        "agent.tier",
        "id",
        "shoe",
        "status"
      ])
      const sql = yield* SqlClient.SqlClient
      expect(yield* sql<{ status: string }>`SELECT status FROM agents WHERE id = ${answer.body.agentId}`).toEqual([
        { status: "pending" }
      ])
    })
  )

  it.effect("accepts only complete, known and valid keys", () =>
    Effect.gen(function* () {
      const agent = yield* arrive()
      const last = agent.key.at(-1) === "A" ? "B" : "A"
      const wrong = [
        undefined,
        "",
        "x",
        "svc_agent_",
        agent.key.slice(0, -1),
        `${agent.key.slice(0, -1)}${last}`,
        `${agent.key}A`,
        agent.key.toUpperCase(),
        agent.key.replace("svc_agent_", "svc_ops_"),
        yield* operator("admin"),
        "svc_agent_000000000000_".padEnd(66, "A")
      ]
      for (const key of wrong) {
        for (const [method, path] of [
          ["GET", me],
          ["DELETE", me],
          ["POST", rotate]
        ] as const) {
          const answer = yield* call(method, path, key === undefined ? {} : { key })
          expectProblem(answer, 401, "INVALID_API_KEY")
          if (key === undefined) expect(answer.headers.get("www-authenticate")).not.toContain("error=")
          else expect(answer.headers.get("www-authenticate")).toContain(`error="invalid_token"`)
          expect(JSON.stringify(answer.body)).not.toContain(agent.key.slice(23))
        }
      }
      expectProblem(
        yield* call("GET", me, { headers: { authorization: `Basic ${btoa(`x:${agent.key}`)}` } }),
        401,
        "INVALID_API_KEY"
      )
      expectProblem(yield* call("GET", `${me}?key=${agent.key}`), 400, "INVALID_FIELD")
      expectProblem(
        yield* call("GET", `${me}?apiKey=${encodeURIComponent(agent.key)}`, { key: agent.key }),
        400,
        "INVALID_FIELD"
      )
      expect((yield* call("GET", me, { key: agent.key })).status).toBe(200)
    })
  )

  it.effect("rotates a key at once, and revokes all when the agent leaves", () =>
    Effect.gen(function* () {
      const agent = yield* arrive()
      expect((yield* call("POST", `${rotate}?dryRun=true`, { key: agent.key })).body).toMatchObject({
        dryRun: true,
        status: 200
      })
      const rotated = yield* call("POST", rotate, { key: agent.key })
      expect(rotated).toMatchObject({
        status: 200,
        body: { apiKey: expect.stringMatching(/^svc_agent_/), revokedKeyIds: [expect.stringMatching(/^key_/)] }
      })
      expectProblem(yield* call("GET", me, { key: agent.key }), 401, "INVALID_API_KEY")
      const key = rotated.body.apiKey
      expect(
        (yield* call("GET", me, { key })).body.keys.map(
          ({ revokedAt }: { revokedAt: string | null }) => revokedAt === null
        )
      ).toEqual([true, false])
      expect((yield* call("DELETE", `${me}?dryRun=1`, { key })).body).toMatchObject({ dryRun: true })
      const left = yield* call("DELETE", me, { key })
      expect(left).toMatchObject({
        status: 200,
        body: { agentId: agent.id, handle: agent.handle, status: "suspended", revokedKeys: 1 }
      })
      expectProblem(yield* call("DELETE", me, { key }), 401, "INVALID_API_KEY")
      expectProblem(
        yield* call("POST", register, { body: registration({}, { handle: agent.handle }) }),
        409,
        "HANDLE_TAKEN"
      )
    })
  )

  it.effect("tells a suspended agent the reason, and names a missing scope", () =>
    Effect.gen(function* () {
      const agent = yield* arrive()
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE agents SET status = 'suspended', suspended_reason = 'spam', suspended_until = '2030-01-01' WHERE id = ${agent.id}`
      const suspended = yield* call("GET", me, { key: agent.key })
      expectProblem(suspended, 403, "AGENT_SUSPENDED")
      expect(suspended.body.suspension).toEqual({
        reason: "spam",
        until: "2030-01-01T00:00:00.000Z",
        appealUrl: expect.stringContaining("http://radio.test")
      })
      yield* sql`UPDATE agents SET status = 'pending' WHERE id = ${agent.id}`
      expectProblem(yield* call("GET", me, { key: agent.key }), 403, "AGENT_NOT_ACTIVE")
      const guest = yield* arrive({ role: "guest" })
      const refused = yield* call("POST", "/api/segments", { key: guest.key, body: {} })
      expectProblem(refused, 403, "FORBIDDEN")
      expect([refused.body.requiredScope, refused.headers.get("www-authenticate")]).toEqual([
        "broadcast",
        expect.stringContaining(`error="insufficient_scope", scope="broadcast"`)
      ])
    })
  )

  it.effect("treats an empty text as none, and accepts null in optional profile fields", () =>
    Effect.gen(function* () {
      const silent = yield* call("POST", register, {
        body: registration(
          { assertionType: "" },
          {
            bio: null,
            tagline: "  ",
            role: "",
            specialties: ["", "jazz", "jazz "],
            gender: null,
            avatarSignalTraits: null
          }
        )
      })
      expect(silent.status).toBe(201)
      const claim = {
        claimCode: silent.body.claimCode,
        ownerEmail: "quiet@example.org",
        consentGiven: true,
        consentVersion: "",
        claimToken: ""
      }
      const {
        body: { apiKey }
      } = yield* call("POST", complete, { body: claim })
      expect((yield* call("GET", me, { key: apiKey })).body.agent).toMatchObject({
        bio: null,
        tagline: null,
        role: "hybrid",
        specialties: ["jazz"],
        avatarSignalTraits: []
      })
      const empty: ReadonlyArray<readonly [string, unknown, string]> = [
        [register, registration({ type: " " }), "/type"],
        [
          register,
          registration({ type: "identity_assertion", assertionType: "", assertion: "a@b.cd" }),
          "/assertionType"
        ],
        [register, registration({ type: "identity_assertion", assertionType: "email", assertion: "" }), "/assertion"],
        [complete, { ...claim, ownerEmail: " " }, "/ownerEmail"]
      ]
      for (const [path, body, pointer] of empty) {
        const answer = yield* call("POST", path, { body })
        expectProblem(answer, 400, "MISSING_FIELDS")
        expect(answer.body.errors.map((part: { pointer: string }) => part.pointer)).toEqual([pointer])
      }
      for (const assertion of ["a@b.cd\u0000", "a b@c.de", "a@b"])
        expectProblem(
          yield* call("POST", register, {
            body: registration({ type: "identity_assertion", assertionType: "email", assertion })
          }),
          400,
          "INVALID_FIELD"
        )
      expectProblem(
        yield* call("POST", "/api/v1/agents/claim/start", { body: { agentId: "x".repeat(1_000) } }),
        404,
        "AGENT_NOT_FOUND"
      )
      expectProblem(
        yield* call("POST", register, { body: registration({}, { voiceId: "voice_shared", rightsAttested: true }) }),
        400,
        "VOICE_NOT_CLAIMABLE"
      )
    })
  )

  it.effect("reports the remaining codes of an agent, and the time of the next", () =>
    Effect.gen(function* () {
      const {
        body: { agentId }
      } = yield* call("POST", register, { body: registration() })
      const start = Effect.suspend(() => call("POST", "/api/v1/agents/claim/start", { body: { agentId } }))
      const left = ({ headers }: Answer) => /"claim_starts_per_hour";(r=\d+)/.exec(headers.get("ratelimit") ?? "")?.[1]
      const answers = yield* Effect.forEach(Array.from({ length: 6 }), () => start)
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 429])
      expect(answers.map(left)).toEqual(["r=4", "r=3", "r=2", "r=1", "r=0", "r=0"])
      const retryAfter = Number(answers[5]!.headers.get("retry-after"))
      expect([retryAfter > 3_500, retryAfter <= 3_600]).toEqual([true, true])
    })
  )

  it.effect("lets the named owner suspend an agent, by a button and not by opening the link", () =>
    Effect.gen(function* () {
      const agent = yield* arrive()
      const { text } = yield* awaitMail((letters) => letters.find(({ to }) => to === `${agent.handle}@example.org`))
      const path = new URL(/http:\/\/radio\.test\/not-me\/\S+/.exec(text)![0]).pathname
      const page = yield* call("GET", path)
      expect([
        page.status,
        page.headers.get("content-security-policy")?.startsWith("default-src 'none'"),
        page.headers.get("cache-control")
      ]).toEqual([200, true, "no-store"])
      expect((yield* call("GET", me, { key: agent.key })).status).toBe(200)
      expectProblem(yield* call("POST", `${path.slice(0, -1)}${path.endsWith("0") ? "1" : "0"}`), 404, "NOT_FOUND")
      expectProblem(yield* call("POST", "/not-me/agt_1.x"), 404, "NOT_FOUND")
      expect(
        (yield* call("POST", path, { headers: { "content-type": "application/x-www-form-urlencoded" } })).status
      ).toBe(200)
      const refused = yield* call("GET", me, { key: agent.key })
      expectProblem(refused, 403, "AGENT_SUSPENDED")
      expect(refused.body.suspension.reason).toContain("address")
    })
  )

  it.effect("gives a handle to one of fifty simultaneous requests", () =>
    Effect.gen(function* () {
      const handle = newHandle()
      const answers = yield* Effect.forEach(
        Array.from({ length: 50 }),
        () => call("POST", register, { body: registration({}, { handle }) }),
        { concurrency: 50 }
      )
      expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
      for (const answer of answers.filter(({ status }) => status !== 201)) expectProblem(answer, 409, "HANDLE_TAKEN")
    })
  )

  it.effect("runs a command once under its key", () =>
    Effect.gen(function* () {
      const body = registration()
      const headers = { "idempotency-key": "first arrival" }
      const racing = yield* Effect.forEach(
        Array.from({ length: 20 }),
        () => call("POST", register, { body, headers }),
        { concurrency: 20 }
      )
      const done = racing.filter(({ status }) => status === 201)
      expect(new Set(done.map(({ body: { agentId } }) => agentId)).size).toBe(1)
      for (const answer of racing.filter(({ status }) => status !== 201))
        expectProblem(answer, 409, "IDEMPOTENCY_KEY_IN_PROGRESS")
      const { agent, ...rest } = body
      const again = yield* call("POST", register, { body: { agent, ...rest }, headers })
      expect([again.status, again.body, again.headers.get("idempotent-replayed")]).toEqual([201, done[0]!.body, "true"])
      expectProblem(yield* call("POST", register, { body: registration(), headers }), 409, "IDEMPOTENCY_KEY_CONFLICT")
      expectProblem(
        yield* call("POST", register, { body: registration(), headers: { "idempotency-key": "x".repeat(256) } }),
        400,
        "INVALID_FIELD"
      )
      expectProblem(
        yield* call("POST", register, { body: registration(), headers: { "idempotency-key": "caf\u00e9" } }),
        400,
        "INVALID_FIELD"
      )

      const claim = {
        body: { claimCode: done[0]!.body.claimCode, ownerEmail: "o@example.org", consentGiven: true },
        headers: { "idempotency-key": "claim" }
      }
      const claimed = yield* call("POST", complete, claim)
      expect((yield* call("POST", complete, claim)).body).toEqual(claimed.body)
      const sql = yield* SqlClient.SqlClient
      expect(JSON.stringify(yield* sql`SELECT * FROM idempotency_keys`)).not.toContain(claimed.body.apiKey.slice(23))
      yield* sql`UPDATE idempotency_keys SET created_at = created_at - interval '11 minutes'`
      const late = yield* call("POST", complete, claim)
      expectProblem(late, 409, "IDEMPOTENCY_KEY_CONFLICT")
      expect((yield* call("POST", register, { body, headers })).status).toBe(201)
    })
  )

  it.effect("revokes an agent's key at a rotation, and repeats the new one to no one", () =>
    Effect.gen(function* () {
      const agent = yield* arrive()
      const rotation = { headers: { "idempotency-key": "rotate once" } }
      const rotated = yield* call("POST", rotate, { key: agent.key, ...rotation })
      expectProblem(yield* call("POST", rotate, { key: agent.key, ...rotation }), 401, "INVALID_API_KEY")
      expectProblem(
        yield* call("POST", rotate, { key: rotated.body.apiKey, ...rotation }),
        409,
        "IDEMPOTENCY_KEY_CONFLICT"
      )
      expectProblem(
        yield* call("POST", rotate, { key: agent.key, headers: { "idempotency-key": "another" } }),
        401,
        "INVALID_API_KEY"
      )
      const forged = `${agent.key.slice(0, -1)}${agent.key.endsWith("A") ? "B" : "A"}`
      expectProblem(yield* call("POST", rotate, { key: forged, ...rotation }), 401, "INVALID_API_KEY")
    })
  )

  it.effect("keeps the idempotency keys of callers apart", () =>
    Effect.gen(function* () {
      const [one, two] = yield* Effect.all([arrive(), arrive()])
      const headers = { "idempotency-key": "the same" }
      const first = yield* call("POST", rotate, { key: one.key, headers })
      const second = yield* call("POST", rotate, { key: two.key, headers })
      expect([first.status, second.status, second.headers.get("idempotent-replayed")]).toEqual([200, 200, null])
      expect(first.body.apiKey).not.toBe(second.body.apiKey)
    })
  )
})
layer(AgentHttp({ RATE_LIMIT_SCALE: "0.01", TRUSTED_PROXIES: "127.0.0.0/8" }), { excludeTestServices: true })(
  "registration, guessed at from many addresses",
  (it) => {
    it.effect("accepts a limited number of wrong codes an hour over all addresses, and counts nothing else", () =>
      Effect.gen(function* () {
        let hosts = 0
        const from = () => ({ "x-forwarded-for": `198.51.${++hosts >> 8}.${hosts & 255}` })
        // Callers without a claim of their own use up no shared allowance.
        const vain = { body: { claimToken: "a.b.c", otpCode: "123456", consentGiven: true } }
        for (let n = 0; n < 40; n++)
          expect((yield* call("POST", complete, { ...vain, headers: from() })).status).not.toBe(429)
        const guesses: Array<Answer> = []
        while (guesses.length < 40) {
          const assertion = `${newHandle()}@example.com`
          const { body } = yield* call("POST", register, {
            body: registration({ type: "identity_assertion", assertionType: "email", assertion }),
            headers: from()
          })
          const right = yield* awaitMailedCode(assertion)
          for (let n = 0; n < 5; n++)
            guesses.push(
              yield* call("POST", "/api/v1/agents/claim/verify-otp", {
                body: { claimToken: body.claimToken, otpCode: right === "111111" ? "222222" : "111111" },
                headers: from()
              })
            )
        }
        const refused = guesses.filter(({ status }) => status === 429)
        expect([guesses.length - refused.length, refused.length]).toEqual([36, 4])
        for (const answer of refused) {
          expectProblem(answer, 429, "RATE_LIMITED")
          expect(answer.headers.get("ratelimit")).toContain(`"claims-of-all";r=0;t=`)
        }
      })
    )
  }
)
layer(AgentHttp({ RATE_LIMIT_SCALE: "1", OPEN_SIGNUP: "off" }), { excludeTestServices: true })(
  "closed registration under floods",
  (it) => {
    it.effect("refuses everybody, and limits repeated requests by address", () =>
      Effect.gen(function* () {
        const begunMs = performance.now()
        const answers = yield* Effect.forEach(
          Array.from({ length: 40 }),
          () =>
            call("POST", register, {
              body: registration(),
              headers: { "x-forwarded-for": `198.51.100.${Math.trunc(performance.now()) % 250}` }
            }),
          { concurrency: 8 }
        )
        // Of thirty a minute, one returns every two seconds.
        const tookMs = performance.now() - begunMs
        const refused = answers.filter(({ body }) => body.code === "RATE_LIMITED")
        expect(answers.filter(({ body }) => body.code === "OPEN_SIGNUP_DISABLED")).toHaveLength(40 - refused.length)
        expect(refused.length).toBeLessThanOrEqual(10)
        expect(refused.length).toBeGreaterThanOrEqual(10 - Math.floor(tookMs / 2_000))
        for (const answer of refused) expectProblem(answer, 429, "RATE_LIMITED")
        expect(refused[0]!.headers.get("ratelimit")).toMatch(/^"address-writes";r=0;t=\d+/)
        expect((yield* call("GET", me)).status).toBe(401)
      })
    )
  }
)
layer(AgentHttp({ RATE_LIMIT_SCALE: "1" }), { excludeTestServices: true })("limits by address", (it) => {
  it.effect("are wider for an agent's proven key, and for no other", () =>
    Effect.gen(function* () {
      const { key } = yield* arrive()
      const policyOf = Effect.fnUntraced(function* (method: string, shown: string) {
        const { headers } = yield* call(method, method === "GET" ? me : `${me}/heartbeat`, { key: shown })
        return headers.get("ratelimit-policy")!.split(", ").at(-1)
      })
      const invented = `svc_agent_${"a".repeat(12)}_${"b".repeat(43)}`
      for (let n = 0; n < 2; n++) expect(yield* policyOf("GET", invented)).toBe(`"address-reads";q=240;w=60`)
      yield* policyOf("GET", key)
      // Ten agents on one machine don't use up each other's allowance.
      expect(yield* policyOf("GET", key)).toBe(`"agents-reads";q=3000;w=60`)
      expect(yield* policyOf("POST", key)).toBe(`"agents-writes";q=600;w=60`)
      expect(yield* policyOf("POST", `${key.slice(0, -1)}${key.endsWith("A") ? "B" : "A"}`)).toBe(
        `"address-writes";q=30;w=60`
      )
    })
  )
})
