import { Schema } from "effect"
import { Flag } from "./moderation/Precheck.ts"
import { Difference, problem } from "./Problem.ts"
import { SuggestedChunk } from "./segments/Script.ts"

/** Owner of the exhausted allowance. */
const meter = Schema.optionalKey(Schema.Literals(["agent", "owner", "station", "listener"]))
export class InvalidJson extends problem<InvalidJson>()(
  "InvalidJson",
  400,
  "INVALID_JSON",
  "The request body is not valid JSON for this operation."
) {}
export class MissingFields extends problem<MissingFields>()(
  "MissingFields",
  400,
  "MISSING_FIELDS",
  "Required fields are missing."
) {}
export class InvalidField extends problem<InvalidField>()(
  "InvalidField",
  400,
  "INVALID_FIELD",
  "A field has a value that can't be used."
) {}
export class InvalidRole extends problem<InvalidRole>()("InvalidRole", 400, "INVALID_ROLE", "Unknown role.") {}
export class MissingRole extends problem<MissingRole>()("MissingRole", 400, "MISSING_ROLE", "The role is missing.") {}
export class InvalidType extends problem<InvalidType>()(
  "InvalidType",
  400,
  "INVALID_TYPE",
  "Unknown registration type."
) {}
export class InvalidCategory extends problem<InvalidCategory>()(
  "InvalidCategory",
  400,
  "INVALID_CATEGORY",
  "Unknown category."
) {}
export class InvalidGenre extends problem<InvalidGenre>()("InvalidGenre", 400, "INVALID_GENRE", "Unknown genre.") {}
export class InvalidFileType extends problem<InvalidFileType>()(
  "InvalidFileType",
  400,
  "INVALID_FILE_TYPE",
  "Unsupported file type."
) {}
export class TrackTooShort extends problem<TrackTooShort>()(
  "TrackTooShort",
  400,
  "TRACK_TOO_SHORT",
  "The track is too short."
) {}
export class InvalidAction extends problem<InvalidAction>()(
  "InvalidAction",
  400,
  "INVALID_ACTION",
  "This operation is not available here."
) {}
export class InvalidReason extends problem<InvalidReason>()(
  "InvalidReason",
  400,
  "INVALID_REASON",
  "Unknown reason."
) {}
export class InvalidDomain extends problem<InvalidDomain>()(
  "InvalidDomain",
  400,
  "INVALID_DOMAIN",
  "Unknown domain of reasons."
) {}
export class BodyTooLong extends problem<BodyTooLong>()("BodyTooLong", 400, "BODY_TOO_LONG", "The body is too long.") {}
export class InvalidOtp extends problem<InvalidOtp>()("InvalidOtp", 400, "INVALID_OTP", "The code is wrong.") {}
export class OtpExpired extends problem<OtpExpired>()(
  "OtpExpired",
  400,
  "OTP_EXPIRED",
  "The code has expired or had too many wrong tries."
) {}
export class SpeedVoiceNotFound extends problem<SpeedVoiceNotFound>()(
  "SpeedVoiceNotFound",
  400,
  "SPEED_VOICE_NOT_FOUND",
  "The assigned voice is not deployed on the SPEED engine."
) {}
export class DisplayVoiceRequiresStationTts extends problem<DisplayVoiceRequiresStationTts>()(
  "DisplayVoiceRequiresStationTts",
  400,
  "DISPLAY_VOICE_REQUIRES_SPEED_OR_PRIMARY_TTS",
  "This agent does not use the station's speech engines."
) {}
export class VoiceNotClaimable extends problem<VoiceNotClaimable>()(
  "VoiceNotClaimable",
  400,
  "VOICE_NOT_CLAIMABLE",
  "This voice can't be claimed."
) {}
export class LoreEntryNotReferenceable extends problem<LoreEntryNotReferenceable>()(
  "LoreEntryNotReferenceable",
  400,
  "LORE_ENTRY_NOT_REFERENCEABLE",
  "Nobody can refer to this lore entry."
) {}
export class PeerReviewReasonRequired extends problem<PeerReviewReasonRequired>()(
  "PeerReviewReasonRequired",
  400,
  "PEER_REVIEW_REASON_REQUIRED",
  "A denial and a deferral need a reason."
) {}
export class BroadcastConsentRequired extends problem<BroadcastConsentRequired>()(
  "BroadcastConsentRequired",
  400,
  "BROADCAST_CONSENT_REQUIRED",
  "The listener's consent is missing."
) {}
export class InvalidApiKey extends problem<InvalidApiKey>()(
  "InvalidApiKey",
  401,
  "INVALID_API_KEY",
  "The agent key is missing or invalid."
) {}
export class InvalidAppKey extends problem<InvalidAppKey>()(
  "InvalidAppKey",
  401,
  "INVALID_APP_KEY",
  "The app key is missing or invalid."
) {}
export class ListenerTokenRequired extends problem<ListenerTokenRequired>()(
  "ListenerTokenRequired",
  401,
  "LISTENER_TOKEN_REQUIRED",
  "The listener token is missing or invalid."
) {}
export class SignInRequired extends problem<SignInRequired>()(
  "SignInRequired",
  401,
  "SIGN_IN_REQUIRED",
  "Sign in first."
) {}
export class OperatorRequired extends problem<OperatorRequired>()(
  "OperatorRequired",
  401,
  "OPERATOR_REQUIRED",
  "Only operators may do this."
) {}
export class Forbidden extends problem<Forbidden>()("Forbidden", 403, "FORBIDDEN", "This is not allowed.", {
  requiredScope: Schema.optionalKey(Schema.String),
  planId: Schema.optionalKey(Schema.String)
}) {}
export class SelfReviewNotAllowed extends problem<SelfReviewNotAllowed>()(
  "SelfReviewNotAllowed",
  403,
  "SELF_REVIEW_NOT_ALLOWED",
  "Nobody decides on their own submissions."
) {}
export class PeerReviewNotGranted extends problem<PeerReviewNotGranted>()(
  "PeerReviewNotGranted",
  403,
  "PEER_REVIEW_NOT_GRANTED",
  "This agent may not review its peers' work."
) {}
export class PeerReviewScopeDenied extends problem<PeerReviewScopeDenied>()(
  "PeerReviewScopeDenied",
  403,
  "PEER_REVIEW_SCOPE_DENIED",
  "This agent may not review this kind of work."
) {}
export class AdminOnlySubject extends problem<AdminOnlySubject>()(
  "AdminOnlySubject",
  403,
  "ADMIN_ONLY_SUBJECT",
  "Only operators decide on this."
) {}
export class AgentNotActive extends problem<AgentNotActive>()(
  "AgentNotActive",
  403,
  "AGENT_NOT_ACTIVE",
  "The agent is not active."
) {}
export class AgentSuspended extends problem<AgentSuspended>()(
  "AgentSuspended",
  403,
  "AGENT_SUSPENDED",
  "The agent is suspended.",
  {
    suspension: Schema.optionalKey(
      Schema.Struct({ reason: Schema.String, until: Schema.NullOr(Schema.String), appealUrl: Schema.String })
    )
  }
) {}
export class EmailNotVerified extends problem<EmailNotVerified>()(
  "EmailNotVerified",
  403,
  "EMAIL_NOT_VERIFIED",
  "The owner's address has not been verified yet."
) {}
export class OpenSignupDisabled extends problem<OpenSignupDisabled>()(
  "OpenSignupDisabled",
  403,
  "OPEN_SIGNUP_DISABLED",
  "Registration is closed."
) {}
export class SpeedTtsNotAllowed extends problem<SpeedTtsNotAllowed>()(
  "SpeedTtsNotAllowed",
  403,
  "SPEED_TTS_NOT_ALLOWED",
  "This agent may not use the SPEED engine yet."
) {}
export class PrimaryTtsNotAllowed extends problem<PrimaryTtsNotAllowed>()(
  "PrimaryTtsNotAllowed",
  403,
  "PRIMARY_TTS_NOT_ALLOWED",
  "The station hasn't granted you this use of its speech."
) {}
export class MusicGenerationNotAllowed extends problem<MusicGenerationNotAllowed>()(
  "MusicGenerationNotAllowed",
  403,
  "MUSIC_GENERATION_NOT_ALLOWED",
  "You may not have music made by the station yet."
) {}
export class MusicAgentGenerationDisabled extends problem<MusicAgentGenerationDisabled>()(
  "MusicAgentGenerationDisabled",
  403,
  "MUSIC_AGENT_GENERATION_DISABLED",
  "The station makes no music for agents at the moment."
) {}
export class StationTtsQuotaExhausted extends problem<StationTtsQuotaExhausted>()(
  "StationTtsQuotaExhausted",
  403,
  "STATION_TTS_QUOTA_EXHAUSTED",
  "The speech meter is used up.",
  { meter }
) {}
export class NotFound extends problem<NotFound>()("NotFound", 404, "NOT_FOUND", "Not found.") {}
export class AgentNotFound extends problem<AgentNotFound>()(
  "AgentNotFound",
  404,
  "AGENT_NOT_FOUND",
  "Agent not found."
) {}
export class ClaimInvalidOrExpired extends problem<ClaimInvalidOrExpired>()(
  "ClaimInvalidOrExpired",
  404,
  "CLAIM_INVALID_OR_EXPIRED",
  "The claim is unknown, used or expired."
) {}
export class VoiceNotFound extends problem<VoiceNotFound>()(
  "VoiceNotFound",
  404,
  "VOICE_NOT_FOUND",
  "Voice not found."
) {}
export class StationNotFound extends problem<StationNotFound>()(
  "StationNotFound",
  404,
  "STATION_NOT_FOUND",
  "Station not found."
) {}
export class SegmentNotFound extends problem<SegmentNotFound>()(
  "SegmentNotFound",
  404,
  "SEGMENT_NOT_FOUND",
  "Segment not found."
) {}
export class TrackNotFound extends problem<TrackNotFound>()(
  "TrackNotFound",
  404,
  "TRACK_NOT_FOUND",
  "Track not found."
) {}
export class MusicRequestNotFound extends problem<MusicRequestNotFound>()(
  "MusicRequestNotFound",
  404,
  "MUSIC_REQUEST_NOT_FOUND",
  "Music request not found."
) {}
export class ShowNotFound extends problem<ShowNotFound>()("ShowNotFound", 404, "SHOW_NOT_FOUND", "Show not found.") {}
export class MethodNotAllowed extends problem<MethodNotAllowed>()(
  "MethodNotAllowed",
  405,
  "METHOD_NOT_ALLOWED",
  "Method not allowed."
) {}
export class RangeNotSatisfiable extends problem<RangeNotSatisfiable>()(
  "RangeNotSatisfiable",
  416,
  "RANGE_NOT_SATISFIABLE",
  "The file has no such range."
) {}
export class RequestTimeout extends problem<RequestTimeout>()(
  "RequestTimeout",
  408,
  "REQUEST_TIMEOUT",
  "The body did not arrive in time."
) {}
export class PeerModerationSubjectNotFound extends problem<PeerModerationSubjectNotFound>()(
  "PeerModerationSubjectNotFound",
  404,
  "PEER_MODERATION_SUBJECT_NOT_FOUND",
  "Nothing with this type and id waits for a review."
) {}
export class PeerReviewAlreadySubmitted extends problem<PeerReviewAlreadySubmitted>()(
  "PeerReviewAlreadySubmitted",
  409,
  "PEER_REVIEW_ALREADY_SUBMITTED",
  "Your owner has already decided on this."
) {}
export class HandleTaken extends problem<HandleTaken>()("HandleTaken", 409, "HANDLE_TAKEN", "The handle is taken.") {}
export class VoiceAlreadyClaimed extends problem<VoiceAlreadyClaimed>()(
  "VoiceAlreadyClaimed",
  409,
  "VOICE_ALREADY_CLAIMED",
  "The voice is claimed by another agent."
) {}
export class VoiceLocked extends problem<VoiceLocked>()(
  "VoiceLocked",
  409,
  "VOICE_LOCKED",
  "The voice can't be changed at the moment."
) {}
export class VoiceTensorNotDeployed extends problem<VoiceTensorNotDeployed>()(
  "VoiceTensorNotDeployed",
  409,
  "VOICE_TENSOR_NOT_DEPLOYED",
  "The voice is not in service yet."
) {}
export class AgentAlreadyClaimed extends problem<AgentAlreadyClaimed>()(
  "AgentAlreadyClaimed",
  409,
  "AGENT_ALREADY_CLAIMED",
  "The agent has an owner already."
) {}
/** `answered` gives the status of the first request, and the address of its result, when its answer can't be repeated. */
export class IdempotencyKeyConflict extends problem<IdempotencyKeyConflict>()(
  "IdempotencyKeyConflict",
  409,
  "IDEMPOTENCY_KEY_CONFLICT",
  "The idempotency key was used for another request.",
  { answered: Schema.optionalKey(Schema.Struct({ status: Schema.Int, readAt: Schema.String })) }
) {}
export class IdempotencyKeyInProgress extends problem<IdempotencyKeyInProgress>()(
  "IdempotencyKeyInProgress",
  409,
  "IDEMPOTENCY_KEY_IN_PROGRESS",
  "The first request with this idempotency key is still running."
) {}
export class AlreadyFeatured extends problem<AlreadyFeatured>()(
  "AlreadyFeatured",
  409,
  "ALREADY_FEATURED",
  "Another agent is answering this message."
) {}
export class ListenerAlreadyClaimed extends problem<ListenerAlreadyClaimed>()(
  "ListenerAlreadyClaimed",
  409,
  "LISTENER_ALREADY_CLAIMED",
  "The listener belongs to another account."
) {}
export class SongRequestAlreadyActive extends problem<SongRequestAlreadyActive>()(
  "SongRequestAlreadyActive",
  409,
  "SONG_REQUEST_ALREADY_ACTIVE",
  "You already have a request waiting."
) {}
export class VariantNotPreviewed extends problem<VariantNotPreviewed>()(
  "VariantNotPreviewed",
  409,
  "VARIANT_NOT_PREVIEWED",
  "You have not listened to this variant."
) {}
export class AlreadyDesignated extends problem<AlreadyDesignated>()(
  "AlreadyDesignated",
  409,
  "ALREADY_DESIGNATED",
  "Another variant of this request is designated."
) {}
export class AlreadyAdopted extends problem<AlreadyAdopted>()(
  "AlreadyAdopted",
  409,
  "ALREADY_ADOPTED",
  "Another agent adopted this submission."
) {}
export class ReviewConflict extends problem<ReviewConflict>()(
  "ReviewConflict",
  409,
  "REVIEW_CONFLICT",
  "The review has changed or is already decided."
) {}
/** An operator's command that the subject's current state doesn't allow. */
export class DocketClosed extends problem<DocketClosed>()(
  "DocketClosed",
  409,
  "DOCKET_CLOSED",
  "The docket item is closed."
) {}
export class SubjectConflict extends problem<SubjectConflict>()(
  "SubjectConflict",
  409,
  "SUBJECT_CONFLICT",
  "Not possible in its current state."
) {}
export class PlayoutConflict extends problem<PlayoutConflict>()(
  "PlayoutConflict",
  409,
  "PLAYOUT_CONFLICT",
  "Not possible in the current state of the programme."
) {}
export class OperatorConflict extends problem<OperatorConflict>()(
  "OperatorConflict",
  409,
  "OPERATOR_CONFLICT",
  "The change conflicts with another operator."
) {}
/** `missing` names the fields that must be set before the recording can be submitted. */
export class UploadStateConflict extends problem<UploadStateConflict>()(
  "UploadStateConflict",
  409,
  "UPLOAD_STATE_CONFLICT",
  "The upload is in another state.",
  { missing: Schema.optionalKey(Schema.Array(Schema.String)) }
) {}
/** `uploadId` names the upload with the same bytes, if it belongs to the caller. */
export class DuplicateContentHash extends problem<DuplicateContentHash>()(
  "DuplicateContentHash",
  409,
  "DUPLICATE_CONTENT_HASH",
  "The station already has this file.",
  { uploadId: Schema.optionalKey(Schema.String) }
) {}
export class WebhookLimitReached extends problem<WebhookLimitReached>()(
  "WebhookLimitReached",
  409,
  "WEBHOOK_LIMIT_REACHED",
  "The agent has reached its number of endpoints."
) {}
/** `version` is the present one; `differences` is empty when the version that was sent is too old to be compared. */
export class PreconditionFailed extends problem<PreconditionFailed>()(
  "PreconditionFailed",
  412,
  "PRECONDITION_FAILED",
  "The resource has changed.",
  { version: Schema.optionalKey(Schema.String), differences: Schema.optionalKey(Schema.Array(Difference)) }
) {}
export class PayloadTooLarge extends problem<PayloadTooLarge>()(
  "PayloadTooLarge",
  413,
  "PAYLOAD_TOO_LARGE",
  "The body is too large."
) {}
export class ScriptTooLong extends problem<ScriptTooLong>()(
  "ScriptTooLong",
  413,
  "SCRIPT_TOO_LONG",
  "The script is too long.",
  { suggestedSplit: Schema.Array(SuggestedChunk) }
) {}
export class UnsupportedMediaType extends problem<UnsupportedMediaType>()(
  "UnsupportedMediaType",
  415,
  "UNSUPPORTED_MEDIA_TYPE",
  "Unsupported content type."
) {}
export class ContentRejected extends problem<ContentRejected>()(
  "ContentRejected",
  422,
  "CONTENT_REJECTED",
  "The content was rejected.",
  { flags: Schema.optionalKey(Schema.Array(Flag)) }
) {}
export class PromptRejected extends problem<PromptRejected>()(
  "PromptRejected",
  422,
  "PROMPT_REJECTED",
  "The prompt was rejected.",
  { flags: Schema.optionalKey(Schema.Array(Flag)) }
) {}
export class RateLimited extends problem<RateLimited>()("RateLimited", 429, "RATE_LIMITED", "Too many requests.", {
  meter,
  error: Schema.optionalKey(Schema.String)
}) {}
export class SongRequestLimitReached extends problem<SongRequestLimitReached>()(
  "SongRequestLimitReached",
  429,
  "SONG_REQUEST_LIMIT_REACHED",
  "You have used up your song requests for now."
) {}
export class MusicQuotaExhausted extends problem<MusicQuotaExhausted>()(
  "MusicQuotaExhausted",
  429,
  "MUSIC_QUOTA_EXHAUSTED",
  "You have used up your music for now.",
  { meter }
) {}
export class InternalError extends problem<InternalError>()(
  "InternalError",
  500,
  "INTERNAL_ERROR",
  "Internal error."
) {}
export class NowPlayingUnavailable extends problem<NowPlayingUnavailable>()(
  "NowPlayingUnavailable",
  500,
  "NOW_PLAYING_UNAVAILABLE",
  "Now playing is not available at the moment."
) {}
export class SpeedTtsFailed extends problem<SpeedTtsFailed>()(
  "SpeedTtsFailed",
  502,
  "SPEED_TTS_FAILED",
  "The SPEED engine failed."
) {}
export class PrimaryTtsFailed extends problem<PrimaryTtsFailed>()(
  "PrimaryTtsFailed",
  502,
  "PRIMARY_TTS_FAILED",
  "The PRIMARY engine failed.",
  { provider: Schema.optionalKey(Schema.String) }
) {}
export class Busy extends problem<Busy>()("Busy", 503, "BUSY", "The station has too much to do at the moment.") {}
/** A refused token: 400 in the claim, where the caller mistyped it. */
export class InvalidToken extends problem<InvalidToken>()(
  "InvalidToken",
  400,
  "INVALID_TOKEN",
  "The token is not valid here."
) {}
/** A refused identity token: 401, because it proves no identity. */
export class IdentityTokenRefused extends problem<IdentityTokenRefused>()(
  "IdentityTokenRefused",
  401,
  "INVALID_TOKEN",
  "The token does not identify an agent."
) {}
export class TitleRequired extends problem<TitleRequired>()(
  "TitleRequired",
  400,
  "TITLE_REQUIRED",
  "A booking needs a title."
) {}
export class OccurrenceInPast extends problem<OccurrenceInPast>()(
  "OccurrenceInPast",
  400,
  "OCCURRENCE_IN_PAST",
  "The run has already begun."
) {}
export class CollaborationSlotNotBookable extends problem<CollaborationSlotNotBookable>()(
  "CollaborationSlotNotBookable",
  400,
  "COLLABORATION_SLOT_NOT_BOOKABLE",
  "The block belongs to several agents."
) {}
export class PlanValidationFailed extends problem<PlanValidationFailed>()(
  "PlanValidationFailed",
  400,
  "PLAN_VALIDATION_FAILED",
  "The plan is not valid.",
  { planId: Schema.optionalKey(Schema.String) }
) {}
export class InsufficientLeadTime extends problem<InsufficientLeadTime>()(
  "InsufficientLeadTime",
  400,
  "INSUFFICIENT_LEAD_TIME",
  "It begins too soon to be reviewed.",
  { planId: Schema.optionalKey(Schema.String) }
) {}
export class InsufficientTurns extends problem<InsufficientTurns>()(
  "InsufficientTurns",
  400,
  "INSUFFICIENT_TURNS",
  "Not enough turns."
) {}
export class SessionNotReadyToProduce extends problem<SessionNotReadyToProduce>()(
  "SessionNotReadyToProduce",
  400,
  "SESSION_NOT_READY_TO_PRODUCE",
  "The session is not ready to produce."
) {}
export class InvalidAgentsNeeded extends problem<InvalidAgentsNeeded>()(
  "InvalidAgentsNeeded",
  400,
  "INVALID_AGENTS_NEEDED",
  "The number of agents is out of range."
) {}
export class InvalidTtlHours extends problem<InvalidTtlHours>()(
  "InvalidTtlHours",
  400,
  "INVALID_TTL_HOURS",
  "The topic's duration is out of range."
) {}
export class ScheduleBlockNotFound extends problem<ScheduleBlockNotFound>()(
  "ScheduleBlockNotFound",
  404,
  "SCHEDULE_BLOCK_NOT_FOUND",
  "Block not found."
) {}
export class DjShowPlanNotFound extends problem<DjShowPlanNotFound>()(
  "DjShowPlanNotFound",
  404,
  "DJ_SHOW_PLAN_NOT_FOUND",
  "Plan not found."
) {}
export class LoreEntryNotFound extends problem<LoreEntryNotFound>()(
  "LoreEntryNotFound",
  404,
  "LORE_ENTRY_NOT_FOUND",
  "Lore entry not found."
) {}
export class TopicNotFound extends problem<TopicNotFound>()(
  "TopicNotFound",
  404,
  "TOPIC_NOT_FOUND",
  "Topic not found."
) {}
export class OccurrenceAlreadyBooked extends problem<OccurrenceAlreadyBooked>()(
  "OccurrenceAlreadyBooked",
  409,
  "OCCURRENCE_ALREADY_BOOKED",
  "The run is taken."
) {}
export class PlanNotEditable extends problem<PlanNotEditable>()(
  "PlanNotEditable",
  409,
  "PLAN_NOT_EDITABLE",
  "The plan can no longer be changed."
) {}
export class PlanNotSubmittable extends problem<PlanNotSubmittable>()(
  "PlanNotSubmittable",
  409,
  "PLAN_NOT_SUBMITTABLE",
  "The plan can't be submitted in its current state.",
  { planId: Schema.optionalKey(Schema.String) }
) {}
export class PlanNotCancellable extends problem<PlanNotCancellable>()(
  "PlanNotCancellable",
  409,
  "PLAN_NOT_CANCELLABLE",
  "The plan can no longer be cancelled."
) {}
export class SaveAsShowNotEligible extends problem<SaveAsShowNotEligible>()(
  "SaveAsShowNotEligible",
  409,
  "SAVE_AS_SHOW_NOT_ELIGIBLE",
  "This plan can't become a show."
) {}
export class NotOpenCall extends problem<NotOpenCall>()(
  "NotOpenCall",
  409,
  "NOT_OPEN_CALL",
  "This session is by invitation."
) {}
export class SessionFull extends problem<SessionFull>()("SessionFull", 409, "SESSION_FULL", "All seats are taken.") {}
export class HostCannotClaim extends problem<HostCannotClaim>()(
  "HostCannotClaim",
  409,
  "HOST_CANNOT_CLAIM",
  "The host already has a seat."
) {}
export class GuestDeadlineExpired extends problem<GuestDeadlineExpired>()(
  "GuestDeadlineExpired",
  409,
  "GUEST_DEADLINE_EXPIRED",
  "The time to join has passed."
) {}
export class SessionNotAccepting extends problem<SessionNotAccepting>()(
  "SessionNotAccepting",
  409,
  "SESSION_NOT_ACCEPTING",
  "The session is full."
) {}
export class SessionNotStartable extends problem<SessionNotStartable>()(
  "SessionNotStartable",
  409,
  "SESSION_NOT_STARTABLE",
  "The session can no longer be started."
) {}
export class TurnNotPending extends problem<TurnNotPending>()(
  "TurnNotPending",
  409,
  "TURN_NOT_PENDING",
  "It is not the turn of this agent."
) {}
export class TopicClosed extends problem<TopicClosed>()(
  "TopicClosed",
  409,
  "TOPIC_CLOSED",
  "The topic accepts no more contributions."
) {}
export class TopicExpired extends problem<TopicExpired>()(
  "TopicExpired",
  409,
  "TOPIC_EXPIRED",
  "The topic has expired."
) {}
export class DuplicateTopicContribution extends problem<DuplicateTopicContribution>()(
  "DuplicateTopicContribution",
  409,
  "DUPLICATE_TOPIC_CONTRIBUTION",
  "You have already contributed to this topic."
) {}
export class ProductionStateConflict extends problem<ProductionStateConflict>()(
  "ProductionStateConflict",
  409,
  "PRODUCTION_STATE_CONFLICT",
  "The production is in another state."
) {}
export class TopicActiveLimitReached extends problem<TopicActiveLimitReached>()(
  "TopicActiveLimitReached",
  429,
  "TOPIC_ACTIVE_LIMIT_REACHED",
  "You have reached your number of open topics."
) {}
export class TopicDailyLimitReached extends problem<TopicDailyLimitReached>()(
  "TopicDailyLimitReached",
  429,
  "TOPIC_DAILY_LIMIT_REACHED",
  "You have reached your number of topics for today."
) {}
