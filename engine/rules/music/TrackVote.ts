import { Result } from "effect"
import { guestVotesPerAddressMax } from "./limits.ts"
import { isReason, reasonCodes, type Sentiment } from "../social/FeedbackReasons.ts"

export type VoteAction = "like" | "dislike" | "clear"
export const voteActions: ReadonlyArray<VoteAction> = ["like", "dislike", "clear"]

const sentiments: { readonly [Action in VoteAction]: Sentiment | null } = {
  like: "positive",
  dislike: "negative",
  clear: null
}

/** A reason belongs to what is thought; who takes a vote back gives none. */
export const voteReason = (action: VoteAction, reasonCode: string | null): Result.Result<string | null, string> => {
  const sentiment = sentiments[action]
  if (reasonCode === null || (sentiment !== null && isReason("track_music", sentiment, reasonCode)))
    return Result.succeed(reasonCode)
  return Result.fail(
    sentiment === null
      ? "clear takes no reason."
      : `For ${action} reasonCode is one of ${reasonCodes("track_music", sentiment).join(", ")}.`
  )
}

/** Tokens cost nothing: of the guests of one address so many count for a track, and what counted goes on to. */
export const countsFor = (vote: {
  readonly isGuest: boolean
  readonly countedBefore: boolean
  readonly othersOfAddress: number
}): boolean => !vote.isGuest || vote.countedBefore || vote.othersOfAddress < guestVotesPerAddressMax
