import { Effect, Layer, Semaphore } from "effect"
import { createHash } from "node:crypto"
import { type Cover, Covers } from "../../engine/ports/Covers.ts"
import { ObjectStore } from "../../engine/ports/ObjectStore.ts"
import { drawApart } from "./Portraits.ts"

/** Another way of drawing has another name. */
const hand = "1"

export const CoversLive = Layer.effect(
  Covers,
  Effect.gen(function* () {
    const objects = yield* ObjectStore
    const inTurn = yield* Semaphore.make(1)
    return Covers.of({
      keyOf: Effect.fnUntraced(function* ({ line, stationName, title }: Cover) {
        const key = `covers/${createHash("sha256")
          .update(JSON.stringify([hand, title, line, stationName]))
          .digest("hex")
          .slice(0, 32)}.png`
        if ((yield* objects.size(key)) !== null) return key
        // Concurrent callers wait for this one.
        yield* inTurn.withPermit(
          Effect.gen(function* () {
            if ((yield* objects.size(key)) !== null) return
            yield* objects.put(
              key,
              { bytes: yield* drawApart({ _tag: "Cover", title, line, stationName }) },
              "image/png"
            )
          })
        )
        return key
      })
    })
  })
)
