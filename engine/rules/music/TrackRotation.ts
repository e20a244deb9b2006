import type { TrackCategory, TrackRotation, TrackStatus } from "../../../schema/music/Track.ts"
import { isoOrNull } from "../../../schema/time/Instant.ts"
import { artistSeparationMs, rotationWeightMax, rotationWeightMin, trackSeparationMs } from "../air/limits.ts"
import { defaultRotation } from "../air/Rotation.ts"
import { boostedScoreMin, classTracksCountedMax, dampedScoreMax, votesCountDays } from "./limits.ts"
import { scoreOf, type Tally } from "./TrackInfluence.ts"

/** What decides how often a track plays. Plays and votes are those of the last thirty days. */
interface Facts {
  readonly approvalStatus: TrackStatus
  readonly category: TrackCategory
  readonly rotationClass: string
  readonly weight: number
  readonly voteWeight: number
  readonly restedUntilMs: number | null
  readonly classTracks: number
  readonly plays: number
  readonly votes: Tally
}

const waits: { readonly [Status in Exclude<TrackStatus, "approved">]: string } = {
  pending_review: "It isn't in rotation: new tracks enter after a review, and this one waits for it.",
  rejected: "It isn't in rotation: a reviewer rejected it.",
  held: "It isn't in rotation: a reviewer holds it back.",
  retired: "It isn't in rotation: it is retired."
}
const minutes = (ms: number): number => Math.round(ms / 60_000)
const percent = (share: number): string => `${Math.round(share * 100)} %`
const { shares } = defaultRotation(0)
const shareOf = (name: string): number =>
  (shares[name] ?? 0) / Object.values(shares).reduce((sum, share) => sum + share, 0)

const describeVotes = (score: number, positiveShare: number | null, voteWeight: number): string => {
  if (positiveShare === null) return `It has no votes in the last ${votesCountDays} days, so its weight is unchanged.`
  const counted = `Votes of the last ${votesCountDays} days give it a score of ${score}, ${percent(positiveShare)} of them positive`
  if (voteWeight > 1)
    return `${counted}: its time since the last play counts ${voteWeight} times, so it plays more often.`
  if (voteWeight < 1)
    return `${counted}: its time since the last play counts ${voteWeight} times, so it plays less often.`
  return `${counted}: from a score of ${boostedScoreMin} on it would play more often, from ${dampedScoreMax} down less often.`
}

/** Why a track plays as often as it does, in figures and in sentences. */
export const rotationOf = (facts: Facts, isScheduled: boolean, nowMs: number): TrackRotation => {
  const { approvalStatus, category, classTracks, plays, rotationClass, voteWeight } = facts
  const { positiveShare, score } = scoreOf(facts.votes)
  const isMusic = category === "song" || category === "instrumental"
  const rests = facts.restedUntilMs !== null && facts.restedUntilMs > nowMs
  const classShare = isMusic ? shareOf(rotationClass) : 0
  const inRotation = approvalStatus === "approved" && isMusic && !rests
  const many = classTracks >= classTracksCountedMax
  const reasons = [
    ...(approvalStatus === "approved" ? [] : [waits[approvalStatus]]),
    ...(isMusic ? [] : ["It isn't in rotation: beds and jingles sound with speech only."]),
    ...(rests
      ? [
          `Votes keep it off the air until ${isoOrNull(facts.restedUntilMs)!}, and a reviewer is asked to hear it: its score is ${score}.`
        ]
      : []),
    ...(inRotation
      ? [
          `Rotation takes ${percent(classShare)} of its songs from ${rotationClass} tracks, while other classes have songs, too.`,
          `Among ${many ? `more than ${classTracksCountedMax}` : classTracks} ${rotationClass} tracks the one that rested longest plays next; the schedule's block may prefer some genres.`,
          describeVotes(score, positiveShare, voteWeight),
          `It plays at most once in ${minutes(trackSeparationMs)} minutes, and its artist once in ${minutes(artistSeparationMs)}, unless too few songs are left.`,
          `It was played ${plays === 1 ? "once" : `${plays} times`} in the last ${votesCountDays} days.`
        ]
      : []),
    ...(isScheduled ? ["It was requested, and has a place in the rundown."] : [])
  ]
  return {
    inRotation,
    rotationClass,
    classShare,
    tracksInClass: classTracks,
    weight: Math.min(rotationWeightMax, Math.max(rotationWeightMin, facts.weight * voteWeight)),
    voteScore: score,
    positiveShare,
    restedUntil: rests ? isoOrNull(facts.restedUntilMs) : null,
    playsLast30Days: plays,
    soonestRepeatSec: trackSeparationMs / 1_000,
    reasons
  }
}
