import { Effect, Result, Schema } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { Onboarding } from "../../actors/agents/protocol/Onboarding.ts"
import { StationConfig } from "../../engine/runtime/Config.ts"
import { consentVersion } from "../../schema/agents/ClaimConsent.ts"
import { otpResendSec, otpResendsMax, otpTriesMax } from "../../engine/rules/agents/limits.ts"
import { email } from "../api/agents/Agents.ts"
import { ClaimTemplate, end, form, type House, keyShown, notNow, paste } from "./ClaimViews.ts"
import { formFields } from "./FormFields.ts"
import type { MethodsOf } from "../server/Methods.ts"
import { mailboxOf, send } from "../Send.ts"
import { lookAtClaim } from "../views/ClaimState.ts"

export const claimMethods: MethodsOf = (path) =>
  path === "/claim" ? ["GET"] : /^\/claim\/[^/]+$/.test(path) ? ["GET", "POST"] : []
const isCode = (proof: string) => /^(claim|device)_/.test(proof)
const artifacts = (proof: string) => ({
  claimCode: isCode(proof) ? proof : null,
  claimToken: isCode(proof) ? null : proof
})
/** Whatever somebody copied: the link, a piece of the message around it, or the bare code or token. */
const proofIn = (pasted: string): string | null =>
  /(?:claim|device)_[\w-]{20,}|[\w-]{10,}\.[\w-]{10,}\.[\w-]{10,}/.exec(pasted)?.[0] ?? null
const asked = Effect.gen(function* () {
  const { publicUrl, stationName } = yield* StationConfig
  // A claim token is longer than the router lets a named parameter be.
  const proof = (yield* HttpRouter.params)["*"] ?? ""
  const onboarding = (yield* Onboarding.client)(mailboxOf(proof))
  return { house: { name: stationName, template: yield* ClaimTemplate }, onboarding, proof, publicUrl }
})
/** A link that was pasted, or that came as a query, leads to its own address. */
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
      : "There is no claim link in this. Paste the whole of what your agent gave you."
  )
})
/** Where the link of a registration leads its owner: looking consumes nothing. */
const show = HttpRouter.add(
  "GET",
  "/claim/*",
  Effect.gen(function* () {
    const where = yield* asked
    // The router counts the bare address as one with nothing behind it.
    if (where.proof === "") return yield* start(where.house)
    const view = yield* lookAtClaim(artifacts(where.proof))
    const { persona, state } = view
    return state === "open" || state === "needs_otp" ? form(where.house, view) : end(where.house, state, persona)
  })
)
const fieldsSent = Effect.gen(function* () {
  const sent = yield* formFields
  // The button that asks for a new code stands behind the field: its word is the last one.
  const field = (name: string) => sent(name).trim()
  return { otpCode: field("otpCode"), ownerEmail: field("ownerEmail"), consentGiven: field("consentGiven") === "yes" }
})
/** What agents are told names fields; people see buttons. */
const refusals = {
  InvalidOtp: `These are not the six digits of the newest mail. After ${otpTriesMax} wrong tries they are void.`,
  OtpExpired: "The digits have expired, or were tried too often. Have new ones mailed.",
  InvalidToken: "This link doesn't count any more. Load the page again.",
  RateLimited: `New digits are mailed every ${otpResendSec} s at most, and ${otpResendsMax} times for one link. Wait a little.`
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
      const verified = yield* Effect.result(
        send(
          onboarding.VerifyOtp({
            claimToken: proof,
            otpCode,
            dryRun: false
          })
        )
      )
      if (Result.isFailure(verified))
        return verified.failure._tag === "Busy"
          ? notNow(house, verified.failure.detail ?? "", 503)
          : form(house, view, { said: refusals[verified.failure._tag], field: "otpCode" })
      if (!verified.success.verified)
        return form(house, view, { said: `A new code is on its way to ${verified.success.email}.`, field: null })
      view = { ...view, state: "open" }
      if (!consentGiven) return form(house, view)
    }
    if (view.email === null && !isEmail(ownerEmail))
      return form(house, view, { said: "Give your e-mail address.", field: "ownerEmail", ownerEmail })
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
          consentVersion,
          dryRun: false
        })
      )
    )
    if (Result.isSuccess(claimed)) return keyShown(house, view, claimed.success.apiKey, publicUrl)
    if (claimed.failure._tag === "EmailNotVerified")
      return form(house, view, {
        said: "Another address was verified when the agent was registered. Claim with that one.",
        field: "ownerEmail",
        ownerEmail
      })
    if (claimed.failure._tag === "Busy") return notNow(house, claimed.failure.detail ?? "", 503)
    // Somebody else was a moment faster, or its time ran out while the form was filled in.
    const { persona, state } = yield* lookAtClaim(artifacts(proof))
    return state === "open" || state === "needs_otp" ? end(house, "gone", null) : end(house, state, persona)
  })
)
export const ClaimRoutes = [show, claim] as const
