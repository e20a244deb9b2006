import { Clock, Context, Effect, Layer } from "effect"
import { randomFillSync } from "node:crypto"
import { makeId } from "../../schema/Ids.ts"

const idBytes = 10
const drawn = new Uint8Array(idBytes * 400)
let used = drawn.length

/** Random bytes for one id. Drawn for many at a time, because a system call costs more than making the id. */
const chance = (): Uint8Array => {
  if (used === drawn.length) {
    randomFillSync(drawn)
    used = 0
  }
  return drawn.subarray(used, (used += idBytes))
}

/** For responses made outside of any effect. */
export const requestIdAt = (nowMs: number): string => makeId("req", nowMs, chance())

/** New ids: time from the clock, randomness from the system. */
export class IdSource extends Context.Service<
  IdSource,
  {
    readonly make: (prefix: string) => Effect.Effect<string>
  }
>()("longwave/engine/IdSource") {
  static readonly layer = Layer.succeed(
    IdSource,
    IdSource.of({
      make: (prefix) => Effect.map(Clock.currentTimeMillis, (nowMs) => makeId(prefix, nowMs, chance()))
    })
  )
}
