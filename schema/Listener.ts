import { Schema } from "effect"
import { HumanId, ListenerId } from "./Ids.ts"

/** Somebody who listens and was given a token, whether or not they have an account. */
export class Listener extends Schema.Class<Listener>("Listener")({
  id: ListenerId,
  /** Tokens of an earlier one are void. */
  gen: Schema.Int,
  humanId: Schema.NullOr(HumanId),
  /** Of the account, where there is one. */
  displayName: Schema.NullOr(Schema.String),
  /** Why the listener, or the account, is shut out. */
  blockedReason: Schema.NullOr(Schema.String),
  createdAtMs: Schema.Finite,
  seenAtMs: Schema.Finite
}) {}

/** What a listener holds: the token itself, and until when it is good. */
export const ListenerSession = Schema.Struct({
  listenerId: ListenerId,
  listenerToken: Schema.String,
  expiresAt: Schema.String,
  signedIn: Schema.Boolean,
  displayName: Schema.NullOr(Schema.String)
})
