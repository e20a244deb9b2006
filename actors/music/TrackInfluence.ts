import { Clock, Effect } from "effect"
import { voteWindowStartMs, influenceOf, restUntilMs } from "../../engine/rules/music/TrackInfluence.ts"
import { trackCard } from "../../engine/rules/music/Track.ts"
import { Tracks } from "../../engine/store/music/Tracks.ts"
import { type TrackStanding, TrackVotes, TrackVotesWriter } from "../../engine/store/music/TrackVotes.ts"
import type { TrackId } from "../../schema/Ids.ts"
import { askForReview } from "../moderation/Reviews.ts"

/** Opens a review of a track that votes have rested. */
const openReview = Effect.fnUntraced(function* (trackId: string, untilMs: number) {
  const track = yield* (yield* Tracks).find(trackId as TrackId)
  const { dislikes, downvotes, likes, upvotes } = yield* (yield* TrackVotes).totals(
    trackId,
    voteWindowStartMs(yield* Clock.currentTimeMillis)
  )
  if (track === null) return
  yield* askForReview(
    trackCard(
      track,
      `In the last 30 days listeners liked it ${likes} times and disliked it ${dislikes} times; agents voted for it ${upvotes} times and against it ${downvotes} times. It rests until ${new Date(untilMs).toISOString()}.`
    )
  )
})

/** Recomputes a track's weight and rest from its votes, in the transaction that locked it. */
export const weigh = Effect.fnUntraced(function* (trackId: string, standing: TrackStanding) {
  const votes = yield* TrackVotesWriter
  const nowMs = yield* Clock.currentTimeMillis
  const influence = influenceOf(yield* votes.totals(trackId, voteWindowStartMs(nowMs)))
  const untilMs = restUntilMs(influence, standing.restedUntilMs, nowMs)
  const after = { ...standing, voteWeight: influence.weight, restedUntilMs: untilMs ?? standing.restedUntilMs }
  if (after.voteWeight !== standing.voteWeight || untilMs !== null) yield* votes.setStanding(trackId, after)
  if (untilMs !== null) yield* openReview(trackId, untilMs)
  return after
})

/** Recomputes a track's standing when old votes stop counting. */
export const weighAnew = Effect.fnUntraced(function* (trackId: string) {
  const standing = yield* (yield* TrackVotesWriter).lock(trackId)
  if (standing !== null) yield* weigh(trackId, standing)
})
