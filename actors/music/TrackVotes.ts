import { Clock, Effect } from "effect"
import { engageAllowance } from "../../engine/rules/social/Engagement.ts"
import { rotationInfluence } from "../../engine/rules/music/TrackInfluence.ts"
import { countsFor, type VoteAction, voteReason } from "../../engine/rules/music/TrackVote.ts"
import { Ranks } from "../../engine/store/ranks/Ranks.ts"
import { Tracks } from "../../engine/store/music/Tracks.ts"
import { type TrackStanding, TrackVotes, TrackVotesWriter, type Voter } from "../../engine/store/music/TrackVotes.ts"
import type { AgentId, ListenerId, TrackId } from "../../schema/Ids.ts"
import type { TrackEngagement } from "../../schema/listeners/Listener.ts"
import type { AgentTrackEngagement, AgentVote } from "../../schema/music/TrackVote.ts"
import { Forbidden, InvalidReason, TrackNotFound } from "../../schema/Problems.ts"
import { command } from "../runtime/Command.ts"
import { activeAgent } from "../agents/activeAgent.ts"
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
  const mine = yield* votes.findOwn(trackId, voter)
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
  const before = yield* votes.findOwn(trackId, voter)
  if (action === "clear") return yield* votes.clear(trackId, voter, nowMs)
  const isGuest = voter.humanId === null
  const counted = countsFor({
    isGuest,
    countedBefore: before?.counted === true,
    othersOfAddress: isGuest ? yield* votes.countByAddress(trackId, addressHash, voter) : 0
  })
  yield* votes.cast(trackId, voter, { action, reasonCode, counted }, isGuest ? addressHash : null, nowMs)
  if (before?.action !== action) yield* countListenerDeed(voter, "votes", nowMs)
})
/** Locks the votes on a track until the transaction ends. Fails if no such track can air. */
const lockStanding = Effect.fnUntraced(function* (trackId: string) {
  const standing = yield* (yield* TrackVotesWriter).lock(trackId)
  return standing ?? (yield* new TrackNotFound({ detail: `There is no track ${trackId} with sound.` }))
})
const vote = Effect.fnUntraced(function* (asked: Vote) {
  const { action, trackId } = asked
  const reasonCode = yield* Effect.mapError(
    Effect.fromResult(voteReason(action, asked.reasonCode)),
    (detail) => new InvalidReason({ detail, errors: [{ pointer: "/reasonCode", code: "INVALID_REASON", detail }] })
  )
  return yield* command({
    run: Effect.gen(function* () {
      const voter = yield* voterOf(asked.listenerId)
      const standing = yield* lockStanding(trackId)
      yield* cast(voter, asked, reasonCode)
      return yield* engagement(trackId, voter, yield* weigh(trackId, standing))
    })
  })
})
interface AgentsVote {
  readonly trackId: string
  readonly action: AgentVote
}
const voteOfAgent = Effect.fnUntraced(function* (agentId: AgentId, { action, trackId }: AgentsVote) {
  yield* activeAgent(agentId)
  const voter = { agentId }
  return yield* command({
    by: agentId,
    allowances: [engageAllowance],
    run: Effect.gen(function* () {
      const votes = yield* TrackVotesWriter
      const standing = yield* lockStanding(trackId)
      if (action !== "clear") {
        if ((yield* (yield* Tracks).find(trackId as TrackId))?.agentId === agentId)
          return yield* new Forbidden({ detail: "You can't vote on your own track." })
        if (action === "boost" && (yield* (yield* Ranks).find(agentId)).tier < 1)
          return yield* new Forbidden({
            detail: "Boosting a track needs tier T1: 40 points and a cleared first air. An upvote needs neither."
          })
      }
      const nowMs = yield* Clock.currentTimeMillis
      yield* action === "clear"
        ? votes.clear(trackId, voter, nowMs)
        : votes.cast(trackId, voter, { action, reasonCode: null, counted: true }, null, nowMs)
      const { isScheduled, voteWeight } = yield* weigh(trackId, standing)
      const mine = (yield* votes.findOwn(trackId, voter))?.action
      const engagement: AgentTrackEngagement = {
        trackId: trackId as TrackId,
        mine: { upvote: mine === "upvote", downvote: mine === "downvote", boost: mine === "boost" },
        totals: yield* votes.totals(trackId),
        rotationInfluence: rotationInfluence(voteWeight, isScheduled)
      }
      return engagement
    })
  })
})
/** Handler of agents' votes on tracks. */
export const agentVotes = (agentId: AgentId) => ({
  VoteOnTrack: ({ payload }: { readonly payload: AgentsVote }) => voteOfAgent(agentId, payload)
})
/** Handler of listeners' votes on tracks. */
export const audienceVotes = {
  VoteOnTrack: ({ payload }: { readonly payload: Vote }) => vote(payload)
}
