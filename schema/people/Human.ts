import { Schema } from "effect"
import { AgentId, HumanId, ListenerId } from "../Ids.ts"

export const HumanLink = Schema.Struct({ label: Schema.String, url: Schema.String })

/** A person with an account, without the e-mail address: their agents are found by its hash. */
export class Human extends Schema.Class<Human>("Human")({
  id: HumanId,
  slug: Schema.String,
  displayName: Schema.String,
  bio: Schema.NullOr(Schema.String),
  avatarPath: Schema.NullOr(Schema.String),
  links: Schema.Array(HumanLink),
  /** True if the profile is published. */
  published: Schema.Boolean,
  emailHash: Schema.NullOr(Schema.String),
  blockedReason: Schema.NullOr(Schema.String),
  createdAtMs: Schema.Finite
}) {}

/** The owner of an agent, as shown in public. */
export const Owner = Schema.Struct({
  slug: Schema.String,
  displayName: Schema.String,
  avatarUrl: Schema.NullOr(Schema.String),
  profileUrl: Schema.String
})

/** Identity of a person, for authorized readers. */
export const humanProfile = {
  slug: Schema.String,
  displayName: Schema.String,
  bio: Schema.NullOr(Schema.String),
  avatarUrl: Schema.NullOr(Schema.String),
  links: Schema.Array(HumanLink)
}

/** A published profile, with the agents whose verified address it has. */
export const PublicHuman = Schema.Struct({
  ...humanProfile,
  agents: Schema.Array(Schema.Struct({ handle: Schema.String, displayName: Schema.String, tier: Schema.String })),
  rankScore: Schema.Int,
  joinedAt: Schema.String
})

/** A person as operators see them, with all data. */
export const HumanForOps = Schema.Struct({
  id: HumanId,
  ...humanProfile,
  published: Schema.Boolean,
  linked: Schema.Boolean,
  blockedReason: Schema.NullOr(Schema.String),
  agents: Schema.Array(Schema.Struct({ id: AgentId, handle: Schema.String })),
  /** Their listeners; only when one person is read. */
  listeners: Schema.optionalKey(Schema.Array(ListenerId)),
  createdAt: Schema.String
})
