import { HttpServerResponse } from "effect/http"
import {
  problemDetailMaxBytes,
  problemErrorsMax,
  problemPartMaxBytes,
  problemPointerMaxBytes
} from "../../engine/rules/http/limits.ts"
import type { ProblemPart } from "../../schema/Problem.ts"
import { shorten } from "./Shortened.ts"

export interface ProblemContext {
  readonly publicUrl: string
  readonly requestId: string
  /** The one value that `stationSlug` can have; a refusal of that field names it. */
  readonly stationSlug: string
  /** A credential was sent: a 401 then says that it is invalid, not missing. */
  readonly presented: boolean
}

const challenge = ({ presented, publicUrl }: ProblemContext, scope: string | undefined): string => {
  const base = `Bearer realm="station", resource_metadata="${publicUrl}/.well-known/oauth-protected-resource"`
  if (scope !== undefined) return `${base}, error="insufficient_scope", scope="${scope}"`
  return presented ? `${base}, error="invalid_token"` : base
}

/** A station has one slug: who leaves it out or guesses another learns it at once. */
const nameSlug = (part: ProblemPart, slug: string): ProblemPart =>
  part.pointer === "/stationSlug" && part.allowedValues === undefined
    ? { ...part, detail: `${part.detail}: send ${JSON.stringify(slug)}`, allowedValues: [slug] }
    : part

/** Limits `detail`, which may repeat sent values. */
const bound = (errors: ReadonlyArray<ProblemPart>, slug: string): ReadonlyArray<ProblemPart> =>
  errors
    .slice(0, problemErrorsMax)
    .map((given) => nameSlug(given, slug))
    .map((part) => ({
      ...part,
      pointer: shorten(part.pointer, problemPointerMaxBytes),
      detail: shorten(part.detail, problemPartMaxBytes)
    }))

/** Adds what only the server knows: absolute addresses, the request id, and headers that repeat members. */
export const completeProblem = (
  answer: HttpServerResponse.HttpServerResponse,
  context: ProblemContext
): HttpServerResponse.HttpServerResponse => {
  const response =
    answer.status === 401
      ? HttpServerResponse.setHeader(answer, "www-authenticate", challenge(context, undefined))
      : answer
  if (
    response.status < 400 ||
    response.body._tag !== "Uint8Array" ||
    !(response.headers["content-type"] ?? "").includes("problem+json")
  )
    return response
  const { retryAfterSec, ...body } = JSON.parse(new TextDecoder().decode(response.body.body)) as {
    readonly type: string
    readonly code?: string
    readonly requiredScope?: string
    readonly retryAfterSec?: number
    readonly detail?: string
    readonly errors?: ReadonlyArray<ProblemPart>
  }
  const document = {
    ...body,
    type: body.type.startsWith("/") ? `${context.publicUrl}${body.type}` : body.type,
    instance: `urn:request:${context.requestId}`,
    ...(body.detail === undefined ? {} : { detail: shorten(body.detail, problemDetailMaxBytes) }),
    errors: bound(body.errors ?? [], context.stationSlug),
    requestId: context.requestId,
    ...(response.status === 429 ? { error: "rate_limited" } : {})
  }
  return HttpServerResponse.setHeaders(
    HttpServerResponse.jsonUnsafe(document, {
      status: response.status,
      contentType: "application/problem+json",
      headers: response.headers
    }),
    {
      "cache-control": "no-store",
      ...(retryAfterSec === undefined ? {} : { "retry-after": String(retryAfterSec) }),
      ...(body.requiredScope === undefined ? {} : { "www-authenticate": challenge(context, body.requiredScope) })
    }
  )
}
