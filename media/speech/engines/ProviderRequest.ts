import { Clock, Effect, Schedule, Stream } from "effect"
import { FetchHttpClient, HttpClient, HttpClientRequest } from "effect/http"
import { Outbound } from "../../../engine/ports/Outbound.ts"
import { SpeechFailed } from "../../../engine/ports/Speech.ts"
import {
  providerAnswerBytesPerSec,
  providerRequestTimeoutMs,
  providerRestMs,
  providerRetryAfterMaxSec
} from "../../../engine/rules/voices/limits.ts"

/** A request for speech. The key stands in `headers` and nowhere else. */
export interface ProviderRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** The longest plausible sound; a longer answer is not read. */
  readonly secondsMax: number
}

/** A successful answer: status 200 and a body that is complete. */
export interface ProviderAnswer {
  readonly contentType: string
  readonly body: Uint8Array
}

/** Sends a request and reads the whole answer within its bounds. */
export type ProviderPost = (request: ProviderRequest) => Effect.Effect<ProviderAnswer, SpeechFailed>

const failed = (reason: SpeechFailed["reason"], detail: string, retryAfterSec?: number) =>
  new SpeechFailed({ reason, detail, ...(retryAfterSec === undefined ? {} : { retryAfterSec }) })

const answerMaxBytes = ({ secondsMax }: ProviderRequest) => Math.ceil(secondsMax * providerAnswerBytesPerSec)

const tooLong = ({ secondsMax }: ProviderRequest) =>
  failed("crashed", `The provider sent more than ${Math.ceil(secondsMax)} s of sound.`)

/** Seconds of a Retry-After header, in either of its forms. */
const retryAfterSec = (header: string | undefined, nowMs: number): number | undefined => {
  if (header === undefined) return undefined
  const sec = /^\d+$/.test(header.trim()) ? Number(header) : (Date.parse(header) - nowMs) / 1_000
  return Number.isFinite(sec) ? Math.min(providerRetryAfterMaxSec, Math.max(1, Math.ceil(sec))) : undefined
}

/** What an HTTP status says. The provider's own words are a stranger's text and may repeat the key: they are never passed on. */
export const refusalOf = (status: number, retryAfter: string | undefined, nowMs: number): SpeechFailed | null => {
  if (status === 200) return null
  if (status === 401 || status === 402 || status === 403)
    return failed("refused", `The provider refuses the key (${status}).`)
  if (status === 404) return failed("unknown_voice", "The provider has no such voice or model (404).")
  if (status === 429)
    return failed("limited", "The provider limits the requests (429).", retryAfterSec(retryAfter, nowMs))
  return failed(
    status >= 500 ? "unreachable" : "crashed",
    `The provider answered ${status}.`,
    retryAfterSec(retryAfter, nowMs)
  )
}

const inTime = <A, R>(answer: Effect.Effect<A, SpeechFailed, R>) =>
  Effect.timeoutOrElse(answer, {
    duration: providerRequestTimeoutMs,
    orElse: () =>
      Effect.fail(failed("timeout", `The provider sent no whole answer within ${providerRequestTimeoutMs / 1_000} s.`))
  })

/** A passing fault of the provider is tried once more at once; everything else is for the next engine. */
const onceMore = <A, R>(answer: Effect.Effect<A, SpeechFailed, R>) =>
  Effect.retry(answer, {
    times: 1,
    while: ({ reason, retryAfterSec }) => reason === "unreachable" && retryAfterSec === undefined,
    schedule: Schedule.spaced(providerRestMs)
  })

/** To endpoints that the operator configured: they may be on this machine or network. */
export const configuredPost = Effect.map(HttpClient.HttpClient, (client): ProviderPost => {
  const once = Effect.fnUntraced(function* (request: ProviderRequest) {
    const response = yield* client.execute(
      HttpClientRequest.post(request.url).pipe(
        HttpClientRequest.setHeaders(request.headers),
        HttpClientRequest.bodyText(request.body, request.headers["content-type"])
      )
    )
    const refusal = refusalOf(response.status, response.headers["retry-after"], yield* Clock.currentTimeMillis)
    if (refusal !== null) return yield* refusal
    const chunks: Array<Uint8Array> = []
    let length = 0
    const max = answerMaxBytes(request)
    yield* Stream.runForEach(response.stream, (chunk) => {
      chunks.push(chunk)
      length += chunk.length
      return length > max ? Effect.fail(tooLong(request)) : Effect.void
    })
    return { contentType: response.headers["content-type"] ?? "", body: Buffer.concat(chunks) }
  })
  return (request) =>
    once(request).pipe(
      Effect.catchTag("HttpClientError", () =>
        Effect.fail(failed("unreachable", "The provider can't be reached, or broke off its answer."))
      ),
      // A redirect would carry the key elsewhere.
      Effect.provideService(FetchHttpClient.RequestInit, { redirect: "error" }),
      inTime,
      onceMore
    )
})

/** To endpoints that a user named, in whole or in part: only to the public network. */
export const guardedPost = Effect.map(
  Outbound,
  (outbound): ProviderPost =>
    (request) =>
      Effect.gen(function* () {
        const { body, headers, isCut, status } = yield* outbound.ask({
          url: request.url,
          method: "POST",
          headers: request.headers,
          body: request.body,
          timeoutMs: providerRequestTimeoutMs,
          answerMaxBytes: answerMaxBytes(request)
        })
        const refusal = refusalOf(status, headers["retry-after"], yield* Clock.currentTimeMillis)
        if (refusal !== null) return yield* refusal
        if (isCut) return yield* tooLong(request)
        return { contentType: headers["content-type"] ?? "", body }
      }).pipe(
        Effect.catchTags({
          OutboundRefused: ({ detail }) => Effect.fail(failed("refused", `The provider's address ${detail}.`)),
          OutboundFailed: ({ detail }) =>
            Effect.fail(failed("unreachable", `The provider can't be reached: ${detail}.`))
        }),
        inTime,
        onceMore
      )
)
