import { Effect, Layer } from "effect"
import { inboxPurgeMinutes } from "../../engine/rules/inbox/limits.ts"
import { inboxChange } from "../../engine/rules/inbox/Inbox.ts"
import { InboxesWriter } from "../../engine/store/inbox/Inboxes.ts"
import { outboxReader, type Told } from "../runtime/OutboxReader.ts"
import { changeInboxes } from "./InboxChanges.ts"
import { repeatEvery, purgeJob } from "../runtime/Jobs.ts"
import { emit } from "../runtime/emit.ts"
import { markMessagesAired } from "../listeners/inTransaction.ts"

/** Updates agents' inboxes from an event. A repeat changes nothing. */
export const feedInboxes = Effect.fnUntraced(function* (told: Told) {
  const { atMs, event } = told
  if (event._tag === "SegmentAired") {
    const { agentId, segmentId } = event
    for (const interactionId of yield* markMessagesAired(segmentId))
      yield* emit({ _tag: "ListenerMessageAired", agentId, interactionId, segmentId })
  }
  const change = inboxChange(event, atMs)
  if (change !== null) yield* changeInboxes(change, told)
})

/** Feeds inboxes from the outbox. */
export const InboxFeederLive = Layer.effectDiscard(
  Effect.flatMap(outboxReader("inbox", feedInboxes), ({ run }) => Effect.forkScoped(run))
)

/** Deletes items some time after they expired. */
export const inboxJobs = [
  purgeJob("inbox.purge_items", {
    next: repeatEvery(inboxPurgeMinutes * 60_000),
    batch: (nowMs) => Effect.flatMap(InboxesWriter, (inboxes) => inboxes.purge(nowMs))
  })
] as const
