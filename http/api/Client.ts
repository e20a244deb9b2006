import { Context } from "effect"

/** Address of the original caller, set when an operation is called internally. */
export const CalledFrom = Context.Reference<string | null>("longwave/http/api/CalledFrom", { defaultValue: () => null })

/** The caller's address, for limits per address. */
export const ClientAddress = Context.Reference<string>("longwave/http/api/ClientAddress", {
  defaultValue: () => "unknown"
})
