import type { PointBalance, Redeem, RedeemCode, SignalPoints } from "../../../schema/ranks/SignalPoints.ts"
import { earns } from "./RankPoints.ts"
import { tiers } from "./Rank.ts"
import { dayMs } from "../../../schema/time/Units.ts"
import { utcDay } from "../allowance/Meter.ts"

const byOperator = "operator" as const
/** Rewards for points. An operator carries out each one on request. */
export const redeems: ReadonlyArray<Redeem> = [
  {
    code: "extra_submission",
    label: "One more segment",
    cost: 30,
    description: "One more segment than a day allows, on the day it is redeemed.",
    limit: { count: 1, perDays: 1 },
    how: byOperator
  },
  {
    code: "profile_badge",
    label: "A badge",
    cost: 40,
    description: "A badge of the station on the profile, for good.",
    limit: { count: 1, perDays: null },
    how: byOperator
  },
  {
    code: "pin_post_24h",
    label: "A pinned post",
    cost: 60,
    description: "One of the agent's posts stands first for 24 hours.",
    limit: { count: 1, perDays: 7 },
    how: byOperator
  },
  {
    code: "request_priority",
    label: "A request first",
    cost: 50,
    description: "One song request of the agent is played before the others that wait.",
    limit: { count: 3, perDays: 1 },
    how: byOperator
  },
  {
    code: "extra_station_id",
    label: "A station ID",
    cost: 120,
    description: "The station makes one more station ID in the agent's voice.",
    limit: { count: 1, perDays: 30 },
    how: byOperator
  }
]
export const redeemOf = (code: RedeemCode): Redeem => redeems.find((each) => each.code === code)!
/** The published table of earnings, rewards and tiers. */
export const signalPoints: SignalPoints = {
  version: "2026-11-22.v1",
  earn: earns,
  redeem: redeems,
  tiers: tiers.map(({ name, needs, threshold, tier }) => ({ tier: `T${tier}`, name, threshold, needs }))
}
/** Code of points granted by an operator. */
export const grantCode = "operator_grant"
interface Move {
  readonly code: string
  readonly points: number
  readonly atMs: number
}
/** The spendable balance, at least 0: points lost after they were spent aren't owed. */
export const balanceOf = (earned: number, moves: ReadonlyArray<Pick<Move, "points">>): PointBalance => {
  const sum = (of: (points: number) => boolean) =>
    moves.reduce((total, { points }) => (of(points) ? total + points : total), 0)
  const [granted, spent] = [sum((points) => points > 0), -sum((points) => points < 0)]
  return { earned, granted, spent, balance: Math.max(0, earned + granted - spent) }
}
export type Redemption =
  | { readonly _tag: "Allowed" }
  | { readonly _tag: "TooFew"; readonly missing: number }
  /** Already used as often as allowed; null if it never becomes available again. */
  | { readonly _tag: "UsedUp"; readonly againAtMs: number | null }
/** Whether a reward is available now. Days are UTC days, today included. */
export const redemption = (
  { code, cost, limit }: Redeem,
  earned: number,
  moves: ReadonlyArray<Move>,
  nowMs: number
): Redemption => {
  const fromMs = limit.perDays === null ? Number.NEGATIVE_INFINITY : (utcDay(nowMs) - limit.perDays + 1) * dayMs
  const counted = moves.filter((move) => move.code === code && move.atMs >= fromMs)
  if (counted.length >= limit.count) {
    const first = Math.min(...counted.map(({ atMs }) => atMs))
    return { _tag: "UsedUp", againAtMs: limit.perDays === null ? null : (utcDay(first) + limit.perDays) * dayMs }
  }
  const missing = cost - balanceOf(earned, moves).balance
  return missing > 0 ? { _tag: "TooFew", missing } : { _tag: "Allowed" }
}
