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
import { forgetCredits } from "../air/inTransaction.ts"
import { disownMessages } from "../listeners/inTransaction.ts"
import { forgetSongRequests } from "../music/inTransaction.ts"

/**
 * A person goes, within the transaction: what has been heard stays and is of 'a listener', everything else goes with the row
 * that it hangs on: sessions, identities, keys, votes, days, the listeners that belonged to the account.
 */
export const erasePerson = Effect.fn("Account.erase")(function* (humanId: HumanId) {
  const interactions = yield* Interactions
  const { afterCommit } = yield* Transaction
  yield* forgetSongRequests(humanId, yield* Clock.currentTimeMillis)
  yield* forgetCredits(humanId)
  yield* disownMessages(humanId)
  const unheard = yield* interactions.ofHuman(humanId)
  yield* Effect.forEach(
    unheard.filter(({ type }) => type !== "call_in"),
    ({ id }) => discardMessage(id),
    { discard: true }
  )
  yield* (yield* Meters).forgetOf(humanId)
  yield* (yield* HumansWriter).erase(humanId)
  // A file can't be brought back: recordings go once nothing can undo this.
  const audience = yield* Audience.client
  if (unheard.some(({ type }) => type === "call_in")) {
    yield* afterCommit(
      audience(humanId)
        .ForgetMessages({ humanId })
        .pipe(Effect.catchCause(() => Effect.logWarning("recordings of somebody who left go with the next sweep")))
    )
  }
  // What they said in the chat goes with the row as well; the room tells those who follow it.
  const { stationSlug } = yield* StationConfig
  const room = (yield* Room.client)(stationSlug)
  yield* afterCommit(Effect.ignoreCause(room.Forget({ author: humanId })))
})
