import { Clock, Effect, Option, Result, Schema } from "effect"
import { HttpRouter, HttpServerRequest } from "effect/http"
import { Entrance } from "../../actors/people/protocol/SignIn.ts"
import { StationConfig } from "../../engine/runtime/Config.ts"
import { Keys } from "../../engine/runtime/Keys.ts"
import { OpenId } from "../../engine/runtime/OpenId.ts"
import { randomCode } from "../../engine/runtime/Secrets.ts"
import { shortenAgent } from "../../engine/rules/people/HumanProfile.ts"
import { signInLinkMinutes, userAgentCharsMax } from "../../engine/rules/people/limits.ts"
import { email } from "../api/agents/Agents.ts"
import { withSession } from "../api/auth/SessionCookie.ts"
import { makeHumanGate } from "../auth/HumanGate.ts"
import { send } from "../Send.ts"
import { plain } from "./AccountPageViews.ts"
import { AccountTemplate, renderAccountPage, type Shell } from "./AccountShell.ts"
import { formFields } from "./FormFields.ts"
import { escapeHtml } from "./PlainPage.ts"
import { choice } from "./SignInViews.ts"
import { leadTo, ownPathOf } from "./SignInPaths.ts"

/** What a link says, sealed: whoever holds it can read the address's mail. */
const Link = Schema.fromJsonString(
  Schema.Struct({ email: Schema.String, to: Schema.String, state: Schema.String, expiresAtMs: Schema.Finite })
)
const readLink = Schema.decodeUnknownOption(Link)
const encodeLink = Schema.encodeSync(Link)
const context = "sign-in-mail"
/** Issuer of the identities that a mail proves. */
const issuer = "mail"
const isEmail = (text: string) => text !== "" && Option.isSome(Schema.decodeUnknownOption(email)(text))

const shell = Effect.gen(function* () {
  const here: Shell = { name: (yield* StationConfig).stationName, template: yield* AccountTemplate }
  return here
})
const stale = (here: Shell) =>
  plain(
    here,
    "This link can't be used",
    "It has expired or was used already. Ask for a new one on the sign-in page.",
    400
  )

/** Mails a link, without a word about whether the address is known. */
const ask = HttpRouter.add(
  "POST",
  "/login/link",
  Effect.gen(function* () {
    const here = yield* shell
    const config = yield* StationConfig
    const sent = yield* formFields
    const [address, to] = [sent("email").trim().toLowerCase(), ownPathOf(sent("to").trim())]
    const refuse = (said: string, status: number) =>
      Effect.map(OpenId, ({ providers }) =>
        choice(here, { providers, byMail: config.smtpUrl !== null }, { to, asOperator: false }, said, status)
      )
    if (config.smtpUrl === null) return yield* refuse("This station sends no mail.", 404)
    if (!isEmail(address)) return yield* refuse("Enter your e-mail address.", 400)
    const keys = yield* Keys
    const expiresAtMs = (yield* Clock.currentTimeMillis) + signInLinkMinutes * 60_000
    const link = keys.seal(encodeLink({ email: address, to, state: randomCode("", 32), expiresAtMs }), context)
    const entrance = (yield* Entrance.client)(keys.hmac("owner-email", address))
    const mailed = yield* Effect.result(
      send(
        entrance.MailSignIn({
          email: address,
          url: `${config.publicUrl}/login/mail/${encodeURIComponent(link)}`,
          expiresAtMs
        })
      )
    )
    if (Result.isFailure(mailed))
      return yield* refuse(mailed.failure.detail ?? "", mailed.failure._tag === "RateLimited" ? 429 : 503)
    return plain(
      here,
      "Check your mail",
      `We mailed a link to ${address}. Open it within ${signInLinkMinutes} minutes. If no mail arrives, check the spelling and the folder for spam.`
    )
  })
)

const linkOf = Effect.gen(function* () {
  const keys = yield* Keys
  // Sealed text is longer than the router allows for a named parameter.
  const sealed = decodeURIComponent((yield* HttpRouter.params)["*"] ?? "")
  const opened = Result.try(() => keys.open(sealed, context))
  const link = Result.isSuccess(opened) ? Option.getOrNull(readLink(opened.success)) : null
  return link !== null && link.expiresAtMs > (yield* Clock.currentTimeMillis) ? link : null
})

/** GET changes nothing, because mail programs open links before people do. */
const look = HttpRouter.add(
  "GET",
  "/login/mail/*",
  Effect.gen(function* () {
    const [here, link] = [yield* shell, yield* linkOf]
    return link === null
      ? stale(here)
      : renderAccountPage(
          here,
          "Sign in",
          `<section class="alone"><h1>Sign in to ${escapeHtml(here.name)}?</h1><p>The link came to your address by mail.</p><form method="post"><button>Sign in</button></form><p class="note">If you didn't ask for it, close this page.</p></section>`
        )
  })
)

const enter = HttpRouter.add(
  "POST",
  "/login/mail/*",
  Effect.gen(function* () {
    const [here, link, request, keys] = [
      yield* shell,
      yield* linkOf,
      yield* HttpServerRequest.HttpServerRequest,
      yield* Keys
    ]
    if (link === null) return stale(here)
    const subject = keys.hmac("owner-email", link.email)
    const before = yield* Effect.orElseSucceed((yield* makeHumanGate)(request), () => null)
    const entered = yield* Effect.result(
      send(
        (yield* Entrance.client)(subject).Enter({
          issuer,
          subject,
          email: link.email,
          state: link.state,
          stateExpiresAtMs: link.expiresAtMs,
          userAgent: shortenAgent(request.headers["user-agent"], userAgentCharsMax),
          former: before === null ? null : { humanId: before.id, sessionId: before.sessionId }
        })
      )
    )
    if (Result.isFailure(entered))
      return plain(here, "You can't sign in", entered.failure.detail ?? "", entered.failure._tag === "Busy" ? 503 : 403)
    return entered.success === null
      ? stale(here)
      : withSession(leadTo(link.to), (yield* StationConfig).publicUrl, entered.success.session)
  })
)

/** Sign-in by a link in a mail, for people without a provider. */
export const SignInMailRoutes = [ask, look, enter] as const
