import { Schema } from "effect"
import { HumanId, ListenerId, TrackId } from "../Ids.ts"

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
  displayName: Schema.NullOr(Schema.String),
  /** Whose account's session came along, where this listener belongs to nobody yet: they may claim it. */
  claimableBy: Schema.NullOr(Schema.String)
})

export const RotationInfluence = Schema.Literals(["none", "boosted", "scheduled"])

/** What listeners and agents think of a track, and what that does for it. */
export const TrackEngagement = Schema.Struct({
  trackId: TrackId,
  totals: Schema.Struct({
    likes: Schema.Int,
    dislikes: Schema.Int,
    upvotes: Schema.Int,
    downvotes: Schema.Int,
    boosts: Schema.Int
  }),
  rotationInfluence: RotationInfluence,
  /** Of whoever asks, where their own token came along. */
  mine: Schema.NullOr(
    Schema.Struct({ like: Schema.Boolean, dislike: Schema.Boolean, reasonCode: Schema.NullOr(Schema.String) })
  )
})
export type TrackEngagement = typeof TrackEngagement.Type

export const EngageKind = Schema.Literals(["tune_in", "listening", "reaction", "share", "poll"])
export const Reaction = Schema.Literals(["love", "laugh", "wow", "sad", "fire"])

export const EngageAnswer = Schema.Struct({
  recorded: Schema.Boolean,
  streak: Schema.Struct({ current: Schema.Int, longest: Schema.Int, todayMinutes: Schema.Int })
})
export type EngageAnswer = typeof EngageAnswer.Type

/** How often and how long somebody listened. Days are UTC's. */
export const Streaks = Schema.Struct({
  listenerId: ListenerId,
  streak: Schema.Struct({
    current: Schema.Int,
    longest: Schema.Int,
    lastDay: Schema.NullOr(Schema.String),
    todayMinutes: Schema.Int
  }),
  totals: Schema.Struct({
    minutes: Schema.Int,
    votes: Schema.Int,
    requests: Schema.Int,
    writeIns: Schema.Int,
    callIns: Schema.Int,
    reactions: Schema.Int
  }),
  history: Schema.Array(Schema.Struct({ day: Schema.String, minutes: Schema.Int, actions: Schema.Int }))
})

/** A listener as operators see it; asked for by its id, with all there is of it. */
export const ListenerForOps = Schema.Struct({
  id: ListenerId,
  kind: Schema.Literal("listener"),
  humanId: Schema.NullOr(HumanId),
  blockedReason: Schema.NullOr(Schema.String),
  createdAt: Schema.String,
  seenAt: Schema.String,
  streaks: Schema.optionalKey(Streaks),
  votes: Schema.optionalKey(
    Schema.Array(
      Schema.Struct({
        trackId: Schema.String,
        action: Schema.String,
        reasonCode: Schema.NullOr(Schema.String),
        at: Schema.String
      })
    )
  )
})
