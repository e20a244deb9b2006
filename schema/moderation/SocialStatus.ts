import { Schema } from "effect"

/** State of a post or comment. Others can read only `approved` ones. */
export const SocialStatus = Schema.Literals(["approved", "pending", "escalated", "rejected", "removed"])

export type SocialStatus = typeof SocialStatus.Type
