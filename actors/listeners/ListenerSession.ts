import { Clock, Effect } from "effect"
import { IdSource } from "../../engine/runtime/IdSource.ts"
import { isDue } from "../../engine/runtime/ListenerToken.ts"
import { ListenersWriter } from "../../engine/store/listeners/Listeners.ts"
import type { HumanId, ListenerId } from "../../schema/Ids.ts"
import { ListenerTokens } from "./ListenerTokens.ts"
import { command } from "../runtime/Command.ts"

interface Opening {
  readonly shown: {
    readonly listenerId: ListenerId
    readonly text: string
    readonly issuedAtMs: number
    readonly expiresAtMs: number
  } | null
  readonly humanId: HumanId | null
}

const newcomer = Effect.fnUntraced(function* (humanId: HumanId | null, nowMs: number) {
  const id = yield* (yield* IdSource).make("lsn")
  yield* (yield* ListenersWriter).insert(id, humanId, nowMs)
  return id
})

const openSession = Effect.fnUntraced(function* ({ humanId, shown }: Opening) {
  const nowMs = yield* Clock.currentTimeMillis
  if (shown !== null && !isDue(shown, nowMs))
    return { listenerId: shown.listenerId, token: shown.text, expiresAtMs: shown.expiresAtMs }
  return yield* command({
    run: Effect.gen(function* () {
      const listenerId = shown?.listenerId ?? (yield* newcomer(humanId, nowMs))
      const gen = (yield* (yield* ListenersWriter).lockShared(listenerId))?.gen ?? 0
      return { listenerId, ...(yield* (yield* ListenerTokens).issue(listenerId, gen, nowMs)) }
    })
  })
})

/** Handlers of listener tokens. */
export const audienceSession = {
  OpenSession: ({ payload }: { readonly payload: Opening }) => openSession(payload),
  Seen: ({
    payload: { atMs, listenerId }
  }: {
    readonly payload: { readonly listenerId: ListenerId; readonly atMs: number }
  }) => Effect.flatMap(ListenersWriter, (listeners) => listeners.markSeen(listenerId, atMs))
}
