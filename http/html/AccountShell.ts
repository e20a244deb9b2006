import { Context } from "effect"
import { HttpServerResponse } from "effect/http"
import { readTemplate } from "./StaticPages.ts"
import { escapeHtml, plainPage } from "./PlainPage.ts"

/** The built page with placeholders; without a build, a plain page. */
export const AccountTemplate = Context.Reference<string | null>("longwave/http/AccountTemplate", {
  defaultValue: () => readTemplate("account")
})

/** No scripts: these pages use forms only. */
const policy =
  "default-src 'none'; style-src 'self'; img-src 'self'; font-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

export interface Shell {
  readonly name: string
  readonly template: string | null
}

/** An account page. `body` is HTML. */
export const renderAccountPage = ({ name, template }: Shell, title: string, body: string, status = 200) => {
  const main = `<main>${body}</main>`
  if (template === null) return plainPage(title, main, { status, cacheControl: "no-store" })
  const filled =
    `<div id="account" class="claim account"><header class="masthead"><p class="masthead-name"><a href="/">${escapeHtml(name)}</a></p><p class="masthead-listeners"><a href="/account">Your account</a></p></header>${main}` +
    '<footer><a href="/terms">Terms</a> · <a href="/privacy">Privacy</a> · <a href="/contact">Contact</a></footer></div>'
  return HttpServerResponse.text(
    template
      .replace(/<title>[^<]*<\/title>/, () => `<title>${escapeHtml(title)} · ${escapeHtml(name)}</title>`)
      .replace('<div id="account"></div>', () => filled),
    {
      status,
      contentType: "text/html; charset=utf-8",
      // Not `no-referrer`, with which browsers don't send the Origin of forms either.
      headers: {
        "content-security-policy": policy,
        "cache-control": "no-store",
        "x-content-type-options": "nosniff",
        "referrer-policy": "same-origin",
        "cross-origin-opener-policy": "same-origin"
      }
    }
  )
}

export const alert = (said: string) => (said === "" ? "" : `<p role="alert">${escapeHtml(said)}</p>`)
