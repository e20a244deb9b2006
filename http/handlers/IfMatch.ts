import { Effect } from "effect"
import { HttpEffect, HttpServerResponse } from "effect/http"
import { InvalidField } from "../../schema/Problems.ts"

const unusable = new InvalidField({
  detail: 'If-Match is one ETag of the resource, such as "12", or *.',
  errors: [{ pointer: "/headers/if-match", code: "INVALID_FIELD", detail: "is not one ETag" }]
})

/** The version that the caller saw, by its If-Match; null when it doesn't say or takes any. */
export const readSeenVersion = (headers: {
  readonly "if-match"?: string
}): Effect.Effect<string | null, InvalidField> => {
  const sent = headers["if-match"]?.trim()
  if (sent === undefined || sent === "" || sent === "*") return Effect.succeed(null)
  const tag = /^(?:W\/)?"([^"\s,]{1,100})"$/.exec(sent)?.[1] ?? /^[\w-]{1,100}$/.exec(sent)?.[0]
  return tag === undefined ? Effect.fail(unusable) : Effect.succeed(tag)
}

/** Sends the version of the answered resource as its ETag. */
export const withVersion = <A>(answer: A, version: string | number): Effect.Effect<A> =>
  Effect.as(
    HttpEffect.appendPreResponseHandler((_, response) =>
      Effect.succeed(HttpServerResponse.setHeader(response, "etag", `"${version}"`))
    ),
    answer
  ) as Effect.Effect<A>
