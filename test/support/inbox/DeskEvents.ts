import { Clock, Effect } from "effect"
import { feedInboxes } from "../../../actors/inbox/InboxFeeder.ts"
import { outboxReader } from "../../../actors/runtime/OutboxReader.ts"
import { emit } from "../../../actors/runtime/emit.ts"
import { IdSource } from "../../../engine/runtime/IdSource.ts"
import { InteractionsWriter } from "../../../engine/store/listeners/Messages.ts"
import { Transaction } from "../../../engine/store/sql/Transaction.ts"
import type { StationEvent } from "../../../schema/Events.ts"
import { aListener, type NewInteraction } from "../../../schema/listeners/Message.ts"

/** Emits events as the station's actors do, and waits until the desks have received them. */
export const emitAll = Effect.fnUntraced(function* (...events: ReadonlyArray<StationEvent>) {
  const { run } = yield* Transaction
  yield* Effect.forEach(events, (event) => run(emit(event)), { discard: true })
  yield* (yield* outboxReader("inbox", feedInboxes)).drain
})
/** A listener's message, as the station's listener subject stores it. */
export const writeIn = Effect.fnUntraced(function* (over: Partial<NewInteraction> = {}) {
  const id = yield* (yield* IdSource).make("int")
  yield* (yield* InteractionsWriter).add({
    id,
    type: "write_in",
    content: "What was that song at nine?",
    visibility: "desk",
    moderationStatus: "approved",
    flags: [],
    toAgentId: null,
    toShowSlug: null,
    listenerId: null,
    listenerLabel: aListener,
    trackId: null,
    source: "api",
    consentVersion: null,
    createdAtMs: yield* Clock.currentTimeMillis,
    ...over
  })
  return id
})
