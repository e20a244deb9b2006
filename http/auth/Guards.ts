import { Context, Effect, Layer, Redacted } from "effect"
import { HttpEffect, HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiError } from "effect/http-api"
import { deprecatedSinceSec } from "../../engine/rules/social/limits.ts"
import { Transaction } from "../../engine/store/sql/Transaction.ts"
import { Forbidden, InvalidField, InvalidJson, UnsupportedMediaType } from "../../schema/Problems.ts"
import { AgentAuth, CurrentAgent, RequiredScope } from "../api/auth/Authorization.ts"
import { Closed } from "../api/Closed.ts"
import { Successor } from "../api/Deprecated.ts"
import { Caller } from "../api/Idempotent.ts"
import { AbsentField, Reading } from "../api/RequestErrors.ts"
import { makeAgentGate } from "./AgentGate.ts"
import { boundArrays } from "../envelope/ArrayBounds.ts"
import { bodyKey } from "../envelope/BodyKey.ts"
import { makeIdempotency } from "../envelope/Idempotency.ts"
import { listIgnoredFields } from "../envelope/IgnoredFields.ts"
import { scanJson } from "../envelope/JsonScan.ts"
import { refusalOf } from "../envelope/Refusals.ts"
import { isUpload } from "../server/Methods.ts"
import { UsedKeys } from "./UsedKeys.ts"

const isRead = (method: string) => method === "GET" || method === "HEAD"
/** Scans the body for faults that `JSON.parse` accepts. */
const scanBody: Parameters<typeof Reading.of>[0] = (httpEffect, { endpoint }) =>
  Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const successor = Context.get(endpoint.annotations, Successor)
    if (successor !== null) {
      yield* HttpEffect.appendPreResponseHandler((_, response) =>
        Effect.succeed(
          HttpServerResponse.setHeaders(response, {
            deprecation: `@${deprecatedSinceSec}`,
            link: `<${successor}>; rel="successor-version"`
          })
        )
      )
    }
    let ignored = ""
    if (
      !isRead(request.method) &&
      !isUpload(endpoint.path) &&
      /json|^$/.test(request.headers["content-type"] ?? "") &&
      request.headers["content-length"] !== "0"
    ) {
      const text = yield* Effect.orDie(request.text)
      if (text !== "") {
        const body = yield* Effect.try({
          try: (): unknown => JSON.parse(text),
          catch: () => new InvalidJson({ detail: "The body is not JSON." })
        })
        yield* boundArrays(endpoint, body)
        const wrong = scanJson(text)
        if (wrong !== null) return yield* new InvalidJson({ detail: `The body can't be taken: ${wrong}.` })
        ignored = listIgnoredFields(endpoint, body)
        if (ignored !== "" && Context.get(endpoint.annotations, Closed))
          return yield* new InvalidField({
            detail: `This operation takes no other fields than the documented ones. Leave out: ${ignored}.`,
            errors: ignored
              .split(", ")
              .map((name) => ({ pointer: `/${name}`, code: "INVALID_FIELD", detail: "isn't taken" }))
          })
      }
    }
    const response = yield* Effect.catch(httpEffect, (error: unknown) =>
      HttpApiError.HttpApiSchemaError.is(error) && error.kind !== "Body" && error.kind !== "ResponseHeaders"
        ? Effect.fail(refusalOf(error, Context.get(endpoint.annotations, AbsentField)))
        : Effect.fail(error as never)
    )
    // The library's own refusal is plain text that repeats the sent type.
    if (response.status === 415 && (response.headers["content-type"] ?? "").startsWith("text/plain"))
      return yield* new UnsupportedMediaType({ detail: "Send application/json." })
    return ignored === "" ? response : HttpServerResponse.setHeader(response, "x-ignored-fields", ignored)
  })
export const ReadingLive = Layer.effect(
  Reading,
  Effect.gen(function* () {
    const once = yield* makeIdempotency
    const { gatherReads } = yield* Transaction
    return Reading.of((httpEffect, operation) => once(operation, gatherReads(scanBody(httpEffect, operation))))
  })
)
export const AgentAuthLive = Layer.effect(
  AgentAuth,
  Effect.gen(function* () {
    const used = yield* UsedKeys
    const admitted = yield* makeAgentGate
    return AgentAuth.of({
      agentKey: Effect.fnUntraced(function* (httpEffect, { credential, endpoint }) {
        const request = yield* HttpServerRequest.HttpServerRequest
        const { nowMs, seenAtMs, ...current } = yield* admitted(
          Redacted.value(credential) || (yield* bodyKey(request)),
          request
        )
        const { agent, keyId, scopes } = current
        const required = Context.get(endpoint.annotations, RequiredScope)
        if (required !== null && !scopes.includes(required)) {
          return yield* new Forbidden({
            detail: `This needs the scope ${required}, which the role ${agent.persona.role} or the claim does not give.`,
            requiredScope: required
          })
        }
        yield* used.note(
          { agentId: agent.id, keyId, atMs: nowMs },
          { atMs: seenAtMs, isNone: agent.lastSeenAtMs === null }
        )
        return yield* httpEffect.pipe(
          Effect.provideService(CurrentAgent, current),
          Effect.provideService(Caller, `agent:${agent.id}`)
        )
      })
    })
  })
).pipe(Layer.provide(UsedKeys.layer))
