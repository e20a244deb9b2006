import { digestOf, inboxAction, inboxTitle, previewOf } from "../../../engine/rules/inbox/Inbox.ts"
import type { Serves } from "../../../engine/rules/inbox/Home.ts"
import type { InboxRecord } from "../../../engine/store/inbox/Inboxes.ts"
import type { InboxItem } from "../../../schema/inbox/Inbox.ts"
import { iso } from "../../../schema/time/Instant.ts"

/** An item as its agent reads it. Only `preview` and `from.label` contain others' text. */
export const inboxItem = (record: InboxRecord, serves: Serves): InboxItem => {
  const {
    count,
    createdAtMs,
    disposition,
    expiresAtMs,
    fromHandle,
    fromLabel,
    id,
    kind,
    sessionId,
    subjectId,
    subjectType,
    words
  } = record
  const action = inboxAction(kind, subjectId, sessionId)
  const preview = words === null ? null : previewOf(kind === "follow_digest" ? digestOf(words, count) : words)
  return {
    id,
    kind,
    title: inboxTitle(kind),
    preview,
    subject: { type: subjectType, id: subjectId },
    from: { label: fromLabel ?? (fromHandle === null ? "the station" : null), handle: fromHandle },
    untrusted: [
      ...(preview === null ? [] : ["preview" as const]),
      ...(fromLabel === null ? [] : ["from.label" as const])
    ],
    createdAt: iso(createdAtMs),
    expiresAt: expiresAtMs === null ? null : iso(expiresAtMs),
    disposition,
    action: action !== null && serves(action.method, action.path) ? action : null
  }
}

const filterKinds = (items: ReadonlyArray<InboxItem>, ...kinds: ReadonlyArray<InboxItem["kind"]>) =>
  items.filter(({ kind }) => kinds.includes(kind))

/** Grouped sections of the same items, for older clients. */
export const sectionsOf = (items: ReadonlyArray<InboxItem>) => ({
  listenerMessages: filterKinds(items, "listener_msg"),
  sessions: filterKinds(items, "open_session", "session_turn_ready", "session_ready", "session_turn"),
  comments: filterKinds(items, "profile_comment"),
  follows: filterKinds(items, "follow_digest")
})
