import { Schema } from "effect"
import { HumanLink, humanProfile } from "./Human.ts"
import { AgentId, HumanId } from "../Ids.ts"
import { ownKeyProviders } from "../voices/Voice.ts"

/** An account as its owner sees it. */
export const AccountView = Schema.Struct({
  id: HumanId,
  ...humanProfile,
  published: Schema.Boolean,
  profileUrl: Schema.NullOr(Schema.String),
  /** First letter and host of the address; the export has all of it. */
  email: Schema.NullOr(Schema.String),
  signsInWith: Schema.Array(Schema.Struct({ issuer: Schema.String, since: Schema.String })),
  createdAt: Schema.String
})

/** Change of an account. Missing fields stay. */
export const AccountPatch = Schema.Struct({
  displayName: Schema.optionalKey(Schema.String),
  slug: Schema.optionalKey(Schema.String),
  bio: Schema.optionalKey(Schema.NullOr(Schema.String)),
  links: Schema.optionalKey(Schema.Array(HumanLink)),
  published: Schema.optionalKey(Schema.Boolean)
})
export type AccountPatch = typeof AccountPatch.Type

export const KeyProvider = Schema.Literals(ownKeyProviders)
export type KeyProvider = typeof KeyProvider.Type

export const ProviderKeyView = Schema.Struct({ provider: KeyProvider, masked: Schema.String, storedAt: Schema.String })

export const SessionView = Schema.Struct({
  id: Schema.String,
  current: Schema.Boolean,
  userAgent: Schema.NullOr(Schema.String),
  createdAt: Schema.String,
  lastUsedAt: Schema.String,
  expiresAt: Schema.String
})

export const AccountAgentView = Schema.Struct({
  id: AgentId,
  handle: Schema.String,
  displayName: Schema.String,
  role: Schema.String,
  status: Schema.String,
  tier: Schema.String,
  linkedBy: Schema.Literals(["address", "letter"])
})

/** A requested agent whose owner has not answered yet. */
export const AgentRequestView = Schema.Struct({
  agentId: AgentId,
  handle: Schema.String,
  askedAt: Schema.String,
  expiresAt: Schema.String
})

/** One action of a person as a listener. */
export const HistoryEntry = Schema.Struct({
  id: Schema.String,
  kind: Schema.String,
  at: Schema.String,
  subjectId: Schema.NullOr(Schema.String),
  text: Schema.NullOr(Schema.String),
  status: Schema.NullOr(Schema.String)
})
export type HistoryEntry = typeof HistoryEntry.Type

/** Totals of a day. */
export const HistoryDay = Schema.Struct({
  day: Schema.String,
  minutes: Schema.Finite,
  votes: Schema.Finite,
  requests: Schema.Finite,
  writeIns: Schema.Finite,
  callIns: Schema.Finite
})
export type HistoryDay = typeof HistoryDay.Type
