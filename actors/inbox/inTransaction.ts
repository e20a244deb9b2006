import { Clock, Effect } from "effect"
import { inboxChange } from "../../engine/rules/inbox/Inbox.ts"
import { WebhooksWriter } from "../../engine/store/inbox/Webhooks.ts"
import type { StationEvent } from "../../schema/Events.ts"
import { emit } from "../runtime/emit.ts"
import { methodOf } from "../runtime/methodOf.ts"
import { settleInboxes } from "./InboxChanges.ts"

/** Removes the webhooks of an agent that leaves. */
export const removeWebhooks = methodOf(WebhooksWriter, "removeAll")

/**
 * Emits an event that an agent's own act causes, with its change of the inbox in the same transaction: the agent's next read of its home
 * finds it. Other changes of inboxes come with the outbox.
 */
export const emitToInbox = Effect.fnUntraced(function* (event: StationEvent) {
  yield* emit(event)
  const atMs = yield* Clock.currentTimeMillis
  const change = inboxChange(event, atMs)
  if (change !== null) yield* settleInboxes(change, { atMs, sequence: 0 }, "skip")
})
