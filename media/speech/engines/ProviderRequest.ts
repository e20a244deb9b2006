import { Clock, Effect, Schedule } from "effect"
import { Outbound } from "../../../engine/ports/Outbound.ts"
import { SpeechFailed } from "../../../engine/ports/Speech.ts"
import {
  providerAnswerBytesPerSec,
  providerRequestTimeoutMs,
  providerRestMs
} from "../../../engine/rules/voices/limits.ts"
import { askConfigured } from "../../providers/ConfiguredAsk.ts"
import { retryAfterSec } from "../../providers/RetryAfter.ts"

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

const failure = (reason: SpeechFailed["reason"], detail: string, retryAfterSec?: number) =>
  new SpeechFailed({ reason, detail, ...(retryAfterSec === undefined ? {} : { retryAfterSec }) })

const answerMaxBytes = ({ secondsMax }: ProviderRequest) => Math.ceil(secondsMax * providerAnswerBytesPerSec)

const tooLongFailure = ({ secondsMax }: ProviderRequest) =>
  failure("crashed", `The provider sent more than ${Math.ceil(secondsMax)} s of sound.`)

/** What an HTTP status says. The provider's own words are a stranger's text and may repeat the key: they are never passed on. */
export const refusalOf = (status: number, retryAfter: string | undefined, nowMs: number): SpeechFailed | null => {
  if (status === 200) return null
  if (status === 401 || status === 402 || status === 403)
    return failure("refused", `The provider refuses the key (${status}).`)
  if (status === 404) return failure("unknown_voice", "The provider has no such voice or model (404).")
  if (status === 429)
    return failure("limited", "The provider limits the requests (429).", retryAfterSec(retryAfter, nowMs))
  return failure(
    status >= 500 ? "unreachable" : "crashed",
    `The provider answered ${status}.`,
    retryAfterSec(retryAfter, nowMs)
  )
}

/** A passing fault of the provider is tried once more at once; everything else is for the next engine. */
const retryOnce = <A, R>(answer: Effect.Effect<A, SpeechFailed, R>) =>
  Effect.retry(answer, {
    times: 1,
    while: ({ reason, retryAfterSec }) => reason === "unreachable" && retryAfterSec === undefined,
    schedule: Schedule.spaced(providerRestMs)
  })

const postOver =
  (ask: Outbound["Service"]["ask"]): ProviderPost =>
  (request) =>
    Effect.gen(function* () {
      const { body, headers, isCut, status } = yield* ask({
        url: request.url,
        method: "POST",
        headers: request.headers,
        body: request.body,
        timeoutMs: providerRequestTimeoutMs,
        answerMaxBytes: answerMaxBytes(request)
      })
      const refusal = refusalOf(status, headers["retry-after"], yield* Clock.currentTimeMillis)
      if (refusal !== null) return yield* refusal
      if (isCut) return yield* tooLongFailure(request)
      return { contentType: headers["content-type"] ?? "", body }
    }).pipe(
      Effect.catchTags({
        OutboundRefused: ({ detail }) => Effect.fail(failure("refused", `The provider's address ${detail}.`)),
        OutboundFailed: ({ detail, isTimeout }) =>
          Effect.fail(failure(isTimeout === true ? "timeout" : "unreachable", `The provider failed: ${detail}.`))
      }),
      retryOnce
    )

/** To endpoints that the operator configured: they may be on this machine or network. */
export const configuredPost = Effect.map(askConfigured, postOver)

/** To endpoints that a user named, in whole or in part: only to the public network. */
export const guardedPost = Effect.map(Outbound, ({ ask }) => postOver(ask))
