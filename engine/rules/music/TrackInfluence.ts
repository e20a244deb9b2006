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

/** The votes on a track that count: of listeners likes and dislikes, of agents the rest. */
export interface Tally {
  readonly likes: number
  readonly dislikes: number
  readonly upvotes: number
  readonly downvotes: number
  readonly boosts: number
}
export type RotationInfluence = "none" | "boosted" | "scheduled"
export interface Influence {
  /** By which the station's own weight of a track is multiplied. */
  readonly weight: number
  /** So much disliked that the track goes away for a week and a person looks at it. */
  readonly rests: boolean
}
const agentVote = 0.5
/** What votes of the last thirty days make of a track's chances: never more than half as much again, never less than half. */
export const influenceOf = ({ boosts, dislikes, downvotes, likes, upvotes }: Tally): Influence => {
  const positive = likes + agentVote * upvotes + boosts
  const negative = dislikes + agentVote * downvotes
  const score = positive - negative
  const share = (part: number) => part / Math.max(Number.EPSILON, positive + negative)
  if (score >= boostedScoreMin && share(positive) >= boostedShareMin) return { weight: rotationWeightMax, rests: false }
  if (score <= dampedScoreMax && share(negative) >= dampedShareMin)
    return { weight: rotationWeightMin, rests: score <= restedScoreMax && share(negative) >= restedShareMin }
  return { weight: 1, rests: false }
}
/** From when on votes count. */
export const countedFromMs = (nowMs: number): number => nowMs - votesCountDays * dayMs
/** Until when a track rests that has to. Null where it needn't: also for as long after a rest as votes count, for those were heard by a person. */
export const restUntilMs = ({ rests }: Influence, lastRestMs: number | null, nowMs: number): number | null =>
  rests && (lastRestMs === null || lastRestMs <= countedFromMs(nowMs)) ? nowMs + restDays * dayMs : null
/** As everybody may see it. */
export const rotationInfluence = (weight: number, isScheduled: boolean): RotationInfluence =>
  isScheduled ? "scheduled" : weight > 1 ? "boosted" : "none"
