import { Clock, Effect, Latch } from "effect"
import { sseHeartbeatSec } from "../../../engine/rules/http/limits.ts"
import { EventFanout, type ReadableLog, type Snapshot } from "./EventFanout.ts"

/** Runs `beat` at this interval until the scope closes. */
export const repeatEvery = (seconds: number, beat: Effect.Effect<void>) =>
  Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(`${seconds} seconds`), beat)))

/** A stream with a fiber that runs its rounds and yields between slices. */
export const serveLog = Effect.fnUntraced(function* (
  log: ReadableLog,
  snapshot: (viewer: string | null) => Snapshot | null
) {
  const waiting = Latch.makeUnsafe()
  const fanout = yield* Effect.acquireRelease(
    Effect.sync(() => new EventFanout(log, snapshot, () => waiting.openUnsafe())),
    (fanout) => Effect.sync(() => fanout.close())
  )
  yield* Effect.forkScoped(
    Effect.forever(
      Effect.gen(function* () {
        yield* waiting.await
        waiting.closeUnsafe()
        while (fanout.slice()) yield* Effect.yieldNow
      })
    )
  )
  yield* repeatEvery(
    sseHeartbeatSec,
    Effect.map(Clock.currentTimeMillis, (nowMs) => {
      fanout.beat("heartbeat", { at: new Date(nowMs).toISOString() })
      fanout.expire(nowMs)
    })
  )
  return fanout
})
