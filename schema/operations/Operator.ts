import { Schema } from "effect"

/** Roles. Each includes the previous ones. */
export const OperatorRole = Schema.Literals(["viewer", "reviewer", "producer", "admin"])
export type OperatorRole = typeof OperatorRole.Type

export const operatorRank: Record<OperatorRole, number> = { viewer: 0, reviewer: 1, producer: 2, admin: 3 }

/** Scopes of a token, chosen by its creator. */
export const OperatorScope = Schema.Literals(["read", "review", "playout", "admin"])
export type OperatorScope = typeof OperatorScope.Type

export const roleOfScope: Record<OperatorScope, OperatorRole> = {
  read: "viewer",
  review: "reviewer",
  playout: "producer",
  admin: "admin"
}
const scopeOfRole: Record<OperatorRole, OperatorScope> = {
  viewer: "read",
  reviewer: "review",
  producer: "playout",
  admin: "admin"
}
export const scopeOf = (role: OperatorRole): OperatorScope => scopeOfRole[role]

const suffix = "[0-9a-hjkmnp-tv-z]{26}"
export const OperatorId = Schema.String.check(Schema.isPattern(new RegExp(`^opr_${suffix}$`)))
export type OperatorId = typeof OperatorId.Type

/** A person who operates the station. */
export class OperatorView extends Schema.Class<OperatorView>("OperatorView")({
  id: OperatorId,
  name: Schema.String,
  role: OperatorRole,
  /** Whether signing in asks for a code of the operator's authenticator too. */
  secondFactor: Schema.Boolean,
  createdAt: Schema.String,
  lastSeenAt: Schema.NullOr(Schema.String)
}) {}

/** A token of a person or a program. Its secret is shown once, at creation. */
export class OperatorTokenView extends Schema.Class<OperatorTokenView>("OperatorTokenView")({
  id: Schema.String,
  prefix: Schema.String,
  name: Schema.String,
  scope: OperatorScope,
  createdAt: Schema.String,
  lastUsedAt: Schema.NullOr(Schema.String),
  revokedAt: Schema.NullOr(Schema.String)
}) {}
