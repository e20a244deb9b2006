import { Effect } from "effect"
import { ListenersWriter } from "../../engine/store/listeners/Listeners.ts"
import { TrackVotes } from "../../engine/store/music/TrackVotes.ts"
import type { ListenerId } from "../../schema/Ids.ts"
import type { Listener } from "../../schema/listeners/Listener.ts"
import { NotFound } from "../../schema/Problems.ts"
import { type Act, record } from "../runtime/audit.ts"
import { command } from "../runtime/Command.ts"
import { weighAnew } from "../music/TrackInfluence.ts"
import { forgetFollower } from "../social/inTransaction.ts"

type Ask = Act & { readonly listenerId: ListenerId }

const requireListener = Effect.fnUntraced(function* (id: ListenerId) {
  return (yield* (yield* ListenersWriter).lock(id)) ?? (yield* new NotFound({ detail: `There is no listener ${id}.` }))
})

const subjectOf = (id: ListenerId) => ({ type: "listener", id })
/** Audit view of a listener, without the listener's activity. */
const auditViewOf = ({ blockedReason, gen, humanId }: Listener) => ({ blockedReason, gen, linked: humanId !== null })

const moderate = Effect.fnUntraced(function* ({
  actor,
  blocked,
  listenerId,
  reason,
  voidTokens
}: Ask & { readonly blocked: boolean | null; readonly voidTokens: boolean }) {
  return yield* command({
    run: Effect.gen(function* () {
      const listeners = yield* ListenersWriter
      const before = yield* requireListener(listenerId)
      if (blocked !== null) yield* listeners.block(listenerId, blocked ? reason : null)
      if (voidTokens) yield* listeners.voidTokens(listenerId)
      const after = yield* requireListener(listenerId)
      if (JSON.stringify(auditViewOf(before)) !== JSON.stringify(auditViewOf(after)))
        yield* record(
          { actor, reason },
          "listener.change",
          subjectOf(listenerId),
          auditViewOf(before),
          auditViewOf(after)
        )
      return after
    })
  })
})

/** Erases a listener. History that an account has claimed stays with the account. */
const erase = Effect.fnUntraced(function* ({ actor, listenerId, reason }: Ask) {
  return yield* command({
    run: Effect.gen(function* () {
      const listener = yield* requireListener(listenerId)
      const voted = yield* (yield* TrackVotes).listByVoter(listenerId)
      yield* (yield* ListenersWriter).erase(listenerId)
      yield* forgetFollower({ type: "listener", id: listenerId })
      yield* Effect.forEach(voted.map(({ trackId }) => trackId).sort(), weighAnew, { discard: true })
      yield* record({ actor, reason }, "listener.erase", subjectOf(listenerId), auditViewOf(listener), null)
      return listener
    })
  })
})

/** Operators' handlers for a listener. */
export const listenerModeration = {
  ModerateListener: ({ payload }: { readonly payload: Parameters<typeof moderate>[0] }) => moderate(payload),
  EraseListener: ({ payload }: { readonly payload: Ask }) => erase(payload)
}
