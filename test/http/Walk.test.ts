import { layer } from "@effect/vitest"
import { Effect } from "effect"
import * as fc from "fast-check"
import { expect } from "vitest"
import { AgentHttp, arrive } from "../support/http/AgentHttp.ts"
import { onAir } from "../support/air/OnAir.ts"
import { call, operator } from "../support/http/SegmentHttp.ts"
import { asksOf, type Declared, declaredOperations } from "../support/http/SchemaFuzz.ts"

const speech = (n: number) => ({
  category: "station_id",
  title: "Mine alone",
  scriptText: `Nobody else shall read this, number ${n}.`
})
const generate = "/api/v1/agents/me/tts/station/generate"
/** Endless streams of events or sound: they are not read to their end. */
const endless = /^\/api\/station\/(listen|chat\/events)(\?|$)|format=sse/
/** Commands after which the sending agent has another key or is gone. */
const ends = ({ method, path }: Declared) =>
  path === "/api/v1/agents/me/keys/rotate" || (method === "DELETE" && path === "/api/v1/agents/me")

layer(AgentHttp(), { excludeTestServices: true })("every declared operation", (it) => {
  it.effect(
    "neither shows nor changes anything of another agent",
    () =>
      Effect.gen(function* () {
        yield* onAir
        const owner = yield* arrive()
        yield* call("PUT", `/api/ops/agents/${owner.id}/grants`, {
          key: yield* operator("producer"),
          body: { stationSpeech: true, freeAir: true }
        })
        const made = yield* call("POST", generate, {
          key: owner.key,
          body: speech(1),
          headers: { "idempotency-key": "mine" }
        })
        const handed = yield* call("POST", "/api/segments", {
          key: owner.key,
          body: { ...speech(2), stationSlug: "longwave" }
        })
        const { body: before } = yield* call("GET", "/api/v1/agents/me", { key: owner.key })
        const segments = Effect.map(call("GET", "/api/segments", { key: owner.key }), ({ body }) => body.segments)
        const own = yield* segments
        const things: ReadonlyArray<string> = [
          made.body.segment.id,
          handed.body.segment.id,
          /mas_[0-9a-z]{26}/.exec(made.body.audioUrl)![0],
          owner.id,
          before.keys[0].id
        ]
        const secrets = [
          ...things.filter((id) => id !== owner.id),
          "Nobody else shall read this",
          before.agent.ownerEmailHash,
          owner.key.slice(23),
          before.keys[0].prefix
        ]
        const other = yield* arrive()
        for (const operation of declaredOperations) {
          // An operation that takes nothing is asked once.
          const isBare =
            operation.method !== "POST" &&
            !operation.path.includes("{") &&
            !operation.parameters.some(({ name }) => name === "cursor")
          for (const thing of isBare ? things.slice(0, 1) : things) {
            for (const key of operation.secured ? [other.key] : [other.key, undefined]) {
              const fresh = ends(operation) ? (yield* arrive()).key : key
              const search = operation.parameters
                .filter((each) => each.in === "query")
                .some(({ name }) => name === "cursor")
                ? `?cursor=${thing}`
                : ""
              const target = operation.path.replaceAll(/\{\w+\}/g, thing)
              if (endless.test(target)) continue
              const answer = yield* call(operation.method, `${target}${search}`, {
                ...(fresh === undefined ? {} : { key: fresh }),
                headers: { "idempotency-key": "mine" },
                ...(operation.method === "POST"
                  ? {
                      body: {
                        ...speech(3),
                        stationSlug: "longwave",
                        id: thing,
                        segmentId: thing,
                        agentId: thing,
                        owner: owner.id,
                        keyId: thing
                      }
                    }
                  : {})
              })
              const where = `${operation.method} ${target}${search}`
              if (operation.path.includes("{") || search !== "")
                expect([where, answer.status >= 400 && answer.status < 500]).toEqual([where, true])
              const shown =
                typeof answer.body === "string"
                  ? answer.body
                  : JSON.stringify({ ...answer.body, detail: "", errors: [] })
              for (const secret of secrets)
                expect([where, secret, shown.includes(secret) && !/Nobody else/.test(secret)]).toEqual([
                  where,
                  secret,
                  false
                ])
            }
          }
        }
        for (const key of [other.key, undefined])
          expect((yield* call("GET", `/media/audio/${things[2]}.mp3`, key === undefined ? {} : { key })).status).toBe(
            404
          )
        const { body: after } = yield* call("GET", "/api/v1/agents/me", { key: owner.key })
        expect({
          ...after,
          agent: { ...after.agent, lastSeenAt: null },
          keys: after.keys.map(({ id }: { id: string }) => id),
          contribution: null
        }).toEqual({
          ...before,
          agent: { ...before.agent, lastSeenAt: null },
          keys: before.keys.map(({ id }: { id: string }) => id),
          contribution: null
        })
        expect(yield* segments).toEqual(own)
      }),
    300_000
  )

  it.effect("reads the history only from existing positions", () =>
    Effect.gen(function* () {
      for (const before of ["itm_01hzzzzzzzzzzzzzzzzzzzzzzz", "nonsense", "2026-13-01"]) {
        const { body, status } = yield* call("GET", `/api/station/history?before=${before}`)
        expect([before, status, body.code, body.errors?.[0]?.pointer]).toEqual([
          before,
          400,
          "INVALID_FIELD",
          "/query/before"
        ])
      }
      expect(
        (yield* call("GET", "/api/station/history?before=2026-01-01T00:00:00Z&types=music,segment&limit=100")).body
      ).toEqual({ items: [] })
    })
  )

  it.effect(
    "T16: answers every allowed input, and more, long lists and ill-formed text too, without an internal error or a hang",
    () =>
      Effect.gen(function* () {
        yield* onAir
        const owner = yield* arrive()
        yield* call("PUT", `/api/ops/agents/${owner.id}/grants`, {
          key: yield* operator("producer"),
          body: { stationSpeech: true, freeAir: true }
        })
        expect(declaredOperations.length).toBeGreaterThanOrEqual(23)
        const seed = 20_260_507
        const tally = new Map<number, number>()
        for (const operation of declaredOperations.filter(({ path }) => path !== "/api/station/listen")) {
          for (const ask of fc.sample(asksOf(operation), { seed, numRuns: ends(operation) ? 4 : 10 })) {
            const own = ends(operation) ? (yield* arrive()).key : owner.key
            const method = endless.test(ask.target) ? "HEAD" : operation.method
            const answer = yield* call(method, ask.target, {
              ...(ask.key === "none" ? {} : { key: ask.key === "own" ? own : "svc_agent_junk" }),
              ...(ask.body === null ? {} : { body: ask.body }),
              headers: ask.headers
            }).pipe(
              // The test's own limit ends a request that hangs.
              Effect.onInterrupt(() => Effect.sync(() => console.error(`hangs: ${JSON.stringify(ask)}`)))
            )
            const asked = JSON.stringify({
              seed,
              method,
              target: ask.target,
              body: ask.body,
              headers: ask.headers
            }).slice(0, 1_500)
            expect([asked, answer.status < 500 || answer.status === 503]).toEqual([asked, true])
            // T17: a refusal stays small, however long the refused list is.
            if (answer.status >= 400)
              expect([asked, JSON.stringify(answer.body).length < 16_384]).toEqual([asked, true])
            if (answer.status >= 400 && method !== "HEAD")
              expect([
                asked,
                answer.headers.get("content-type"),
                typeof answer.body.code,
                Array.isArray(answer.body.errors)
              ]).toEqual([asked, "application/problem+json", "string", true])
            expect([asked, answer.headers.get("x-request-id")?.startsWith("req_")]).toEqual([asked, true])
            tally.set(answer.status, (tally.get(answer.status) ?? 0) + 1)
          }
        }
        // The walk reached both refusals and the code behind them.
        for (const status of [200, 201, 400, 401, 404])
          expect([status, (tally.get(status) ?? 0) > 0]).toEqual([status, true])
        expect((yield* call("GET", "/api/v1/agents/me", { key: owner.key })).status).toBe(200)
      }),
    300_000
  )
})
