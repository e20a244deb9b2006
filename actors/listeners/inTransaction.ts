import { Effect, Clock } from "effect"
import type { ListenerId } from "../../schema/Ids.ts"
import type { Voter } from "../../engine/store/music/TrackVotes.ts"
import { ListenersWriter } from "../../engine/store/listeners/Listeners.ts"
import { type Deeds, ListenerDaysWriter } from "../../engine/store/listeners/ListenerDays.ts"
import { joined } from "../runtime/joined.ts"
import { InteractionsWriter } from "../../engine/store/listeners/Messages.ts"

/** Whose deed it is, at this very moment: an account that takes the listener over waits until it is done. */
export const voterOf = Effect.fnUntraced(function* (listenerId: ListenerId) {
  const voter: Voter = { listenerId, humanId: (yield* (yield* ListenersWriter).held(listenerId))?.humanId ?? null }
  return voter
})

/** Counts what a listener has done among their deeds, in the transaction in which it is done. Of guests without a token nothing is kept. */
export const countDeed = Effect.fnUntraced(function* (listenerId: ListenerId | null, deed: keyof Deeds) {
  if (listenerId !== null)
    yield* (yield* ListenerDaysWriter).count(yield* voterOf(listenerId), deed, yield* Clock.currentTimeMillis)
})

/** Lays a message on an agent's desk for some hours. */
export const featureMessage = joined(InteractionsWriter, "feature")
/** The messages that a segment answers were answered on the air; answers their ids. */
export const messagesAired = joined(InteractionsWriter, "aired")
/** A call was heard. */
export const callAired = joined(InteractionsWriter, "callAired")
/** What has aired of an erased person is of "a listener" from now on. */
export const disownMessages = joined(InteractionsWriter, "disown")
/** Counts one more deed of a listener's day. */
export const countListenerDeed = joined(ListenerDaysWriter, "count")
/** Makes all tokens of a person's listeners void. */
export const voidListenerTokens = joined(ListenersWriter, "voidTokensOf")
