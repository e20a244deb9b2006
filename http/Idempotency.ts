import { Clock, Effect } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import type { Keys } from "../engine/Keys.ts"
import { idempotencyKeyCharsMax, idempotencySecretSec, operatorPatienceMs } from "../engine/Limits.ts"
import { sha256 } from "../engine/Secrets.ts"
import type { IdempotencyKeys } from "../engine/store/IdempotencyKeys.ts"
import { IdempotencyKeyConflict, IdempotencyKeyInProgress, InvalidField } from "../schema/Problems.ts"

/** Keys in one order, so that two ways of writing one object are one command. */
const canonical = (value: unknown): unknown =>
  Array.isArray(value) ? value.map(canonical)
  : typeof value === "object" && value !== null
  ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => a < b ? -1 : 1).map(([key, inner]) => [key, canonical(inner)]))
  : value

const bodyHash = (text: string): string => {
  try {
    return sha256(JSON.stringify(canonical(JSON.parse(text))))
  } catch {
    return sha256(text)
  }
}

/** Answers that show a secret once: they are repeated for as long as a lost answer may be asked for again, not longer. */
const showsSecret = /\/(claim\/complete|keys\/rotate|identity-token|agents\/me\/webhooks(\/[^/]+)?|ops\/(tokens|operators|sign-in|app-keys(\/[^/]+\/rotate)?))$/

/** A refusal that ends by itself: kept, it would outlast its reason. */
const saysWhenToComeAgain = (body: Uint8Array): boolean => new TextDecoder().decode(body).includes(`"retryAfterSec":`)

/** Whoever has no token yet is known by the address alone, and what it answers is a token: nobody there may ask for somebody else's. */
const isFresh = /^\/api\/listeners\/session$/

const isUrgent = /^\/api\/ops\/playout\/emergency$/

/**
 * One effect for one key: a repeat gets the stored answer, another body under the same key a conflict, a repeat while the
 * first still runs a wait. Answers of 5xx and 429, and used-up meters, are not kept:
 * they say nothing was done.
 */
export const idempotent = Effect.fnUntraced(function*<E, R>(
  deps: { readonly store: IdempotencyKeys["Service"]; readonly keys: Keys["Service"] },
  request: HttpServerRequest.HttpServerRequest,
  callerOf: Effect.Effect<string>,
  app: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
): Effect.fn.Return<HttpServerResponse.HttpServerResponse, E | InvalidField | IdempotencyKeyConflict | IdempotencyKeyInProgress, R> {
  const key = request.headers["idempotency-key"]
  // What changes nothing may be asked as often as anybody likes, and says nothing about the command itself.
  if (key === undefined || request.method === "GET" || request.method === "HEAD" || isFresh.test(request.url.split("?")[0]!) || /[?&]dryRun=(true|1)(&|$)/.test(request.url)) return yield* app
  if (key.length > idempotencyKeyCharsMax || !/^[\x20-\x7e]+$/.test(key)) {
    return yield* new InvalidField({ detail: "Idempotency-Key is 1 to 255 printable ASCII characters.", errors: [{ pointer: "/headers/idempotency-key", code: "INVALID_FIELD", detail: "is not usable" }] })
  }
  const path = request.url.split("?")[0]!
  const scope = deps.keys.hmac("idempotency", JSON.stringify([yield* callerOf, request.method, path, key]))
  const nowMs = yield* Clock.currentTimeMillis
  const begin = deps.store.begin(scope, bodyHash(yield* Effect.orDie(request.text)), nowMs)
  // Pressed twice it is pressed: what may not wait for a store needs no note to be safe.
  const state = yield* isUrgent.test(path) ? Effect.map(Effect.exit(Effect.timeout(begin, operatorPatienceMs)), (exit) => exit._tag === "Success" ? exit.value : null) : begin
  if (state === null || (state._tag === "Running" && isUrgent.test(path))) return yield* app
  switch (state._tag) {
    case "Other":
      return yield* new IdempotencyKeyConflict({ detail: "The key was used with another body. Use a new key for a new command." })
    case "Running":
      return yield* new IdempotencyKeyInProgress({ detail: "Ask again in a moment: the first request is still running.", retryAfterSec: 2 })
    case "Done":
      if (state.isSecret && nowMs - state.createdAtMs > idempotencySecretSec * 1_000) {
        return yield* new IdempotencyKeyConflict({ detail: "The command was carried out; what it showed once is not shown again." })
      }
      return HttpServerResponse.text(deps.keys.open(state.bodySealed, scope), {
        status: state.status,
        contentType: state.status >= 400 ? "application/problem+json" : "application/json",
        headers: { "idempotent-replayed": "true" }
      })
    case "Begun": {
      const response = yield* Effect.onExit(app, (exit) => exit._tag === "Failure" ? deps.store.release(scope) : Effect.void)
      const body = response.body
      if (response.status >= 500 || response.status === 429 || body._tag !== "Uint8Array" || (response.status >= 400 && saysWhenToComeAgain(body.body))) {
        yield* deps.store.release(scope)
        return response
      }
      yield* deps.store.finish(scope, { status: response.status, bodySealed: deps.keys.seal(new TextDecoder().decode(body.body), scope), isSecret: showsSecret.test(path) })
      return response
    }
  }
})
