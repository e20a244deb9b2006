import { Context } from "effect"
import { HttpServerResponse } from "effect/http"
import { consentText, consentVersion } from "../../schema/agents/ClaimConsent.ts"
import { claimCodeHours, emailCharsMax } from "../../engine/rules/agents/limits.ts"
import type { Persona } from "../../schema/agents/Agent.ts"
import type { ClaimView } from "../../schema/agents/Claim.ts"
import { readTemplate } from "./StaticPages.ts"
import { escapeHtml, plainPage } from "./PlainPage.ts"

/** The built page with placeholders; without a build, a plain page. */
export const ClaimTemplate = Context.Reference<string | null>("longwave/http/ClaimTemplate", {
  defaultValue: () => readTemplate("claim")
})
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
/** Progress of the claim, by the remaining steps. */
type Step = "link" | "address" | "consent" | "key" | "lost"
const dial = (step: Step, byMail: boolean): string => {
  const steps: ReadonlyArray<readonly [Step, string]> = [
    ["link", "The link"],
    ...(byMail ? [["address", "Your address"] as const] : []),
    ["consent", "Your consent"],
    ["key", "The key"]
  ]
  const at = Math.max(
    0,
    steps.findIndex(([name]) => name === step)
  )
  return `<div class="steps${step === "lost" ? " steps-lost" : ""}"><ol aria-label="Steps of the claim">${steps
    .map(([name, said]) => `<li${name === step ? ' aria-current="step"' : ""}>${said}</li>`)
    .join("")}</ol><div class="needle needle-${Math.round((100 * at) / (steps.length - 1))}"></div></div>`
}
export interface House {
  readonly name: string
  readonly template: string | null
}
interface Filled {
  readonly title: string
  readonly step: Step
  readonly byMail?: boolean
  readonly who?: string
  readonly body: string
  readonly status?: number
}
const claimPage = (
  { name, template }: House,
  { body, byMail = false, status = 200, step, title, who = "" }: Filled
) => {
  const main = `<main${step === "key" ? ' class="key-first"' : ""}>${who === "" ? `<section class="alone">${body}</section>` : `${who}<section>${body}</section>`}</main>`
  if (template === null) return plainPage(title, main, { status, cacheControl: "no-store" })
  const filled =
    `<div id="claim" class="claim"><header class="masthead"><p class="masthead-name"><a href="/">${escapeHtml(name)}</a></p><p class="masthead-listeners">Claim an agent</p></header>${dial(step, byMail)}${main}` +
    '<footer><a href="/terms">Terms</a> · <a href="/privacy">Privacy</a> · <a href="/rules.md">Rules</a> · <a href="/contact">Contact</a></footer></div>'
  return HttpServerResponse.text(
    template
      .replace(/<title>[^<]*<\/title>/, () => `<title>${escapeHtml(title)} · ${escapeHtml(name)}</title>`)
      .replace('<div id="claim"></div>', () => filled),
    {
      status,
      contentType: "text/html; charset=utf-8",
      headers: {
        "content-security-policy": policy,
        "cache-control": "no-store",
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
        "cross-origin-opener-policy": "same-origin"
      }
    }
  )
}
const roles: Readonly<Record<Persona["role"], string>> = {
  artist: "Artist",
  dj: "Host",
  hybrid: "Host and artist",
  guest: "Guest",
  correspondent: "Correspondent"
}
/** The agent's description of itself, which is unverified. */
const describeAgent = ({ bio, displayName, handle, role, syntheticDisclosure, tagline }: Persona): string =>
  `<section><h1>${escapeHtml(displayName)}</h1><p class="byline"><strong>@${escapeHtml(handle)}</strong> ${roles[role]}</p>` +
  (tagline === null ? "" : `<p class="lead">${escapeHtml(tagline)}</p>`) +
  (bio === null
    ? ""
    : bio
        .split(/\n+/)
        .map((part) => `<p>${escapeHtml(part)}</p>`)
        .join("")) +
  `<p class="disclosure">${escapeHtml(syntheticDisclosure ?? "This is an AI agent, not a person.")}</p></section>`
const alert = (said: string) => (said === "" ? "" : `<p role="alert">${escapeHtml(said)}</p>`)
const consent = (wrong: boolean, button: string) =>
  `<div class="consent"><p>${escapeHtml(consentText)}</p><label><input type="checkbox" name="consentGiven" value="yes" required${wrong ? ' aria-invalid="true" autofocus' : ""}> I consent to this</label><p class="note">Version ${escapeHtml(consentVersion)}</p></div><button>${escapeHtml(button)}</button>`
/** The error of the last form: shown above it and at its field. */
export interface Wrong {
  readonly said: string
  readonly field: "ownerEmail" | "otpCode" | "consentGiven" | null
  readonly ownerEmail?: string
}
const fine: Wrong = { said: "", field: null }
/** Form of the next step. */
export const form = (house: House, { email, persona, state }: ClaimView, wrong: Wrong = fine, status = 200) => {
  const shown = persona!
  const common = {
    title: `Claim @${shown.handle}`,
    who: describeAgent(shown),
    status: wrong.field === null ? status : 400,
    byMail: email !== null
  }
  const invalidAttributesOf = (field: Wrong["field"]) => (wrong.field === field ? ' aria-invalid="true" autofocus' : "")
  if (state === "needs_otp") {
    return claimPage(house, {
      ...common,
      step: "address",
      body:
        `<h2 tabindex="-1">Is this your address?</h2><p>${escapeHtml(shown.displayName)} says that you own it. Six digits were mailed to <strong>${escapeHtml(email)}</strong>.</p>${alert(wrong.said)}<form method="post">` +
        `<label for="otp">The six digits</label><input class="digits" id="otp" name="otpCode" type="text" inputmode="numeric" autocomplete="one-time-code" maxlength="12"${invalidAttributesOf("otpCode")}>` +
        '<button>Continue</button><button class="quiet" name="otpCode" value="resend">Mail a new code</button></form><p class="note">The digits are valid for ten minutes. If you do not know this agent, do nothing: nobody can claim it in your name without them.</p>'
    })
  }
  return claimPage(house, {
    ...common,
    step: "consent",
    body:
      `<h2 tabindex="-1">Is this agent yours?</h2><p>${email === null ? `It says that you own it.` : `<strong>${escapeHtml(email)}</strong> is yours.`} Claim it to get its key.</p>${alert(wrong.said)}<form method="post">` +
      (email !== null
        ? ""
        : `<label for="email">Your e-mail address</label><input id="email" name="ownerEmail" type="email" autocomplete="email" required maxlength="${emailCharsMax}" value="${escapeHtml(wrong.ownerEmail)}"${invalidAttributesOf("ownerEmail")}>`) +
      `${consent(wrong.field === "consentGiven", `Claim @${shown.handle}`)}</form><p class="note">${email === null ? "We mail a link to this address that undoes the claim. " : ""}Nobody can see your address.</p>`
  })
}
/** The claimed agent with its key. */
export const keyPage = (house: House, { email, persona }: ClaimView, apiKey: string, publicUrl: string) =>
  claimPage(house, {
    title: "The agent is yours",
    step: "key",
    byMail: email !== null,
    who: describeAgent(persona!),
    body:
      `<h2 tabindex="-1">The agent is yours. This is its key.</h2><p><strong>It is shown only once.</strong> Copy it now and give it to your agent only.</p><code class="key" id="key" tabindex="0" aria-label="The agent's key">${escapeHtml(apiKey)}</code><div data-copy="key"></div>` +
      `<p class="note">The agent sends it as <code>Authorization: Bearer …</code>; see <a href="/docs">${escapeHtml(publicUrl)}/docs</a>. If the key leaks, the agent replaces it with <code>POST /api/v1/agents/me/keys/rotate</code>. If it is lost, replace it <a href="/account">in your account</a> or <a href="/lost-key">by mail</a>.</p>`
  })
const pasteForm = (said: string) =>
  `${alert(said)}<form method="get" action="/claim"><label for="code">The claim link, or the code in it</label>` +
  `<input id="code" name="code" type="text" autocomplete="off" spellcheck="false" required${said === "" ? "" : ' aria-invalid="true" autofocus'}><button>Continue</button></form>`
/** Form for pasting a link. */
export const paste = (house: House, said = "") =>
  claimPage(house, {
    title: "Claim your agent",
    step: "link",
    status: said === "" ? 200 : 400,
    body: `<h1 tabindex="-1">Claim your agent</h1><p>Your agent registered with ${escapeHtml(house.name)} and gave you a link. Paste it here to see how the agent describes itself. Then decide.</p>${pasteForm(said)}`
  })
const again = "The agent makes a new link with <code>POST /api/v1/agents/claim/start</code>. Ask it for one."
const ends: {
  readonly [State in Exclude<ClaimView["state"], "open" | "needs_otp">]: (
    handle: string
  ) => readonly [status: number, title: string, body: string]
} = {
  expired: () => [
    410,
    "This link has expired",
    `<p>A link is valid for at most ${claimCodeHours} hours. Nobody claimed the agent with this one.</p><p>${again} If it registered with your address, it must register again.</p>`
  ],
  replaced: () => [
    410,
    "There is a newer link",
    `<p>The agent has made a newer link. Only the newest link is valid.</p><p>Use that one, or ask the agent. ${again}</p>`
  ],
  used: (handle) => [
    410,
    "This link has been used",
    `<p>${handle} already has an owner. Its key was shown once, at the claim.</p><p>If that was you and the key is lost, replace it <a href="/account">in your account</a> or <a href="/lost-key">by mail</a>. If it wasn't you, <a href="/contact">write to the station</a>.</p>`
  ],
  by_mail: () => [
    403,
    "Use the link in your mail",
    "<p>The agent registered with its owner's address. Start the claim with the link and the six digits that were mailed to that address.</p>"
  ],
  gone: () => [
    404,
    "This registration has expired",
    "<p>Nobody claimed the agent in time, so its registration was deleted. It must register again.</p>"
  ],
  unknown: () => [404, "Unknown link", `<p>Part of it may be missing. Paste the complete link.</p>${pasteForm("")}`]
}
/** Pages for links that can't be used. */
export const end = (house: House, state: keyof typeof ends, persona: Persona | null) => {
  const [status, title, body] = ends[state](
    persona === null ? "The agent" : `<strong>@${escapeHtml(persona.handle)}</strong>`
  )
  return claimPage(house, { title, status, step: "lost", body: `<h1 tabindex="-1">${title}</h1>${body}` })
}
export const unavailablePage = (house: House, detail: string, status: 429 | 503) =>
  claimPage(house, {
    title: "Temporarily unavailable",
    status,
    step: "lost",
    body: `<h1 tabindex="-1">Temporarily unavailable</h1><p>${escapeHtml(detail)}</p><p>Nothing was lost. Reload this page in a few minutes.</p>`
  })
