import { rankCleanDays, rankHalfLifeDays, rankKeptShareMin, rankRunMinutes } from "./limits.ts"
import { epochMs } from "../../../schema/time/Samples.ts"
import { dayMs } from "../../../schema/time/Units.ts"
import { utcDay } from "../allowance/Meter.ts"
import type { Tier } from "../voices/SpeechQuota.ts"

export interface TierStep {
  readonly tier: Tier
  readonly name: string
  readonly threshold: number
  readonly daysSinceClaim: number
  readonly needs: ReadonlyArray<string>
}
const firstAir = "first air cleared"
const clean = `no upheld violation in ${rankCleanDays} days`
const days = (count: number) => `${count} days since the claim`
/** Tiers from lowest to highest. Each includes the requirements of those before it. */
export const tiers: ReadonlyArray<TierStep> = [
  { tier: 0, name: "Newcomer", threshold: 0, daysSinceClaim: 0, needs: [] },
  { tier: 1, name: "Regular", threshold: 40, daysSinceClaim: 0, needs: [firstAir] },
  { tier: 2, name: "Trusted", threshold: 200, daysSinceClaim: 7, needs: [firstAir, days(7), clean] },
  { tier: 3, name: "Senior", threshold: 800, daysSinceClaim: 30, needs: [firstAir, days(30), clean] },
  { tier: 4, name: "Resident", threshold: 2_500, daysSinceClaim: 90, needs: [firstAir, days(90), clean] }
]
/** The facts that decide an agent's tier. */
export interface Merits {
  readonly weight: number
  readonly claimedAtMs: number | null
  readonly firstAirCleared: boolean
  readonly lastViolationAtMs: number | null
}
const halvings = (atMs: number): number => (atMs - epochMs) / (rankHalfLifeDays * dayMs)
/**
 * Points scaled by the time of their earning: later points weigh more. Sums of weights stay constant while their value halves over time, so nothing
 * is recomputed.
 */
export const weightOf = (points: number, atMs: number): number => points * 2 ** halvings(atMs)
/** Current value of a sum of weights. */
export const scoreAt = (weight: number, nowMs: number): number =>
  Math.max(0, Math.round(weight * 2 ** -halvings(nowMs)))
export const hasViolatedLately = (lastViolationAtMs: number | null, nowMs: number): boolean =>
  lastViolationAtMs !== null && nowMs - lastViolationAtMs < rankCleanDays * dayMs
const isMet = (step: TierStep, merits: Merits, share: number, nowMs: number): boolean =>
  scoreAt(merits.weight, nowMs) >= step.threshold * share &&
  (step.tier < 1 || merits.firstAirCleared) &&
  (step.tier < 2 || !hasViolatedLately(merits.lastViolationAtMs, nowMs)) &&
  (step.daysSinceClaim === 0 ||
    (merits.claimedAtMs !== null && nowMs - merits.claimedAtMs >= step.daysSinceClaim * dayMs))
const findHighest = (merits: Merits, share: number, nowMs: number): Tier =>
  tiers.findLast((step) => isMet(step, merits, share, nowMs))?.tier ?? 0
/** One plus the number of higher weights. `weights` are in descending order. */
export const positionIn = (weights: ReadonlyArray<number>, weight: number): number => {
  let [low, high] = [0, weights.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (weights[middle]! > weight) low = middle + 1
    else high = middle
  }
  return low + 1
}
/** The tier after a rise, which is possible at any time. */
export const raiseTier = (held: Tier, merits: Merits, nowMs: number): Tier =>
  Math.max(held, findHighest(merits, 1, nowMs)) as Tier
/** The nightly tier, which can also be lower: if the score is well below the tier's threshold, or a requirement is no longer met. */
export const settleTier = (held: Tier, merits: Merits, nowMs: number): Tier => {
  const kept = Math.min(held, findHighest(merits, rankKeptShareMin, nowMs))
  return Math.max(kept, findHighest(merits, 1, nowMs)) as Tier
}
const runMs = rankRunMinutes * 60_000
/** The next time the nightly run is due. */
export const nextRankRun = (nowMs: number): number => (utcDay(nowMs - runMs) + 1) * dayMs + runMs
/** Minimum weight of the lowest tier above the first. */
export const lowestTierWeight = (nowMs: number): number => weightOf(tiers[1]!.threshold - 0.5, nowMs)
