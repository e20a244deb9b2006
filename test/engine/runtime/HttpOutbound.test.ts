import { it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { Dns, NetAddress } from "effect/net"
import { TestClock } from "effect/testing"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { createServer as createSecureServer } from "node:https"
import type { AddressInfo } from "node:net"
import { getCACertificates, setDefaultCACertificates } from "node:tls"
import { afterAll, beforeAll, expect } from "vitest"
import { StationConfig } from "../../../engine/runtime/Config.ts"
import { Outbound, type OutboundRequest } from "../../../engine/ports/Outbound.ts"
import { HttpOutbound } from "../../../engine/runtime/HttpOutbound.ts"
import { authority, certificate, certificateKey } from "../../support/inbox/HooksCertificate.ts"

const trusted = getCACertificates("default")
beforeAll(() => setDefaultCACertificates([...trusted, authority]))
afterAll(() => setDefaultCACertificates(trusted))

/** Names by their DNS answers, in sequence. */
const world = (names: Record<string, ReadonlyArray<ReadonlyArray<string>>>, allowPrivate: boolean) => {
  const asked = new Map<string, number>()
  const resolver = Dns.make({
    lookup: () => Effect.die("the system's own resolver is not asked"),
    resolve: (name, type) =>
      Effect.sync(() => {
        const host = String(name)
        const turn = asked.get(`${host} ${type}`) ?? 0
        asked.set(`${host} ${type}`, turn + 1)
        const answers = names[host] ?? []
        return (answers[Math.min(turn, answers.length - 1)] ?? [])
          .filter((text) => text.includes(":") === (type === "AAAA"))
          .map((text) =>
            Dns.makeRecordUnsafe(type as "A", {
              address: NetAddress.ipFromStringUnsafe(text) as NetAddress.Ipv4Address
            })
          )
      })
  })
  return {
    asked,
    layer: HttpOutbound.pipe(
      Layer.provide([
        Layer.succeed(Dns.Dns, resolver),
        StationConfig.fromEnvironment(allowPrivate ? { ALLOW_PRIVATE_CALLBACKS: "on" } : {})
      ])
    )
  }
}

const listening = (server: ReturnType<typeof createServer>) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.callback<ReturnType<typeof createServer>>(
        (resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
      ),
      () =>
        Effect.sync(() => {
          server.closeAllConnections()
          server.close()
        })
    ),
    (open) => (open.address() as AddressInfo).port
  )
const plain = (answer: (request: IncomingMessage, response: ServerResponse) => void) => listening(createServer(answer))
const secure = (answer: (request: IncomingMessage, response: ServerResponse) => void) =>
  listening(createSecureServer({ cert: certificate, key: certificateKey }, answer))

const ask = (url: string, over: Partial<OutboundRequest> = {}) =>
  Effect.flatMap(Outbound, (outbound) =>
    outbound.ask({ url, method: "POST", headers: {}, body: "{}", timeoutMs: 10_000, answerMaxBytes: 1_024, ...over })
  )
const fault = (url: string, over: Partial<OutboundRequest> = {}) =>
  Effect.map(Effect.flip(ask(url, over)), ({ _tag, detail }) => `${_tag}: ${detail}`)

it.effect("connects by name over TLS to the resolved address, and reads the answer", () =>
  Effect.gen(function* () {
    const seen: Array<unknown> = []
    const port = yield* secure((request, response) => {
      seen.push([
        request.method,
        request.url,
        request.headers.host,
        (request.socket as unknown as { servername: string }).servername,
        request.headers["x-one"]
      ])
      request.on("data", (chunk) => seen.push(String(chunk)))
      response.writeHead(202, { "retry-after": "7" }).end("thank you")
    })
    const { layer } = world({ "hooks.test": [["127.0.0.1"]], "other.test": [["127.0.0.1"]] }, true)
    const answer = yield* ask(`https://hooks.test:${port}/a?b=1`, { headers: { "x-one": "1" } }).pipe(
      Effect.provide(layer)
    )
    expect([answer.status, answer.headers["retry-after"], Buffer.from(answer.body).toString(), answer.isCut]).toEqual([
      202,
      "7",
      "thank you",
      false
    ])
    expect(seen).toEqual([["POST", "/a?b=1", `hooks.test:${port}`, "hooks.test", "1"], "{}"])
    expect(yield* fault(`https://other.test:${port}/`).pipe(Effect.provide(layer))).toBe(
      "OutboundFailed: ERR_TLS_CERT_ALTNAME_INVALID"
    )
    setDefaultCACertificates(trusted)
    expect(yield* fault(`https://hooks.test:${port}/`).pipe(Effect.provide(layer))).toMatch(
      /^OutboundFailed: (SELF_SIGNED|UNABLE_TO_VERIFY)/
    )
    setDefaultCACertificates([...trusted, authority])
    const http = yield* plain((_, response) => response.end())
    expect(yield* fault(`https://hooks.test:${http}/`).pipe(Effect.provide(layer))).toMatch(
      /^OutboundFailed: (EPROTO|ERR_SSL)/
    )
  })
)

it.effect("connects only to the public network, whatever else the name resolves to", () =>
  Effect.gen(function* () {
    const { layer } = world(
      {
        "private.test": [["10.0.0.1"]],
        "both.test": [["1.1.1.1", "127.0.0.1"]],
        "both6.test": [["1.1.1.1", "fd00::1"]],
        "metadata.test": [["169.254.169.254"]],
        "mapped.test": [["::ffff:1.1.1.1"]]
      },
      false
    )
    for (const name of ["private", "both", "both6", "metadata", "mapped"]) {
      expect(yield* fault(`https://${name}.test/`).pipe(Effect.provide(layer))).toBe(
        "OutboundRefused: leads to a host that is not on the public network"
      )
      expect(
        (yield* Effect.flip(Effect.flatMap(Outbound, (outbound) => outbound.check(`https://${name}.test/`))).pipe(
          Effect.provide(layer)
        )).detail
      ).toContain("public network")
    }
    expect(yield* fault("https://nowhere.test/").pipe(Effect.provide(layer))).toBe(
      "OutboundFailed: has a host that can't be found"
    )
    expect(
      (yield* Effect.flip(Effect.flatMap(Outbound, (outbound) => outbound.check("https://nowhere.test/"))).pipe(
        Effect.provide(layer)
      )).detail
    ).toContain("can't be found")
    expect(yield* fault("https://localhost/").pipe(Effect.provide(layer))).toContain("OutboundRefused")
  })
)

it.effect("isn't deceived by a name that resolves differently the second time", () =>
  Effect.gen(function* () {
    const { asked, layer } = world({ "rebinding.test": [["1.1.1.1"], ["127.0.0.1"]] }, false)
    yield* Effect.gen(function* () {
      const outbound = yield* Outbound
      expect(yield* outbound.check("https://rebinding.test/hook#part")).toBe("https://rebinding.test/hook")
      expect(yield* fault("https://rebinding.test/hook")).toBe(
        "OutboundRefused: leads to a host that is not on the public network"
      )
    }).pipe(Effect.provide(layer))
    // One look-up for each request: none between the check and the connection.
    expect(asked.get("rebinding.test A")).toBe(2)
    let hits = 0
    const port = yield* secure((_, response) => response.end(String(++hits)))
    const pinned = world({ "hooks.test": [["127.0.0.1"], ["127.0.0.2"]] }, true)
    yield* ask(`https://hooks.test:${port}/`).pipe(Effect.provide(pinned.layer))
    expect([pinned.asked.get("hooks.test A"), hits]).toEqual([1, 1])
  })
)

it.effect("follows no redirects, reads no more than the limit, and gives up on slow servers", () =>
  Effect.gen(function* () {
    const { layer } = world({}, true)
    const reached = yield* Deferred.make<void>()
    let hits = 0
    const port = yield* plain((request, response) => {
      hits += 1
      switch (request.url) {
        case "/redirect":
          return void response.writeHead(307, { location: "/elsewhere" }).end()
        case "/flood": {
          const flood = () =>
            response.write(Buffer.alloc(65_536, 65)) ? setImmediate(flood) : response.once("drain", flood)
          return void flood()
        }
        case "/early":
          return void response.writeHead(200, { "content-length": "100" }).write("half", () => request.socket.destroy())
        case "/hangup":
          return void request.socket.destroy()
        case "/headers":
          return void response.writeHead(200, { "x-long": "a".repeat(100_000) }).end()
        case "/nonsense":
          return void request.socket.end("SSH-2.0-OpenSSH\r\n\r\n")
        default: {
          response.writeHead(200)
          const drip = setInterval(() => response.write("."), 5)
          response.once("close", () => clearInterval(drip))
          Effect.runSync(Deferred.succeed(reached, undefined))
        }
      }
    })
    const at = (path: string) => `http://127.0.0.1:${port}${path}`
    yield* Effect.gen(function* () {
      expect((yield* ask(at("/redirect"))).status).toBe(307)
      expect(hits).toBe(1)
      const flooded = yield* ask(at("/flood"))
      expect([flooded.status, flooded.body.length, flooded.isCut]).toEqual([200, 1_024, true])
      expect(yield* fault(at("/early"))).toBe("OutboundFailed: the answer was broken off")
      expect(yield* fault(at("/hangup"))).toBe("OutboundFailed: ECONNRESET")
      expect(yield* fault(at("/headers"))).toBe("OutboundFailed: HPE_HEADER_OVERFLOW")
      expect(yield* fault(at("/nonsense"))).toMatch(/^OutboundFailed: HPE_/)
      const dripping = yield* Effect.forkChild(fault(at("/drip"), { answerMaxBytes: 1_000_000 }))
      yield* Deferred.await(reached)
      yield* TestClock.adjust("10 seconds")
      expect(yield* Fiber.join(dripping)).toBe("OutboundFailed: no whole answer within 10 s")
      expect(yield* fault("http://127.0.0.1:1/")).toBe("OutboundFailed: ECONNREFUSED")
    }).pipe(Effect.provide(layer))
  })
)
