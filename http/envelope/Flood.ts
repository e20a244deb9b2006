import { Clock, Context, Effect, Layer } from "effect"
import { StationConfig } from "../../engine/runtime/Config.ts"
import { sha256 } from "../../engine/runtime/Secrets.ts"
import { type Allowance, count, type Policy } from "../api/Counted.ts"
import { RateLimits } from "./RateLimits.ts"

/** The general rate limits. */
export class Flood extends Context.Service<
  Flood,
  {
    readonly take: (policy: Policy, caller: string) => Effect.Effect<Allowance>
    /** The same outside of any effect. */
    readonly takeAt: (policy: Policy, caller: string, nowMs: number) => Allowance
    /** Whether one more would be allowed; nothing is counted. */
    readonly look: (policy: Policy, caller: string) => Effect.Effect<Allowance>
    /** A credential proved good: its address may send more from now on. */
    readonly prove: (credential: string) => Effect.Effect<void>
    readonly isProven: (credential: string) => Effect.Effect<boolean>
    /** Begins to count for other processes; answers how to take what they don't know yet, and how to add what they counted. */
    readonly share: () => Pick<RateLimits, "takeUntold" | "addSpent">
  }
>()("longwave/http/Flood") {
  static readonly layer = Layer.effect(
    Flood,
    Effect.gen(function* () {
      const limits = new RateLimits((yield* StationConfig).rateLimitScale)
      return Flood.of({
        takeAt: (policy, caller, nowMs) => limits.take(policy, caller, nowMs),
        take: Effect.fnUntraced(function* (policy, caller) {
          const allowance = limits.take(policy, caller, yield* Clock.currentTimeMillis)
          yield* count(allowance)
          return allowance
        }),
        look: Effect.fnUntraced(function* (policy, caller) {
          const allowance = limits.look(policy, caller, yield* Clock.currentTimeMillis)
          if (!allowance.allowed) yield* count(allowance)
          return allowance
        }),
        prove: (credential) => Effect.sync(() => limits.prove(sha256(credential))),
        share: () => {
          limits.share()
          return limits
        },
        isProven: (credential) => Effect.sync(() => limits.isProven(sha256(credential)))
      })
    })
  )
}
