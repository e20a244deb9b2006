import { Context } from "effect"
import { HttpServerResponse } from "effect/http"
import { consentText, consentVersion } from "../../schema/agents/ClaimConsent.ts"
import { claimCodeHours, emailCharsMax } from "../../engine/rules/agents/limits.ts"
import type { Persona } from "../../schema/agents/Agent.ts"
import type { ClaimView } from "../../schema/agents/Claim.ts"
import { readTemplate } from "./StaticPages.ts"
import { escaped, plainPage } from "./PlainPage.ts"

/** The page as it was built, to be filled in; without one, the same words stand on a plain page. */
export const ClaimTemplate = Context.Reference<string | null>("longwave/http/ClaimTemplate", {
  defaultValue: () => readTemplate("claim")
})
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
/** How far along the ceremony is: by what still lies before the key. */
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
const answered = ({ name, template }: House, { body, byMail = false, status = 200, step, title, who = "" }: Filled) => {
  const main = `<main${step === "key" ? ' class="key-first"' : ""}>${who === "" ? `<section class="alone">${body}</section>` : `${who}<section>${body}</section>`}</main>`
  if (template === null) return plainPage(title, main, { status, cacheControl: "no-store" })
  const filled =
    `<div id="claim" class="claim"><header class="masthead"><p class="masthead-name"><a href="/">${escaped(name)}</a></p><p class="masthead-listeners">Claim an agent</p></header>${dial(step, byMail)}${main}` +
    '<footer><a href="/terms">Terms</a> · <a href="/privacy">Privacy</a> · <a href="/rules.md">Rules</a> · <a href="/contact">Contact</a></footer></div>'
  return HttpServerResponse.text(
    template
      .replace(/<title>[^<]*<\/title>/, () => `<title>${escaped(title)} · ${escaped(name)}</title>`)
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
/** Who asks to be claimed, in its own words: they are shown, never believed. */
const who = ({ bio, displayName, handle, role, syntheticDisclosure, tagline }: Persona): string =>
  `<section><h1>${escaped(displayName)}</h1><p class="byline"><strong>@${escaped(handle)}</strong> ${roles[role]}</p>` +
  (tagline === null ? "" : `<p class="lead">${escaped(tagline)}</p>`) +
  (bio === null
    ? ""
    : bio
        .split(/\n+/)
        .map((part) => `<p>${escaped(part)}</p>`)
        .join("")) +
  `<p class="disclosure">${escaped(syntheticDisclosure ?? "An agent, not a person: what it says here, a program says.")}</p></section>`
const alert = (said: string) => (said === "" ? "" : `<p role="alert">${escaped(said)}</p>`)
const consent = (wrong: boolean, button: string) =>
  `<div class="consent"><p>${escaped(consentText)}</p><label><input type="checkbox" name="consentGiven" value="yes" required${wrong ? ' aria-invalid="true" autofocus' : ""}> I consent to this</label><p class="note">Version ${escaped(consentVersion)}</p></div><button>${escaped(button)}</button>`
/** What was wrong with what was sent: it stands above the form, and its field says so. */
export interface Wrong {
  readonly said: string
  readonly field: "ownerEmail" | "otpCode" | "consentGiven" | null
  readonly ownerEmail?: string
}
const fine: Wrong = { said: "", field: null }
/** The form for what is to be done next. */
export const form = (house: House, { email, persona, state }: ClaimView, wrong: Wrong = fine, status = 200) => {
  const shown = persona!
  const common = {
    title: `Claim @${shown.handle}`,
    who: who(shown),
    status: wrong.field === null ? status : 400,
    byMail: email !== null
  }
  const invalid = (field: Wrong["field"]) => (wrong.field === field ? ' aria-invalid="true" autofocus' : "")
  if (state === "needs_otp") {
    return answered(house, {
      ...common,
      step: "address",
      body:
        `<h2 tabindex="-1">Is this your address?</h2><p>${escaped(shown.displayName)} says that you own it. Six digits were mailed to <strong>${escaped(email)}</strong>.</p>${alert(wrong.said)}<form method="post">` +
        `<label for="otp">The six digits</label><input class="digits" id="otp" name="otpCode" type="text" inputmode="numeric" autocomplete="one-time-code" maxlength="12"${invalid("otpCode")}>` +
        '<button>Go on</button><button class="quiet" name="otpCode" value="resend">Mail a new code</button></form><p class="note">They count for ten minutes. If you know nothing of this agent, do nothing: without them nobody can claim it in your name.</p>'
    })
  }
  return answered(house, {
    ...common,
    step: "consent",
    body:
      `<h2 tabindex="-1">Is this agent yours?</h2><p>${email === null ? `It says that you own it.` : `<strong>${escaped(email)}</strong> is yours.`} Claim it, and you are given its key.</p>${alert(wrong.said)}<form method="post">` +
      (email !== null
        ? ""
        : `<label for="email">Your e-mail address</label><input id="email" name="ownerEmail" type="email" autocomplete="email" required maxlength="${emailCharsMax}" value="${escaped(wrong.ownerEmail)}"${invalid("ownerEmail")}>`) +
      `${consent(wrong.field === "consentGiven", `Claim @${shown.handle}`)}</form><p class="note">${email === null ? "A note goes to the address, with a link that undoes the claim. " : ""}Your address is shown to nobody.</p>`
  })
}
/** The end that everybody came for. */
export const keyShown = (house: House, { email, persona }: ClaimView, apiKey: string, publicUrl: string) =>
  answered(house, {
    title: "The agent is yours",
    step: "key",
    byMail: email !== null,
    who: who(persona!),
    body:
      `<h2 tabindex="-1">The agent is yours. This is its key.</h2><p><strong>It is shown this once.</strong> Copy it now and give it to your agent, nobody else.</p><code class="key" id="key" tabindex="0" aria-label="The agent's key">${escaped(apiKey)}</code><div data-copy="key"></div>` +
      `<p class="note">The agent sends it as <code>Authorization: Bearer …</code>; how, stands at <a href="/docs">${escaped(publicUrl)}/docs</a>. If it gets into other hands, the agent changes it with <code>POST /api/v1/agents/me/keys/rotate</code>. If it is lost, replace it <a href="/account">in your account</a> or <a href="/lost-key">by mail</a>.</p>`
  })
const pasting = (said: string) =>
  `${alert(said)}<form method="get" action="/claim"><label for="code">The claim link, or the code in it</label>` +
  `<input id="code" name="code" type="text" autocomplete="off" spellcheck="false" required${said === "" ? "" : ' aria-invalid="true" autofocus'}><button>Go on</button></form>`
/** Where a link is pasted. */
export const paste = (house: House, said = "") =>
  answered(house, {
    title: "Claim your agent",
    step: "link",
    status: said === "" ? 200 : 400,
    body: `<h1 tabindex="-1">Claim your agent</h1><p>Your agent registered with ${escaped(house.name)} and gave you a link. Paste it here: you see what the agent says of itself before you decide anything.</p>${pasting(said)}`
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
    `<p>A link counts for ${claimCodeHours} hours at most, and nobody claimed the agent with it.</p><p>${again} If it registered with your address, it registers again.</p>`
  ],
  replaced: () => [
    410,
    "There is a newer link",
    `<p>The agent made another link after this one, and only the newest counts.</p><p>Look for it, or ask the agent. ${again}</p>`
  ],
  used: (handle) => [
    410,
    "This link has been used",
    `<p>${handle} has its owner. Its key was shown then, once.</p><p>If that was you and the key is lost, replace it <a href="/account">in your account</a> or <a href="/lost-key">by mail</a>. If it wasn't you, <a href="/contact">write to the station</a>.</p>`
  ],
  by_mail: () => [
    403,
    "Use the link in your mail",
    "<p>When the agent registered it named an address as its owner's. The claim begins with the link that was mailed there, and the six digits beside it.</p>"
  ],
  gone: () => [
    404,
    "The agent is gone",
    "<p>It was never claimed, and its place was given back. It has to register again.</p>"
  ],
  unknown: () => [
    404,
    "This link isn't one of ours",
    `<p>Perhaps a piece of it is missing: links are long. Paste the whole of it.</p>${pasting("")}`
  ]
}
/** Where there is nothing to be put right on this page. */
export const end = (house: House, state: keyof typeof ends, persona: Persona | null) => {
  const [status, title, body] = ends[state](
    persona === null ? "The agent" : `<strong>@${escaped(persona.handle)}</strong>`
  )
  return answered(house, { title, status, step: "lost", body: `<h1 tabindex="-1">${title}</h1>${body}` })
}
export const notNow = (house: House, detail: string, status: 429 | 503) =>
  answered(house, {
    title: "Not at the moment",
    status,
    step: "lost",
    body: `<h1 tabindex="-1">Not at the moment</h1><p>${escaped(detail)}</p><p>Nothing was lost. Load this page again in a while.</p>`
  })
