import { Effect } from "effect"
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http"
import { pipeline } from "node:stream"
import { edgeBodyMaxMs, edgeProxiedMax } from "../../engine/rules/air/limits.ts"
import { socketIdleMs } from "../../engine/rules/http/limits.ts"
import { Origins } from "../../engine/ports/Origins.ts"
import { edgeHeader } from "../../schema/air/EdgeReport.ts"
import { Busy } from "../../schema/Problems.ts"
import { type Refusal, renderBareProblem, sendProblem } from "../fastpath/BareProblem.ts"

/** Headers of one connection, which a proxy must not pass on (RFC 9110, section 7.6.1). */
const ofConnection = new Set([
  "connection",
  "keep-alive",
  "proxy-connection",
  "transfer-encoding",
  "te",
  "trailer",
  "upgrade",
  "expect",
  edgeHeader
])

const passedOn = (headers: IncomingHttpHeaders): Record<string, string | ReadonlyArray<string>> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined || ofConnection.has(name) ? [] : [[name, value]]
    )
  )

const full = new Busy({
  detail: "This edge passes on as many requests as it can. Try again in a moment.",
  retryAfterSec: 5
})
const unreachable = new Busy({
  detail: "The station behind this edge does not answer. The stream goes on; try again in a moment.",
  retryAfterSec: 2
})

/**
 * Passes a request on to the origin that is followed, with its host and the address of its sender, and the answer back. For the interface
 * and the pages: edges keep none of it.
 */
export const makeProxy = Effect.fnUntraced(function* (publicUrl: string, requestId: () => string) {
  const origins = yield* Origins
  const run = Effect.runForkWith(yield* Effect.context<never>())
  let passed = 0
  const refuse = (response: ServerResponse, refusal: Refusal) =>
    response.headersSent || response.destroyed
      ? void response.destroy()
      : sendProblem(response, renderBareProblem(publicUrl, requestId(), refusal), {
          "access-control-allow-origin": "*"
        })

  const pass = (request: IncomingMessage, response: ServerResponse) =>
    Effect.gen(function* () {
      const { headers, method = "GET", socket } = request
      const hasBody = headers["content-length"] !== undefined || headers["transfer-encoding"] !== undefined
      const answer = yield* origins.open(origins.current(), {
        method,
        path: request.url ?? "/",
        headers: {
          ...passedOn(headers),
          "x-forwarded-for": [headers["x-forwarded-for"], socket.remoteAddress].filter(Boolean).join(", ")
        },
        ...(hasBody ? { body: request } : {}),
        isPassedOn: true,
        timeoutMs: hasBody ? edgeBodyMaxMs : socketIdleMs
      })
      yield* Effect.callback<void>((resume) => {
        response.writeHead(answer.statusCode ?? 502, passedOn(answer.headers) as Record<string, string | Array<string>>)
        // Event streams begin with their head.
        response.flushHeaders()
        pipeline(answer, response, () => resume(Effect.void))
      })
    }).pipe(
      Effect.scoped,
      Effect.catch(() => Effect.sync(() => refuse(response, unreachable)))
    )

  return {
    handle: (request: IncomingMessage, response: ServerResponse): true => {
      if (passed >= edgeProxiedMax) {
        refuse(response, full)
        return true
      }
      passed += 1
      const fiber = run(pass(request, response))
      response.once("close", () => {
        passed -= 1
        fiber.interruptUnsafe()
      })
      return true
    },
    passed: () => passed
  }
})
