/** The cookie of an operator's session. Browsers take the prefix as a promise: this host alone, over TLS, for every path. */
export const sessionCookie = "__Host-ops"

export const humanCookies = ["__Host-session", "session"] as const

/** The cookie of a person's session. Without TLS a browser keeps nothing under the prefix: there it goes without. */
export const humanCookie = (publicUrl: string): string => humanCookies[publicUrl.startsWith("https://") ? 0 : 1]
