import { Effect } from "effect"
import type { Air } from "../../../engine/ports/Air.ts"

/** Live sound that never comes: it only knows who has taken the air. */
export const makeNoLive = (): Air["Service"]["live"] => {
  let taken: { readonly title: string; readonly by: string } | null = null
  return {
    take: ({ by, label }) => Effect.sync(() => void (taken = { title: label.title, by })),
    release: () => Effect.sync(() => void (taken = null)),
    receive: () => Effect.succeed({ reason: "unreadable", receivedSec: 0, onAirSec: 0 }),
    state: Effect.sync(() => ({
      state: taken === null ? ("off" as const) : ("waiting" as const),
      title: taken?.title ?? null,
      takenBy: taken?.by ?? null,
      sentBy: null,
      sinceMs: null,
      inputLufs: null,
      silentSec: 0,
      gainDb: 0
    }))
  }
}
