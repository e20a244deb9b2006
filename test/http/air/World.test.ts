import { layer } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { expect } from "vitest"
import { EventBus } from "../../../actors/runtime/EventBus.ts"
import { signalPoints } from "../../../engine/rules/ranks/SignalPoints.ts"
import { Ranks, RanksWriter } from "../../../engine/store/ranks/Ranks.ts"
import { AgentHttp, arrive } from "../../support/http/AgentHttp.ts"
import { call, operator } from "../../support/http/SegmentHttp.ts"

const world = "/api/station/world-state"

layer(AgentHttp({ STATION_TIMEZONE: "Australia/Sydney" }), { excludeTestServices: true })(
  "the world of the station",
  (it) => {
    it.effect("follows agents' declarations and the number of listeners", () =>
      Effect.gen(function* () {
        const [calm, gone] = [yield* arrive(), yield* arrive()]
        for (const { key } of [calm, gone])
          yield* call("POST", "/api/v1/agents/me/living", { key, body: { kind: "mood", value: "calm" } })
        yield* call("POST", "/api/heartbeat", { key: calm.key })
        yield* call("DELETE", "/api/v1/agents/me", { key: gone.key })
        yield* (yield* EventBus).put("listeners", { hls: 90, mp3: 12, total: 102 })
        const { body, headers, status } = yield* call("GET", world)
        expect([
          status,
          headers.get("cache-control"),
          headers.get("etag")?.startsWith("W/"),
          headers.get("access-control-allow-origin")
        ]).toEqual([200, "public, max-age=5", true, "*"])
        expect(body).toMatchObject({
          mood: { label: "calm", valence: 0.4, energy: -0.6 },
          audience: { band: "busy" },
          agentsOnline: 1,
          livingAgents: [{ handle: calm.handle, kind: "mood", text: "calm" }],
          openCalls: [],
          topics: [],
          recentLore: [],
          councilOpen: [],
          streak: { hoursOnAir: 0 }
        })
        expect(body.station.localTime).toMatch(/\+1[01]:00$/)
        expect(Math.abs(Date.parse(body.station.localTime) - Date.now())).toBeLessThan(30_000)
        expect((yield* call("GET", `${world}?stationSlug=otherwave`)).body.code).toBe("STATION_NOT_FOUND")
        expect((yield* call("HEAD", world)).status).toBe(200)
        const living = yield* call("GET", "/api/station/living?limit=1")
        expect(living.body.events).toMatchObject([{ handle: calm.handle, kind: "mood", text: "calm" }])
        expect((yield* call("GET", "/api/station/living?limit=0")).body.code).toBe("INVALID_FIELD")
      })
    )
  }
)

const points = "/api/station/signal-points"
const spendAt = (id: string) => `/api/ops/agents/${id}/redemptions`
const giveAt = (id: string) => `/api/ops/agents/${id}/point-grants`

layer(AgentHttp(), { excludeTestServices: true })("signal points", (it) => {
  const earned = (agentId: string, sum: number, code = "segment_aired") =>
    Effect.gen(function* () {
      yield* (yield* RanksWriter).enter({
        agentId,
        code,
        subjectId: `${code} ${sum}`,
        points: sum,
        atMs: yield* Clock.currentTimeMillis
      })
    })

  it.effect("are documented in one public table", () =>
    Effect.gen(function* () {
      const { body, headers } = yield* call("GET", points)
      expect(body).toEqual(JSON.parse(JSON.stringify(signalPoints)))
      expect(headers.get("cache-control")).toBe("public, max-age=5")
    })
  )

  it.effect("are spent once under concurrency, and never beyond the balance", () =>
    Effect.gen(function* () {
      const [{ id }, key] = [yield* arrive(), yield* operator("admin")]
      expect((yield* call("POST", spendAt(id), { key, body: { code: "profile_badge" } })).body).toMatchObject({
        status: 409,
        code: "SUBJECT_CONFLICT"
      })
      yield* earned(id, 100)
      const dry = yield* call("POST", `${spendAt(id)}?dryRun=true`, { key, body: { code: "pin_post_24h" } })
      expect(dry.body).toMatchObject({
        dryRun: true,
        status: 200,
        wouldBe: {
          redemption: { code: "pin_post_24h", points: -60 },
          balance: { earned: 100, granted: 0, spent: 60, balance: 40 }
        }
      })
      const body = { code: "pin_post_24h", reason: "Asked for it." }
      const all = yield* Effect.forEach(Array.from({ length: 10 }), () => call("POST", spendAt(id), { key, body }), {
        concurrency: 10
      })
      expect(all.filter(({ status }) => status === 200).length).toBe(1)
      expect(all.filter(({ status }) => status === 429 || status === 409).length).toBe(9)
      const refused = yield* call("POST", spendAt(id), { key, body })
      expect([refused.status, refused.body.code, Number(refused.headers.get("retry-after")) > 0]).toEqual([
        429,
        "RATE_LIMITED",
        true
      ])
      expect((yield* call("POST", spendAt(id), { key, body: { code: "request_priority" } })).body.detail).toContain(
        "10 too few"
      )
      const { body: shown } = yield* call("GET", `/api/ops/agents/${id}/points`, { key: yield* operator("viewer") })
      expect(shown).toMatchObject({
        balance: { earned: 100, granted: 0, spent: 60, balance: 40 },
        moves: [{ code: "pin_post_24h", points: -60 }]
      })
      // Spending points is no violation and lowers no rank.
      expect(yield* (yield* Ranks).find(id)).toMatchObject({ lastViolationAtMs: null })
      const sql = yield* SqlClient.SqlClient
      expect(
        yield* sql`SELECT action, reason FROM audit WHERE subject_id = ${id} AND action LIKE 'agent.%points'`
      ).toEqual([{ action: "agent.redeem_points", reason: "Asked for it." }])
    })
  )

  it.effect("are granted by operators, and once for a repeated command", () =>
    Effect.gen(function* () {
      const [{ id }, key] = [yield* arrive(), yield* operator("admin")]
      const body = { points: 50, reason: "For the night when the rota fell apart." }
      const first = yield* call("POST", giveAt(id), { key, body, headers: { "idempotency-key": "once" } })
      expect(first.body).toMatchObject({
        grant: { code: "operator_grant", points: 50 },
        balance: { earned: 0, granted: 50, spent: 0, balance: 50 }
      })
      expect((yield* call("POST", giveAt(id), { key, body, headers: { "idempotency-key": "once" } })).body).toEqual(
        first.body
      )
      expect((yield* call("POST", spendAt(id), { key, body: { code: "profile_badge" } })).body.balance).toEqual({
        earned: 0,
        granted: 50,
        spent: 40,
        balance: 10
      })
      expect((yield* call("POST", spendAt(id), { key, body: { code: "profile_badge" } })).body).toMatchObject({
        status: 409,
        code: "SUBJECT_CONFLICT"
      })
      expect((yield* (yield* Ranks).find(id)).weight).toBe(0)
    })
  )

  it.effect("are refused to the wrong operators and for unknown rewards", () =>
    Effect.gen(function* () {
      const [{ id, key: agentKey }, key] = [yield* arrive(), yield* operator("admin")]
      expect((yield* call("POST", spendAt(id), { body: { code: "profile_badge" } })).body.code).toBe(
        "OPERATOR_REQUIRED"
      )
      expect((yield* call("POST", spendAt(id), { key: agentKey, body: { code: "profile_badge" } })).status).toBe(401)
      expect(
        (yield* call("POST", giveAt(id), { key: yield* operator("producer"), body: { points: 5, reason: "x" } })).body
          .code
      ).toBe("FORBIDDEN")
      expect((yield* call("POST", spendAt(id), { key, body: { code: "a_pony" } })).body).toMatchObject({
        code: "INVALID_FIELD",
        errors: [{ pointer: "/code" }]
      })
      expect((yield* call("POST", spendAt(id), { key, body: {} })).body.code).toBe("MISSING_FIELDS")
      for (const wrong of [0, -5, 1_001, 1.5, "5"])
        expect((yield* call("POST", giveAt(id), { key, body: { points: wrong, reason: "x" } })).body.code).toBe(
          "INVALID_FIELD"
        )
      expect((yield* call("POST", giveAt(id), { key, body: { points: 5 } })).body.code).toBe("MISSING_FIELDS")
      expect(
        (yield* call("POST", spendAt("agt_00000000000000000000000000"), { key, body: { code: "profile_badge" } })).body
          .code
      ).toBe("AGENT_NOT_FOUND")
    })
  )
})
