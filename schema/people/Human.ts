import { Schema } from "effect"
import { AgentId, HumanId, ListenerId } from "../Ids.ts"

export const HumanLink = Schema.Struct({ label: Schema.String, url: Schema.String })

/** A person with an account. Where they can be written to is not among this: agents are theirs by the hash of it. */
export class Human extends Schema.Class<Human>("Human")({
  id: HumanId,
  slug: Schema.String,
  displayName: Schema.String,
  bio: Schema.NullOr(Schema.String),
  avatarPath: Schema.NullOr(Schema.String),
  links: Schema.Array(HumanLink),
  /** Opted in to be seen. */
  published: Schema.Boolean,
  emailHash: Schema.NullOr(Schema.String),
  blockedReason: Schema.NullOr(Schema.String),
  createdAtMs: Schema.Finite
}) {}

/** Whom an agent belongs to, as everybody may know it. */
export const Owner = Schema.Struct({
  slug: Schema.String,
  displayName: Schema.String,
  avatarUrl: Schema.NullOr(Schema.String),
  profileUrl: Schema.String
})

/** Who somebody is here, to whoever may know. */
export const humanProfile = {
  slug: Schema.String,
  displayName: Schema.String,
  bio: Schema.NullOr(Schema.String),
  avatarUrl: Schema.NullOr(Schema.String),
  links: Schema.Array(HumanLink)
}

/** A human who opted in to be seen, and the agents whose address is theirs beyond doubt. */
export const PublicHuman = Schema.Struct({
  ...humanProfile,
  agents: Schema.Array(Schema.Struct({ handle: Schema.String, displayName: Schema.String, tier: Schema.String })),
  rankScore: Schema.Int,
  joinedAt: Schema.String
})

/** A human as operators see them, and all there is of them. */
export const HumanForOps = Schema.Struct({
  id: HumanId,
  ...humanProfile,
  published: Schema.Boolean,
  linked: Schema.Boolean,
  blockedReason: Schema.NullOr(Schema.String),
  agents: Schema.Array(Schema.Struct({ id: AgentId, handle: Schema.String })),
  /** With what they listen; told where one person is asked for. */
  listeners: Schema.optionalKey(Schema.Array(ListenerId)),
  createdAt: Schema.String
})
