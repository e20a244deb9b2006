import { Clock, Context, Effect } from "effect"
import type { Quota } from "../../schema/segments/Segment.ts"

/** `limit` requests in any window of `windowSec`. */
export interface Policy {
  readonly name: string
  readonly limit: number
  readonly windowSec: number
}

export interface Allowance {
  readonly policy: Policy
  readonly allowed: boolean
  readonly remaining: number
  /** Seconds until the whole quota is back or, when refused, until the next request is accepted. */
  readonly waitSec: number
}

/** Quotas that this request was counted against; reported in its answer. */
export const Counted = Context.Reference<Array<Allowance>>("longwave/http/api/Counted", { defaultValue: () => [] })

export const count = (allowance: Allowance): Effect.Effect<void> =>
  Effect.map(Counted, (counted) => void counted.push(allowance))

/** Reports quotas kept by actors in the same headers as the flood limits. */
export const countQuotas = Effect.fnUntraced(function* (quotas: ReadonlyArray<Quota>) {
  const nowMs = yield* Clock.currentTimeMillis
  for (const { limit, name, remaining, resetsAt, windowSec } of quotas) {
    const waitSec = Math.max(0, Math.ceil((Date.parse(resetsAt) - nowMs) / 1_000))
    yield* count({
      policy: { name, limit, windowSec },
      allowed: remaining > 0,
      remaining: Math.floor(remaining),
      waitSec
    })
  }
})
