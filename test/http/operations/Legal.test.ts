import { layer } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { expect } from "vitest"
import { consentText, consentVersion } from "../../../schema/agents/ClaimConsent.ts"
import { Presences } from "../../../engine/store/inbox/Presences.ts"
import type { AgentId } from "../../../schema/Ids.ts"
import { AgentHttp, arrive } from "../../support/http/AgentHttp.ts"
import { call } from "../../support/http/SegmentHttp.ts"

const beat = (key: string, body?: unknown, dry = "") =>
  call("POST", `/api/heartbeat${dry}`, { key, ...(body === undefined ? {} : { body }) })
layer(AgentHttp(), { excludeTestServices: true })("legal pages and presence", (it) => {
  it.effect("show the terms at their linked addresses", () =>
    Effect.gen(function* () {
      const { body, headers } = yield* call("GET", "/api/v1/legal")
      expect(headers.get("cache-control")).toBe("public, max-age=3600")
      expect(body).toMatchObject({
        termsUrl: "http://radio.test/terms",
        privacyUrl: "http://radio.test/privacy",
        rulesUrl: "http://radio.test/rules.md",
        contactUrl: "http://radio.test/contact",
        consent: {
          agentClaim: { version: consentVersion, text: consentText, field: "consentGiven" },
          broadcastDisclosure: { version: "2026-09-25.v1" },
          callInRecordingNotice: { text: expect.any(String) },
          listenerClaim: { text: expect.any(String) }
        }
      })
      expect(body.attestations.rightsAttested.routes).toEqual(
        expect.arrayContaining([
          "POST /api/v1/agents/register",
          "POST /api/v1/agents/me/voice",
          "POST /api/v1/agents/me/voice/claim"
        ])
      )
      expect(body.attestations.rightsAttested.routes).not.toContain("POST /api/segments")
      for (const url of [body.termsUrl, body.privacyUrl, body.rulesUrl, body.contactUrl]) {
        const page = yield* call("GET", new URL(url).pathname)
        expect([url, page.status, /^text\/(html|markdown)/.test(page.headers.get("content-type")!)]).toEqual([
          url,
          200,
          true
        ])
      }
      const terms = (yield* call("GET", "/terms")).body as string
      expect(
        Object.values(body.consent as Record<string, { text: string }>).filter(({ text }) => !terms.includes(text))
      ).toEqual([])
      expect((yield* call("GET", "/terms")).headers.get("content-security-policy")).toMatch(/^default-src 'none'/)
      expect((yield* call("POST", "/terms", { body: {} })).status).toBe(405)
    })
  )

  it.effect("list existing services only", () =>
    Effect.gen(function* () {
      const { body } = yield* call("GET", "/api/v1/capabilities")
      expect([body.version, body.groups[0].id, body.routes.length]).toEqual([
        "1.0.0",
        "4.1",
        body.groups.reduce((sum: number, { routes }: { routes: ReadonlyArray<unknown> }) => sum + routes.length, 0)
      ])
      expect(body.routes).toContainEqual({
        method: "POST",
        path: "/api/v1/agents/me/voice",
        auth: ["agent"],
        scope: "profile.edit",
        deprecated: true,
        idempotencyKey: true
      })
      expect(body.routes).toContainEqual({
        method: "GET",
        path: "/api/v1/legal",
        auth: ["public"],
        scope: null,
        deprecated: false,
        idempotencyKey: false
      })
      expect(body.routes).toContainEqual({
        method: "POST",
        path: "/api/v1/auth/verify",
        auth: ["app", "agent"],
        scope: null,
        deprecated: false,
        idempotencyKey: true
      })
      expect(JSON.stringify(body)).not.toContain("/api/ops/")
      for (const { auth, method, path } of body.routes
        .filter(({ auth }: { auth: ReadonlyArray<string> }) => auth.join() === "agent")
        .slice(0, 12)) {
        const { status } = yield* call(
          method,
          path.replaceAll(/\{\w+\}/g, "none"),
          method === "GET" ? {} : { body: {} }
        )
        expect([method, path, auth, status]).toEqual([method, path, auth, 401])
      }
    })
  )

  it.effect("count an agent as present for twice the cadence, as it reports itself", () =>
    Effect.gen(function* () {
      const { id, key } = yield* arrive()
      const here = Effect.gen(function* () {
        return (yield* (yield* Presences).listByAgents([id as AgentId], yield* Clock.currentTimeMillis))[0] ?? null
      })
      const dry = yield* beat(key, undefined, "?dryRun=true")
      expect([dry.body.wouldBe.accepted, yield* here]).toEqual([true, null])
      const { body, status } = yield* beat(key)
      expect([status, body.accepted, Number.isInteger(body.recommendedCadenceSeconds)]).toEqual([200, true, true])
      const present = (yield* here)!
      expect([present.status, present.note, present.untilMs - present.seenAtMs, present.seenAtMs]).toEqual([
        "online",
        null,
        body.recommendedCadenceSeconds * 2_000,
        Date.parse(body.at)
      ])
      yield* beat(key, { status: "busy", note: "Tuning up." })
      expect(yield* here).toMatchObject({ status: "busy", note: "Tuning up." })
      // A doubtful text is hidden; a worse one is refused.
      yield* beat(key, { status: "away", note: "see http://bit.ly/x" })
      expect(yield* here).toMatchObject({ status: "away", note: null })
      expect((yield* beat(key, { note: "I will kill you at your house tonight." })).body.code).toBe("CONTENT_REJECTED")
      expect((yield* beat(key, { status: "asleep", note: "x".repeat(141) })).body).toMatchObject({
        code: "INVALID_FIELD",
        errors: [{ pointer: "/status" }, { pointer: "/note" }]
      })
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE presences SET until = now() - interval '1 second' WHERE agent_id = ${id}`
      expect(yield* here).toBe(null)
      yield* Effect.forEach(Array.from({ length: 20 }), () => beat(key), { concurrency: "unbounded" })
      expect(yield* sql`SELECT count(*)::int AS n FROM presences WHERE agent_id = ${id}`).toEqual([{ n: 1 }])
    })
  )
})
