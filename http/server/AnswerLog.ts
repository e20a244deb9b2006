import { Effect, Metric } from "effect"
import type { IncomingMessage, ServerResponse } from "node:http"
import { StationConfig } from "../../engine/runtime/Config.ts"

const durationsOf = (method: string, status: number) =>
  Metric.histogram("http_server_request_duration_seconds", {
    description: "time from a request's head to the end of its answer, by method and status; without event streams",
    boundaries: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    attributes: { http_request_method: method, http_response_status_code: String(status) }
  })

/** Methods that servers know: a client's own inventions would make a time series each. */
const methods = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])

/** A path without what only its reader should know: links in mails carry proofs. */
export const loggedPath = (url: string | undefined): string =>
  (url ?? "").split("?")[0]!.replace(/^\/(claim|appeal|not-me|lost-key|login\/mail|media\/uploads)\/.*$/u, "/$1/…")

/** Notes an answer: its time as a metric and, with JSON logs, as a line at Info. No address and no credential is in it. */
export const makeAnswerLog = Effect.gen(function* () {
  const { logFormat } = yield* StationConfig
  const context = yield* Effect.context<never>()
  const run = Effect.runForkWith(context)
  /** By status and method: their names are joined once. */
  const durations = new Map<number, Map<string, ReturnType<typeof durationsOf>>>()
  const note = (method: string, status: number, ms: number) => {
    let ofStatus = durations.get(status)
    if (ofStatus === undefined) durations.set(status, (ofStatus = new Map()))
    let metric = ofStatus.get(method)
    if (metric === undefined) ofStatus.set(method, (metric = durationsOf(method, status)))
    metric.updateUnsafe(ms / 1_000, context)
  }
  return (request: IncomingMessage, response: ServerResponse, ms: number): void => {
    const isStream = String(response.getHeader("content-type")).startsWith("text/event-stream")
    const method = methods.has(request.method ?? "") ? request.method! : "other"
    const status = response.statusCode
    if (!isStream) note(method, status, ms)
    if (logFormat === "json")
      run(
        Effect.logInfo("request").pipe(
          Effect.annotateLogs({
            requestId: String(response.getHeader("x-request-id") ?? ""),
            method,
            path: loggedPath(request.url),
            status,
            durationMs: Math.round(ms)
          })
        )
      )
  }
})

export type AnswerLog = Effect.Success<typeof makeAnswerLog>
