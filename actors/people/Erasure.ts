import { Clock, Effect } from "effect"
import { StationConfig } from "../../engine/runtime/Config.ts"
import { HumansWriter } from "../../engine/store/people/Humans.ts"
import { Interactions } from "../../engine/store/listeners/Messages.ts"
import { Meters } from "../../engine/store/sql/Meters.ts"
import { Transaction } from "../../engine/store/sql/Transaction.ts"
import type { HumanId } from "../../schema/Ids.ts"
import { discardMessage } from "../listeners/Message.ts"
import { Audience } from "../listeners/protocol/Audience.ts"
import { Room } from "../listeners/protocol/Room.ts"
import { forgetAnnouncements, forgetCredits } from "../air/inTransaction.ts"
import { disownMessages } from "../listeners/inTransaction.ts"
import { forgetSongRequests, forgetSubmissions } from "../music/inTransaction.ts"

/**
 * Erases a person, in the caller's transaction. Aired requests, credits and messages stay under the name "a listener"; everything else is
 * deleted with its row: sessions, identities, keys, votes, days, the account's listeners.
 */
export const erasePerson = Effect.fnUntraced(function* (humanId: HumanId) {
  const interactions = yield* Interactions
  const { afterCommit } = yield* Transaction
  yield* forgetSongRequests(humanId, yield* Clock.currentTimeMillis)
  yield* forgetSubmissions(humanId)
  yield* forgetCredits(humanId)
  yield* forgetAnnouncements(humanId)
  yield* disownMessages(humanId)
  const unheard = yield* interactions.listByHuman(humanId)
  yield* Effect.forEach(
    unheard.filter(({ type }) => type !== "call_in"),
    ({ id }) => discardMessage(id),
    { discard: true }
  )
  yield* (yield* Meters).forgetOf(humanId)
  yield* (yield* HumansWriter).erase(humanId)
  // After the commit: deleted files can't be restored by a rollback.
  const audience = yield* Audience.client
  if (unheard.some(({ type }) => type === "call_in")) {
    yield* afterCommit(
      audience(humanId)
        .ForgetMessages({ humanId })
        .pipe(
          Effect.catchCause(() =>
            Effect.logWarning("account: recordings of an erased person are left for the next cleanup")
          )
        )
    )
  }
  // Chat messages are deleted with the row; the room removes them from streams.
  const { stationSlug } = yield* StationConfig
  const room = (yield* Room.client)(stationSlug)
  yield* afterCommit(Effect.ignoreCause(room.Forget({ author: humanId })))
})
