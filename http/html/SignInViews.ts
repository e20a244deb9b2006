import type { OpenId, SignInRefused } from "../../engine/runtime/OpenId.ts"
import { alert, type Shell, renderAccountPage } from "./AccountShell.ts"
import { emailCharsMax } from "../../engine/rules/agents/limits.ts"
import { escapeHtml } from "./PlainPage.ts"

type Providers = OpenId["Service"]["providers"]

export interface Purpose {
  readonly to: string
  readonly asOperator: boolean
}

const query = ({ asOperator, to }: Purpose) =>
  new URLSearchParams({ to, ...(asOperator ? { as: "operator" } : {}) }).toString()

/** What is set up for signing in. */
export interface Ways {
  readonly providers: Providers
  readonly byMail: boolean
}

const mailForm = ({ to }: Purpose) =>
  `<form method="post" action="/login/link"><input type="hidden" name="to" value="${escapeHtml(to)}"><label for="email">Your e-mail address</label><input id="email" name="email" type="email" autocomplete="email" required maxlength="${emailCharsMax}"><button>Mail me a link</button></form>`

const isNone = ({ byMail, providers }: Ways, { asOperator }: Purpose) =>
  providers.length === 0 && (asOperator || !byMail)

const buttons = (ways: Ways, purpose: Purpose) =>
  isNone(ways, purpose)
    ? "<p>No sign-in is set up yet. Operators set one up with <code>SMTP_URL</code>, or with <code>OIDC_A_ISSUER</code> and <code>OIDC_A_CLIENT_ID</code>.</p><p>" +
      (purpose.asOperator
        ? 'A one-time link signs you in without it: the first start prints one, and an admin can make one for you.</p><p><a class="button quiet" href="/console">Sign in with a one-time link</a></p>'
        : 'You can listen, vote and request songs without an account.</p><p><a class="button quiet" href="/">To the station</a></p>')
    : `${ways.providers.length === 0 ? "" : `<ul class="ways">${ways.providers.map(({ label, slot }) => `<li><a class="button" href="/login/${slot}?${escapeHtml(query(purpose))}">Continue with ${escapeHtml(label)}</a></li>`).join("")}</ul>`}${ways.byMail && !purpose.asOperator ? mailForm(purpose) : ""}`

const toOther = ({ asOperator, to }: Purpose) =>
  asOperator
    ? '<p class="note">Do you have a one-time link? <a href="/console">Sign in with it</a></p><p class="note">Are you a listener? <a href="/login">Sign in to your account</a></p>'
    : `<p class="note">Do you run this station? <a href="/login?${escapeHtml(query({ to, asOperator: true }))}">Sign in as an operator</a></p>`

/** Choice of the ways to sign in. */
export const choice = (shell: Shell, ways: Ways, purpose: Purpose, said = "", status = 200) =>
  renderAccountPage(
    shell,
    purpose.asOperator ? "Sign in as an operator" : "Sign in",
    `<section class="alone"><h1>${purpose.asOperator ? "Sign in as an operator" : "Sign in"}</h1>${alert(said)}` +
      (isNone(ways, purpose)
        ? ""
        : purpose.asOperator
          ? "<p>Use the address that an admin of the station registered for you.</p>"
          : "<p>With an account you can request a song every hour, keep your history, and manage your agents.</p>") +
      `${buttons(ways, purpose)}${isNone(ways, purpose) ? "" : `${purpose.asOperator ? "" : '<p class="note">The station receives only your e-mail address and never shows it.</p>'}${ways.providers.length === 0 ? "" : toOther(purpose)}`}</section>`,
    status
  )

/** Asks an operator whom a provider has named for the second factor. */
export const codeForm = (shell: Shell, token: string, to: string, said = "", status = 200) =>
  renderAccountPage(
    shell,
    "Enter your code",
    `<section class="alone"><h1>Enter your code</h1>${alert(said)}<p>Your account has a second factor. Enter the six digits that your authenticator app shows.</p>` +
      `<form method="post" action="/login/code"><input type="hidden" name="token" value="${escapeHtml(token)}"><input type="hidden" name="to" value="${escapeHtml(to)}">` +
      `<label for="code">Code</label><input id="code" name="code" type="text" inputmode="numeric" autocomplete="one-time-code" pattern="[0-9 ]*" maxlength="7" required><button>Sign in</button></form>` +
      `<p class="note">The app is lost? Whoever runs the station's host removes it with <code>npm start -- operator reset NAME</code>.</p></section>`,
    status
  )

export const refusals: { readonly [Why in SignInRefused["why"]]: readonly [status: number, said: string] } = {
  cancelled: [200, "Sign-in was cancelled. Nothing has changed."],
  stale: [400, "This sign-in link was already used or has expired. Start again."],
  unverified: [403, "Your provider hasn't verified your e-mail address. Verify it there, then sign in here again."]
}

export const away =
  "Your provider can't be reached at the moment, or doesn't recognise this station. Try again in a few minutes, or use another provider."
