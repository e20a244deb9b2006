import { Effect, Clock } from "effect"
import type { ListenerId } from "../../schema/Ids.ts"
import type { Voter } from "../../engine/store/music/TrackVotes.ts"
import { ListenersWriter } from "../../engine/store/listeners/Listeners.ts"
import { type Deeds, ListenerDaysWriter } from "../../engine/store/listeners/ListenerDays.ts"
import { methodOf } from "../runtime/methodOf.ts"
import { InteractionsWriter } from "../../engine/store/listeners/Messages.ts"

/** The listener and its account. Locks the listener: a claim by an account waits for this transaction. */
export const voterOf = Effect.fnUntraced(function* (listenerId: ListenerId) {
  const voter: Voter = {
    listenerId,
    humanId: (yield* (yield* ListenersWriter).lockShared(listenerId))?.humanId ?? null
  }
  return voter
})

/** Counts a deed of a listener in the caller's transaction. Nothing is counted for guests without a token. */
export const countDeed = Effect.fnUntraced(function* (listenerId: ListenerId | null, deed: keyof Deeds) {
  if (listenerId !== null)
    yield* (yield* ListenerDaysWriter).count(yield* voterOf(listenerId), deed, yield* Clock.currentTimeMillis)
})

/** Features a message to an agent for some hours. */
export const featureMessage = methodOf(InteractionsWriter, "feature")
/** Marks the messages that an aired segment answers, and answers their ids. */
export const markMessagesAired = methodOf(InteractionsWriter, "markAired")
export const markCallAired = methodOf(InteractionsWriter, "markCallAired")
/** Replaces an erased person's name on aired messages by "a listener". */
export const disownMessages = methodOf(InteractionsWriter, "disown")
export const countListenerDeed = methodOf(ListenerDaysWriter, "count")
/** Voids all tokens of a person's listeners. */
export const voidListenerTokens = methodOf(ListenersWriter, "voidTokensOf")
