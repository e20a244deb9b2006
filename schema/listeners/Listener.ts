import { Schema } from "effect"
import { HumanId, ListenerId, TrackId } from "../Ids.ts"

/** A listener with a token, with or without an account. */
export class Listener extends Schema.Class<Listener>("Listener")({
  id: ListenerId,
  /** Tokens with an earlier version are void. */
  gen: Schema.Int,
  humanId: Schema.NullOr(HumanId),
  /** The account's name, if there is an account. */
  displayName: Schema.NullOr(Schema.String),
  /** Why the listener, or the account, is blocked. */
  blockedReason: Schema.NullOr(Schema.String),
  createdAtMs: Schema.Finite,
  seenAtMs: Schema.Finite
}) {}

/** A listener's token and its expiry. */
export const ListenerSession = Schema.Struct({
  listenerId: ListenerId,
  listenerToken: Schema.String,
  expiresAt: Schema.String,
  signedIn: Schema.Boolean,
  displayName: Schema.NullOr(Schema.String),
  /** The signed-in account that may claim this listener, if nobody owns it yet. */
  claimableBy: Schema.NullOr(Schema.String)
})

export const RotationInfluence = Schema.Literals(["none", "boosted", "scheduled"])

/** Votes of listeners and agents on a track, and their influence. */
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
  /** The caller's own vote, if they sent their token. */
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

/** How often and how long a listener listened. Days are UTC days. */
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

/** A listener as operators see it; a request by id returns all data. */
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
