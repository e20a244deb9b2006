import { Clock, Effect } from "effect"
import { type Deeds, ListenerDays } from "../engine/store/ListenerDays.ts"
import type { ListenerId } from "../schema/Ids.ts"
import { voterOf } from "./AudienceVotes.ts"

/** Counts what a listener has done among their deeds, in the transaction in which it is done. Of guests without a token nothing is kept. */
export const countDeed = Effect.fnUntraced(function*(listenerId: ListenerId | null, deed: keyof Deeds) {
  if (listenerId !== null) yield* (yield* ListenerDays).count(yield* voterOf(listenerId), deed, yield* Clock.currentTimeMillis)
})
