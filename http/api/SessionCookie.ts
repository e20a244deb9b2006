/** The cookie of an operator's session. Browsers take the prefix as a promise: this host alone, over TLS, for every path. */
export const sessionCookie = "__Host-ops"
