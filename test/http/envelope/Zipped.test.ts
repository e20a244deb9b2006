import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { gunzipSync } from "node:zlib"
import { zippedFromBytes } from "../../../engine/rules/http/limits.ts"
import { zip } from "../../../http/envelope/Zipped.ts"

const long = "High water at the harbour. ".repeat(100)
const ask = (init: RequestInit = {}) =>
  HttpServerRequest.fromWeb(new Request("http://radio.test/", { headers: { "accept-encoding": "gzip, br" }, ...init }))
const bodyOf = ({ body }: HttpServerResponse.HttpServerResponse): Uint8Array =>
  body._tag === "Uint8Array" ? body.body : new Uint8Array()

describe("an answer", () => {
  it.effect.each([
    ["application/json", JSON.stringify({ long })],
    ["application/problem+json", JSON.stringify({ long })],
    ["text/html; charset=utf-8", long],
    ["image/svg+xml", long],
    ["text/calendar", long]
  ] as const)("of %s over 1 KB is packed for a client that takes gzip", ([contentType, text]) =>
    Effect.gen(function* () {
      const packed = yield* zip(ask(), HttpServerResponse.text(text, { status: 201, contentType }))
      expect(packed.headers["content-encoding"]).toBe("gzip")
      expect(packed.headers["vary"]).toBe("Accept-Encoding")
      expect([packed.status, packed.body._tag === "Uint8Array" && packed.body.contentType]).toEqual([201, contentType])
      expect(bodyOf(packed).length).toBeLessThan(text.length / 4)
      expect(gunzipSync(bodyOf(packed)).toString()).toBe(text)
    })
  )

  it.effect("stays as it is when it is short, packed, a part, asked for by HEAD, or the client takes no gzip", () =>
    Effect.gen(function* () {
      const plain = HttpServerResponse.text(long, { contentType: "text/plain" })
      const short = HttpServerResponse.text("x".repeat(zippedFromBytes - 1), { contentType: "text/plain" })
      for (const [request, response] of [
        [ask(), short],
        [ask(), HttpServerResponse.uint8Array(new Uint8Array(10_000), { contentType: "audio/mpeg" })],
        [ask(), HttpServerResponse.setHeader(plain, "content-encoding", "br")],
        [ask(), HttpServerResponse.setStatus(plain, 206)],
        [ask({ method: "HEAD" }), plain],
        [ask({ headers: {} }), plain]
      ] as const) {
        const answered = yield* zip(request, response)
        expect(answered.headers["content-encoding"]).not.toBe("gzip")
        expect(bodyOf(answered)).toEqual(bodyOf(response))
      }
      // A cache keeps both forms apart, whichever it sees first.
      expect((yield* zip(ask({ headers: {} }), plain)).headers["vary"]).toBe("Accept-Encoding")
      const varied = yield* zip(ask(), HttpServerResponse.setHeader(plain, "vary", "Accept"))
      expect(varied.headers["vary"]).toBe("Accept, Accept-Encoding")
    })
  )
})
