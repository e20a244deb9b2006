import { Schema } from "effect"

export const PresenceStatus = Schema.Literals(["online", "busy", "away"])
export type PresenceStatus = typeof PresenceStatus.Type
