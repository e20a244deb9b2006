import { Clock, Effect, Result, Schema } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse, UrlParams } from "effect/http"
import { Entrance } from "../../actors/people/protocol/SignIn.ts"
import { OperatorDesk } from "../../actors/operations/protocol/Operators.ts"
import { StationConfig } from "../../engine/runtime/Config.ts"
import { Keys } from "../../engine/runtime/Keys.ts"
import { operatorSessionHours } from "../../engine/rules/operations/limits.ts"
import { signInMinutes, userAgentCharsMax } from "../../engine/rules/people/limits.ts"
import { type Identity, OpenId, type OpenIdSlot, OpenIdSlot as Slot } from "../../engine/runtime/OpenId.ts"
import { shortenAgent } from "../../engine/rules/people/HumanProfile.ts"
import { isSameHash, sha256 } from "../../engine/runtime/Secrets.ts"
import { AccountTemplate } from "./AccountShell.ts"
import { withOperatorSession, withSession } from "../api/auth/SessionCookie.ts"
import { makeHumanGate } from "../auth/HumanGate.ts"
import type { MethodsOf } from "../server/Methods.ts"
import { send } from "../Send.ts"
import { SignInMailRoutes } from "./SignInMail.ts"
import { leadTo, ownPathOf } from "./SignInPaths.ts"
import { away, choice, codeForm, type Purpose, refusals } from "./SignInViews.ts"

export const signInMethods: MethodsOf = (path) =>
  path === "/login/code"
    ? ["POST"]
    : /^\/login(\/[ab](\/callback)?)?$/.test(path)
      ? ["GET"]
      : path === "/login/link"
        ? ["POST"]
        : path.startsWith("/login/mail/")
          ? ["GET", "POST"]
          : []

/** Sealed state in a cookie between redirect and return: it binds the sign-in to this browser. */
const Remembered = Schema.fromJsonString(
  Schema.Struct({
    slot: Slot,
    state: Schema.String,
    nonce: Schema.String,
    verifier: Schema.String,
    to: Schema.String,
    asOperator: Schema.Boolean,
    expiresAtMs: Schema.Finite
  })
)
const read = Schema.decodeUnknownOption(Remembered)
const encodeAttempt = Schema.encodeSync(Remembered)
const context = "sign-in"

const cookieName = (publicUrl: string) => (publicUrl.startsWith("https://") ? "__Host-sign-in" : "sign-in")
const withAttempt = (response: HttpServerResponse.HttpServerResponse, publicUrl: string, sealed: string) =>
  HttpServerResponse.setCookieUnsafe(response, cookieName(publicUrl), sealed, {
    path: "/",
    secure: publicUrl.startsWith("https://"),
    httpOnly: true,
    sameSite: "lax",
    maxAge: sealed === "" ? 0 : `${signInMinutes} minutes`
  })

const asked = Effect.gen(function* () {
  const { publicUrl, smtpUrl, stationName, stationSlug } = yield* StationConfig
  const openId = yield* OpenId
  const request = yield* HttpServerRequest.HttpServerRequest
  const { search, searchParams } = new URL(request.url, "http://localhost")
  const asOperator = searchParams.get("as") === "operator"
  const purpose: Purpose = { to: ownPathOf(searchParams.get("to"), asOperator ? "/console" : "/account"), asOperator }
  const slot = (yield* HttpRouter.params)["slot"] as OpenIdSlot | undefined
  return {
    publicUrl,
    stationSlug,
    request,
    query: search.slice(1),
    purpose,
    slot,
    openId,
    ways: { providers: openId.providers, byMail: smtpUrl !== null },
    shell: { name: stationName, template: yield* AccountTemplate }
  }
})

/** Signed-in people are redirected to their destination. */
const login = HttpRouter.add(
  "GET",
  "/login",
  Effect.gen(function* () {
    const { purpose, request, shell, ways } = yield* asked
    const human = yield* Effect.orElseSucceed((yield* makeHumanGate)(request), () => null)
    return human !== null && !purpose.asOperator ? leadTo(purpose.to) : choice(shell, ways, purpose)
  })
)

const begin = HttpRouter.add(
  "GET",
  "/login/:slot",
  Effect.gen(function* () {
    const { openId, publicUrl, purpose, shell, slot, ways } = yield* asked
    if (!openId.providers.some((known) => known.slot === slot))
      return choice(shell, ways, purpose, "This sign-in provider is not available here. Choose another.", 404)
    const begun = yield* Effect.result(openId.begin(slot!))
    if (Result.isFailure(begun)) return choice(shell, ways, purpose, away, 503)
    const expiresAtMs = (yield* Clock.currentTimeMillis) + signInMinutes * 60_000
    const { attempt, url } = begun.success
    return withAttempt(
      leadTo(url),
      publicUrl,
      (yield* Keys).seal(encodeAttempt({ ...attempt, ...purpose, slot: slot!, expiresAtMs }), context)
    )
  })
)

/** The state of this browser's sign-in; null if it is missing, expired or another's. */
const findAttempt = Effect.fnUntraced(function* ({ publicUrl, query, request, slot }: Effect.Success<typeof asked>) {
  const keys = yield* Keys
  const opened = Result.try(() => keys.open(request.cookies[cookieName(publicUrl)] ?? "", context))
  const attempt = Result.isSuccess(opened) ? read(opened.success) : null
  if (attempt === null || attempt._tag === "None") return null
  const { expiresAtMs, state } = attempt.value
  const isOurs =
    attempt.value.slot === slot &&
    expiresAtMs > (yield* Clock.currentTimeMillis) &&
    isSameHash(sha256(new URLSearchParams(query).get("state") ?? ""), sha256(state))
  return isOurs ? attempt.value : null
})

const signInOperator = Effect.fnUntraced(function* (
  { publicUrl, shell, stationSlug }: Effect.Success<typeof asked>,
  { email, issuer, subject }: Identity,
  { expiresAtMs, state, to }: { readonly state: string; readonly expiresAtMs: number; readonly to: string }
) {
  const desk = (yield* OperatorDesk.client)(stationSlug)
  const keys = yield* Keys
  const entered = yield* send(
    desk.SignInByAddress({
      emailHash: keys.hmac("operator-email", email),
      identityHash: keys.hmac("operator-identity", JSON.stringify([issuer, subject])),
      stateSha256: sha256(state),
      stateExpiresAtMs: expiresAtMs
    })
  )
  return "session" in entered
    ? withOperatorSession(leadTo(to), publicUrl, entered.session, operatorSessionHours)
    : codeForm(shell, entered.signInToken, to)
})

const signInListener = Effect.fnUntraced(function* (
  { publicUrl, request }: Effect.Success<typeof asked>,
  identity: Identity,
  { expiresAtMs, state, to }: { readonly state: string; readonly expiresAtMs: number; readonly to: string }
) {
  const before = yield* Effect.orElseSucceed((yield* makeHumanGate)(request), () => null)
  const entrance = (yield* Entrance.client)((yield* Keys).hmac("owner-email", identity.email))
  const entered = yield* send(
    entrance.Enter({
      ...identity,
      state,
      stateExpiresAtMs: expiresAtMs,
      userAgent: shortenAgent(request.headers["user-agent"], userAgentCharsMax),
      former: before === null ? null : { humanId: before.id, sessionId: before.sessionId }
    })
  )
  return entered === null ? null : withSession(leadTo(to), publicUrl, entered.session)
})

const callback = HttpRouter.add(
  "GET",
  "/login/:slot/callback",
  Effect.gen(function* () {
    const where = yield* asked
    const { openId, publicUrl, shell, ways } = where
    const attempt = yield* findAttempt(where)
    const purpose: Purpose = { to: ownPathOf(attempt?.to ?? null), asOperator: attempt?.asOperator ?? false }
    const refuse = ([status, said]: readonly [number, string]) =>
      withAttempt(choice(shell, ways, purpose, said, status), publicUrl, "")
    if (attempt === null) return refuse(refusals.stale)
    const identity = yield* Effect.result(openId.finish(attempt.slot, where.query, attempt))
    if (Result.isFailure(identity))
      return refuse(identity.failure._tag === "ProviderAway" ? [503, away] : refusals[identity.failure.why])
    const back = { ...attempt, to: purpose.to }
    const entered = yield* Effect.result(
      Effect.gen(function* () {
        return attempt.asOperator
          ? yield* signInOperator(where, identity.success, back)
          : yield* signInListener(where, identity.success, back)
      })
    )
    if (Result.isFailure(entered))
      return refuse([entered.failure._tag === "Busy" ? 503 : 403, entered.failure.detail ?? ""])
    return entered.success === null ? refuse(refusals.stale) : withAttempt(entered.success, publicUrl, "")
  })
)

/** The second factor of an operator whom a provider has named. */
const code = HttpRouter.add(
  "POST",
  "/login/code",
  Effect.gen(function* () {
    const { publicUrl, shell, stationSlug } = yield* asked
    const sent = UrlParams.toRecord(
      yield* Effect.orElseSucceed((yield* HttpServerRequest.HttpServerRequest).urlParamsBody, () => UrlParams.empty)
    )
    const field = (name: string) => (typeof sent[name] === "string" ? sent[name].trim() : "")
    const to = ownPathOf(field("to"), "/console")
    const token = field("token")
    const digits = field("code").replaceAll(/\s/g, "")
    const askAgain = (said: string, status: number) => codeForm(shell, token, to, said, status)
    if (!/^\d{6}$/.test(digits)) return askAgain("Enter the six digits that the authenticator app shows.", 400)
    const desk = (yield* OperatorDesk.client)(stationSlug)
    const entered = yield* Effect.result(send(desk.SignIn({ token, code: digits })))
    if (Result.isSuccess(entered))
      return withOperatorSession(leadTo(to), publicUrl, entered.success.session, operatorSessionHours)
    const { _tag, detail } = entered.failure
    return askAgain(detail ?? "", _tag === "Busy" ? 503 : _tag === "RateLimited" ? 429 : 403)
  })
)

export const SignInRoutes = [login, ...SignInMailRoutes, begin, callback, code] as const
