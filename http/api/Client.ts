import { Context } from "effect"

/** Whose request this is, as far as limits by address go. */
export const ClientAddress = Context.Reference<string>("longwave/http/api/ClientAddress", { defaultValue: () => "unknown" })
