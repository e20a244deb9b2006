import { Clock, Context, Effect, Layer } from "effect"
import type { HttpServerRequest, HttpServerResponse } from "effect/http"
import type { IncomingMessage, ServerResponse } from "node:http"
import { gzipSync } from "node:zlib"
import { StationConfig } from "../../engine/runtime/Config.ts"
import { requestIdAt } from "../../engine/runtime/IdSource.ts"
import {
  publicAnswerBytesMax,
  publicAnswerRenewMs,
  publicAnswersBytesMax,
  publicAnswersCountMax,
  zippedFromBytes
} from "../../engine/rules/http/limits.ts"
import { Changes } from "../../engine/store/sql/Changes.ts"
import type { Policy } from "../api/Counted.ts"
import { makeAddressOf } from "../server/Address.ts"
import { keptBytes } from "../../engine/runtime/keptBytes.ts"
import type { FromMemory } from "../server/Server.ts"
import { perAddress } from "./AddressLimits.ts"
import { Flood } from "./Flood.ts"
import { rateHeaders } from "./RateLimits.ts"

/** The beginning of an answer's making. */
export interface Begun {
  readonly version: number
  readonly atMs: number
  /** What it is made from: words of statements, and names of snapshots. A change of one of these makes it too old. */
  readonly sources: Array<ReadonlySet<string>>
}

interface Kept extends Begun {
  readonly body: Uint8Array
  zipped: Uint8Array | null
  /** Names and values in turn, which Node writes without sorting them out. */
  readonly headers: ReadonlyArray<string>
  readonly etag: string
  readonly isForAll: boolean
  readonly policies: ReadonlyArray<Policy>
  readonly maxAgeMs: number
  /** The number of changes at which it was last seen to be right. */
  rightAtVersion: number
  isStale: boolean
  /** Someone is fetching a newer one since then; others still get this one while it is fresh. */
  renewedMs: number
}

/** A caller that waits for the answer that another one is making. */
interface Waiting {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly leave: (isFirst: boolean) => void
}

type Headers = Readonly<Record<string, string | ReadonlyArray<string> | undefined>>

/** Headers that belong to one request, and are made again for each. */
const isOwn = (name: string): boolean => name === "x-request-id" || name.startsWith("ratelimit") || name === "age"

const hasCredentials = (headers: Headers): boolean =>
  headers["authorization"] !== undefined || headers["x-listener-token"] !== undefined || headers["cookie"] !== undefined

/** An answer that is the same for everybody, cookies or not. */
const isForAll = (headers: Headers): boolean => !/\bcookie\b/i.test(String(headers["vary"] ?? ""))

const maxAgeOf = (headers: Headers): number =>
  1_000 * Number(/^public, max-age=(\d+)$/.exec(String(headers["cache-control"] ?? ""))?.[1] ?? 0)

const isMatching = (tags: string | undefined, etag: string): boolean =>
  tags !== undefined && tags.split(",").some((tag) => tag.trim() === etag || tag.trim() === "*")

interface Answers {
  /** Answers a request from memory, or has it wait for the same answer that another one is making. */
  readonly serve: FromMemory
  readonly begin: () => Begun
  /** Keeps a public answer for others. `begun` is from before it was made. */
  readonly keep: (
    request: HttpServerRequest.HttpServerRequest,
    response: HttpServerResponse.HttpServerResponse,
    begun: Begun
  ) => void
}

/**
 * Answers of public reads as bytes. Each is made once and then served before authentication and routing, until something
 * that it was made from changes, or its freshness has passed that its `Cache-Control` promises. While one caller makes it
 * anew, others wait for it. Bounded in number and bytes. Without `publicAnswers`, nothing is kept.
 */
export const PublicAnswers = Context.Reference<Answers>("longwave/http/PublicAnswers", {
  defaultValue: () => ({
    serve: () => "unknown",
    begin: () => ({ version: 0, atMs: 0, sources: [] }),
    keep: () => undefined
  })
})

export const publicAnswers = Layer.effect(
  PublicAnswers,
  Effect.gen(function* () {
    const config = yield* StationConfig
    const flood = yield* Flood
    const clock = yield* Clock.Clock
    const changes = yield* Changes
    const addressOf = makeAddressOf(config.trustedProxies)
    const named = new Set(config.corsOrigins.split(",").filter((origin) => origin !== ""))
    const kept = new Map<string, Kept>()
    const making = new Map<string, Array<Waiting>>()
    let heldBytes = 0

    const drop = (url: string) => {
      const old = kept.get(url)
      if (old === undefined) return
      kept.delete(url)
      heldBytes -= old.body.length
    }

    const isRight = (found: Kept): boolean => {
      if (found.isStale || changes.hasChanged(found.sources, found.rightAtVersion)) {
        found.isStale = true
        return false
      }
      found.rightAtVersion = changes.version
      return true
    }
    /** Whether one caller should make a newer one meanwhile. */
    const isDue = (found: Kept, ageMs: number, nowMs: number): boolean =>
      ageMs >= Math.min(publicAnswerRenewMs, found.maxAgeMs / 2) && nowMs - found.renewedMs >= publicAnswerRenewMs

    const settle = (url: string) => {
      const waiting = making.get(url)
      if (waiting === undefined) return
      making.delete(url)
      for (const { leave, request, response } of waiting) {
        if (response.destroyed || response.headersSent) continue
        // Nobody waits twice: if the next maker fails too, the others take the whole road.
        const found = making.has(url) ? "unknown" : serve(request, response, leave)
        if (found !== "answered") leave(found === "first")
      }
    }

    const send = (
      found: Kept,
      { headers, method, socket }: IncomingMessage,
      response: ServerResponse,
      nowMs: number
    ) => {
      const forwarded = headers["x-forwarded-for"]
      const address = addressOf(
        socket.remoteAddress,
        Array.isArray(forwarded) ? forwarded.join(",") : (forwarded as string | undefined)
      )
      const counted = found.policies.map((policy) => flood.takeAt(policy, address, nowMs))
      // The whole road refuses it with its reason.
      if (counted.some(({ allowed }) => !allowed)) return false
      const own = [...found.headers, "x-request-id", requestIdAt(nowMs)]
      const rates = rateHeaders(counted)
      for (const name in rates) own.push(name, rates[name]!)
      const ageSec = Math.floor((nowMs - found.atMs) / 1_000)
      if (ageSec > 0) own.push("age", String(ageSec))
      if (isMatching(headers["if-none-match"], found.etag)) {
        response.writeHead(304, own)
        response.end()
        return true
      }
      const isZipped = found.body.length >= zippedFromBytes && /\bgzip\b/.test(String(headers["accept-encoding"] ?? ""))
      if (isZipped) found.zipped ??= keptBytes(gzipSync(found.body))
      const body = isZipped ? found.zipped! : found.body
      own.push("content-length", String(body.length))
      if (isZipped) own.push("content-encoding", "gzip")
      response.writeHead(200, own)
      response.end(method === "HEAD" ? undefined : body)
      return true
    }

    /** The answer is kept for all, so it has to be whole, also where this client knows it. */
    const asFirst = (headers: IncomingMessage["headers"]): "first" => {
      delete headers["if-none-match"]
      return "first"
    }

    const serve: FromMemory = (request, response, leave) => {
      const { method, url } = request
      if ((method !== "GET" && method !== "HEAD") || url === undefined) return "unknown"
      const found = kept.get(url)
      if (found === undefined) return "unknown"
      const { headers } = request
      if (
        headers.authorization !== undefined ||
        (headers.origin !== undefined && named.has(headers.origin)) ||
        (!found.isForAll && hasCredentials(headers))
      )
        return "unknown"
      const nowMs = clock.currentTimeMillisUnsafe()
      const ageMs = nowMs - found.atMs
      // The answer to another request is not kept, or comes after others on its connection, so nobody waits for it.
      const canRenew = method === "GET" && headers.origin === undefined && response.socket !== null
      if (ageMs < found.maxAgeMs && isRight(found)) {
        if (!canRenew || !isDue(found, ageMs, nowMs))
          return send(found, request, response, nowMs) ? "answered" : "unknown"
        found.renewedMs = nowMs
        return asFirst(headers)
      }
      const waiting = making.get(url)
      if (waiting !== undefined) {
        waiting.push({ request, response, leave })
        return "answered"
      }
      if (!canRenew) return "unknown"
      making.set(url, [])
      response.once("close", () => settle(url))
      return asFirst(headers)
    }

    const keep: Answers["keep"] = ({ headers: asked, method, url }, { body, cookies, headers, status }, begun) => {
      const maxAgeMs = maxAgeOf(headers)
      if (
        method !== "GET" ||
        status !== 200 ||
        maxAgeMs === 0 ||
        body._tag !== "Uint8Array" ||
        body.body.length > publicAnswerBytesMax ||
        changes.hasChanged(begun.sources, begun.version) ||
        headers["content-encoding"] !== undefined ||
        Object.keys(cookies.cookies).length > 0 ||
        asked["origin"] !== undefined ||
        (hasCredentials(asked) && (asked["authorization"] !== undefined || !isForAll(headers)))
      )
        return
      drop(url)
      const lasting = {
        ...Object.fromEntries(Object.entries(headers).filter(([name]) => !isOwn(name) && name !== "content-length")),
        "content-type": body.contentType,
        "x-content-type-options": "nosniff",
        ...(body.body.length < zippedFromBytes
          ? {}
          : { vary: [headers["vary"], "Accept-Encoding"].filter((name) => name !== undefined).join(", ") })
      }
      kept.set(url, {
        ...begun,
        sources: [...new Set(begun.sources)],
        body: keptBytes(body.body),
        zipped: null,
        headers: Object.entries(lasting).flatMap(([name, value]) => [name, String(value)]),
        etag: headers["etag"] ?? "",
        isForAll: isForAll(headers),
        policies: perAddress(method, url.split("?")[0]!, false),
        maxAgeMs,
        rightAtVersion: begun.version,
        isStale: false,
        renewedMs: Number.NEGATIVE_INFINITY
      })
      heldBytes += body.body.length
      for (const oldest of kept.keys()) {
        if (kept.size <= publicAnswersCountMax && heldBytes <= publicAnswersBytesMax) break
        drop(oldest)
      }
      settle(url)
    }

    return {
      serve,
      keep,
      begin: () => ({ version: changes.version, atMs: clock.currentTimeMillisUnsafe(), sources: [] })
    }
  })
)
