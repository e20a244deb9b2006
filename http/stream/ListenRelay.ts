import { Clock, Effect, Layer, Queue, Stream } from "effect"
import { mp3BurstMs, relayChunksMax } from "../../engine/rules/air/limits.ts"
import { Live } from "../../engine/ports/Live.ts"
import { Relay } from "../api/air/Relay.ts"
import { Listen } from "./Listen.ts"
import { addressFull, houseFull } from "./ListenMp3.ts"

/** Counted and bounded like all listeners. */
export const RelayLive = Layer.effect(
  Relay,
  Effect.gen(function* () {
    const clock = yield* Clock.Clock
    const live = yield* Live
    const { listeners } = yield* Listen
    const nowMs = () => Number(clock.monotonicTimeNanosUnsafe()) / 1e6
    return Relay.of({
      join: Effect.fnUntraced(function* (address) {
        const socket = {}
        const place = listeners.joinMp3(socket, address, nowMs())
        if (place !== "joined") return yield* place === "full" ? houseFull : addressFull
        yield* Effect.addFinalizer(() => Effect.sync(() => listeners.leaveMp3(socket)))
        return Stream.callback<Uint8Array>(
          (queue) =>
            Effect.acquireRelease(
              Effect.sync(() => {
                const { burst, close } = live.mp3(mp3BurstMs, (chunk) => {
                  if (chunk._tag === "Frames") Queue.offerUnsafe(queue, chunk.bytes)
                })
                for (const bytes of burst) Queue.offerUnsafe(queue, bytes)
                return close
              }),
              (close) => Effect.sync(close)
            ),
          { bufferSize: relayChunksMax, strategy: "sliding" }
        )
      })
    })
  })
)
