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

/** Checks a vote's reason: only an opinion has one, a withdrawn vote has none. */
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

/** Whether a guest's vote counts. Tokens are free, so only so many guests per address count for a track; a vote that has counted keeps counting. */
export const countsFor = (vote: {
  readonly isGuest: boolean
  readonly countedBefore: boolean
  readonly othersOfAddress: number
}): boolean => !vote.isGuest || vote.countedBefore || vote.othersOfAddress < guestVotesPerAddressMax
