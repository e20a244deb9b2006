import type { ServerResponse } from "node:http"
import type { ProblemPart } from "../../schema/Problem.ts"

/** An error class of `schema/Problems`. */
export interface Refusal {
  readonly type: string
  readonly status: number
  readonly retryAfterSec?: number
  readonly errors?: ReadonlyArray<ProblemPart>
}

export interface BareProblem {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

/** Renders an error as the envelope does, for answers outside the router. */
export const renderBareProblem = (
  publicUrl: string,
  requestId: string,
  { errors = [], retryAfterSec, ...refusal }: Refusal
): BareProblem => {
  const body = Buffer.from(
    JSON.stringify({
      ...refusal,
      type: `${publicUrl}${refusal.type}`,
      instance: `urn:request:${requestId}`,
      errors,
      requestId
    })
  )
  return {
    status: refusal.status,
    headers: {
      "content-type": "application/problem+json",
      "content-length": String(body.length),
      "cache-control": "no-store",
      "x-request-id": requestId,
      ...(retryAfterSec === undefined ? {} : { "retry-after": String(retryAfterSec) })
    },
    body
  }
}

export const sendProblem = (
  response: ServerResponse,
  { body, headers, status }: BareProblem,
  further: Readonly<Record<string, string>> = {}
): void => {
  response.writeHead(status, { ...headers, ...further })
  response.end(response.req.method === "HEAD" ? undefined : body)
}
