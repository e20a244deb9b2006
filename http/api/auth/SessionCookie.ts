import { HttpServerResponse } from "effect/http"
import { humanSessionDays } from "../../../engine/rules/people/limits.ts"

/** The operators' session cookie. The `__Host-` prefix guarantees this host only, TLS, and every path. */
export const sessionCookie = "__Host-ops"

/** The same without TLS, where browsers reject the prefix. */
export const plainSessionCookie = "ops"

/** Cookies that hold an operator's session, the preferred one first. */
export const operatorCookies = (publicUrl: string): ReadonlyArray<string> =>
  publicUrl.startsWith("https://") ? [sessionCookie] : [sessionCookie, plainSessionCookie]

/** Sets an operator's session for `hours`, or clears it with 0. */
export const withOperatorSession = (
  response: HttpServerResponse.HttpServerResponse,
  publicUrl: string,
  session: string,
  hours: number
) =>
  operatorCookies(publicUrl).reduce(
    (answer, name) =>
      HttpServerResponse.setCookieUnsafe(answer, name, session, {
        path: "/",
        secure: name === sessionCookie,
        httpOnly: true,
        sameSite: "strict",
        maxAge: `${hours} hours`
      }),
    response
  )

export const humanCookies = ["__Host-session", "session"] as const

/** The cookie of a person's session. Without TLS browsers reject the prefix, so it is omitted. */
export const humanCookie = (publicUrl: string): string => humanCookies[publicUrl.startsWith("https://") ? 0 : 1]

/** Sets the session cookie, or clears it if empty. `Lax`, because the browser must send it when a provider redirects back. */
export const withSession = (response: HttpServerResponse.HttpServerResponse, publicUrl: string, session: string) =>
  HttpServerResponse.setCookieUnsafe(response, humanCookie(publicUrl), session, {
    path: "/",
    secure: publicUrl.startsWith("https://"),
    httpOnly: true,
    sameSite: "lax",
    maxAge: session === "" ? 0 : `${humanSessionDays} days`
  })
