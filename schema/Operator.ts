import { Schema } from "effect"

/** Each includes the ones before it. */
export const OperatorRole = Schema.Literals(["viewer", "reviewer", "producer", "admin"])
export type OperatorRole = typeof OperatorRole.Type

export const operatorRank: Record<OperatorRole, number> = { viewer: 0, reviewer: 1, producer: 2, admin: 3 }
