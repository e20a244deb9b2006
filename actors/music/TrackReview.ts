import { Clock, Effect } from "effect"
import { applyReview, applyJudgement, lacksRights, rightsMissing, trackCard } from "../../engine/rules/music/Track.ts"
import { Tracks, TracksWriter } from "../../engine/store/music/Tracks.ts"
import { TrackVotes, TrackVotesWriter } from "../../engine/store/music/TrackVotes.ts"
import { Transaction } from "../../engine/store/sql/Transaction.ts"
import type { Judgement } from "../../schema/moderation/Review.ts"
import type { Track, TrackStatus } from "../../schema/music/Track.ts"
import { ReviewConflict, TrackNotFound } from "../../schema/Problems.ts"
import { askForReview, moveByState, type Cause, makeRemovable } from "../moderation/Reviews.ts"
import { emit } from "../runtime/emit.ts"
import { recallTrack, recheck } from "../runtime/StationQueue.ts"
import { Studio } from "../segments/protocol/Studio.ts"

/** Reason of a remix whose source was taken down. */
const sourceDown = "SOURCE_TAKEN_DOWN"
/**
 * Remixes follow an operator's takedown of their source: held with it, back with it. Where the source is gone for good, people decide on each. An
 * owner who retires a track ends no remix: it was allowed when it was made.
 */
const settleRemixes = Effect.fnUntraced(function* (source: Track, judgement: Judgement) {
  const tracks = yield* TracksWriter
  const atMs = yield* Clock.currentTimeMillis
  if (judgement === "release") return yield* tracks.releaseRemixes(source.id, sourceDown, atMs)
  const held = yield* tracks.holdRemixes(source.id, sourceDown, atMs)
  if (judgement === "hold") return
  for (const remix of held)
    yield* askForReview({
      ...trackCard(remix, `Its source "${source.title}" by ${source.artist} was taken down.`),
      status: "escalated"
    })
})

/** Refuses to undo an approval after the track has been on the air. Other decisions can always be undone, because they let nothing air. */
const callBack = Effect.fnUntraced(function* (track: Track, decidedAtMs: number) {
  if (track.approvalStatus !== "approved") return true
  const hasAired = track.lastPlayedAtMs !== null && track.lastPlayedAtMs >= decidedAtMs
  const answer = hasAired ? "on_air" : yield* recallTrack(track, decidedAtMs)
  if (answer === "on_air")
    return yield* new ReviewConflict({
      detail: `Track ${track.id} is on the air or has aired since its approval, which can't be undone any more. To take it down, use POST /api/ops/subjects/track/${track.id}/remove.`
    })
  if (answer === "unknown")
    return yield* new ReviewConflict({
      detail: `The station doesn't say whether track ${track.id} is on the air. Nothing was changed. Undo the decision again in a moment.`
    })
  return true
})

interface State {
  readonly approvalStatus: TrackStatus
  readonly approvalReason: string | null
  readonly restedUntilMs: number | null
}
type Subject = Track & Pick<State, "restedUntilMs">

const states = moveByState({
  state: ({ approvalReason, approvalStatus, restedUntilMs }: Subject): State => ({
    approvalStatus,
    approvalReason,
    restedUntilMs
  }),
  statusOf: ({ approvalStatus }) => approvalStatus,
  canUndo: (track: Subject, decidedAtMs) => callBack(track, decidedAtMs),
  isSame: (one, other) => one.approvalStatus === other.approvalStatus && one.restedUntilMs === other.restedUntilMs,
  applyVerdict: (state, { atMs, reason, status }) => {
    const to = applyReview(state.approvalStatus, status)
    const isBack = status === "approved" && state.restedUntilMs !== null
    return to === state.approvalStatus && !isBack
      ? state
      : {
          approvalStatus: to,
          approvalReason: to === "approved" ? null : reason,
          restedUntilMs: isBack ? atMs : state.restedUntilMs
        }
  },
  move: Effect.fnUntraced(function* (
    { agentId, approvalStatus, id, restedUntilMs, title }: Subject,
    to: State,
    cause: Cause
  ) {
    const moved = yield* (yield* TracksWriter).judge(id, {
      from: [approvalStatus],
      to: to.approvalStatus,
      reason: to.approvalReason,
      atMs: yield* Clock.currentTimeMillis
    })
    if (moved === null) return false
    if (to.restedUntilMs !== restedUntilMs) yield* (yield* TrackVotesWriter).rest(id, to.restedUntilMs)
    if (cause === "decide" && agentId !== null && to.approvalStatus !== "held")
      yield* emit({
        _tag: "TrackDecided",
        trackId: id,
        agentId,
        title,
        status: to.approvalStatus === "approved" ? "approved" : "rejected",
        reason: to.approvalReason
      })
    if (cause === "remove" || cause === "hold" || cause === "release") yield* settleRemixes(moved, cause)
    yield* (yield* Transaction).afterCommit(recheck)
    return true
  })
})
/**
 * Reviews of new tracks and of tracks rested by votes. An approved track returns at once and doesn't rest again for the same votes; a
 * rejected one is retired. Decisions are emitted to the track's agent.
 */
export const trackReview = makeRemovable({
  type: "track",
  entity: Studio,
  key: "agent",
  find: Effect.fnUntraced(function* (id: string) {
    const track = yield* (yield* Tracks).find(id)
    return track === null ? null : { ...track, restedUntilMs: yield* (yield* TrackVotes).restOf(id) }
  }),
  notFound: (id) => new TrackNotFound({ detail: `There is no track ${id}.` }),
  agentOf: ({ agentId }) => agentId,
  card: (track) => trackCard(track, ""),
  applyJudgement: ({ approvalStatus, restedUntilMs }, { judgement, reason }) => {
    const to = applyJudgement(approvalStatus, judgement)
    return to === null ? null : { approvalStatus: to, approvalReason: reason, restedUntilMs }
  },
  // A hold needs no review: the track rests until an operator releases it.
  settle: (_, judgement) => Effect.succeed(judgement === "hold"),
  view: ({ approvalStatus, id }) => Effect.succeed({ track: { id, approvalStatus } }),
  ...states,
  apply: (subject: Subject, verdict) =>
    verdict.status === "approved" && lacksRights(subject)
      ? Effect.fail(
          new ReviewConflict({
            detail: `${rightsMissing}: its agent has not attested its rights to the recording. Ask for it by changes_requested, or wait.`
          })
        )
      : states.apply(subject, verdict)
})
