import { layer } from "@effect/vitest"
import { Effect } from "effect"
import { HttpServer } from "effect/http"
import { expect } from "vitest"
import { bodiesPendingPerAddressMax, bodyTimeoutMs } from "../../../engine/rules/http/limits.ts"
import { AgentHttp, arrive, registration } from "../../support/http/AgentHttp.ts"
import { bodyOf, client } from "../../support/http/ListenServer.ts"
import { from, newAddress } from "../../support/listeners/Listeners.ts"
import { call } from "../../support/http/SegmentHttp.ts"

const register = "/api/v1/agents/register"
const generate = "/api/v1/agents/me/tts/station/generate"

/** Headers of a request whose body is still to come. */
const headers = (path: string, address: string, ...lines: ReadonlyArray<string>) =>
  [
    `POST ${path} HTTP/1.1`,
    "host: station",
    `x-forwarded-for: ${address}`,
    "content-type: application/json",
    "content-length: 1000",
    "idempotency-key: idle",
    ...lines,
    "",
    ""
  ].join("\r\n")
const statusIn = (bytes: Buffer) => Number(/^HTTP\/1\.1 (\d{3})/.exec(bytes.toString())?.[1])
const codeIn = (bytes: Buffer) => (JSON.parse(bodyOf(bytes).toString()) as { readonly code: string }).code
const port = Effect.map(HttpServer.HttpServer, ({ address }) => ("port" in address ? address.port : 0))

layer(AgentHttp({ TRUSTED_PROXIES: "127.0.0.1/32", RATE_LIMIT_SCALE: "10" }), {
  excludeTestServices: true,
  timeout: 300_000
})("bodies that don't arrive", (it) => {
  it.effect(
    "are not awaited from a refused caller, and hold no connection",
    () =>
      Effect.gen(function* () {
        const at = yield* port
        for (const path of [
          generate,
          "/api/v1/agents/me/keys/rotate",
          "/api/v1/agents/me/follow/x",
          "/api/ops/app-keys",
          "/api/account/sign-out",
          "/nowhere"
        ]) {
          const { readUntil } = yield* client(at, headers(path, newAddress()))
          const answer = yield* readUntil(({ closed }) => closed)
          expect([path, statusIn(answer), /connection: close/i.test(answer.toString())]).toEqual([
            path,
            path === "/nowhere" ? 404 : 401,
            true
          ])
        }
        // A client whose body arrived keeps its connection.
        const { readUntil } = yield* client(
          at,
          [
            `POST ${generate} HTTP/1.1`,
            "host: station",
            "content-type: application/json",
            "content-length: 2",
            "",
            "{}"
          ].join("\r\n")
        )
        const answer = yield* readUntil(({ bytes }) => bytes.includes("INVALID_API_KEY"))
        expect(answer.toString()).not.toMatch(/connection: close/i)
      }),
    300_000
  )

  it.effect(
    "delay neither reads nor requests with complete bodies, however many come from one address",
    () =>
      Effect.gen(function* () {
        const at = yield* port
        const [one, other] = [newAddress(), newAddress()]
        const share = bodiesPendingPerAddressMax * 10
        const { key } = yield* arrive()
        const begunMs = performance.now()
        const idle = yield* Effect.forEach(Array.from({ length: 320 }), (_, n) =>
          client(at, headers(n % 2 === 0 ? register : generate, one, `authorization: Bearer ${key}`))
        )
        // The maximum of pending bodies; further requests are refused at once.
        const refused = Effect.forEach(idle, ({ readUntil }) =>
          Effect.map(
            readUntil(() => true),
            (bytes) => (bytes.length === 0 ? [] : [bytes])
          )
        )
        let answered = (yield* refused).flat()
        while (answered.length < idle.length - Math.min(share, 256)) {
          yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
          answered = (yield* refused).flat()
        }
        const refusals = new Set(answered.map((bytes) => `${statusIn(bytes)} ${codeIn(bytes)}`))
        // On a very slow machine the first ones may have timed out; then this is the only other possible answer.
        if (performance.now() - begunMs > bodyTimeoutMs) refusals.delete("408 REQUEST_TIMEOUT")
        expect([...refusals]).toEqual(["503 BUSY"])
        for (const address of [one, other]) {
          expect((yield* call("GET", "/api/v1/capabilities", { headers: from(address) })).status).toBe(200)
          expect((yield* call("POST", register, { headers: from(address), body: registration() })).status).toBe(201)
        }
      }),
    300_000
  )
})

layer(AgentHttp({ TRUSTED_PROXIES: "127.0.0.1/32", RATE_LIMIT_SCALE: "1" }), {
  excludeTestServices: true,
  timeout: 300_000
})("a body", (it) => {
  it.effect(
    "must arrive within ten seconds, and each address has its share of the pending ones",
    () =>
      Effect.gen(function* () {
        const at = yield* port
        const one = newAddress()
        const { key } = yield* arrive()
        const lines = [`authorization: Bearer ${key}`]
        const begunMs = performance.now()
        // One more than the limit. The station decides which one comes last: each key look-up takes its own time.
        const waiting = yield* Effect.forEach(Array.from({ length: bodiesPendingPerAddressMax + 1 }), () =>
          client(at, headers(generate, one, ...lines))
        )
        const dribbling = yield* client(at, headers(generate, newAddress(), ...lines))
        const dribble = setInterval(() => dribbling.socket.write(" "), 500)
        const other = yield* client(at, headers(register, newAddress()))
        other.socket.write(JSON.stringify(registration()).padEnd(1_000))
        expect(statusIn(yield* other.readUntil(({ bytes }) => bytes.length > 0))).toBe(201)
        const answers = yield* Effect.forEach([...waiting, dribbling], ({ readUntil }) =>
          readUntil(({ closed }) => closed)
        )
        const said = answers.map((answer) => [
          statusIn(answer),
          codeIn(answer),
          /connection: close/i.test(answer.toString())
        ])
        expect(said.toSorted(([one], [other]) => Number(one) - Number(other))).toEqual([
          ...Array.from({ length: bodiesPendingPerAddressMax + 1 }, () => [408, "REQUEST_TIMEOUT", true]),
          [503, "BUSY", true]
        ])
        expect(said.at(-1)).toEqual([408, "REQUEST_TIMEOUT", true])
        clearInterval(dribble)
        // Not before the time limit; steady progress doesn't extend it.
        expect(performance.now() - begunMs).toBeGreaterThanOrEqual(bodyTimeoutMs)
        // Nothing is left of them: the address has its full share again.
        const after = yield* client(at, headers(register, one))
        after.socket.write(JSON.stringify(registration()).padEnd(1_000))
        expect(statusIn(yield* after.readUntil(({ bytes }) => bytes.length > 0))).toBe(201)
      }),
    300_000
  )
})
