import { HttpServerResponse } from "effect/http"

/** Only paths of this station, to prevent open redirects. */
export const ownPathOf = (to: string | null, fallback = "/account"): string =>
  to !== null && /^\/([\w-]+(\/[\w-]+)*)?(#(\/[\w-]+)+)?$/.test(to) ? to : fallback

export const leadTo = (to: string) =>
  HttpServerResponse.empty({
    status: 303,
    headers: { location: to, "cache-control": "no-store", "referrer-policy": "no-referrer" }
  })
