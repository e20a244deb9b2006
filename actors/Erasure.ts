import { Clock, Effect } from "effect"
import { Humans } from "../engine/store/Humans.ts"
import { SongRequests } from "../engine/store/SongRequests.ts"
import type { HumanId } from "../schema/Ids.ts"

/**
 * A person goes, within the transaction: what has been heard stays and is of 'a listener', everything else goes with the row
 * that it hangs on: sessions, identities, keys, votes, days, the listeners that belonged to the account.
 */
export const erasePerson = Effect.fn("Account.erase")(function*(humanId: HumanId) {
  yield* (yield* SongRequests).forget(humanId, yield* Clock.currentTimeMillis)
  yield* (yield* Humans).erase(humanId)
})
