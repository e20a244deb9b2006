import { layer } from "@effect/vitest"
import { Effect } from "effect"
import { HttpServer } from "effect/http"
import { request as send } from "node:http"
import { connect } from "node:net"
import * as fc from "fast-check"
import { expect } from "vitest"
import { jsonBytesMax } from "../../engine/rules/http/limits.ts"
import { AgentHttp, arrive, registration } from "../support/http/AgentHttp.ts"
import { findUndescribed } from "../support/http/Described.ts"
import { type Answer, call as ask } from "../support/http/SegmentHttp.ts"

const register = "/api/v1/agents/register"
const complete = "/api/v1/agents/claim/complete"
const me = "/api/v1/agents/me"
const rotate = "/api/v1/agents/me/keys/rotate"
const posts = [
  register,
  "/api/v1/agents/claim/start",
  "/api/v1/agents/claim/verify-otp",
  "/api/v1/agents/claim/complete",
  "/api/segments",
  "/api/v1/agents/me/tts/station/generate"
]

/** A request whose answer must match the published description. */
const call = (method: string, path: string, over?: Parameters<typeof ask>[2]) =>
  Effect.tap(ask(method, path, over), (answer) =>
    Effect.sync(() => expect([method, path, findUndescribed(method, path, answer)]).toEqual([method, path, []]))
  )

const is = ({ body, headers, status }: Answer, wanted: number, code: string) => {
  expect([status, body.code, headers.get("content-type"), Array.isArray(body.errors)]).toEqual([
    wanted,
    code,
    "application/problem+json",
    true
  ])
  expect(body.requestId).toBe(headers.get("x-request-id"))
}

/** `fetch` would normalise these on the way. */
const raw = (text: string) =>
  Effect.flatMap(HttpServer.HttpServer, ({ address }) =>
    Effect.promise(
      () =>
        new Promise<string>((resolve, reject) => {
          let answer = ""
          const socket = connect((address as { readonly port: number }).port, "127.0.0.1", () => socket.write(text))
          socket
            .on("data", (bytes) => (answer += bytes.toString()))
            .on("end", () => resolve(answer))
            .on("error", reject)
        })
    )
  )

/** A body sent in pieces, without its length. */
const chunked = (path: string, piece: string, pieces: number) =>
  Effect.flatMap(HttpServer.HttpServer, ({ address }) =>
    Effect.promise(
      () =>
        new Promise<number>((resolve) => {
          const out = send(
            {
              port: (address as { readonly port: number }).port,
              host: "127.0.0.1",
              path,
              method: "POST",
              headers: { "content-type": "application/json" }
            },
            (answer) => {
              answer.resume()
              resolve(answer.statusCode!)
            }
          )
          out.on("error", () => resolve(-1))
          for (let n = 0; n < pieces; n++) out.write(piece)
          out.end()
        })
    )
  )

layer(AgentHttp(), { excludeTestServices: true })("every address", (it) => {
  it.effect("answers unknown paths with a problem", () =>
    Effect.gen(function* () {
      for (const path of [
        "/nowhere",
        "/api/v1/agents",
        "/api/v1/agents/claim/finish",
        "/%00",
        "/%zz",
        "/..%2f..%2fetc/passwd",
        `/${"x".repeat(4_000)}`
      ]) {
        for (const method of ["GET", "POST", "DELETE", "PUT", "PATCH"]) is(yield* call(method, path), 404, "NOT_FOUND")
      }
      expect((yield* call("HEAD", "/nowhere")).status).toBe(404)
    })
  )

  it.effect("has one spelling, so that another spelling passes no limit", () =>
    Effect.gen(function* () {
      const body = JSON.stringify(registration())
      const spellings = [
        "/api/v1/agents/register/",
        "//api/v1/agents/register",
        "/api//v1/agents/register",
        "/api/v1/agents/registe%72",
        "/api/v1/agents/%72egister",
        "/API/v1/agents/register",
        "/api/v1/agents/register;x=1",
        "/api/v1/agents/register#x",
        "/api/v1/./agents/register",
        "/api/v1/agents%2fregister",
        "http://x/api/v1/agents/register/"
      ]
      for (const path of spellings) {
        const answer = yield* raw(
          `POST ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
        )
        expect([path, answer.split("\r\n")[0]]).toEqual([path, "HTTP/1.1 404 Not Found"])
      }
    })
  )

  it.effect("lists its methods", () =>
    Effect.gen(function* () {
      for (const [path, known] of [
        [complete, "POST"],
        [me, "GET, DELETE"],
        [rotate, "POST"],
        ["/api/segments", "POST, GET"]
      ] as const) {
        for (const method of ["PUT", "PATCH", known.includes("GET") ? "PURGE" : "GET"]) {
          const answer = yield* call(method, path)
          is(answer, 405, "METHOD_NOT_ALLOWED")
          expect(answer.headers.get("allow")?.split(", ").sort()).toEqual(
            [...known.split(", "), ...(known.includes("GET") ? ["HEAD"] : []), "OPTIONS"].sort()
          )
        }
        const options = yield* call("OPTIONS", path)
        expect([options.status, options.headers.get("allow")?.includes(known.split(", ")[0]!)]).toEqual([204, true])
        expect(options.headers.get("access-control-allow-origin")).toBe(null)
      }
      const { key } = yield* arrive()
      const head = yield* call("HEAD", me, { key })
      expect([head.status, head.body]).toEqual([200, ""])
      expect(head.headers.get("cache-control")).toBe("no-store")
    })
  )

  it.effect("reads JSON objects of a bounded size and nothing else", () =>
    Effect.gen(function* () {
      const big = JSON.stringify(registration({}, { bio: "x".repeat(jsonBytesMax) }))
      for (const path of posts) {
        const { key } = yield* arrive()
        is(yield* call("POST", path, { key, body: big }), 413, "PAYLOAD_TOO_LARGE")
        for (const type of [
          "text/plain",
          "application/x-www-form-urlencoded",
          "multipart/form-data; boundary=x",
          "application/xml",
          "image/png",
          "nonsense"
        ]) {
          is(
            yield* call("POST", path, { key, body: "{}", headers: { "content-type": type } }),
            415,
            "UNSUPPORTED_MEDIA_TYPE"
          )
        }
        for (const body of [
          "",
          "null",
          "[]",
          "7",
          `"x"`,
          "{",
          "{}x",
          "\u0000",
          `{"a":1,"a":1}`,
          "[".repeat(100_000),
          `${"[".repeat(33)}${"]".repeat(33)}`,
          `{"a":NaN}`,
          "\ufeff"
        ])
          is(yield* call("POST", path, { key, body }), 400, "INVALID_JSON")
        is(yield* call("POST", path, { key }), 400, "INVALID_JSON")
      }
      expect(
        (yield* call("POST", register, {
          body: JSON.stringify(registration()),
          headers: { "content-type": "application/json; charset=utf-8" }
        })).status
      ).toBe(201)
      expect([413, -1]).toContain(yield* chunked(register, " ".repeat(65_536), 40))
      const body = JSON.stringify(registration())
      const untyped = yield* raw(
        `POST ${register} HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
      )
      expect(untyped.split("\r\n")[0]).toContain("201")
    })
  )

  it.effect("authenticates before it reads the body, and authorizes before it decodes it", () =>
    Effect.gen(function* () {
      const generate = "/api/v1/agents/me/tts/station/generate"
      const { key } = yield* arrive()
      const guest = yield* arrive({ role: "guest" })
      for (const body of ["{", "{}", `{"category":7}`]) {
        is(yield* call("POST", generate, { body }), 401, "INVALID_API_KEY")
        is(yield* call("POST", generate, { key: "svc_agent_nonsense", body }), 401, "INVALID_API_KEY")
        is(yield* call("POST", generate, { key: guest.key, body }), 403, "FORBIDDEN")
        // A key may be in the body, so the body is read first.
        is(
          yield* call("POST", "/api/segments", { body }),
          body === "{" ? 400 : 401,
          body === "{" ? "INVALID_JSON" : "INVALID_API_KEY"
        )
        is(yield* call("POST", "/api/segments", { key: guest.key, body: body === "{" ? "{}" : body }), 403, "FORBIDDEN")
      }
      is(yield* call("POST", generate, { key, body: `{"category":7,"title":""}` }), 400, "MISSING_FIELDS")
      is(
        yield* call("POST", generate, {
          key,
          body: `{"category":7,"title":"x","scriptText":"y","agentShowId":"show_1"}`
        }),
        400,
        "INVALID_FIELD"
      )
      is(
        yield* call("POST", generate, {
          key,
          body: { category: "nonsense", title: "x", scriptText: "y", agentShowId: "show_1" }
        }),
        400,
        "INVALID_CATEGORY"
      )
      for (const path of [
        `${me}?key=svc_agent_x`,
        `/api/station?apiKey=svc_agent_x`,
        `/api/v1/segments/seg_1?a=b&c=svc_agent_x`
      ])
        is(yield* call("GET", path, { key }), 400, "INVALID_FIELD")
    })
  )

  it.effect("survives requests that no client would send", () =>
    Effect.gen(function* () {
      for (const text of [
        "GET / HTTP/9.9\r\n\r\n",
        "\u0000\u0000\u0000\r\n\r\n",
        `GET /${"y".repeat(100_000)} HTTP/1.1\r\nhost: x\r\n\r\n`,
        "POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\ncontent-length: 7\r\n\r\n",
        `GET / HTTP/1.1\r\nhost: x\r\nx: ${"z".repeat(100_000)}\r\n\r\n`
      ]) {
        const answer = yield* Effect.catchCause(raw(text), () => Effect.succeed("closed"))
        expect(answer).not.toMatch(/^HTTP\/1\.1 (2|500)/)
      }
      expect((yield* call("GET", me)).status).toBe(401)
    })
  )

  it.effect(
    "answers any body, query and header with a refusal, never with an internal error",
    () =>
      Effect.gen(function* () {
        const { key } = yield* arrive()
        const some = fc.oneof(
          fc.string(),
          fc.integer(),
          fc.double(),
          fc.boolean(),
          fc.constant(null),
          fc.array(fc.string(), { maxLength: 3 }),
          fc.object({ maxDepth: 2 })
        )
        const names = fc.constantFrom(
          "type",
          "agent",
          "assertion",
          "assertionType",
          "handle",
          "displayName",
          "agentId",
          "claimCode",
          "claimToken",
          "otpCode",
          "ownerEmail",
          "consentGiven",
          "consentVersion",
          "requestedScopes",
          "requestedCapabilities",
          "stationSlug",
          "category",
          "title",
          "scriptText",
          "scheduledFor",
          "bed",
          "engine",
          "apiKey",
          "__proto__",
          "constructor",
          "toString"
        )
        const bodies = fc.oneof(
          fc.dictionary(names, some),
          fc.record({
            type: fc.constantFrom("anonymous", "identity_assertion"),
            agent: fc.dictionary(names, some),
            assertion: some
          }),
          fc.json(),
          fc.string({ unit: "binary" })
        )
        const asks = fc.sample(
          fc.record({
            path: fc.constantFrom(...posts),
            body: bodies,
            query: fc.oneof(fc.constant(""), fc.webQueryParameters()),
            header: fc.constantFrom(
              "idempotency-key",
              "x-forwarded-for",
              "if-none-match",
              "accept",
              "x-listener-token",
              "content-encoding"
            ),
            value: fc.stringMatching(/^[\x21-\x7e]{0,40}$/)
          }),
          { seed: 4_711, numRuns: 400 }
        )
        for (const { body, header, path, query, value } of asks) {
          const answer = yield* call("POST", `${path}?${query}`, {
            key,
            body: typeof body === "string" ? body : JSON.stringify(body),
            headers: { [header]: value }
          })
          const ask = JSON.stringify({ path, query, body, header, value })
          expect([
            ask,
            answer.status < 500 || answer.status === 503,
            answer.status >= 400 || answer.status <= 201
          ]).toEqual([ask, true, true])
          if (answer.status >= 400)
            expect([ask, Array.isArray(answer.body.errors), answer.headers.get("content-type")]).toEqual([
              ask,
              true,
              "application/problem+json"
            ])
        }
      }),
    300_000
  )
})

layer(AgentHttp({ CORS_ORIGINS: "https://radio.example" }), { excludeTestServices: true })(
  "pages of other origins",
  (it) => {
    it.effect("may read public data, and more only if they are configured", () =>
      Effect.gen(function* () {
        const { key } = yield* arrive()
        const friend = { origin: "https://radio.example" }
        const stranger = { origin: "https://elsewhere.example" }
        const at = (answer: Answer) => answer.headers.get("access-control-allow-origin")
        expect(at(yield* call("GET", "/api/v1/segments/seg_1", { headers: stranger }))).toBe("*")
        expect(at(yield* call("GET", me, { key, headers: stranger }))).toBe(null)
        expect(at(yield* call("POST", register, { body: registration(), headers: stranger }))).toBe(null)
        expect(at(yield* call("OPTIONS", complete, { headers: stranger }))).toBe(null)
        const mine = yield* call("GET", me, { key, headers: friend })
        expect([mine.status, at(mine), mine.headers.get("vary")?.split(", ")[0]]).toEqual([
          200,
          friend.origin,
          "Origin"
        ])
        const preflight = yield* call("OPTIONS", complete, {
          headers: { ...friend, "access-control-request-method": "POST" }
        })
        expect([preflight.status, at(preflight), preflight.headers.get("access-control-allow-methods")]).toEqual([
          204,
          friend.origin,
          "POST, OPTIONS"
        ])
        expect(preflight.headers.get("access-control-allow-headers")).toContain("idempotency-key")
        expect(preflight.headers.get("access-control-allow-credentials")).toBe(null)
      })
    )
  }
)
