import { Clock, Effect } from "effect"
import { Reviews } from "../../engine/store/moderation/Reviews.ts"
import { MusicSubmissionsWriter } from "../../engine/store/music/MusicSubmissions.ts"
import { SongRequestsWriter } from "../../engine/store/music/SongRequests.ts"
import { Tracks, TracksWriter } from "../../engine/store/music/Tracks.ts"
import { TrackVotesWriter } from "../../engine/store/music/TrackVotes.ts"
import { Transaction } from "../../engine/store/sql/Transaction.ts"
import type { HumanId } from "../../schema/Ids.ts"
import type { Adoption, AdoptionStatus, MusicSubmission } from "../../schema/music/MusicSubmission.ts"
import { emit } from "../runtime/emit.ts"
import { methodOf } from "../runtime/methodOf.ts"
import { recheck } from "../runtime/StationQueue.ts"

/** Ends an erased person's song requests and removes the name from aired ones. */
export const forgetSongRequests = methodOf(SongRequestsWriter, "forget")
/** Sets the status of a song request after its airing. */
export const endSongRequest = methodOf(SongRequestsWriter, "endWithAiring")
export const eraseRequestAddresses = methodOf(SongRequestsWriter, "eraseAddresses")
export const eraseVoteAddresses = methodOf(TrackVotesWriter, "eraseAddresses")
/** Moves a listener's votes to a person and answers the tracks whose votes changed. */
export const mergeVotes = methodOf(TrackVotesWriter, "merge")
export const saveTrack = methodOf(TracksWriter, "save")
export const judgeTrack = methodOf(TracksWriter, "judge")
/** Takes all tracks of an agent that leaves out of rotation. */
export const retireTracks = methodOf(TracksWriter, "retireOf")
export const markTrackPlayed = methodOf(TracksWriter, "markPlayed")

/** Tells the agent that adopted a submission what became of it. */
export const tellAdopter = (
  { id, statusReason, title, trackId }: Pick<MusicSubmission, "id" | "statusReason" | "title" | "trackId">,
  adoption: Adoption,
  status: Exclude<AdoptionStatus, "operator_review">
) =>
  emit({
    _tag: "AdoptionDecided",
    adoptionId: adoption.id,
    submissionId: id,
    agentId: adoption.agentId,
    title,
    status,
    trackId,
    reason: statusReason
  })

/** The consequences of a withdrawal: the review and the track end, and the agent that adopted it learns of it. */
export const withdrawFromAir = Effect.fnUntraced(function* (submission: MusicSubmission) {
  const { adoption, id, trackId } = submission
  yield* (yield* Reviews).forget("music_submission", [id])
  if (trackId !== null) {
    yield* judgeTrack(trackId, {
      from: ["pending_review", "approved", "held"],
      to: "retired",
      reason: "WITHDRAWN",
      atMs: yield* Clock.currentTimeMillis
    })
    yield* (yield* Transaction).afterCommit(recheck)
  }
  if (adoption !== null) yield* tellAdopter(submission, adoption, "withdrawn")
})

/**
 * Ends all that an erased person sent in. What has aired stays a track, of nobody; everything else ends now, and its sound goes with the next
 * sweep.
 */
export const forgetSubmissions = Effect.fnUntraced(function* (humanId: HumanId) {
  const submissions = yield* MusicSubmissionsWriter
  const atMs = yield* Clock.currentTimeMillis
  for (const submission of yield* submissions.listLocked(humanId)) {
    const { adoption, id, status, trackId } = submission
    const track = trackId === null ? null : yield* (yield* Tracks).find(trackId)
    if (status === "approved" && track !== null && track.playCount > 0) {
      yield* (yield* Reviews).forget("music_submission", [id])
      yield* submissions.remove(id)
    } else {
      yield* submissions.disown(id, atMs)
      const isAwaited = status === "adopted" || status === "approved"
      yield* withdrawFromAir({ ...submission, title: "A listener's submission", adoption: isAwaited ? adoption : null })
    }
  }
})
