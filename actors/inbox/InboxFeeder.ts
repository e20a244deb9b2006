import { Effect, Layer } from "effect"
import { inboxPurgeMinutes } from "../../engine/rules/inbox/limits.ts"
import { expiryOf, inboxChange, itemId } from "../../engine/rules/inbox/Inbox.ts"
import { InboxesWriter } from "../../engine/store/inbox/Inboxes.ts"
import type { Laid } from "../../schema/inbox/Inbox.ts"
import { outboxReader, type Told } from "../runtime/OutboxReader.ts"
import { every, purgeJob } from "../runtime/Jobs.ts"
import { emit } from "../runtime/emit.ts"
import { messagesAired } from "../listeners/inTransaction.ts"

const lay = ({ atMs, sequence }: Told, laid: Laid) =>
  Effect.flatMap(InboxesWriter, (inboxes) =>
    inboxes.lay({
      ...laid,
      id: itemId(laid.kind, laid.subjectId),
      createdAtMs: atMs,
      expiresAtMs: expiryOf(laid, atMs),
      sequence
    })
  )

/** Updates agents' inboxes from an event. A repeat changes nothing. */
export const feedInboxes = Effect.fn("Inbox.feed")(function* (told: Told) {
  const { atMs, event } = told
  const inboxes = yield* InboxesWriter
  if (event._tag === "SegmentAired") {
    const { agentId, segmentId } = event
    for (const interactionId of yield* messagesAired(segmentId))
      yield* emit({ _tag: "ListenerMessageAired", agentId, interactionId, segmentId })
  }
  const change = inboxChange(event, atMs)
  switch (change?._tag) {
    case undefined:
      return
    case "Lay": {
      const { agentId, sessionId } = change.laid
      if (sessionId !== null) yield* inboxes.end(agentId, { sessionId, kinds: change.ends }, atMs)
      return yield* lay(told, change.laid)
    }
    case "Taken": {
      const own = yield* inboxes.end(
        change.laid.agentId,
        { ids: [itemId("session_turn_ready", change.laid.subjectId)] },
        atMs
      )
      return own > 0 ? undefined : yield* lay(told, change.laid)
    }
    case "Skipped":
      return yield* Effect.asVoid(
        inboxes.end(change.agentId, { ids: [itemId("session_turn_ready", change.turnId)] }, atMs)
      )
    case "SessionEnded":
      return yield* inboxes.endSession(change.sessionId, atMs)
    case "Over":
      return yield* Effect.asVoid(inboxes.end(change.agentId, { ids: [change.itemId] }, atMs))
    case "Acted":
      return yield* Effect.asVoid(inboxes.dispose(change.agentId, [change.itemId], "acted", atMs))
  }
})

/** Feeds inboxes from the outbox. */
export const InboxFeederLive = Layer.effectDiscard(
  Effect.flatMap(outboxReader("inbox", feedInboxes), ({ run }) => Effect.forkScoped(run))
)

/** Deletes items some time after they expired. */
export const inboxJobs = [
  purgeJob("inbox.purge_items", {
    next: every(inboxPurgeMinutes * 60_000),
    batch: (nowMs) => Effect.flatMap(InboxesWriter, (inboxes) => inboxes.purge(nowMs))
  })
] as const
