import { Clock, Effect } from "effect"
import { feedInboxes } from "../../actors/InboxFeeder.ts"
import { outboxReader } from "../../actors/OutboxReader.ts"
import { tell } from "../../actors/Telling.ts"
import { Ids } from "../../engine/Ids.ts"
import { Interactions } from "../../engine/store/Interactions.ts"
import { Transaction } from "../../engine/store/Transaction.ts"
import type { StationEvent } from "../../schema/Events.ts"
import { aListener, type NewInteraction } from "../../schema/Interaction.ts"

/** Events as the station's actors tell them, all of which have reached the desks that they concern. */
export const told = Effect.fnUntraced(function*(...events: ReadonlyArray<StationEvent>) {
  const { run } = yield* Transaction
  yield* Effect.forEach(events, (event) => run(tell(event)), { discard: true })
  yield* (yield* outboxReader("inbox", feedInboxes)).drain
})

/** What a listener sent in, as the listeners' side of the station stores it. */
export const writtenIn = Effect.fnUntraced(function*(over: Partial<NewInteraction> = {}) {
  const id = yield* (yield* Ids).make("int")
  yield* (yield* Interactions).add({
    id, type: "write_in", content: "What was that song at nine?", visibility: "desk", moderationStatus: "approved", flags: [], toAgentId: null, toShowSlug: null, listenerId: null,
    listenerLabel: aListener, trackId: null, source: "api", consentVersion: null, createdAtMs: yield* Clock.currentTimeMillis, ...over
  })
  return id
})
