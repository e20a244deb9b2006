import { ClaimGuesses, claimsOfAll } from "../api/agents/ClaimGuesses.ts"
import { ByteSize, Cause, Context, Effect, type Types } from "effect"
import {
  HttpIncomingMessage,
  HttpRouter,
  HttpServerError,
  HttpServerRequest,
  HttpServerRespondable,
  HttpServerResponse,
  Multipart
} from "effect/http"
import { StationConfig } from "../../engine/runtime/Config.ts"
import { IdSource } from "../../engine/runtime/IdSource.ts"
import { jsonBytesMax, requestsAtOnceMax, requestsPerAddressMax, urlBytesMax } from "../../engine/rules/http/limits.ts"
import { callInFieldsMaxBytes, callInMaxBytes } from "../../engine/rules/listeners/limits.ts"
import { mp3MaxBytes, wavMaxBytes } from "../../engine/rules/segments/limits.ts"
import {
  Busy,
  InternalError,
  InvalidField,
  MethodNotAllowed,
  NotFound,
  PayloadTooLarge,
  RateLimited,
  UnsupportedMediaType
} from "../../schema/Problems.ts"
import { makeAddressOf } from "../server/Address.ts"
import { remember } from "../server/remember.ts"
import { crossOrigin } from "../server/Cors.ts"
import { type MethodsOf, isUpload, isCall, isSubmission, isTrackForm, trackFormMaxBytes } from "../server/Methods.ts"
import { addCacheHeaders } from "../server/CacheControl.ts"
import { CalledFrom, ClientAddress } from "../api/Client.ts"
import { Counted } from "../api/Counted.ts"
import { isRead, perAddress } from "./AddressLimits.ts"
import { Sources } from "../../engine/store/sql/Changes.ts"
import { isUnavailable } from "../../engine/store/sql/StoreHealth.ts"
import { Flood } from "./Flood.ts"
import { Places } from "./Places.ts"
import { isPresented } from "./Presented.ts"
import { PublicAnswers } from "./PublicAnswers.ts"
import { completeProblem, type ProblemContext } from "./ProblemDocument.ts"
import { rateHeaders } from "./RateLimits.ts"
import { BodyRefused, isAborted, isLeftPending, makeRequestBody } from "./RequestBody.ts"
import { shorten } from "./Shortened.ts"
import { zip } from "./Zipped.ts"

/** Maximum length of a path repeated in a refusal. */
const pathShownMaxBytes = 200
const socketOf = (request: HttpServerRequest.HttpServerRequest) =>
  (request.source as { readonly socket?: { readonly remoteAddress?: string } }).socket?.remoteAddress
/** Health and emergency routes: answered even when the station is overloaded. */
const isSystem = (path: string) => /^\/(healthz|readyz|metrics|api\/ops\/playout\/emergency)$/.test(path)
/** Monitoring calls these often, possibly from a shared address. `/metrics` limits unauthorized callers itself. */
const isProbe = (path: string) => /^\/(healthz|readyz|metrics)$/.test(path)
/** Streamed bodies, which have their own limits. */
const isFile = (path: string): boolean => isUpload(path) || isCall(path)
/** Pages with forms that work without scripts. */
const isForm = (path: string): boolean =>
  path.startsWith("/claim/") ||
  path.startsWith("/appeal/") ||
  /^\/(account|lost-key|login\/(code|link|mail))(\/|$)/.test(path)
const allowHeaderOf = (methods: ReadonlyArray<string>): string =>
  [...methods, ...(methods.includes("GET") ? ["HEAD"] : []), "OPTIONS"].join(", ")
/**
 * Routers are lenient: extra slashes, capitals, %61 for a letter, or text after a semicolon still match a route and
 * would evade limits by path. Here a path has one spelling.
 */
const isPlain = (path: string): boolean =>
  path === "/" ||
  (/^(\/[\w.~!$&'()*+,=:@%-]+)+$/.test(path) &&
    !/%(?![0-9a-f]{2})|%([01][0-9a-f]|3[0-9]|4[1-9a-f]|5[0-9af]|6[1-9a-f]|7[0-9aef]|2[de])/i.test(path))
const keyOf = (request: HttpServerRequest.HttpServerRequest): string =>
  (request.headers["authorization"] ?? "").replace(/^Bearer\s+/i, "")
/** The store is unavailable, an actor has too much to do, or the station was just taken over: not the caller's fault. */
const isWorthRepeating = (defect: unknown): boolean =>
  ["MailboxFull", "FenceLost"].includes((defect as { readonly _tag?: string } | null)?._tag ?? "") ||
  isUnavailable(defect)
/** The fault of a form before its parts are read; null for any other error. */
const formFault = (defect: unknown): PayloadTooLarge | InvalidField | null => {
  if (!Multipart.isMultipartError(defect)) return null
  switch (defect.reason._tag) {
    case "FileTooLarge":
    case "BodyTooLarge":
      return new PayloadTooLarge({
        detail: `A call can have at most ${callInMaxBytes} bytes, a track ${mp3MaxBytes}, a WAV that is sent in ${wavMaxBytes}.`
      })
    case "InternalError":
      return null
    default:
      return new InvalidField({
        detail: "The form has too many or too long parts, or is not valid multipart/form-data.",
        errors: [{ pointer: "", code: "INVALID_FIELD", detail: "is not a valid form" }]
      })
  }
}
const isTooLarge = (defect: unknown): boolean =>
  /maximum|too large|max.*size/i.test(
    String(
      (defect as { readonly reason?: { readonly description?: unknown; readonly cause?: unknown } } | null)?.reason
        ?.description ?? ""
    )
  ) ||
  /MaxBytes|maxBytes|maximum/i.test(
    String((defect as { readonly reason?: { readonly cause?: unknown } } | null)?.reason?.cause ?? "")
  )
/** True if the client disconnected. */
const isClientGone = (cause: Cause.Cause<unknown>) =>
  cause.reasons.some(
    (reason) => Cause.isInterruptReason(reason) && reason.annotations.has(HttpServerError.ClientAbort.key)
  )

/** Shows a refusal to a browser as a page. `isKnown` says whether the station has the address at all. */
type ShowProblem = (
  request: HttpServerRequest.HttpServerRequest,
  response: HttpServerResponse.HttpServerResponse,
  isKnown: boolean
) => Effect.Effect<HttpServerResponse.HttpServerResponse, never, StationConfig>

/**
 * Applies to every request: an id, the flood limits, size and type of the body, a bounded number of concurrent
 * requests, and one format for all errors, including the library's and defects.
 */
export const envelope = (methodsOf: MethodsOf, showProblem: ShowProblem = (_, response) => Effect.succeed(response)) =>
  HttpRouter.middleware(
    Effect.gen(function* () {
      const config = yield* StationConfig
      const flood = yield* Flood
      const ids = yield* IdSource
      const publicAnswers = yield* PublicAnswers
      const addressOf = makeAddressOf(config.trustedProxies)
      const cors = crossOrigin(config.corsOrigins)
      const factsOf = remember((path: string) => {
        const methods = methodsOf(path)
        return {
          methods,
          isWrong: !isPlain(path) || (methods.length === 0 && methodsOf(path.toLowerCase()).length > 0),
          isProbe: isProbe(path),
          isSystem: isSystem(path),
          isFile: isFile(path),
          isRecording: isCall(path)
        }
      })

      const guesses = {
        look: flood.look(claimsOfAll, "everybody"),
        count: flood.take(claimsOfAll, "everybody")
      }
      const maxBodySize = ByteSize.bytes(jsonBytesMax)
      const running = new Places(requestsAtOnceMax, requestsPerAddressMax * config.rateLimitScale)
      const withBody = makeRequestBody(config.rateLimitScale)

      /** The place of a request among the concurrent ones. Health routes need none. */
      const placeOf = (isSystem: boolean, address: string) => {
        let held = false
        return {
          take: () => {
            const over = held || isSystem ? null : running.take(address)
            held ||= over === null && !isSystem
            return over
          },
          leave: () => {
            if (held) running.leave(address)
            held = false
          }
        }
      }

      const refuse = (problem: HttpServerRespondable.Respondable) => HttpServerRespondable.toResponse(problem)

      const runGuarded = Effect.fnUntraced(function* (
        app: Effect.Effect<HttpServerResponse.HttpServerResponse, unknown, HttpServerRequest.HttpServerRequest>,
        requestId: string
      ) {
        const request = yield* HttpServerRequest.HttpServerRequest
        const path = request.url.split("?")[0]!
        const facts = factsOf(path)
        const address = yield* ClientAddress
        const key = keyOf(request)
        const policies = facts.isProbe
          ? []
          : perAddress(request.method, path, key !== "" && (yield* flood.isProven(key)))
        for (const policy of policies) {
          const allowance = yield* flood.take(policy, address)
          if (!allowance.allowed) {
            return yield* refuse(
              new RateLimited({
                detail: `Too many of these from your address: ${allowance.policy.limit} in ${policy.windowSec} s.`,
                retryAfterSec: allowance.waitSec
              })
            )
          }
        }
        if (request.url.length > urlBytesMax) {
          return yield* refuse(
            new InvalidField({
              detail: `A URL with its query can have at most ${urlBytesMax} bytes.`,
              errors: [{ pointer: "/query", code: "INVALID_FIELD", detail: "is too long" }]
            })
          )
        }
        if (/%00/.test(request.url.slice(path.length))) {
          return yield* refuse(
            new InvalidField({
              detail: "Text must not contain NUL (%00).",
              errors: [{ pointer: "/query", code: "INVALID_FIELD", detail: "must not contain %00" }]
            })
          )
        }
        if (/[?&][^=&]*=svc_agent_/.test(request.url)) {
          return yield* refuse(
            new InvalidField({
              detail: "Keys in addresses end up in logs. Send it as Authorization: Bearer, and rotate this one.",
              errors: [{ pointer: "/query", code: "INVALID_FIELD", detail: "must not carry a key" }]
            })
          )
        }
        const { methods } = facts
        if (facts.isWrong) {
          return yield* refuse(
            new NotFound({
              detail:
                "Write the path in lower case, without double or trailing slashes, and do not percent-encode letters."
            })
          )
        }
        const method = request.method === "HEAD" ? "GET" : request.method
        if (methods.length > 0 && request.method === "OPTIONS") {
          return HttpServerResponse.empty({ status: 204, headers: { allow: allowHeaderOf(methods) } })
        }
        if (methods.length > 0 && !methods.includes(method)) {
          const refusal = yield* refuse(
            new MethodNotAllowed({ detail: `${shorten(path, pathShownMaxBytes)} accepts ${methods.join(", ")}.` })
          )
          return HttpServerResponse.setHeader(refusal, "allow", allowHeaderOf(methods))
        }
        const type = request.headers["content-type"]
        const length = Number(request.headers["content-length"] ?? 0)
        const { isRecording } = facts
        const isStreamed = facts.isFile || isTrackForm(path, type)
        if (isTrackForm(path, type) && length > trackFormMaxBytes(path))
          return yield* refuse(
            new PayloadTooLarge({ detail: `A form with music can have at most ${trackFormMaxBytes(path)} bytes here.` })
          )
        if (isSubmission(path) && request.method === "POST" && !isTrackForm(path, type))
          return yield* refuse(
            new UnsupportedMediaType({ detail: "Send a form with the recording: multipart/form-data." })
          )
        if (isRecording && !/^multipart\/form-data\s*;/i.test(type ?? ""))
          return yield* refuse(
            new UnsupportedMediaType({ detail: "Send a form with a recording: multipart/form-data." })
          )
        if (isRecording && length > callInMaxBytes + callInFieldsMaxBytes)
          return yield* refuse(new PayloadTooLarge({ detail: `A recording can have at most ${callInMaxBytes} bytes.` }))
        if (!isStreamed && !isRead(request.method) && length > jsonBytesMax)
          return yield* refuse(new PayloadTooLarge({ detail: `A body can have at most ${jsonBytesMax} bytes.` }))
        if (
          !isStreamed &&
          !isRead(request.method) &&
          type !== undefined &&
          length > 0 &&
          !(
            isForm(path) ? /^application\/x-www-form-urlencoded\s*(;|$)/i : /^application\/([\w.+-]+\+)?json\s*(;|$)/i
          ).test(type)
        ) {
          return yield* refuse(
            new UnsupportedMediaType({ detail: isForm(path) ? "Send the form of the page." : "Send application/json." })
          )
        }
        const place = placeOf(facts.isSystem, address)
        const over = place.take()
        if (over !== null) {
          return yield* refuse(
            new Busy({
              detail: `Too many requests${over === "address" ? " from your address" : ""} are waiting for an answer. Nothing was changed.`,
              retryAfterSec: 2
            })
          )
        }
        return yield* (
          isStreamed
            ? app
            : Effect.provideService(app, HttpServerRequest.HttpServerRequest, withBody(request, address, place))
        ).pipe(
          Effect.ensuring(Effect.sync(place.leave)),
          Effect.catchCause((cause) =>
            Effect.gen(function* () {
              const fault: unknown = Cause.squash(cause)
              if (isAborted(request)) {
                yield* Effect.logDebug(
                  `request ${requestId} ended with 499: its client left before the body had arrived`
                )
                return HttpServerResponse.empty({ status: 499 })
              }
              if (fault instanceof BodyRefused) return yield* refuse(fault.problem)
              if ((fault as HttpServerError.HttpServerError | null)?.reason?._tag === "RouteNotFound") {
                return yield* refuse(
                  new NotFound({
                    detail: `No route ${shorten(path, pathShownMaxBytes)}. See /api/v1/openapi.json.`
                  })
                )
              }
              if (HttpServerRespondable.isRespondable(fault) && !Cause.hasDies(cause)) return yield* refuse(fault)
              const form = formFault(fault)
              if (form !== null) return yield* refuse(form)
              if (isTooLarge(fault))
                return yield* refuse(new PayloadTooLarge({ detail: `A body can have at most ${jsonBytesMax} bytes.` }))
              if (Cause.hasInterruptsOnly(cause))
                return isClientGone(cause)
                  ? HttpServerResponse.empty({ status: 499 })
                  : // The actor ended before its answer, as happens at shutdown.
                    yield* refuse(
                      new Busy({
                        detail:
                          "The station stopped working on this request. Send it again with the same idempotency-key to learn whether it took effect.",
                        retryAfterSec: 2
                      })
                    )
              if (isWorthRepeating(fault))
                return yield* refuse(
                  new Busy({
                    detail:
                      "The station's database does not answer. Only confirmed changes took effect. Try again in a moment.",
                    retryAfterSec: 5
                  })
                )
              yield* Effect.logError(`request ${requestId} failed`, cause)
              return yield* refuse(
                new InternalError({ detail: `Internal error. Quote request id ${requestId} to the operators.` })
              )
            })
          )
        )
      })

      // Nothing is left unhandled here; the type only marks that this wraps all routes.
      return (app) =>
        Effect.gen(function* (): Effect.fn.Return<
          HttpServerResponse.HttpServerResponse,
          Types.unhandled,
          HttpServerRequest.HttpServerRequest
        > {
          const request = yield* HttpServerRequest.HttpServerRequest
          const path = request.url.split("?")[0]!
          const { isFile, methods } = factsOf(path)
          const requestId = yield* ids.make("req")
          const begun = publicAnswers.begin()
          const address = (yield* CalledFrom) ?? addressOf(socketOf(request), request.headers["x-forwarded-for"])
          const counted = [] as Array<Parameters<typeof rateHeaders>[0][number]>
          const response = yield* runGuarded(
            app as Effect.Effect<HttpServerResponse.HttpServerResponse, unknown, HttpServerRequest.HttpServerRequest>,
            requestId
          ).pipe(
            // In one step: every request takes this way.
            Effect.updateContext((services: Context.Context<HttpServerRequest.HttpServerRequest>) =>
              services.pipe(
                Context.add(Counted, counted),
                Context.add(Sources, begun.sources),
                Context.add(ClaimGuesses, guesses),
                Context.add(ClientAddress, address),
                Context.add(HttpIncomingMessage.MaxBodySize, maxBodySize)
              )
            ),
            Effect.annotateLogs({ requestId })
          )
          // Closes the connection, because an unread body would hold it.
          const closes =
            !isFile && !isTrackForm(path, request.headers["content-type"]) && (yield* isLeftPending(request))
          const context: ProblemContext = {
            publicUrl: config.publicUrl,
            stationSlug: config.stationSlug,
            requestId,
            presented: response.status === 401 && (yield* isPresented(request))
          }
          // Answers to credentials and commands must not be cached.
          const isPrivate =
            response.headers["cache-control"] === undefined &&
            (request.headers["authorization"] !== undefined ||
              request.url.startsWith("/api/ops/") ||
              !isRead(request.method))
          const problem = cors(request, completeProblem(addCacheHeaders(request, response), context))
          const shared = yield* showProblem(request, problem, methods.length > 0).pipe(
            Effect.provideService(StationConfig, config)
          )
          publicAnswers.keep(request, shared, begun)
          return HttpServerResponse.setHeaders(yield* zip(request, shared), {
            "x-request-id": requestId,
            "x-content-type-options": "nosniff",
            ...rateHeaders(counted),
            ...(isPrivate ? { "cache-control": "no-store" } : {}),
            ...(closes ? { connection: "close" } : {})
          })
        })
    }),
    { global: true }
  )
