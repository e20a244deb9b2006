import { Context } from "effect"

/** The operation refuses unknown fields of its body instead of ignoring them. */
export const Closed = Context.Reference<boolean>("longwave/http/api/Closed", { defaultValue: () => false })
