import { Effect } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { gzip } from "node:zlib"
import { zippedFromBytes } from "../../engine/rules/http/limits.ts"

/** Sound, pictures and archives are packed already. */
const isText = (type: string): boolean => /^text\/|json|xml|javascript|svg|yaml|calendar/i.test(type)

const pack = (bytes: Uint8Array) =>
  Effect.callback<Uint8Array>((resume) => {
    gzip(bytes, (fault, packed) => resume(Effect.succeed(fault === null ? packed : bytes)))
  })

/** Packs a text of more than 1 KB for a client that takes gzip. Streams and parts of files stay as they are. */
export const zip = Effect.fnUntraced(function* (
  { headers, method }: HttpServerRequest.HttpServerRequest,
  response: HttpServerResponse.HttpServerResponse
) {
  const { body } = response
  if (
    body._tag !== "Uint8Array" ||
    body.contentLength < zippedFromBytes ||
    !isText(body.contentType) ||
    response.headers["content-encoding"] !== undefined ||
    response.status === 206
  )
    return response
  const vary = [response.headers["vary"], "Accept-Encoding"].filter((name) => name !== undefined).join(", ")
  const named = /accept-encoding/i.test(response.headers["vary"] ?? "")
    ? response
    : HttpServerResponse.setHeader(response, "vary", vary)
  if (method === "HEAD" || !/\bgzip\b/.test(headers["accept-encoding"] ?? "")) return named
  const packed = yield* pack(body.body)
  if (packed === body.body) return named
  const { "content-length": _, "content-type": __, ...rest } = named.headers
  return HttpServerResponse.uint8Array(packed, {
    status: response.status,
    contentType: body.contentType,
    cookies: response.cookies,
    headers: { ...rest, "content-encoding": "gzip" }
  })
})
