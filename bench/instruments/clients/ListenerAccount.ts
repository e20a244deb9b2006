import { Effect, Exit, Scope } from "effect"
import { existsSync } from "node:fs"
import { Browser } from "./Browser.ts"
import { say } from "../Patience.ts"

/** An OpenID Connect provider on this machine; null if the package isn't installed. */
export const providerHere = async (
  base: string
): Promise<{
  readonly env: Record<string, string>
  readonly letIn: (sub: string, email: string) => void
  readonly close: () => Promise<void>
} | null> => {
  if (!existsSync(new URL("../../../node_modules/oidc-provider", import.meta.url))) return null
  const { clientId, clientSecret, oidcProvider } = await import("../servers/OidcProvider.ts")
  const scope = await Effect.runPromise(Scope.make())
  const provider = await Effect.runPromise(Scope.provide(oidcProvider([`${base}/login/a/callback`]), scope))
  return {
    env: {
      OIDC_A_ISSUER: provider.issuer,
      OIDC_A_CLIENT_ID: clientId,
      OIDC_A_CLIENT_SECRET: clientSecret,
      OIDC_A_LABEL: "the house next door"
    },
    letIn: (sub, email) => void (provider.who = { sub, email }),
    close: () => Effect.runPromise(Scope.close(scope, Exit.void))
  }
}

/** Signs in as a browser does, sets a name, and claims the listener's history for the account. */
export const signIn = async (
  base: string,
  listener: { readonly listenerId: string; readonly listenerToken: string },
  displayName: string
) => {
  const browser = new Browser(base)
  const { status, url } = await browser.open("/login/a")
  if (status !== 200 || new URL(url).pathname !== "/account") throw new Error(`sign-in ended at ${url} with ${status}`)
  const { account } = await browser.ask("PATCH", "/api/account/me", { displayName })
  say(`signed in by OpenID Connect as ${String(account.displayName)}, ${String(account.email)}`)
  const claimed = await browser.ask("POST", "/api/listeners/claim", { ...listener, consentGiven: true })
  if (claimed.linked !== true) throw new Error("the listener's history was not claimed")
  say(`the account owns the history of ${listener.listenerId}; the listener has a new token`)
  return { browser, token: String(claimed.listenerToken) }
}

/** Exports the account, then deletes it. */
export const leave = async (
  base: string,
  { browser, token }: { readonly browser: Browser; readonly token: string }
): Promise<void> => {
  const { entries } = (await browser.ask("GET", "/api/account/listener-history")) as {
    entries: ReadonlyArray<{ kind: string }>
  }
  const exported = (await browser.ask("GET", "/api/account/export")) as Record<string, unknown>
  say(
    `history of the account: ${entries.map(({ kind }) => kind).join(", ")}; exported: ${Object.keys(exported).join(", ")}`
  )
  await browser.ask("DELETE", "/api/account/me")
  const after = await browser.fetch("/api/account/me")
  const asListener = await fetch(`${base}/api/listeners/me/streaks`, { headers: { "x-listener-token": token } })
  if (after.status !== 401 || asListener.status !== 401)
    throw new Error(`after the deletion, the session gets ${after.status} and the token ${asListener.status}`)
  say("account deleted: its session and token are refused")
}
