import { HttpServerResponse } from "effect/http"
import { createHash } from "node:crypto"

export const escapeHtml = (value: unknown): string =>
  String(value ?? "")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")

/** In the colours of the station's page. */
const style = `
:root{--paper:#edf0e8;--ink:#12211b;--faint:#52635a;--rule:#12211b2e;--code:#12211b0d;--needle:#b3260f;--on-needle:#fffaf3;color-scheme:light dark}
@media (prefers-color-scheme:dark){:root{--paper:#0b1512;--ink:#e6f0e8;--faint:#93a79c;--rule:#e6f0e82b;--code:#e6f0e814;--needle:#ff7c60;--on-needle:#1c0a05}}
*{box-sizing:border-box}
html{background:var(--paper);color:var(--ink);font:1rem/1.5 ui-sans-serif,system-ui,"Segoe UI",Roboto,sans-serif;-webkit-text-size-adjust:100%;scroll-padding-top:1rem}
body{max-width:52rem;margin:0 auto;padding:clamp(1rem,4vw,3rem);overflow-wrap:anywhere}
h1,h2,h3{line-height:1.2;font-weight:600}h2{margin:3rem 0 .5rem;border-top:2px solid var(--ink);padding-top:1rem}h3{margin:0;font-size:1.15rem}h4{margin:1rem 0 .25rem;font-size:.85rem;color:var(--faint);font-weight:600}
a{color:var(--needle)}h3 a{color:inherit;text-decoration:none}h3 a:hover,h3 a:focus-visible{text-decoration:underline}
code,pre{font:.875rem/1.5 ui-monospace,SFMono-Regular,Menlo,monospace}pre{background:var(--code);padding:.75rem;overflow-x:auto;border-radius:.25rem;margin:.25rem 0;overflow-wrap:normal}
section.operation{border-top:1px solid var(--rule);padding:1.25rem 0}.where{margin:.25rem 0}.method{color:var(--needle);font-weight:700}.note{color:var(--faint)}
ul{padding-left:1.1rem;margin:.25rem 0}li{margin:.15rem 0}nav ul{list-style:none;padding:0}nav li{padding:.1rem 0}
summary{cursor:pointer;font-size:.85rem;color:var(--faint);font-weight:600;padding:.35rem 0}
blockquote{margin:.5rem 0;padding-left:1rem;border-left:3px solid var(--needle)}
label{display:block;margin:1rem 0 .25rem}input[type=email],input[type=text],textarea{width:100%;max-width:28rem;font:inherit;padding:.6rem;color:inherit;background:transparent;border:1px solid var(--ink);border-radius:.25rem}
button{font:inherit;font-weight:600;padding:.6rem 1.2rem;margin:1rem .5rem 0 0;color:var(--on-needle);background:var(--needle);border:0;border-radius:.25rem;cursor:pointer}
:focus-visible{outline:2px solid var(--needle);outline-offset:2px}
`

/** Allows only the one style, by its hash, and forms to this origin. */
const policy = `default-src 'none'; style-src 'sha256-${createHash("sha256").update(style).digest("base64")}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`

/** A page without scripts. `body` is HTML. */
export const plainPage = (
  title: string,
  body: string,
  options: { readonly status?: number; readonly cacheControl: string }
) =>
  HttpServerResponse.text(
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${escapeHtml(title)}</title><style>${style}</style></head><body>${body}</body></html>`,
    {
      status: options.status ?? 200,
      contentType: "text/html; charset=utf-8",
      headers: {
        "content-security-policy": policy,
        "cache-control": options.cacheControl,
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer"
      }
    }
  )
