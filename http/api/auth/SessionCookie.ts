import { HttpServerResponse } from "effect/http"
import { humanSessionDays } from "../../../engine/rules/people/limits.ts"

/** The cookie of an operator's session. Browsers take the prefix as a promise: this host alone, over TLS, for every path. */
export const sessionCookie = "__Host-ops"

export const humanCookies = ["__Host-session", "session"] as const

/** The cookie of a person's session. Without TLS a browser keeps nothing under the prefix: there it goes without. */
export const humanCookie = (publicUrl: string): string => humanCookies[publicUrl.startsWith("https://") ? 0 : 1]

/** Puts a session into the browser, or with an empty one takes it out. `Lax`: who comes back from a provider brings it along. */
export const withSession = (response: HttpServerResponse.HttpServerResponse, publicUrl: string, session: string) =>
  HttpServerResponse.setCookieUnsafe(response, humanCookie(publicUrl), session, {
    path: "/",
    secure: publicUrl.startsWith("https://"),
    httpOnly: true,
    sameSite: "lax",
    maxAge: session === "" ? 0 : `${humanSessionDays} days`
  })
