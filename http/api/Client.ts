import { Context } from "effect"

/** Set where an operation is called from within, on behalf of somebody: their address. */
export const CalledFrom = Context.Reference<string | null>("longwave/http/api/CalledFrom", { defaultValue: () => null })

/** Whose request this is, as far as limits by address go. */
export const ClientAddress = Context.Reference<string>("longwave/http/api/ClientAddress", {
  defaultValue: () => "unknown"
})
