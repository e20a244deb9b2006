import { Effect, Clock } from "effect"
import type { ListenerId } from "../../schema/Ids.ts"
import type { Voter } from "../../engine/store/music/TrackVotes.ts"
import { Listeners } from "../../engine/store/listeners/Listeners.ts"
import { type Deeds, ListenerDays } from "../../engine/store/listeners/ListenerDays.ts"

/** Whose deed it is, at this very moment: an account that takes the listener over waits until it is done. */
export const voterOf = Effect.fnUntraced(function* (listenerId: ListenerId) {
  const voter: Voter = { listenerId, humanId: (yield* (yield* Listeners).held(listenerId))?.humanId ?? null }
  return voter
})

/** Counts what a listener has done among their deeds, in the transaction in which it is done. Of guests without a token nothing is kept. */
export const countDeed = Effect.fnUntraced(function* (listenerId: ListenerId | null, deed: keyof Deeds) {
  if (listenerId !== null)
    yield* (yield* ListenerDays).count(yield* voterOf(listenerId), deed, yield* Clock.currentTimeMillis)
})
