import { describe, expect, it } from "@effect/vitest"
import { Clock, Effect, Layer } from "effect"
import * as FastCheck from "fast-check"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { gunzipSync } from "node:zlib"
import { request } from "node:http"
import { EventBus } from "../../../actors/runtime/EventBus.ts"
import { IdSource } from "../../../engine/runtime/IdSource.ts"
import { addressReadsPerMinuteMax } from "../../../engine/rules/http/limits.ts"
import { envelope } from "../../../http/envelope/Envelope.ts"
import { Flood } from "../../../http/envelope/Flood.ts"
import { PublicAnswers, publicAnswers } from "../../../http/envelope/PublicAnswers.ts"
import { makeServer } from "../../../http/server/Server.ts"
import { TestConfig } from "../../support/agents/OnboardingWorld.ts"

interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: Buffer
}

/** Without fetch, which unpacks bodies and asks for packed ones by itself. */
const ask = (port: number, method: string, path: string, headers: Record<string, string> = {}) =>
  Effect.promise(
    () =>
      new Promise<Answer>((resolve, reject) => {
        const sent = request({ host: "127.0.0.1", port, method, path, headers, agent: false }, (response) => {
          const parts: Array<Buffer> = []
          response.on("data", (part: Buffer) => parts.push(part))
          response.on("end", () =>
            resolve({
              status: response.statusCode!,
              headers: response.headers as Answer["headers"],
              body: Buffer.concat(parts)
            })
          )
        })
        sent.on("error", reject)
        sent.end()
      })
  )

/** A station of three reads over one number: `made` counts how often an answer was made. */
const station = Effect.fnUntraced(function* (settings: Readonly<Record<string, string>> = {}) {
  const state = { value: 0, made: 0, aheadMs: 0 }
  // Stands still: on a busy machine, requests that follow each other would come too late for one answer.
  const clock = yield* Clock.Clock
  const startMs = clock.currentTimeMillisUnsafe()
  const read = Effect.gen(function* () {
    state.made++
    yield* (yield* EventBus).get("lateReviews")
    return HttpServerResponse.jsonUnsafe({ value: state.value, filling: "x".repeat(2_000) })
  })
  const routes = Layer.mergeAll(
    HttpRouter.add("GET", "/api/station/schedule", read),
    HttpRouter.add("GET", "/api/station/now-playing", read),
    HttpRouter.add(
      "GET",
      "/api/v1/home",
      Effect.map(read, HttpServerResponse.setHeader("cache-control", "private, no-store"))
    ),
    HttpRouter.add(
      "GET",
      "/api/station/chat",
      Effect.gen(function* () {
        const { cookies } = yield* HttpServerRequest.HttpServerRequest
        return HttpServerResponse.setHeaders(HttpServerResponse.jsonUnsafe({ mine: cookies["session"] ?? null }), {
          vary: "Cookie",
          ...(cookies["session"] === undefined ? {} : { "cache-control": "private, no-store" })
        })
      })
    ),
    HttpRouter.add(
      "POST",
      "/api/station/change",
      Effect.gen(function* () {
        yield* (yield* EventBus).put("lateReviews", ++state.value)
        return HttpServerResponse.jsonUnsafe({})
      })
    ),
    envelope((path) => (path.endsWith("change") ? ["POST"] : ["GET"]))
  )
  const services = yield* Layer.build(
    publicAnswers.pipe(
      Layer.provideMerge(Layer.mergeAll(Flood.layer, EventBus.layer, IdSource.layer)),
      Layer.provideMerge(TestConfig(settings)),
      Layer.provideMerge(
        Layer.succeed(
          Clock.Clock,
          Object.assign(Object.create(clock) as Clock.Clock, {
            currentTimeMillisUnsafe: () => startMs + state.aheadMs,
            currentTimeMillis: Effect.sync(() => startMs + state.aheadMs)
          })
        )
      )
    )
  )
  const server = yield* makeServer({
    host: "127.0.0.1",
    port: 0,
    publicUrl: "http://station.test",
    listen: () => false
  })
  yield* Effect.gen(function* () {
    const app = yield* HttpRouter.toHttpEffect(routes)
    yield* server.open(app, (yield* PublicAnswers).serve)
  }).pipe(Effect.provideContext(services))
  const valueOf = ({ body }: Answer) => (JSON.parse(body.toString()) as { readonly value: number }).value
  return {
    state,
    valueOf,
    ask: (method: string, path: string, headers?: Record<string, string>) => ask(server.port, method, path, headers)
  }
})

const step = FastCheck.oneof(
  FastCheck.record({
    kind: FastCheck.constant("read" as const),
    path: FastCheck.constantFrom("schedule", "now-playing")
  }),
  FastCheck.record({ kind: FastCheck.constant("command" as const) }),
  FastCheck.record({ kind: FastCheck.constant("silent" as const) }),
  FastCheck.record({ kind: FastCheck.constant("pass" as const), ms: FastCheck.integer({ min: 1, max: 2_500 }) })
)

describe("public answers", () => {
  it.live("are made once for all who ask within a moment, each with an id and limits of its own", () =>
    Effect.gen(function* () {
      const { ask, state } = yield* station()
      const answers = yield* Effect.forEach(Array.from({ length: 20 }), () => ask("GET", "/api/station/schedule"))
      expect(state.made).toBe(1)
      expect(new Set(answers.map(({ body }) => body.toString())).size).toBe(1)
      expect(new Set(answers.map(({ headers }) => headers["x-request-id"])).size).toBe(20)
      const remaining = answers.map(({ headers }) => Number(/r=(\d+)/.exec(headers["ratelimit"]!)![1]))
      expect([remaining[0], remaining.at(-1)! < addressReadsPerMinuteMax - 10]).toEqual([
        addressReadsPerMinuteMax - 1,
        true
      ])
      const { headers } = answers.at(-1)!
      expect(headers).toMatchObject({
        "cache-control": "public, max-age=30",
        "content-type": "application/json",
        "access-control-allow-origin": "*",
        "x-content-type-options": "nosniff"
      })
      const known = yield* ask("GET", "/api/station/schedule", { "if-none-match": headers["etag"]! })
      expect([known.status, known.body.length, known.headers["etag"]]).toEqual([304, 0, headers["etag"]])
      const zipped = yield* ask("GET", "/api/station/schedule", { "accept-encoding": "gzip" })
      expect([zipped.headers["content-encoding"], zipped.headers["vary"]]).toEqual(["gzip", "Accept-Encoding"])
      expect(gunzipSync(zipped.body)).toEqual(answers[0]!.body)
      const head = yield* ask("HEAD", "/api/station/schedule")
      expect([head.status, head.body.length, head.headers["content-length"]]).toEqual([
        200,
        0,
        String(answers[0]!.body.length)
      ])
      expect(state.made).toBe(1)
    })
  )

  it.live("are made anew for all by a caller that knows the last one", () =>
    Effect.gen(function* () {
      const { ask, state } = yield* station()
      const { headers } = yield* ask("GET", "/api/station/schedule")
      const knowing = { "if-none-match": headers["etag"]! }
      state.aheadMs += 60_000
      expect((yield* ask("GET", "/api/station/schedule", knowing)).status).toBe(200)
      expect((yield* ask("GET", "/api/station/schedule", knowing)).status).toBe(304)
      expect((yield* ask("GET", "/api/station/schedule")).status).toBe(200)
      expect(state.made).toBe(2)
    })
  )

  it.live("keep the limit of an address", () =>
    Effect.gen(function* () {
      const { ask } = yield* station()
      let allowed = 0
      while ((yield* ask("GET", "/api/station/schedule")).status === 200) allowed++
      expect(allowed).toBe(addressReadsPerMinuteMax)
    })
  )

  it.live("never hold what belongs to one caller", () =>
    Effect.gen(function* () {
      const { ask, state } = yield* station()
      yield* ask("GET", "/api/v1/home")
      yield* ask("GET", "/api/v1/home")
      expect(state.made).toBe(2)
      const mine = (headers?: Record<string, string>) =>
        Effect.map(ask("GET", "/api/station/chat", headers), ({ body }) => body.toString())
      const [all, ada, bo] = [`{"mine":null}`, `{"mine":"ada"}`, `{"mine":"bo"}`]
      expect(yield* mine({ cookie: "session=ada" })).toBe(ada)
      expect([yield* mine(), yield* mine()]).toEqual([all, all])
      expect([yield* mine({ cookie: "session=ada" }), yield* mine({ cookie: "session=bo" })]).toEqual([ada, bo])
      expect(yield* mine()).toBe(all)
      yield* ask("GET", "/api/station/schedule")
      const before = state.made
      const keyed = yield* ask("GET", "/api/station/schedule", { authorization: "Bearer svc_agent_x" })
      expect([state.made - before, keyed.headers["cache-control"]]).toEqual([1, "no-store"])
    })
  )

  it.live(
    "are right at once after a command, and else never older than they say",
    () =>
      Effect.gen(function* () {
        const { ask, state, valueOf } = yield* station({ RATE_LIMIT_SCALE: "100" })
        /** When each value came to an end. */
        const endedMs = new Map<number, number>()
        let nowMs = 0
        let readsAfterCommand = 0
        for (const steps of FastCheck.sample(FastCheck.array(step, { minLength: 30, maxLength: 60 }), {
          numRuns: 8,
          seed: 7
        })) {
          let isSilent = false
          for (const each of steps) {
            if (each.kind === "pass") {
              state.aheadMs += each.ms
              nowMs += each.ms
            } else if (each.kind === "read") {
              const answer = yield* ask("GET", `/api/station/${each.path}`)
              const maxAgeSec = Number(/max-age=(\d+)/.exec(answer.headers["cache-control"]!)![1])
              const ageSec = Number(answer.headers["age"] ?? 0)
              const staleMs = nowMs - (endedMs.get(valueOf(answer)) ?? nowMs)
              expect(ageSec).toBeLessThan(maxAgeSec)
              // The test itself takes some time, too.
              expect(staleMs).toBeLessThan((ageSec + 1) * 1_000)
              if (!isSilent) {
                readsAfterCommand++
                expect(valueOf(answer)).toBe(state.value)
              }
            } else {
              endedMs.set(state.value, nowMs)
              if (each.kind === "command") yield* ask("POST", "/api/station/change")
              else state.value++
              isSilent = each.kind === "silent"
            }
          }
        }
        expect(readsAfterCommand).toBeGreaterThan(20)
      }),
    60_000
  )
})
