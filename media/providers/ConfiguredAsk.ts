import { Effect, Stream } from "effect"
import { FetchHttpClient, HttpClient, HttpClientRequest } from "effect/http"
import { type Outbound, OutboundFailed } from "../../engine/ports/Outbound.ts"

/**
 * Requests to endpoints that the operator configured, in the shape of `Outbound`. They may be on this machine or network. A redirect fails, because it
 * would carry the key elsewhere.
 */
export const askConfigured = Effect.map(
  HttpClient.HttpClient,
  (client) =>
    Effect.fnUntraced(
      function* ({ answerMaxBytes, body, headers, method, url }) {
        const request = (method === "GET" ? HttpClientRequest.get : HttpClientRequest.post)(url).pipe(
          HttpClientRequest.setHeaders(headers)
        )
        const response = yield* client.execute(
          body === undefined ? request : HttpClientRequest.bodyText(request, body, headers["content-type"])
        )
        const chunks: Array<Uint8Array> = []
        let length = 0
        yield* response.stream.pipe(
          Stream.takeUntil((chunk) => {
            chunks.push(chunk)
            length += chunk.length
            return length > answerMaxBytes
          }),
          Stream.runDrain
        )
        return {
          status: response.status,
          headers: response.headers,
          body: Buffer.concat(chunks).subarray(0, answerMaxBytes),
          isCut: length > answerMaxBytes
        }
      },
      (answer, { timeoutMs }) =>
        answer.pipe(
          Effect.catchTag("HttpClientError", () =>
            Effect.fail(new OutboundFailed({ detail: "it can't be reached, or broke off its answer" }))
          ),
          Effect.provideService(FetchHttpClient.RequestInit, { redirect: "error" }),
          Effect.timeoutOrElse({
            duration: timeoutMs,
            orElse: () =>
              Effect.fail(
                new OutboundFailed({ detail: `no whole answer within ${timeoutMs / 1_000} s`, isTimeout: true })
              )
          })
        )
    ) satisfies Outbound["Service"]["ask"]
)
