import { Clock, Effect } from "effect"
import { utcDay } from "../../../engine/rules/allowance/Meter.ts"
import { Listeners } from "../../../engine/store/listeners/Listeners.ts"
import { TrackVotes } from "../../../engine/store/music/TrackVotes.ts"
import type { Listener } from "../../../schema/listeners/Listener.ts"
import { NotFound } from "../../../schema/Problems.ts"
import { unknownCursor } from "../Commands.ts"
import { streaksOf } from "./Streaks.ts"
import { iso } from "../../../schema/time/Instant.ts"
export const isListener = (id: string): boolean => id.startsWith("lsn_")
export const requireListener = Effect.fnUntraced(function* (id: string) {
  return (yield* (yield* Listeners).find(id)) ?? (yield* new NotFound({ detail: `There is no user ${id}.` }))
})
export const renderListener = ({ blockedReason, createdAtMs, humanId, id, seenAtMs }: Listener) => ({
  id,
  kind: "listener" as const,
  humanId,
  blockedReason,
  createdAt: iso(createdAtMs),
  seenAt: iso(seenAtMs)
})
/** All data of a listener, without its account's. */
export const renderWholeListener = Effect.fnUntraced(function* (listener: Listener) {
  const who = listener.humanId ?? listener.id
  const votes = yield* (yield* TrackVotes).listByVoter(who)
  return {
    ...renderListener(listener),
    streaks: yield* streaksOf(listener.id, who, utcDay(yield* Clock.currentTimeMillis)),
    votes: votes.map(({ action, atMs, reasonCode, trackId }) => ({ trackId, action, reasonCode, at: iso(atMs) }))
  }
})
export const listListeners = Effect.fnUntraced(function* (limit: number, cursor: string | undefined) {
  const listeners = yield* Listeners
  if (cursor !== undefined && (yield* listeners.find(cursor)) === null) return yield* unknownCursor
  const rows = yield* listeners.list(limit + 1, cursor ?? null)
  const page = rows.slice(0, limit)
  return { users: page.map(renderListener), ...(rows.length > limit ? { nextCursor: page.at(-1)!.id } : {}) }
})
