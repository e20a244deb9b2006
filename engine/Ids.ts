import { Clock, Context, Effect, Layer } from "effect"
import { randomBytes } from "node:crypto"
import { makeId } from "../schema/Ids.ts"

/** For answers that are made outside of any effect. */
export const requestIdAt = (nowMs: number): string => makeId("req", nowMs, randomBytes(10))

/** New ids: time from the clock, chance from the machine's own source. */
export class Ids extends Context.Service<Ids, {
  readonly make: (prefix: string) => Effect.Effect<string>
}>()("longwave/engine/Ids") {
  static readonly layer = Layer.succeed(Ids, Ids.of({
    make: (prefix) => Effect.map(Clock.currentTimeMillis, (nowMs) => makeId(prefix, nowMs, randomBytes(10)))
  }))
}
