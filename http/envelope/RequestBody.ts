import { Effect, Fiber, Option } from "effect"
import type { HttpServerError, HttpServerRequest } from "effect/http"
import type { IncomingMessage } from "node:http"
import { bodiesPendingMax, bodiesPendingPerAddressMax, bodyTimeoutMs } from "../../engine/rules/http/limits.ts"
import { Busy, RequestTimeout } from "../../schema/Problems.ts"
import { Places } from "./Places.ts"

/** Refusal to read a body. Raised as a defect, so that readers don't report a parse error instead. */
export class BodyRefused {
  readonly problem: Busy | RequestTimeout

  constructor(problem: Busy | RequestTimeout) {
    this.problem = problem
  }
}

/** Internal requests already have their body. */
const sourceOf = (request: HttpServerRequest.HttpServerRequest) => request.source as Partial<IncomingMessage>

const hasBody = ({ headers }: HttpServerRequest.HttpServerRequest): boolean =>
  headers["transfer-encoding"] !== undefined || (headers["content-length"] ?? "0") !== "0"

/** Whether part of the body is still to come. */
export const isPending = (request: HttpServerRequest.HttpServerRequest): boolean =>
  hasBody(request) && sourceOf(request).complete === false

/** A body in the same packet as the headers is parsed one turn after the request is handed over. */
export const isLeftPending = (request: HttpServerRequest.HttpServerRequest): Effect.Effect<boolean> =>
  isPending(request) ? Effect.map(Effect.yieldNow, () => isPending(request)) : Effect.succeed(false)

/** Whether the connection ended before the body had arrived. A body that the station itself stops reading has no error. */
export const isAborted = (request: HttpServerRequest.HttpServerRequest): boolean => {
  const { complete, errored } = sourceOf(request)
  return complete === false && (errored as NodeJS.ErrnoException | null | undefined)?.code === "ECONNRESET"
}

/** The place of a running request: released while it waits for its body. */
export interface Place {
  readonly leave: () => void
  readonly take: () => "address" | "all" | null
}

const busy = (of: "address" | "all") =>
  new Busy({
    detail: `${of === "address" ? "Your address has" : "The station has"} too many requests whose bodies have not arrived. Nothing was changed.`,
    retryAfterSec: 2
  })

/**
 * Bounds bodies that are read whole: each must arrive within ten seconds, and the number of waits is limited in total
 * and per address. All body reads pass here; the wait begins with the read, after the guard.
 */
export const makeRequestBody = (scale: number) => {
  const pending = new Places(bodiesPendingMax, bodiesPendingPerAddressMax * scale)

  const awaitBody = Effect.fnUntraced(function* <A>(
    request: HttpServerRequest.HttpServerRequest,
    address: string,
    place: Place,
    read: Effect.Effect<A, HttpServerError.HttpServerError>
  ) {
    if (!(yield* isLeftPending(request))) return yield* read
    const over = pending.take(address)
    if (over !== null) return yield* Effect.die(new BodyRefused(busy(over)))
    place.leave()
    // Aborting the read would close the connection before the refusal is sent.
    const reading = yield* Effect.forkDetach(read)
    const exit = yield* Fiber.await(reading).pipe(
      Effect.timeoutOption(bodyTimeoutMs),
      Effect.ensuring(Effect.sync(() => pending.leave(address)))
    )
    const full = place.take()
    if (Option.isNone(exit))
      return yield* Effect.die(
        new BodyRefused(
          new RequestTimeout({
            detail: `The whole body must arrive within ${bodyTimeoutMs / 1_000} s. Nothing was changed.`
          })
        )
      )
    if (full !== null)
      return yield* Effect.die(
        new BodyRefused(
          new Busy({ detail: "Too many requests are waiting for an answer. Nothing was changed.", retryAfterSec: 2 })
        )
      )
    return yield* exit.value
  })

  /** The same request with bounded reads. Text, JSON and forms all read from `arrayBuffer`. */
  return (
    request: HttpServerRequest.HttpServerRequest,
    address: string,
    place: Place
  ): HttpServerRequest.HttpServerRequest =>
    !hasBody(request) || sourceOf(request).complete === undefined
      ? request
      : (Object.create(request, {
          arrayBuffer: { get: () => awaitBody(request, address, place, request.arrayBuffer) }
        }) as HttpServerRequest.HttpServerRequest)
}
