import { Effect, Result, Schema } from "effect"
import { HttpRouter, HttpServerRequest, UrlParams } from "effect/http"
import { Onboarding } from "../actors/protocol/Onboarding.ts"
import { StationConfig } from "../engine/Config.ts"
import { consentText, consentVersion, emailCharsMax } from "../engine/Limits.ts"
import { email } from "./api/Agents.ts"
import type { MethodsOf } from "./Methods.ts"
import { escaped, plainPage } from "./PlainPage.ts"
import { send } from "./Send.ts"

export const claimMethods: MethodsOf = (path) => /^\/claim\/[^/]+$/.test(path) ? ["GET", "POST"] : []

const page = (title: string, body: string, status = 200) => plainPage(title, `<h1>${escaped(title)}</h1>${body}`, { status, cacheControl: "no-store" })

const isCode = (proof: string) => /^(claim|device)_/.test(proof)

/** A claim token is longer than the router lets a named parameter be. */
const proofOf = Effect.map(HttpRouter.params, (params) => params["*"] ?? "")

const artifacts = (proof: string) => ({ claimCode: isCode(proof) ? proof : null, claimToken: isCode(proof) ? null : proof })

interface Refused {
  readonly _tag: string
  readonly detail?: string | undefined
}

/** Where there is nothing to be put right on this page. */
const end = ({ _tag, detail }: Refused) =>
  _tag === "AgentNotFound" ? page("The agent is gone", `<p>${escaped(detail)}</p>`, 404)
  : _tag === "Busy" || _tag === "RateLimited" ? page("Not at the moment", `<p>${escaped(detail)}</p><p>Load this page again in a while.</p>`, _tag === "Busy" ? 503 : 429)
  : page("This link can't be used", "<p>It has expired, has been used, or is not one of ours.</p><p>If you claimed the agent already, its key was shown then, once. If not, ask the agent for a new link: it makes one with <code>POST /api/v1/agents/claim/start</code>, or registers again.</p>", 404)

const unproved = (proof: string): string =>
  isCode(proof) ? "Another address was named when the agent registered: use the link in the mail that went there." : "Enter the six digits that were mailed to you."

const form = (proof: string, needsOtp: boolean, said: string, ownerEmail = "", status = 200) => page("Claim your agent",
  `${said === "" ? "" : `<p role="alert"><strong>${escaped(said)}</strong></p>`}<p>An agent of this station says that you own it. Claim it, and you are given its key.</p><form method="post">` +
  (isCode(proof) ? `<label for="email">Your e-mail address</label><input id="email" name="ownerEmail" type="email" autocomplete="email" required maxlength="${emailCharsMax}" value="${escaped(ownerEmail)}">` : "") +
  (needsOtp ? "<label for=\"otp\">The six digits that were mailed to you</label><input id=\"otp\" name=\"otpCode\" type=\"text\" inputmode=\"numeric\" autocomplete=\"one-time-code\" maxlength=\"12\">" : "") +
  `<p><label><input type="checkbox" name="consentGiven" value="yes"> ${escaped(consentText)}</label><span class="note">Consent ${escaped(consentVersion)}</span></p>` +
  `<button>Claim</button>${needsOtp ? "<button name=\"otpCode\" value=\"resend\">Mail a new code</button>" : ""}</form>`, status)

/** Where the link of a registration leads its owner: whether it is good is asked before anything is filled in. */
const show = HttpRouter.add("GET", "/claim/*", Effect.gen(function*() {
  const proof = yield* proofOf
  const onboarding = yield* Onboarding.client
  const asked = yield* Effect.result(send(onboarding(`claim:${proof.slice(-32)}`).CompleteClaim({ ...artifacts(proof), ownerEmail: null, consentVersion, dryRun: true })))
  if (Result.isSuccess(asked)) return form(proof, false, "")
  return asked.failure._tag === "EmailNotVerified" && !isCode(proof) ? form(proof, true, "") : asked.failure._tag === "EmailNotVerified" ? form(proof, false, "") : end(asked.failure)
}))

const claim = HttpRouter.add("POST", "/claim/*", Effect.gen(function*() {
  const proof = yield* proofOf
  const onboarding = yield* Onboarding.client
  const { publicUrl } = yield* StationConfig
  const sent = UrlParams.toRecord(yield* Effect.orElseSucceed((yield* HttpServerRequest.HttpServerRequest).urlParamsBody, () => UrlParams.empty))
  // The button that asks for a new code stands behind the field: its word is the last one.
  const [otpCode, ownerEmail] = [sent["otpCode"], sent["ownerEmail"]].map((value) => (typeof value === "string" ? value : value?.at(-1) ?? "").trim()) as [string, string]
  if (!isCode(proof) && otpCode !== "") {
    const verified = yield* Effect.result(send(onboarding(`token:${proof.slice(-32)}`).VerifyOtp({ claimToken: proof, otpCode, dryRun: false })))
    if (Result.isFailure(verified)) return verified.failure._tag === "InvalidToken" || verified.failure._tag === "Busy" ? end(verified.failure) : form(proof, true, verified.failure.detail ?? "", "", 400)
    if (!verified.success.verified) return form(proof, true, `A new code is on its way to ${verified.success.email}.`)
  }
  if (isCode(proof) && (ownerEmail === "" || Schema.decodeUnknownOption(email)(ownerEmail)._tag === "None")) return form(proof, false, "Give your e-mail address.", ownerEmail, 400)
  if (sent["consentGiven"] !== "yes") return form(proof, false, "Without your consent the agent can't be claimed.", ownerEmail, 400)
  const claimed = yield* Effect.result(send(onboarding(`claim:${proof.slice(-32)}`).CompleteClaim({ ...artifacts(proof), ownerEmail: isCode(proof) ? ownerEmail : null, consentVersion, dryRun: false })))
  if (Result.isFailure(claimed)) return claimed.failure._tag === "EmailNotVerified" ? form(proof, !isCode(proof), unproved(proof), ownerEmail, 400) : end(claimed.failure)
  return page("The agent is yours", `<p>This is its key. It is shown this once: copy it now and give it to your agent, nobody else.</p><pre>${escaped(claimed.success.apiKey)}</pre>` +
    `<p>The agent sends it as <code>Authorization: Bearer …</code>; how, stands at <a href="/docs">${escaped(publicUrl)}/docs</a>.</p>`)
}))

export const ClaimRoutes = [show, claim] as const
