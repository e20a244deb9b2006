import { Clock, Effect, Option, Schema } from "effect"
import { type MusicProvider, ProviderFailed } from "../../../engine/ports/MusicProviders.ts"
import { Outbound, type OutboundAnswer } from "../../../engine/ports/Outbound.ts"
import {
  providerFetchTimeoutMs,
  providerJsonMaxBytes,
  providerLinkCharsMax,
  providerOrderTimeoutMs,
  providerSoundMaxBytes
} from "../../../engine/rules/music/limits.ts"
import type { MusicOrder } from "../../../schema/music/MusicRequest.ts"
import { askConfigured } from "../../providers/ConfiguredAsk.ts"
import { retryAfterSec } from "../../providers/RetryAfter.ts"

/** A place where a provider's API is served. */
export interface MusicPlace {
  readonly url: string
  readonly key: string | null
  readonly model: string | null
}

/** One piece to make. */
export interface Piece<E, R> {
  readonly order: MusicOrder
  readonly seed: number
  /** Name of work that was begun before. */
  readonly task: string | null
  /** Notes the name of new work, before anything else is done with it. */
  readonly onBegun: (task: string) => Effect.Effect<void, E, R>
}

/** A provider's API. Gives the bytes of a finished piece, which nobody has examined yet. */
export interface MusicAdapter {
  readonly make: <E, R>(piece: Piece<E, R>) => Effect.Effect<Uint8Array, ProviderFailed | E, R>
}

/** Begun work that will give nothing: the provider forgot or failed it, or its link has expired. New work may. */
export class WorkLost extends Schema.TaggedError<WorkLost>()("WorkLost", { detail: Schema.String }) {}

/**
 * What a status means. The provider's own words are a stranger's text and may repeat the key: they are never passed on. A refused key is the operator's
 * matter, not the agent's: the order fails and is refunded.
 */
const failureOf = (status: number, headers: OutboundAnswer["headers"], nowMs: number) => {
  if (status >= 200 && status < 300) return null
  const afterSec = retryAfterSec(headers["retry-after"], nowMs)
  const wait = afterSec === undefined ? {} : { retryAfterSec: afterSec }
  if (status === 429 || (status === 503 && afterSec !== undefined))
    return { reason: "busy", detail: `has too much to do (${status})`, ...wait } as const
  if (status === 401 || status === 402 || status === 403)
    return { reason: "failed", detail: `refuses the station's key (${status})` } as const
  if (status === 400 || status === 413 || status === 422)
    return { reason: "refused", detail: `doesn't take this order (${status})` } as const
  return { reason: "failed", detail: `answered ${status}` } as const
}

/** The way to a provider: requests to its own API, and the links that it gives. */
export const providerClient = Effect.fnUntraced(function* (
  { name, id }: Pick<MusicProvider, "id" | "name">,
  { key, url: base }: MusicPlace
) {
  const configured = yield* askConfigured
  const outbound = yield* Outbound
  const providerFailure = (
    reason: ProviderFailed["reason"],
    detail: string,
    more: { readonly retryAfterSec?: number } = {}
  ) => new ProviderFailed({ provider: id, reason, detail: `${name} ${detail}.`, ...more })
  const garbage = providerFailure("failed", "answered something else than music")
  const authorization = key === null ? {} : { authorization: `Bearer ${key}` }

  const ask = (request: Parameters<typeof configured>[0]) =>
    Effect.catchTag(configured(request), "OutboundFailed", ({ detail, isTimeout }) =>
      Effect.fail(providerFailure(isTimeout === true ? "timeout" : "failed", `failed: ${detail}`))
    )

  /** Posts JSON and reads the whole answer within its bounds. */
  const post = Effect.fnUntraced(function* (
    url: string,
    body: unknown,
    {
      answerMaxBytes = providerJsonMaxBytes,
      timeoutMs = providerOrderTimeoutMs
    }: { readonly answerMaxBytes?: number; readonly timeoutMs?: number } = {}
  ) {
    const answer = yield* ask({
      url,
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json, audio/*", ...authorization },
      body: JSON.stringify(body),
      timeoutMs,
      answerMaxBytes
    })
    const failure = failureOf(answer.status, answer.headers, yield* Clock.currentTimeMillis)
    if (failure !== null) {
      const { detail, reason, ...more } = failure
      return yield* providerFailure(reason, detail, more)
    }
    if (answer.isCut) return yield* providerFailure("failed", `sent more than ${answerMaxBytes} bytes`)
    return answer.body
  })

  /** The JSON of an answer. A wrong type of a field is garbage, not a default. */
  const json =
    <S extends Schema.ConstraintDecoder<unknown>>(schema: S) =>
    (body: Uint8Array): Effect.Effect<S["Type"], ProviderFailed> =>
      Effect.suspend(() => {
        try {
          const decoded = Schema.decodeUnknownOption(schema)(JSON.parse(Buffer.from(body).toString("utf8")))
          return Option.isSome(decoded) ? Effect.succeed(decoded.value) : Effect.fail(garbage)
        } catch {
          return Effect.fail(garbage)
        }
      })

  /**
   * Fetches a finished piece. A link to the provider's own server is asked with the key; any other one is a stranger's, which must be on the public
   * network, as must be whatever it redirects to.
   */
  const fetchSound = Effect.fnUntraced(function* (link: string) {
    if (link.length > providerLinkCharsMax || !URL.canParse(link, base)) return yield* garbage
    const url = new URL(link, base)
    const workLost = (detail: string) => new WorkLost({ detail: `${name} gave a link that ${detail}` })
    if (url.origin !== new URL(base).origin)
      return yield* Effect.mapError(
        outbound.fetch(url.href, { bytesMax: providerSoundMaxBytes, timeoutMs: providerFetchTimeoutMs }),
        ({ detail, status }) =>
          status !== null && status >= 400 && status < 500
            ? workLost(detail)
            : providerFailure("failed", `gave a link that ${detail}`)
      )
    const { body, isCut, status } = yield* ask({
      url: url.href,
      method: "GET",
      headers: { accept: "audio/*", ...authorization },
      timeoutMs: providerFetchTimeoutMs,
      answerMaxBytes: providerSoundMaxBytes
    })
    if (status >= 400 && status < 500) return yield* workLost(`answers ${status} instead of the file`)
    if (status !== 200) return yield* providerFailure("failed", `answered ${status} instead of the file`)
    if (isCut) return yield* providerFailure("failed", `sent more than ${providerSoundMaxBytes} bytes`)
    return body
  })

  /** Goes on with begun work; begins new work if there is none, or if it is lost. */
  const resumable = Effect.fnUntraced(function* <E, R>(
    { onBegun, task }: Piece<E, R>,
    begin: Effect.Effect<string | Uint8Array, ProviderFailed>,
    finish: (task: string) => Effect.Effect<Uint8Array, ProviderFailed | WorkLost>
  ): Effect.fn.Return<Uint8Array, ProviderFailed | E, R> {
    if (task !== null) {
      const found = yield* Effect.catchTag(finish(task), "WorkLost", () => Effect.succeed(null))
      if (found !== null) return found
    }
    const made = yield* begin
    if (typeof made !== "string") return made
    yield* onBegun(made)
    return yield* Effect.catchTag(finish(made), "WorkLost", ({ detail }) =>
      Effect.fail(new ProviderFailed({ provider: id, reason: "failed", detail: `${detail}.` }))
    )
  })

  return { providerFailure, garbage, post, json, fetchSound, resumable }
})
export type ProviderClient = Effect.Success<ReturnType<typeof providerClient>>
