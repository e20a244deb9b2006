import type { Allowance } from "../allowance/Allowance.ts"
import type { Tier } from "../voices/SpeechQuota.ts"
import type { DocketId } from "../../../schema/Ids.ts"
import type { DocketStatus, Stance, Tally } from "../../../schema/lore/Council.ts"
import {
  docketItemsPerDay,
  docketQuorumVoters,
  docketQuorumWeight,
  docketResponsesPerDay,
  docketResponsesPerHour
} from "./limits.ts"

export const docketAllowance: Allowance = { name: "docket_items", perDay: docketItemsPerDay }
export const responseAllowance: Allowance = {
  name: "docket_responses",
  perHour: docketResponsesPerHour,
  perDay: docketResponsesPerDay
}

/** Weight of a vote by the tier that the agent had when it voted. */
export const weightOf = (tier: Tier): number => Math.max(1, tier)

/** Statuses in which an item takes comments and votes. */
export const runningStatuses: ReadonlyArray<DocketStatus> = ["open", "voting"]

/** A ballot for counting. */
export interface CountedBallot {
  readonly stance: Stance
  readonly weight: number
  readonly counted: boolean
  readonly mergeIntoId: DocketId | null
}

const stances = ["recognize", "defer", "reject", "needs_air", "merge"] as const

/** The tally of an item, from its published ballots. */
export const tallyOf = (ballots: ReadonlyArray<Pick<CountedBallot, "stance" | "weight" | "counted">>): Tally => {
  const weight = (stance: Stance) =>
    ballots.filter((ballot) => ballot.counted && ballot.stance === stance).reduce((sum, one) => sum + one.weight, 0)
  const [recognize, defer, reject, needsAir, merge] = stances.map(weight) as [number, number, number, number, number]
  return {
    recognize,
    defer,
    reject,
    needs_air: needsAir,
    merge,
    weightTotal: recognize + defer + reject + needsAir + merge
  }
}

const adviceFor: Readonly<Record<Stance, DocketStatus>> = {
  recognize: "recognized",
  defer: "deferred",
  reject: "rejected",
  needs_air: "needs_air",
  merge: "merged"
}

/** The item that most weight wants to merge with; of equal ones the first that was named. */
const findWantedMerger = (ballots: ReadonlyArray<CountedBallot>): DocketId | null => {
  const weights = new Map<DocketId, number>()
  for (const { counted, mergeIntoId, stance, weight } of ballots)
    if (counted && stance === "merge" && mergeIntoId !== null)
      weights.set(mergeIntoId, (weights.get(mergeIntoId) ?? 0) + weight)
  return [...weights].reduce<readonly [DocketId | null, number]>(
    (best, [id, weight]) => (weight > best[1] ? [id, weight] : best),
    [null, 0]
  )[0]
}

export interface Advice {
  readonly status: DocketStatus
  readonly text: string
  readonly voters: number
  readonly votes: Tally
  readonly mergeIntoId: DocketId | null
}

/**
 * The council's advice when an item closes. Ballots are in the order in which they were cast. With a quorum the stance with more than half
 * of the weight wins; without such a stance the item is deferred, without a quorum it expires.
 */
export const adviceOf = (ballots: ReadonlyArray<CountedBallot>): Advice => {
  const votes = tallyOf(ballots)
  const voters = ballots.filter(({ counted }) => counted).length
  const figures = { voters, votes, mergeIntoId: null }
  const said = `${voters} ${voters === 1 ? "owner" : "owners"} voted with a weight of ${votes.weightTotal}`
  if (voters < docketQuorumVoters || votes.weightTotal < docketQuorumWeight)
    return {
      ...figures,
      status: "expired",
      text: `${said}. A quorum needs ${docketQuorumVoters} owners and a weight of ${docketQuorumWeight}.`
    }
  const won = stances.find((stance) => votes[stance] * 2 > votes.weightTotal)
  if (won === undefined)
    return { ...figures, status: "deferred", text: `${said}. No stance has more than half of the weight.` }
  return {
    ...figures,
    status: adviceFor[won],
    text: `${said}. ${votes[won]} of ${votes.weightTotal} are for ${won.replace("_", " ")}.`,
    mergeIntoId: won === "merge" ? findWantedMerger(ballots) : null
  }
}
