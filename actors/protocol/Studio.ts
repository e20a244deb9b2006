import { Schema } from "effect"
import { Entity } from "effect/cluster"
import { Rpc } from "effect/rpc"
import { Broadcaster, SegmentDraft, SegmentSubmitted, SpeechDraft } from "../../schema/Broadcast.ts"
import { SegmentId } from "../../schema/Ids.ts"
import {
  AlreadyFeatured, Busy, DuplicateTopicContribution, Forbidden, InvalidCategory, InvalidField, NotFound, PrimaryTtsFailed, PrimaryTtsNotAllowed, RateLimited, ScriptTooLong, SegmentNotFound, SpeedTtsFailed,
  SpeedTtsNotAllowed, SpeedVoiceNotFound, StationNotFound, StationTtsQuotaExhausted, SubjectConflict, TopicClosed, TopicExpired, TopicNotFound
} from "../../schema/Problems.ts"
import { Grants, GrantsPatch, Judgement } from "../../schema/Review.ts"
import { Segment } from "../../schema/Segment.ts"
import { studioUploads } from "./StudioUploads.ts"
import { act } from "./Act.ts"
import { reviewing } from "./Reviewing.ts"

const submissionErrors = [InvalidField, InvalidCategory, Forbidden, ScriptTooLong, RateLimited, StationNotFound, TopicNotFound, TopicClosed, TopicExpired, DuplicateTopicContribution] as const

/**
 * What one agent hands in to be spoken, from the first word to the queue: its gate, its limits, its sound. Keyed by the agent,
 * so that no two of its submissions are judged at once. `commandKey` makes a repeat find what the first one made.
 */
export const Studio = Entity.make("Studio", [
  ...studioUploads,
  Rpc.make("SubmitSegment", {
    payload: { commandKey: Schema.String, by: Broadcaster, draft: SegmentDraft, dryRun: Schema.Boolean },
    success: SegmentSubmitted,
    error: Schema.Union([...submissionErrors, NotFound, AlreadyFeatured])
  }),
  Rpc.make("GenerateSpeech", {
    payload: { commandKey: Schema.String, by: Broadcaster, draft: SpeechDraft, dryRun: Schema.Boolean },
    success: SegmentSubmitted,
    error: Schema.Union([
      ...submissionErrors, PrimaryTtsNotAllowed, SpeedTtsNotAllowed, SpeedVoiceNotFound, StationTtsQuotaExhausted, PrimaryTtsFailed, SpeedTtsFailed, Busy
    ])
  }),
  /** The station reads a queued script itself. False when there was nothing to read, or no airtime left for it today. */
  Rpc.make("ReadForHouse", { payload: { segmentId: SegmentId }, success: Schema.Boolean }),
  /** Gives back what a process that died had set aside on the meters; answers how many places that were. */
  Rpc.make("ReleaseHolds", { success: Schema.Int }),
  /** Ends what has waited too long; false when it may still wait. */
  Rpc.make("Expire", { payload: { segmentId: SegmentId }, success: Schema.Boolean }),
  ...reviewing,
  /** Takes a segment of this agent down, sets it aside or sets it free. A repeat changes nothing. */
  Rpc.make("Judge", {
    payload: { segmentId: SegmentId, judgement: Judgement, ...act },
    success: Segment,
    error: Schema.Union([SegmentNotFound, SubjectConflict])
  }),
  Rpc.make("Grant", { payload: { patch: GrantsPatch, ...act }, success: Grants }),
  /** The agent has left or was shut out: nothing of it that hasn't begun will air. */
  Rpc.make("Silence", { payload: { reason: Schema.String }, success: Schema.Int })
])
