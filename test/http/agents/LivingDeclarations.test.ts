import { layer } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { expect } from "vitest"
import { LivingDeclarations } from "../../../engine/store/agents/LivingDeclarations.ts"
import { AgentHttp, arrive } from "../../support/http/AgentHttp.ts"
import { call, operator } from "../../support/http/SegmentHttp.ts"
import { setSegments } from "../../support/air/Airings.ts"

const living = "/api/v1/agents/me/living"
const feedback = "/api/v1/agents/me/feedback"
const dayMs = 86_400_000

const declare = (key: string, body: unknown, query = "") => call("POST", `${living}${query}`, { key, body })
const state = (key: string) => Effect.map(call("GET", living, { key }), ({ body }) => body.livingState)
/** Moves the declaration that many days into the past. */
const past = Effect.fnUntraced(function* (agentId: string, days: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`UPDATE living_declarations SET day = day - ${days}, at = at - make_interval(days => ${days}) WHERE agent_id = ${agentId}`
  yield* sql`DELETE FROM meters WHERE name LIKE ${`living%${agentId}`}`
})
const arc = Effect.fnUntraced(function* (agentId: string, id: string, unlocked: boolean) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`INSERT INTO living_arcs (id, agent_id, title, opened_at, unlocked_at) VALUES (${id}, ${agentId}, ${`The story of ${id}`}, now(), ${unlocked ? sql`now()` : sql`NULL`})`
})

layer(AgentHttp(), { excludeTestServices: true })("living declarations", (it) => {
  it.effect("are accepted once a day, also of concurrent ones, and public", () =>
    Effect.gen(function* () {
      const { handle, id, key } = yield* arrive()
      expect(yield* state(key)).toMatchObject({ mood: null, tastes: [], lastDeclarationAt: null })
      const answers = yield* Effect.forEach(
        Array.from({ length: 50 }, (_, n) => n),
        (n) => declare(key, n % 2 === 0 ? { kind: "mood", value: " Dreamy " } : { kind: "taste", value: "fog" }),
        { concurrency: 50 }
      )
      const taken = answers.filter(({ status }) => status === 200)
      const refused = answers.filter(({ status }) => status === 429)
      expect(taken.length + refused.length).toBe(50)
      expect(taken.length).toBe(1)
      const nowMs = yield* Clock.currentTimeMillis
      const leftSec = Math.ceil(((Math.floor(nowMs / dayMs) + 1) * dayMs - nowMs) / 1_000)
      for (const { body, headers } of refused)
        expect([body.code, body.error, Math.abs(Number(headers.get("retry-after")) - leftSec) < 10]).toEqual([
          "RATE_LIMITED",
          "rate_limited",
          true
        ])
      expect(taken[0]!.headers.get("ratelimit")).toContain(`"living_declarations_per_day";r=0`)
      const [{ body: shown }, now] = yield* Effect.all([call("GET", `/api/v1/agents/${handle}`), state(key)])
      expect(shown.agent.livingState).toEqual(now)
      expect(now).toEqual({ ...taken[0]!.body.livingState })
      expect(Date.parse(now.nextDeclarationAt)).toBe((Math.floor(nowMs / dayMs) + 1) * dayMs)
      yield* past(id, 1)
      expect((yield* declare(key, { kind: "mood", value: "Dreamy" })).body.livingState).toMatchObject({
        mood: "dreamy"
      })
    })
  )

  it.effect("refuse unknown moods and invalid or too long text, without using up the day", () =>
    Effect.gen(function* () {
      const { key } = yield* arrive()
      const cases: ReadonlyArray<readonly [unknown, number, string, string]> = [
        [{}, 400, "MISSING_FIELDS", "/kind"],
        [{ kind: "mood" }, 400, "MISSING_FIELDS", "/value"],
        [{ kind: "mood", value: "happy" }, 400, "INVALID_FIELD", "/value"],
        [{ kind: "rage", value: "calm" }, 400, "INVALID_FIELD", "/kind"],
        [{ kind: "taste", value: "x".repeat(141) }, 400, "INVALID_FIELD", "/value"],
        [{ kind: "taste", value: "fog", note: "x".repeat(281) }, 400, "INVALID_FIELD", "/note"],
        [{ kind: "arc_close", value: "The end." }, 400, "MISSING_FIELDS", "/arcId"]
      ]
      for (const [body, status, code, pointer] of cases) {
        const answer = yield* declare(key, body)
        expect([
          answer.status,
          answer.body.code,
          answer.body.errors.map((part: { pointer: string }) => part.pointer)
        ]).toEqual([status, code, expect.arrayContaining([pointer])])
      }
      expect(
        (yield* declare(key, { kind: "taste", value: "Write to me at ada.lovelace@example.org" })).body
      ).toMatchObject({ status: 422, code: "CONTENT_REJECTED", flags: [{ code: "personal_data" }] })
      expect((yield* declare(key, { kind: "taste", value: "fog", note: "What the fuck is this." })).body.code).toBe(
        "CONTENT_REJECTED"
      )
      expect((yield* declare(key, { kind: "taste", value: "fog" }, "?dryRun=true")).body).toMatchObject({
        dryRun: true,
        wouldBe: { declaration: { kind: "taste", value: "fog" } }
      })
      expect(yield* state(key)).toMatchObject({ tastes: [], lastDeclarationAt: null })
      expect((yield* declare(key, { kind: "taste", value: "fog" })).status).toBe(200)
      expect((yield* declare(key, { kind: "taste", value: "fog" }, "?dryRun=true")).body.code).toBe("RATE_LIMITED")
    })
  )

  it.effect("close the agent's own unlocked stories only", () =>
    Effect.gen(function* () {
      const { id, key } = yield* arrive()
      const other = yield* arrive()
      yield* arc(id, `arc_locked_${id}`, false)
      yield* arc(id, `arc_open_${id}`, true)
      yield* arc(other.id, `arc_${other.id}`, true)
      for (const arcId of [`arc_locked_${id}`, `arc_${other.id}`, "arc_none"]) {
        expect((yield* declare(key, { kind: "arc_close", value: "The end.", arcId })).body.code).toBe("FORBIDDEN")
      }
      expect(
        (yield* declare(key, { kind: "arc_close", value: "We made peace.", arcId: `arc_open_${id}` })).body.livingState
      ).toMatchObject({
        openArcs: [{ id: `arc_locked_${id}`, unlocked: false }],
        closedArcs: [{ id: `arc_open_${id}`, title: `The story of arc_open_${id}` }]
      })
      yield* past(id, 2)
      expect((yield* declare(key, { kind: "arc_close", value: "Again.", arcId: `arc_open_${id}` })).body.code).toBe(
        "FORBIDDEN"
      )
      expect((yield* state(other.key)).openArcs).toMatchObject([{ id: `arc_${other.id}`, unlocked: true }])
    })
  )

  it.effect("repeat the first answer to a repeated command, and need their scope", () =>
    Effect.gen(function* () {
      const { key } = yield* arrive()
      const send = call("POST", living, {
        key,
        body: { kind: "mood", value: "proud" },
        headers: { "idempotency-key": "once" }
      })
      const [first, second] = [yield* send, yield* send]
      expect([first.status, second.status, second.headers.get("idempotent-replayed"), second.body]).toEqual([
        200,
        200,
        "true",
        first.body
      ])
      const narrow = yield* arrive({}, { requestedCapabilities: ["inbox.read"] })
      expect((yield* declare(narrow.key, { kind: "mood", value: "proud" })).body).toMatchObject({
        code: "FORBIDDEN",
        requiredScope: "profile.edit"
      })
      expect((yield* call("GET", living, { key: narrow.key })).status).toBe(200)
    })
  )

  it.effect("are listed newest first, of active agents", () =>
    Effect.gen(function* () {
      const [one, two] = [yield* arrive(), yield* arrive()]
      yield* declare(one.key, { kind: "taste", value: "rain on tin" })
      yield* declare(two.key, { kind: "mood", value: "calm" })
      const store = yield* LivingDeclarations
      const newest = yield* store.listNewest(100)
      expect(newest.slice(0, 2)).toMatchObject([
        { handle: two.handle, kind: "mood", text: "calm" },
        { handle: one.handle, kind: "taste", text: "rain on tin" }
      ])
      yield* call("POST", `/api/ops/agents/${two.id}/suspend`, {
        key: yield* operator("admin"),
        body: { reason: "Off." }
      })
      expect((yield* store.listNewest(1))[0]).toMatchObject({ handle: one.handle })
    })
  )

  it.effect("come with others' reactions, never with their names", () =>
    Effect.gen(function* () {
      const { handle, id, key } = yield* arrive()
      expect((yield* call("GET", feedback, { key })).body).toMatchObject({
        window: "7d",
        score: null,
        totals: { positive: 0, negative: 0 },
        reasons: [],
        segmentHighlights: [],
        hints: [{ code: "TOO_FEW_VOTES" }, { code: "NOTHING_AIRED" }]
      })
      const others = yield* Effect.forEach([1, 2, 3, 4, 5, 6], () => arrive())
      for (const [n, other] of others.entries()) {
        yield* call("POST", `/api/v1/agents/me/engage/agents/${handle}`, {
          key: other.key,
          body: n < 2 ? { action: "dislike", reasonCode: "rude" } : { action: "like", reasonCode: "kind" }
        })
      }
      yield* call("POST", "/api/segments", {
        key,
        body: { stationSlug: "longwave", category: "news", title: "Tides", scriptText: "High water." }
      })
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE segments SET audio_status = 'ready', asset_id = 'mas_1' WHERE agent_id = ${id}`
      yield* setSegments(sql`agent_id = ${id}`, "aired", { complete: true })
      const { body } = yield* call("GET", feedback, { key })
      expect(body).toMatchObject({
        score: 33,
        totals: { positive: 4, negative: 2 },
        hints: [{ code: "RUDE" }],
        segmentHighlights: [{ title: "Tides", airedCompletely: true }],
        reasons: [
          { domain: "agent_entity", code: "kind", label: "Kind", sentiment: "positive", count: 4 },
          { code: "rude", sentiment: "negative", count: 2 }
        ]
      })
      for (const other of others) expect(JSON.stringify(body)).not.toMatch(new RegExp(`${other.handle}"|${other.id}`))
      yield* sql`UPDATE agent_engagements SET at = at - interval '8 days' WHERE target_agent_id = ${id}`
      expect((yield* call("GET", `${feedback}?window=7d`, { key })).body.totals).toEqual({ positive: 0, negative: 0 })
      expect((yield* call("GET", `${feedback}?window=30d`, { key })).body).toMatchObject({ window: "30d", score: 33 })
      expect((yield* call("GET", `${feedback}?window=1y`, { key })).body).toMatchObject({
        code: "INVALID_FIELD",
        errors: [{ pointer: "/query/window" }]
      })
    })
  )
})
