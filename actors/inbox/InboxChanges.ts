import { Effect } from "effect"
import { expiryOf, type InboxChange, itemId } from "../../engine/rules/inbox/Inbox.ts"
import { type HeldRows, InboxesWriter } from "../../engine/store/inbox/Inboxes.ts"
import type { Laid } from "../../schema/inbox/Inbox.ts"

/** Time of an event, and its number in the outbox: 0 until it has one. */
interface Numbered {
  readonly atMs: number
  readonly sequence: number
}

const lay = ({ atMs, sequence }: Numbered, laid: Laid) =>
  Effect.flatMap(InboxesWriter, (inboxes) =>
    inboxes.lay({
      ...laid,
      id: itemId(laid.kind, laid.subjectId),
      createdAtMs: atMs,
      expiresAtMs: expiryOf(laid, atMs),
      sequence
    })
  )

const endTurn = (agentId: Laid["agentId"], turnId: string, atMs: number, held: HeldRows) =>
  Effect.flatMap(InboxesWriter, (inboxes) =>
    inboxes.end(agentId, { ids: [itemId("session_turn_ready", turnId)] }, atMs, held)
  )

/** Applies an event of the outbox to agents' inboxes. A repeat changes nothing. */
export const changeInboxes = Effect.fnUntraced(function* (change: InboxChange, numbered: Numbered) {
  if (change._tag !== "Taken") return yield* settleInboxes(change, numbered, "wait")
  const { laid } = change
  const own = yield* endTurn(laid.agentId, laid.subjectId, numbered.atMs, "wait")
  if (own === 0) yield* lay(numbered, laid)
})

/**
 * The part of a change that the acting agent has to find at its next read. In the transaction of the act it must leave out the rows that the
 * outbox reader holds, or the two could wait for each other; the reader comes to the act's own event later.
 */
export const settleInboxes = Effect.fnUntraced(function* (change: InboxChange, numbered: Numbered, held: HeldRows) {
  const inboxes = yield* InboxesWriter
  const { atMs } = numbered
  switch (change._tag) {
    case "Lay": {
      const { agentId, sessionId } = change.laid
      if (sessionId !== null) yield* inboxes.end(agentId, { sessionId, kinds: change.ends }, atMs, held)
      return yield* lay(numbered, change.laid)
    }
    case "Taken":
      return yield* Effect.asVoid(endTurn(change.laid.agentId, change.laid.subjectId, atMs, held))
    case "Skipped":
      return yield* Effect.asVoid(endTurn(change.agentId, change.turnId, atMs, held))
    case "SessionEnded":
      return yield* inboxes.endSession(change.sessionId, atMs, held)
    case "Over":
      return yield* Effect.asVoid(inboxes.end(change.agentId, { ids: [change.itemId] }, atMs, held))
    case "Acted":
      return yield* Effect.asVoid(inboxes.dispose(change.agentId, [change.itemId], "acted", atMs, held))
  }
})
