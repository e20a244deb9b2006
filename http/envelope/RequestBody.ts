import { Effect, Fiber, Option } from "effect"
import type { HttpServerError, HttpServerRequest } from "effect/http"
import type { IncomingMessage } from "node:http"
import { bodiesPendingMax, bodiesPendingPerAddressMax, bodyTimeoutMs } from "../../engine/rules/http/limits.ts"
import { Busy, RequestTimeout } from "../../schema/Problems.ts"
import { Places } from "./Places.ts"

/** Why a body is not read. It dies with this, so that no reader takes it for a body that can't be parsed. */
export class BodyRefused {
  readonly problem: Busy | RequestTimeout

  constructor(problem: Busy | RequestTimeout) {
    this.problem = problem
  }
}

/** A request from within has its body already. */
const sourceOf = (request: HttpServerRequest.HttpServerRequest) => request.source as Partial<IncomingMessage>

const hasBody = ({ headers }: HttpServerRequest.HttpServerRequest): boolean =>
  headers["transfer-encoding"] !== undefined || (headers["content-length"] ?? "0") !== "0"

/** Whether some of the body is still to come. */
export const isPending = (request: HttpServerRequest.HttpServerRequest): boolean =>
  hasBody(request) && sourceOf(request).complete === false

/** What came in the same packet as the headers is parsed after the request has been handed over: one turn later it is there. */
export const isLeftPending = (request: HttpServerRequest.HttpServerRequest): Effect.Effect<boolean> =>
  isPending(request) ? Effect.map(Effect.yieldNow, () => isPending(request)) : Effect.succeed(false)

/** The place of a request that runs: free while it waits for its body. */
export interface Place {
  readonly leave: () => void
  readonly take: () => "address" | "all" | null
}

const tooMany = (of: "address" | "all") =>
  new Busy({
    detail: `${of === "address" ? "Your address has" : "The station has"} too many requests whose bodies have not arrived. Nothing was changed.`,
    retryAfterSec: 2
  })

/**
 * Bounds bodies that are read whole: each must arrive within ten seconds, and only so many are waited for, in all and for one
 * address. Whoever reads the request's body comes this way; the wait begins when it is read, which is after the guard.
 */
export const makeRequestBody = (scale: number) => {
  const pending = new Places(bodiesPendingMax, bodiesPendingPerAddressMax * scale)

  const arrived = Effect.fnUntraced(function* <A>(
    request: HttpServerRequest.HttpServerRequest,
    address: string,
    place: Place,
    read: Effect.Effect<A, HttpServerError.HttpServerError>
  ) {
    if (!(yield* isLeftPending(request))) return yield* read
    const over = pending.take(address)
    if (over !== null) return yield* Effect.die(new BodyRefused(tooMany(over)))
    place.leave()
    // To break off the reading would cut the connection before the refusal is sent.
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
          new Busy({ detail: "Too many requests wait for an answer already. Nothing was changed.", retryAfterSec: 2 })
        )
      )
    return yield* exit.value
  })

  /** The same request. Text, JSON and forms are all read from `arrayBuffer`. */
  return (
    request: HttpServerRequest.HttpServerRequest,
    address: string,
    place: Place
  ): HttpServerRequest.HttpServerRequest =>
    !hasBody(request) || sourceOf(request).complete === undefined
      ? request
      : (Object.create(request, {
          arrayBuffer: { get: () => arrived(request, address, place, request.arrayBuffer) }
        }) as HttpServerRequest.HttpServerRequest)
}
