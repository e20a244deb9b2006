import { Effect, Result, Schema } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { Onboarding } from "../../actors/agents/protocol/Onboarding.ts"
import { StationConfig } from "../../engine/runtime/Config.ts"
import { consentVersion } from "../../schema/agents/ClaimConsent.ts"
import { otpTriesMax } from "../../engine/rules/agents/limits.ts"
import { email } from "../api/agents/Agents.ts"
import { ClaimTemplate, end, form, type House, keyPage, unavailablePage, paste } from "./ClaimViews.ts"
import { formFields } from "./FormFields.ts"
import type { MethodsOf } from "../server/Methods.ts"
import { mailboxOf, send } from "../Send.ts"
import { limitGuesses } from "../api/agents/ClaimGuesses.ts"
import { lookAtClaim } from "../views/ClaimState.ts"

export const claimMethods: MethodsOf = (path) =>
  path === "/claim" ? ["GET"] : /^\/claim\/[^/]+$/.test(path) ? ["GET", "POST"] : []
const isCode = (proof: string) => /^(claim|device)_/.test(proof)
const artifacts = (proof: string) => ({
  claimCode: isCode(proof) ? proof : null,
  claimToken: isCode(proof) ? null : proof
})
/** Accepts the link, a message that contains it, or the bare code or token. */
const proofIn = (pasted: string): string | null =>
  /(?:claim|device)_[\w-]{20,}|[\w-]{10,}\.[\w-]{10,}\.[\w-]{10,}/.exec(pasted)?.[0] ?? null
const asked = Effect.gen(function* () {
  const { publicUrl, stationName } = yield* StationConfig
  // Claim tokens are longer than the router allows for a named parameter.
  const proof = (yield* HttpRouter.params)["*"] ?? ""
  const onboarding = (yield* Onboarding.client)(mailboxOf(proof))
  return { house: { name: stationName, template: yield* ClaimTemplate }, onboarding, proof, publicUrl }
})
/** Redirects a pasted or queried link to its own address. */
const start = Effect.fnUntraced(function* (house: House) {
  const query = new URL((yield* HttpServerRequest.HttpServerRequest).url, "http://localhost").searchParams
  const pasted = query.get("code") ?? query.get("claimCode")
  const proof = pasted === null ? null : proofIn(pasted)
  if (proof !== null)
    return HttpServerResponse.redirect(`/claim/${proof}`, {
      status: 303,
      headers: { "cache-control": "no-store", "referrer-policy": "no-referrer" }
    })
  return paste(
    house,
    pasted === null || pasted.trim() === ""
      ? ""
      : "This text contains no claim link. Paste everything that your agent gave you."
  )
})
/** The claim page of a registration. GET consumes nothing. */
const show = HttpRouter.add(
  "GET",
  "/claim/*",
  Effect.gen(function* () {
    const where = yield* asked
    // The router also matches the bare address, with an empty parameter.
    if (where.proof === "") return yield* start(where.house)
    const view = yield* lookAtClaim(artifacts(where.proof))
    const { persona, state } = view
    return state === "open" || state === "needs_otp" ? form(where.house, view) : end(where.house, state, persona)
  })
)
const fieldsSent = Effect.gen(function* () {
  const sent = yield* formFields
  // The resend button comes after the field, so the last value wins.
  const field = (name: string) => sent(name).trim()
  return { otpCode: field("otpCode"), ownerEmail: field("ownerEmail"), consentGiven: field("consentGiven") === "yes" }
})
/** Agents' messages name fields; these are for people. */
const refusals = {
  InvalidOtp: `These digits don't match the newest mail. The code becomes invalid after ${otpTriesMax} wrong tries.`,
  OtpExpired: "The code has expired or had too many wrong tries. Request a new one.",
  InvalidToken: "This link is no longer valid. Reload the page."
}
const isEmail = (text: string) => text !== "" && Schema.decodeUnknownOption(email)(text)._tag === "Some"
const claim = HttpRouter.add(
  "POST",
  "/claim/*",
  Effect.gen(function* () {
    const where = yield* asked
    const { house, onboarding, proof, publicUrl } = where
    const { consentGiven, otpCode, ownerEmail } = yield* fieldsSent
    let view = yield* lookAtClaim(artifacts(proof))
    if (view.state !== "open" && view.state !== "needs_otp") return end(house, view.state, view.persona)
    if (view.state === "needs_otp") {
      if (otpCode === "")
        return form(house, view, { said: "Enter the six digits that were mailed to you.", field: "otpCode" })
      const verified = yield* Effect.result(limitGuesses(send(onboarding.VerifyOtp({ claimToken: proof, otpCode }))))
      if (Result.isFailure(verified))
        return verified.failure._tag === "Busy"
          ? unavailablePage(house, verified.failure.detail ?? "", 503)
          : form(house, view, {
              said:
                verified.failure._tag === "RateLimited" ? verified.failure.detail! : refusals[verified.failure._tag],
              field: "otpCode"
            })
      if (!verified.success.verified)
        return form(house, view, { said: `A new code was mailed to ${verified.success.email}.`, field: null })
      view = { ...view, state: "open" }
      if (!consentGiven) return form(house, view)
    }
    if (view.email === null && !isEmail(ownerEmail))
      return form(house, view, { said: "Enter your e-mail address.", field: "ownerEmail", ownerEmail })
    if (!consentGiven)
      return form(house, view, {
        said: "Without your consent the agent can't be claimed.",
        field: "consentGiven",
        ownerEmail
      })
    const claimed = yield* Effect.result(
      send(
        onboarding.CompleteClaim({
          ...artifacts(proof),
          ownerEmail: view.email === null ? ownerEmail : null,
          consentVersion
        })
      )
    )
    if (Result.isSuccess(claimed)) return keyPage(house, view, claimed.success.apiKey, publicUrl)
    if (claimed.failure._tag === "EmailNotVerified")
      return form(house, view, {
        said: "A different address was verified when the agent registered. Use that address.",
        field: "ownerEmail",
        ownerEmail
      })
    if (claimed.failure._tag === "Busy") return unavailablePage(house, claimed.failure.detail ?? "", 503)
    // Another claim was faster, or the link expired while the form was open.
    const { persona, state } = yield* lookAtClaim(artifacts(proof))
    return state === "open" || state === "needs_otp" ? end(house, "gone", null) : end(house, state, persona)
  })
)
export const ClaimRoutes = [show, claim] as const
