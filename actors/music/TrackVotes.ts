import { Clock, Effect } from "effect"
import { rotationInfluence } from "../../engine/rules/music/TrackInfluence.ts"
import { countsFor, type VoteAction, voteReason } from "../../engine/rules/music/TrackVote.ts"
import { type TrackStanding, TrackVotes, TrackVotesWriter, type Voter } from "../../engine/store/music/TrackVotes.ts"
import type { ListenerId, TrackId } from "../../schema/Ids.ts"
import type { TrackEngagement } from "../../schema/listeners/Listener.ts"
import { InvalidReason, TrackNotFound } from "../../schema/Problems.ts"
import { command } from "../runtime/Command.ts"
import { weigh } from "./TrackInfluence.ts"
import { countListenerDeed, voterOf } from "../listeners/inTransaction.ts"

interface Vote {
  readonly listenerId: ListenerId
  readonly trackId: string
  readonly action: VoteAction
  readonly reasonCode: string | null
  readonly addressHash: string
}
const engagement = Effect.fnUntraced(function* (
  trackId: string,
  voter: Voter,
  { isScheduled, voteWeight }: TrackStanding
) {
  const votes = yield* TrackVotes
  const mine = yield* votes.mine(trackId, voter)
  const answer: TrackEngagement = {
    trackId: trackId as TrackId,
    totals: yield* votes.totals(trackId),
    rotationInfluence: rotationInfluence(voteWeight, isScheduled),
    mine: { like: mine?.action === "like", dislike: mine?.action === "dislike", reasonCode: mine?.reasonCode ?? null }
  }
  return answer
})
const cast = Effect.fnUntraced(function* (
  voter: Voter,
  { action, addressHash, trackId }: Vote,
  reasonCode: string | null
) {
  const votes = yield* TrackVotesWriter
  const nowMs = yield* Clock.currentTimeMillis
  const before = yield* votes.mine(trackId, voter)
  if (action === "clear") return yield* votes.clear(trackId, voter)
  const isGuest = voter.humanId === null
  const counted = countsFor({
    isGuest,
    countedBefore: before?.counted === true,
    othersOfAddress: isGuest ? yield* votes.ofAddress(trackId, addressHash, voter) : 0
  })
  yield* votes.cast(trackId, voter, { action, reasonCode, counted }, isGuest ? addressHash : null, nowMs)
  if (before?.action !== action) yield* countListenerDeed(voter, "votes", nowMs)
})
const vote = Effect.fn("Audience.vote")(function* (asked: Vote) {
  const { action, trackId } = asked
  const reasonCode = yield* Effect.mapError(
    Effect.fromResult(voteReason(action, asked.reasonCode)),
    (detail) => new InvalidReason({ detail, errors: [{ pointer: "/reasonCode", code: "INVALID_REASON", detail }] })
  )
  return yield* command({
    run: Effect.gen(function* () {
      const voter = yield* voterOf(asked.listenerId)
      const standing = yield* (yield* TrackVotesWriter).locked(trackId)
      if (standing === null)
        return yield* new TrackNotFound({ detail: `There is no track ${trackId} that could be heard.` })
      yield* cast(voter, asked, reasonCode)
      return yield* engagement(trackId, voter, yield* weigh(trackId, standing))
    })
  })
})
/** Handler of votes on tracks. */
export const audienceVotes = {
  VoteOnTrack: ({ payload }: { readonly payload: Vote }) => vote(payload)
}
