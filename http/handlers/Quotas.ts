import { Clock, Effect } from "effect"
import { type Allowance, leftOf, meterOf } from "../../engine/rules/Allowance.ts"
import { meterNames, sharedSpeechQuota, speechQuota, submissionMeter, submissionQuota } from "../../engine/rules/SpeechQuotaView.ts"
import { Meters } from "../../engine/store/Meters.ts"
import { Ranks } from "../../engine/store/Ranks.ts"
import type { Agent } from "../../schema/Agent.ts"
import type { Quota } from "../../schema/Segment.ts"
import { countQuotas } from "../api/Counted.ts"

/** What is left of an agent's station speech, its owner's meters included. */
export const speechQuotas = Effect.fnUntraced(function*(agent: Agent) {
  const meters = yield* (yield* Meters).read(meterNames(agent.id, agent.ownerEmailHash))
  const { tier } = yield* (yield* Ranks).of(agent.id)
  const nowMs = yield* Clock.currentTimeMillis
  return { own: speechQuota(meters, tier, nowMs), shared: sharedSpeechQuota(meters, nowMs) }
})

export const submissionsLeft = Effect.fnUntraced(function*(agent: Agent) {
  const [meter] = yield* (yield* Meters).read([submissionMeter(agent.id)])
  return submissionQuota(meter!, yield* Clock.currentTimeMillis)
})

/** What is left to a caller of what actors count by the hour and by the day. */
export const allowancesLeft = Effect.fnUntraced(function*(allowances: ReadonlyArray<Allowance>, whose: string) {
  const nowMs = yield* Clock.currentTimeMillis
  const read = yield* (yield* Meters).read(allowances.map((allowance) => meterOf(allowance, whose)))
  return allowances.flatMap((allowance, index) => leftOf(allowance, read[index]!, nowMs))
})

/** Whatever became of a command, its answer tells what is left. A store that is away leaves the figures out, not the answer. */
export const telling = <R2>(quotas: Effect.Effect<ReadonlyArray<Quota>, never, R2>) => <A, E, R>(command: Effect.Effect<A, E, R>): Effect.Effect<A, E, R | R2> =>
  Effect.onExit(command, () => Effect.ignoreCause(Effect.flatMap(quotas, countQuotas)))
