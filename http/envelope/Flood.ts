import { Clock, Context, Effect, Layer } from "effect"
import { StationConfig } from "../../engine/runtime/Config.ts"
import { type Allowance, count, type Policy } from "../api/Counted.ts"
import { RateLimits } from "./RateLimits.ts"

/** The general rate limits of this process. */
export class Flood extends Context.Service<
  Flood,
  {
    readonly take: (policy: Policy, caller: string) => Effect.Effect<Allowance>
  }
>()("longwave/http/Flood") {
  static readonly layer = Layer.effect(
    Flood,
    Effect.gen(function* () {
      const limits = new RateLimits((yield* StationConfig).rateLimitScale)
      return Flood.of({
        take: Effect.fnUntraced(function* (policy, caller) {
          const allowance = limits.take(policy, caller, yield* Clock.currentTimeMillis)
          yield* count(allowance)
          return allowance
        })
      })
    })
  )
}
