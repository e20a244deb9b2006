/** An error of the API: `message` can be shown, `code` is the contract's. */
export class Refusal extends Error {
  readonly status: number
  readonly code: string
  readonly retryAfterSec: number | null
  /** The whole problem document. */
  readonly problem: object

  constructor(status: number, code: string, detail: string, retryAfterSec: number | null, problem: object = {}) {
    super(detail)
    this.status = status
    this.code = code
    this.retryAfterSec = retryAfterSec
    this.problem = problem
  }
}

const unreachable = "The station can't be reached. Check your connection and try again."

const refusalOf = async (response: Response): Promise<Refusal> => {
  const problem = (await response.json().catch(() => ({}))) as {
    readonly code?: string
    readonly detail?: string
    readonly title?: string
  }
  const wait = Number(response.headers.get("retry-after"))
  return new Refusal(
    response.status,
    problem.code ?? "UNKNOWN",
    problem.detail ?? problem.title ?? "The request failed. Try again in a few seconds.",
    wait > 0 ? wait : null,
    problem
  )
}

/** An idempotency key. Not randomUUID, which browsers offer only over TLS and on localhost. */
export const newKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("")

/**
 * Calls the API: GET, or POST with a `body` (objects as JSON, forms unchanged). Commands have an idempotency key. Fails with a `Refusal` whose
 * message can be shown.
 */
export const ask = async <A>(
  path: string,
  options: {
    readonly method?: string
    readonly body?: object | FormData
    readonly key?: string
    readonly type?: "json" | "text"
    readonly signal?: AbortSignal
    readonly headers?: Readonly<Record<string, string>>
    /** Gets the answer's own headers. */
    readonly onHeaders?: (headers: Headers) => void
  } = {}
): Promise<A> => {
  const { body, key, method = body === undefined ? "GET" : "POST", signal, type = "json" } = options
  const form = body instanceof FormData
  const headers = {
    accept: type === "json" ? "application/json" : "*/*",
    ...(body === undefined || form ? {} : { "content-type": "application/json" }),
    ...(method === "GET" ? {} : { "idempotency-key": key ?? newKey() }),
    ...options.headers
  }
  const response = await fetch(path, {
    method,
    headers,
    credentials: "same-origin",
    ...(body === undefined ? {} : { body: form ? body : JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal })
  }).catch((fault: unknown) => {
    throw signal?.aborted === true ? fault : new Refusal(0, "UNREACHABLE", unreachable, null)
  })
  if (!response.ok) throw await refusalOf(response)
  options.onHeaders?.(response.headers)
  return (await (response.status === 204 ? null : type === "text" ? response.text() : response.json())) as A
}
