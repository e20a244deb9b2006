import { Clock, Effect } from "effect"
import { unplayed } from "../../engine/rules/music/Track.ts"
import { IdSource } from "../../engine/runtime/IdSource.ts"
import {
  adoptionCard,
  adoptionStatus,
  creditOf,
  applyReview,
  applyJudgement,
  submissionCard,
  type SubmissionState
} from "../../engine/rules/music/Adoption.ts"
import { Agents } from "../../engine/store/agents/Agents.ts"
import { MusicSubmissions, MusicSubmissionsWriter } from "../../engine/store/music/MusicSubmissions.ts"
import { Tracks, TracksWriter } from "../../engine/store/music/Tracks.ts"
import { Transaction } from "../../engine/store/sql/Transaction.ts"
import { markOf } from "../../engine/rules/sound/Synthetic.ts"
import type { TrackId } from "../../schema/Ids.ts"
import type { MusicSubmission } from "../../schema/music/MusicSubmission.ts"
import { Track } from "../../schema/music/Track.ts"
import { ReviewConflict } from "../../schema/Problems.ts"
import { moveByState, type Cause, noneOf, makeRemovable } from "../moderation/Reviews.ts"
import { recheck } from "../runtime/StationQueue.ts"
import { MusicDesk } from "./protocol/MusicDesk.ts"
import { tellAdopter } from "./inTransaction.ts"

interface State extends SubmissionState {
  readonly reason: string | null
}

/** Makes the track of an approved adoption. No agent owns it: it is a listener's, and the agent is named in the credit. */
const intoRotation = Effect.fnUntraced(function* (submission: MusicSubmission) {
  const { adoption, assetId, facts, trackId } = submission
  const tracks = yield* TracksWriter
  const atMs = yield* Clock.currentTimeMillis
  // An approval that was undone and is repeated.
  if (trackId !== null) {
    yield* tracks.judge(trackId, { from: ["retired"], to: "approved", reason: null, atMs })
    return trackId
  }
  const agent = yield* (yield* Agents).find(adoption!.agentId)
  const id = (yield* (yield* IdSource).make("trk")) as TrackId
  const isInstrumental = facts?.isInstrumental ?? false
  yield* tracks.save(
    Track.make({
      id,
      assetId: assetId!,
      title: submission.title,
      artist: creditOf(agent?.persona.handle ?? ""),
      genre: submission.genre,
      mood: submission.mood,
      category: isInstrumental ? "instrumental" : "song",
      description: null,
      isInstrumental,
      lyrics: facts?.lyrics ?? null,
      language: facts?.language ?? null,
      durationSec: submission.durationSec!,
      bpm: facts?.bpm ?? null,
      musicalKey: facts?.musicalKey ?? null,
      energy: facts?.energy ?? null,
      approvalStatus: "approved",
      approvalReason: null,
      remixable: false,
      rightsDeclaration: submission.rightsDeclaration,
      syntheticDisclosure: submission.syntheticDisclosure,
      source: "upload",
      agentId: null,
      synthetic: markOf({ _tag: "SentIn", ...submission }),
      ...unplayed(atMs)
    })
  )
  return id
})

const move = Effect.fnUntraced(function* (submission: MusicSubmission, to: State, cause: Cause) {
  const { adoption, status } = submission
  const atMs = yield* Clock.currentTimeMillis
  const isApproved = to.status === "approved"
  const trackId = isApproved ? yield* intoRotation(submission) : submission.trackId
  if (status === "approved")
    yield* (yield* TracksWriter).judge(trackId!, { from: ["approved"], to: "retired", reason: "UNDONE", atMs })
  const moved = yield* (yield* MusicSubmissionsWriter).move(submission.id, submission, to, {
    reason: to.reason,
    trackId,
    atMs
  })
  if (moved === null) return false
  if (isApproved || status === "approved") yield* (yield* Transaction).afterCommit(recheck)
  if (adoption !== null && status === "adopted" && cause !== "undo") {
    const outcome = adoptionStatus(to.status)
    if (outcome !== "operator_review") yield* tellAdopter({ ...moved, statusReason: to.reason }, adoption, outcome)
  }
  return true
})

/** Reviews of listeners' recordings: first whether one is safe to be shown to agents, then whether what an agent adopted may air. */
export const submissionReview = makeRemovable({
  type: "music_submission",
  entity: MusicDesk,
  key: "agent",
  find: (id) => Effect.flatMap(MusicSubmissions, (submissions) => submissions.find(id)),
  notFound: noneOf("submission"),
  agentOf: ({ adoption, status }) => (status === "adopted" ? adoption!.agentId : null),
  card: (submission) =>
    submission.status === "adopted"
      ? adoptionCard(submission, submission.adoption!, [])
      : submissionCard(submission, []),
  applyJudgement: (submission, { judgement, reason }) => {
    const to = applyJudgement(submission, judgement)
    return to === null ? null : { ...to, reason }
  },
  view: ({ id, status }) => Effect.succeed({ submission: { id, status } }),
  ...moveByState({
    state: ({ adoption, status, statusReason }: MusicSubmission): State => ({ status, adoption, reason: statusReason }),
    statusOf: ({ status }) => status,
    applyVerdict: (state, { reason, status }) => {
      const to = applyReview(state, status)
      return to === null ? null : { ...to, reason: to.status === "approved" || status === "approved" ? null : reason }
    },
    canUndo: Effect.fnUntraced(function* ({ trackId }: MusicSubmission) {
      const track = trackId === null ? null : yield* (yield* Tracks).find(trackId)
      if (track !== null && track.playCount > 0)
        return yield* new ReviewConflict({ detail: "It has aired as a track. Remove the track instead." })
      return true
    }),
    move
  })
})
