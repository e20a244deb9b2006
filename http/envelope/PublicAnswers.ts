import { Clock, Context, Effect, Layer, Stream } from "effect"
import type { HttpServerRequest, HttpServerResponse } from "effect/http"
import type { IncomingMessage, ServerResponse } from "node:http"
import { gzipSync } from "node:zlib"
import { EventBus } from "../../actors/runtime/EventBus.ts"
import { StationConfig } from "../../engine/runtime/Config.ts"
import { requestIdAt } from "../../engine/runtime/IdSource.ts"
import {
  publicAnswerBytesMax,
  publicAnswerRenewMs,
  publicAnswersBytesMax,
  publicAnswersCountMax,
  zippedFromBytes
} from "../../engine/rules/http/limits.ts"
import { makeAddressOf } from "../server/Address.ts"
import { perAddress } from "./AddressLimits.ts"
import { Flood } from "./Flood.ts"
import { rateHeaders } from "./RateLimits.ts"

/** When the making of an answer began. A change after that makes it too old to be kept. */
export interface Begun {
  readonly version: number
  readonly atMs: number
}

interface Kept extends Begun {
  readonly body: Uint8Array
  zipped: Uint8Array | null
  readonly headers: Readonly<Record<string, string>>
  readonly maxAgeMs: number
  /** Someone is fetching a newer one since then; others still get this one while it is fresh. */
  renewedMs: number
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

interface Answers {
  /** Answers a request from memory. False: it takes the whole road. */
  readonly serve: (request: IncomingMessage, response: ServerResponse) => boolean
  readonly begin: () => Begun
  /** Keeps a public answer for others. `begun` is from before it was made. */
  readonly keep: (
    request: HttpServerRequest.HttpServerRequest,
    response: HttpServerResponse.HttpServerResponse,
    begun: Begun
  ) => void
  /** Something was changed: nothing that was made before is served any more. */
  readonly noteChange: () => void
}

/**
 * Answers of public reads as bytes. Each is made once and then served before authentication and routing, until the
 * station changes or a share of the freshness has passed that its `Cache-Control` promises. Bounded in number and
 * bytes. Without `publicAnswers`, nothing is kept.
 */
export const PublicAnswers = Context.Reference<Answers>("longwave/http/PublicAnswers", {
  defaultValue: () => ({
    serve: () => false,
    begin: () => ({ version: 0, atMs: 0 }),
    keep: () => undefined,
    noteChange: () => undefined
  })
})

export const publicAnswers = Layer.effect(
  PublicAnswers,
  Effect.gen(function* () {
    const config = yield* StationConfig
    const flood = yield* Flood
    const clock = yield* Clock.Clock
    const addressOf = makeAddressOf(config.trustedProxies)
    const named = new Set(config.corsOrigins.split(",").filter((origin) => origin !== ""))
    const kept = new Map<string, Kept>()
    let heldBytes = 0
    let version = 0

    const drop = (url: string) => {
      const old = kept.get(url)
      if (old === undefined) return
      kept.delete(url)
      heldBytes -= old.body.length
    }
    /** The answer for a URL, if it is still right. One caller after half of its freshness gets none, and makes a newer one. */
    const find = (url: string, nowMs: number): Kept | null => {
      const found = kept.get(url)
      if (found === undefined) return null
      const ageMs = nowMs - found.atMs
      if (found.version !== version || ageMs >= found.maxAgeMs) {
        drop(url)
        return null
      }
      if (
        ageMs >= Math.min(publicAnswerRenewMs, found.maxAgeMs / 2) &&
        nowMs - found.renewedMs >= publicAnswerRenewMs
      ) {
        found.renewedMs = nowMs
        return null
      }
      return found
    }

    const serve = (request: IncomingMessage, response: ServerResponse): boolean => {
      const { headers, method, url } = request
      if ((method !== "GET" && method !== "HEAD") || url === undefined || kept.size === 0) return false
      if (headers.authorization !== undefined || (headers.origin !== undefined && named.has(headers.origin)))
        return false
      const nowMs = clock.currentTimeMillisUnsafe()
      const found = find(url, nowMs)
      if (found === null || (hasCredentials(headers) && !isForAll(found.headers))) return false
      const path = url.split("?")[0]!
      const forwarded = headers["x-forwarded-for"]
      const address = addressOf(
        request.socket.remoteAddress,
        Array.isArray(forwarded) ? forwarded.join(",") : forwarded
      )
      const counted = perAddress(method, path, false).map((policy) => flood.takeAt(policy, address, nowMs))
      // The whole road refuses it with its reason.
      if (counted.some(({ allowed }) => !allowed)) return false
      const ageSec = Math.floor((nowMs - found.atMs) / 1_000)
      const own = {
        ...found.headers,
        ...rateHeaders(counted),
        "x-request-id": requestIdAt(nowMs),
        ...(ageSec > 0 ? { age: String(ageSec) } : {})
      }
      const tags = String(headers["if-none-match"] ?? "")
      if (tags !== "" && tags.split(",").some((tag) => tag.trim() === found.headers["etag"] || tag.trim() === "*")) {
        const { "content-type": _, ...rest } = own as Record<string, string>
        response.writeHead(304, rest)
        response.end()
        return true
      }
      const isZipped = found.body.length >= zippedFromBytes && /\bgzip\b/.test(String(headers["accept-encoding"] ?? ""))
      if (isZipped) found.zipped ??= gzipSync(found.body)
      const body = isZipped ? found.zipped! : found.body
      response.writeHead(200, {
        ...own,
        "content-length": body.length,
        ...(isZipped ? { "content-encoding": "gzip" } : {})
      })
      response.end(method === "HEAD" ? undefined : body)
      return true
    }

    const keep: Answers["keep"] = ({ headers: asked, method, url }, { body, cookies, headers, status }, begun) => {
      const maxAgeMs = maxAgeOf(headers)
      if (
        method !== "GET" ||
        status !== 200 ||
        maxAgeMs === 0 ||
        begun.version !== version ||
        body._tag !== "Uint8Array" ||
        body.body.length > publicAnswerBytesMax ||
        headers["content-encoding"] !== undefined ||
        Object.keys(cookies.cookies).length > 0 ||
        asked["origin"] !== undefined ||
        (hasCredentials(asked) && (asked["authorization"] !== undefined || !isForAll(headers)))
      )
        return
      drop(url)
      const own = Object.entries(headers).filter(([name]) => !isOwn(name))
      kept.set(url, {
        ...begun,
        body: body.body,
        zipped: null,
        headers: {
          ...Object.fromEntries(own as ReadonlyArray<[string, string]>),
          "content-type": body.contentType,
          "x-content-type-options": "nosniff",
          ...(body.body.length < zippedFromBytes
            ? {}
            : { vary: [headers["vary"], "Accept-Encoding"].filter((name) => name !== undefined).join(", ") })
        },
        maxAgeMs,
        renewedMs: Number.NEGATIVE_INFINITY
      })
      heldBytes += body.body.length
      for (const oldest of kept.keys()) {
        if (kept.size <= publicAnswersCountMax && heldBytes <= publicAnswersBytesMax) break
        drop(oldest)
      }
    }

    const noteChange = () => void version++
    const bus = yield* EventBus
    yield* Stream.runForEach(bus.events, () => Effect.sync(noteChange)).pipe(Effect.forkScoped)
    return {
      serve,
      keep,
      noteChange,
      begin: () => ({ version, atMs: clock.currentTimeMillisUnsafe() })
    }
  })
)
