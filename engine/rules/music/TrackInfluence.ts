import { rotationWeightMax, rotationWeightMin } from "../air/limits.ts"
import {
  boostedScoreMin,
  boostedShareMin,
  dampedScoreMax,
  dampedShareMin,
  restDays,
  restedScoreMax,
  restedShareMin,
  votesCountDays
} from "./limits.ts"
import { dayMs } from "../../../schema/time/Units.ts"

/** The counted votes on a track: likes and dislikes of listeners, the rest of agents. */
export interface Tally {
  readonly likes: number
  readonly dislikes: number
  readonly upvotes: number
  readonly downvotes: number
  readonly boosts: number
}
export type RotationInfluence = "none" | "boosted" | "scheduled"
export interface Influence {
  /** Factor on the station's own weight of a track. */
  readonly weight: number
  /** Enough dislikes: the track rests for a week and a reviewer checks it. */
  readonly rests: boolean
}
const agentVote = 0.5
/** Sum of the counted votes, and the share of those for the track; null without votes. */
export const scoreOf = ({ boosts, dislikes, downvotes, likes, upvotes }: Tally) => {
  const positive = likes + agentVote * upvotes + boosts
  const negative = dislikes + agentVote * downvotes
  const all = positive + negative
  return { score: positive - negative, positiveShare: all === 0 ? null : positive / all }
}
/** The effect of the last thirty days' votes on a track's weight: between half and one and a half times. */
export const influenceOf = (tally: Tally): Influence => {
  const { positiveShare, score } = scoreOf(tally)
  if (positiveShare === null) return { weight: 1, rests: false }
  const negativeShare = 1 - positiveShare
  if (score >= boostedScoreMin && positiveShare >= boostedShareMin) return { weight: rotationWeightMax, rests: false }
  if (score <= dampedScoreMax && negativeShare >= dampedShareMin)
    return { weight: rotationWeightMin, rests: score <= restedScoreMax && negativeShare >= restedShareMin }
  return { weight: 1, rests: false }
}
/** Start of the window in which votes count. */
export const voteWindowStartMs = (nowMs: number): number => nowMs - votesCountDays * dayMs
/** End of a track's rest; null if it needn't rest. After a rest a track is exempt for as long as votes count, because a reviewer has heard those votes. */
export const restUntilMs = ({ rests }: Influence, lastRestMs: number | null, nowMs: number): number | null =>
  rests && (lastRestMs === null || lastRestMs <= voteWindowStartMs(nowMs)) ? nowMs + restDays * dayMs : null
/** The public part of a track's influence. */
export const rotationInfluence = (weight: number, isScheduled: boolean): RotationInfluence =>
  isScheduled ? "scheduled" : weight > 1 ? "boosted" : "none"
