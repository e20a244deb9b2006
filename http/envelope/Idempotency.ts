import { Cause, Clock, Context, Effect, type Exit, SchemaAST } from "effect"
import { HttpServerRequest, HttpServerRespondable, HttpServerResponse } from "effect/http"
import { HttpApiError, type HttpApiEndpoint, type HttpApiGroup } from "effect/http-api"
import { RpcClient } from "effect/rpc"
import { commandHeaders } from "../../actors/runtime/protocol.ts"
import { StationConfig } from "../../engine/runtime/Config.ts"
import { Keys } from "../../engine/runtime/Keys.ts"
import { idempotencyAnswerMaxBytes, idempotencyKeyCharsMax } from "../../engine/rules/http/limits.ts"
import { idempotencySecretSec } from "../../engine/rules/inbox/limits.ts"
import { operatorPatienceMs } from "../../engine/rules/operations/limits.ts"
import { sha256, splitKey } from "../../engine/runtime/Secrets.ts"
import { Agents } from "../../engine/store/agents/Agents.ts"
import { IdempotencyKeys, type IdempotencyState } from "../../engine/store/sql/IdempotencyKeys.ts"
import { IdempotencyKeyConflict, IdempotencyKeyInProgress, InvalidField } from "../../schema/Problems.ts"
import { ClientAddress } from "../api/Client.ts"
import { BodyCredential, Caller, OnRepeat } from "../api/Idempotent.ts"
import { isCall, isTrackForm, isUpload } from "../server/Methods.ts"

/** Sorts keys, so that equal objects give equal commands. */
const canonical = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(canonical)
    : typeof value === "object" && value !== null
      ? Object.fromEntries(
          Object.entries(value)
            .sort(([a], [b]) => (a < b ? -1 : 1))
            .map(([key, inner]) => [key, canonical(inner)])
        )
      : value
const parseOrNull = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
const bodyHash = (text: string, body: unknown): string =>
  sha256(body === undefined ? text : JSON.stringify(canonical(body)))
/** Temporary refusals, which must not be stored. */
const isTemporary = (body: Uint8Array): boolean => new TextDecoder().decode(body).includes(`"retryAfterSec":`)
const isUrgent = (path: string): boolean => path === "/api/ops/playout/emergency"
/** The answer for a refusal; null for defects and interruptions, after which the command may be sent again. */
const refusalIn = (cause: Cause.Cause<unknown>): Effect.Effect<HttpServerResponse.HttpServerResponse | null> => {
  const fault = Cause.hasDies(cause) || Cause.hasInterrupts(cause) ? null : Cause.squash(cause)
  return HttpServerRespondable.isRespondable(fault) && !HttpApiError.HttpApiSchemaError.is(fault)
    ? HttpServerRespondable.toResponse(fault)
    : Effect.succeed(null)
}
const answerOf = <E>(exit: Exit.Exit<HttpServerResponse.HttpServerResponse, E>) =>
  exit._tag === "Success" ? Effect.succeed(exit.value) : refusalIn(exit.cause)
interface Operation {
  readonly endpoint: HttpApiEndpoint.Top
  readonly group: HttpApiGroup.Top
}
/** Address of a command's result: the nearest readable resource above it in the same group. */
const readAtOf = ({ endpoint, group }: Operation, path: string): string => {
  const readable = Object.values(group.endpoints as Readonly<Record<string, HttpApiEndpoint.Top>>)
    .filter(({ method }) => method === "GET")
    .map((each) => each.path.split("/"))
  const [declared, sent] = [endpoint.path.split("/"), path.split("/")]
  for (let length = declared.length; length > 2; length--) {
    if (readable.some((each) => each.length === length && each.every((part, at) => part === declared[at])))
      return sent.slice(0, length).join("/")
  }
  return path.startsWith("/api/ops/") ? "/api/ops/audit" : "/api/v1/home"
}
/** Whether an operation that can be tried without effect is to be tried. */
const isDeclaredDry = ({ query }: HttpApiEndpoint.Top, url: string): boolean =>
  /[?&]dryRun=(true|1)(&|$)/.test(url) &&
  query !== undefined &&
  SchemaAST.isObjects(query.ast) &&
  query.ast.propertySignatures.some(({ name }) => name === "dryRun")
/**
 * Runs a command once per Idempotency-Key. What took effect is known from the row that the actor wrote with the effect (`command`); here
 * its answer is added. It runs inside the operation's guard, so only a caller with a valid credential reaches a stored answer. A repeat
 * gets the stored answer, another body under the same key a conflict, and a repeat during the first request a wait. 5xx, 429 and
 * exhausted quotas are not stored, because nothing was done.
 */
export const makeIdempotency = Effect.gen(function* () {
  const agents = yield* Agents
  const keys = yield* Keys
  const store = yield* IdempotencyKeys
  const { publicUrl } = yield* StationConfig
  /** The commands that this process carries out now. */
  const running = new Set<string>()

  /** A shown key is repeated only while it is valid. */
  const isInForce = Effect.fnUntraced(function* (answer: string) {
    const shown = /svc_agent_[A-Za-z0-9]{12}_[\w-]{43}/.exec(answer)?.[0]
    const parts = shown === undefined ? null : splitKey("svc_agent_", shown)
    if (parts === null) return true
    const found = yield* agents.credential(parts.publicId)
    return found !== null && !found.revoked && found.agent.status === "claimed"
  })

  const repeatAnswer = Effect.fnUntraced(function* (
    { bodySealed, createdAtMs, isSecret, status }: Extract<IdempotencyState, { readonly _tag: "Done" }>,
    scope: string,
    operation: Operation,
    path: string
  ) {
    if (Context.get(operation.endpoint.annotations, OnRepeat) === "done" && status < 400) {
      return yield* new IdempotencyKeyConflict({
        detail: `The command was carried out. Its answer is shown only once. If you lost it, the agent's owner replaces the key at ${publicUrl}/account, or by mail at ${publicUrl}/lost-key.`
      })
    }
    if (isSecret && (yield* Clock.currentTimeMillis) - createdAtMs > idempotencySecretSec * 1_000) {
      return yield* new IdempotencyKeyConflict({
        detail: "The command was carried out. Its answer is shown only once."
      })
    }
    // The stored status and body are promised, or a conflict. A shortened document with status 200 would look like the
    // result.
    if (bodySealed === null) {
      const readAt = readAtOf(operation, path)
      return yield* new IdempotencyKeyConflict({
        detail: `The command was carried out and answered ${status}. Answers of more than ${idempotencyAnswerMaxBytes} bytes are not kept: read the result with GET ${readAt}.`,
        answered: { status, readAt }
      })
    }
    const answer = keys.open(bodySealed, scope)
    if (isSecret && !(yield* isInForce(answer))) {
      return yield* new IdempotencyKeyConflict({
        detail: `The command was carried out; the key that it showed no longer works. The agent's owner replaces it at ${publicUrl}/account, or by mail at ${publicUrl}/lost-key.`
      })
    }
    return HttpServerResponse.text(answer, {
      status,
      contentType: status >= 400 ? "application/problem+json" : "application/json",
      headers: { "idempotent-replayed": "true" }
    })
  })

  return Effect.fnUntraced(function* <E, R>(
    operation: Operation,
    app: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
  ): Effect.fn.Return<
    HttpServerResponse.HttpServerResponse,
    E | InvalidField | IdempotencyKeyConflict | IdempotencyKeyInProgress,
    R | HttpServerRequest.HttpServerRequest
  > {
    const request = yield* HttpServerRequest.HttpServerRequest
    const key = request.headers["idempotency-key"]
    const path = request.url.split("?")[0]!
    const onRepeat = Context.get(operation.endpoint.annotations, OnRepeat)
    const isRead = request.method === "GET" || request.method === "HEAD"
    const dryRun = !isRead && isDeclaredDry(operation.endpoint, request.url)
    if (dryRun) return yield* RpcClient.withHeaders(app, commandHeaders({ dryRun }))
    // Reads change nothing. A repeated PUT stores the same file, and files are too large to compare.
    if (
      key === undefined ||
      onRepeat === "anew" ||
      isRead ||
      isUpload(path) ||
      isCall(path) ||
      isTrackForm(path, request.headers["content-type"])
    )
      return yield* app
    if (key.length > idempotencyKeyCharsMax || !/^[\x20-\x7e]+$/.test(key)) {
      return yield* new InvalidField({
        detail: "Idempotency-Key is 1 to 255 printable ASCII characters.",
        errors: [{ pointer: "/headers/idempotency-key", code: "INVALID_FIELD", detail: "is not usable" }]
      })
    }
    const text = yield* Effect.orDie(request.text)
    const body = parseOrNull(text)
    const credential =
      typeof body === "object" && body !== null
        ? Context.get(operation.endpoint.annotations, BodyCredential)(body as Record<string, unknown>)
        : null
    const caller =
      (yield* Caller) ?? (credential === null ? `address:${yield* ClientAddress}` : `credential:${sha256(credential)}`)
    const scope = keys.hmac("idempotency", JSON.stringify([caller, request.method, path, key]))
    const id = { scopeSha256: scope, bodySha256: bodyHash(text, body) }
    const find = store.find(id, yield* Clock.currentTimeMillis)
    // An emergency doesn't wait for the store. Declaring it twice has no further effect, so it needs no record.
    const state = yield* isUrgent(path)
      ? Effect.map(Effect.exit(Effect.timeout(find, operatorPatienceMs)), (exit) =>
          exit._tag === "Success" ? exit.value : null
        )
      : find
    if (state === null || (state._tag === "Running" && isUrgent(path))) return yield* app
    if (state._tag === "Other")
      return yield* new IdempotencyKeyConflict({
        detail: "This idempotency key was used with another body. Use a new key for a new command."
      })
    if (state._tag === "Done") return yield* repeatAnswer(state, scope, operation, path)
    if (running.has(scope) || state._tag === "Running")
      return yield* new IdempotencyKeyInProgress({
        detail: "The first request is still running. Ask again in a moment.",
        retryAfterSec: 2
      })
    running.add(scope)
    const isSecret = onRepeat === "secret"
    // An answer that is given once is never kept, not even for the actor that gives it.
    const context = commandHeaders({
      id: onRepeat === "done" ? null : id,
      isRepeat: state._tag === "Unanswered",
      isSecret
    })
    return yield* RpcClient.withHeaders(app, context).pipe(
      Effect.onExit((exit) =>
        Effect.gen(function* () {
          const answer = yield* answerOf(exit)
          if (
            answer === null ||
            answer.status >= 500 ||
            answer.status === 429 ||
            // The same command is sent again with the version that the caller has read since.
            answer.status === 412 ||
            answer.body._tag !== "Uint8Array" ||
            (answer.status >= 400 && isTemporary(answer.body.body))
          )
            return
          const isKept =
            answer.body.body.length <= idempotencyAnswerMaxBytes && (onRepeat !== "done" || answer.status >= 400)
          yield* store.finish(
            id,
            {
              status: answer.status,
              bodySealed: isKept ? keys.seal(new TextDecoder().decode(answer.body.body), scope) : null,
              isSecret: isSecret && answer.status < 400
            },
            yield* Clock.currentTimeMillis
          )
        })
      ),
      Effect.ensuring(Effect.sync(() => running.delete(scope)))
    )
  })
})
