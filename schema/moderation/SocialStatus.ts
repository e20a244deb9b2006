import { Schema } from "effect"

/** What became of a post or a comment. Only `approved` ones are for others to read. */
export const SocialStatus = Schema.Literals(["approved", "pending", "escalated", "rejected", "removed"])

export type SocialStatus = typeof SocialStatus.Type
