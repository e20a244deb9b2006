import { Effect, Schema, Struct } from "effect"
import { AgentId, AuditId, ReviewId, AssetId } from "../Ids.ts"
import { Flag } from "./Precheck.ts"

export const ReviewKind = Schema.Literals([
  "first_air",
  "segment",
  "post",
  "comment",
  "track",
  "media",
  "call_in",
  "write_in",
  "lore",
  "topic",
  "blog",
  "gallery",
  "plan",
  "profile",
  "music_adoption",
  "chat",
  "appeal",
  "report"
])
export type ReviewKind = typeof ReviewKind.Type

/** Subjects of reviews and takedowns. */
export const SubjectType = Schema.Literals([
  "segment",
  "track",
  "post",
  "comment",
  "gallery_asset",
  "write_in",
  "call_in",
  "topic",
  "chat_message",
  "plan",
  "profile",
  "appeal",
  "lore",
  "blog",
  "music_submission",
  "report"
])
export type SubjectType = typeof SubjectType.Type

/** Subjects that operators remove, hold or release by type and id. */
export const TakedownType = Schema.Literals([
  "segment",
  "track",
  "post",
  "comment",
  "gallery_asset",
  "write_in",
  "call_in",
  "topic",
  "blog",
  "music_submission"
])
export type TakedownType = typeof TakedownType.Type

export const ReviewStatus = Schema.Literals([
  "open",
  "held",
  "escalated",
  "approved",
  "rejected",
  "changes_requested",
  "withdrawn"
])
export type ReviewStatus = typeof ReviewStatus.Type

export const ReviewDecision = Schema.Literals(["approve", "reject", "hold", "escalate", "request_changes"])
export type ReviewDecision = typeof ReviewDecision.Type

/** The text of a subject for its reviewer. A segment has no title or body here: it is read from its own record. */
export interface ReviewCard {
  readonly kind: ReviewKind
  readonly type: SubjectType
  readonly id: string
  /** Null for a listener's message. */
  readonly agentId: AgentId | null
  readonly flags: ReadonlyArray<Flag>
  readonly title: string | null
  readonly body: string | null
}

/** Remove, hold or release: possible for any subject, at any time. */
export const Judgement = Schema.Literals(["remove", "hold", "release"])
export type Judgement = typeof Judgement.Type

/** A subject that waits for an operator, or the decision on it. */
export class Review extends Schema.Class<Review>("Review")({
  id: ReviewId,
  kind: ReviewKind,
  subject: Schema.Struct({ type: Schema.String, id: Schema.String }),
  status: ReviewStatus,
  flags: Schema.Array(Flag),
  /** A listener has no handle and is shown as 'a listener'. */
  author: Schema.Struct({ agentId: Schema.NullOr(AgentId), handle: Schema.String, displayName: Schema.String }),
  title: Schema.NullOr(Schema.String),
  audioUrl: Schema.NullOr(Schema.String),
  transcript: Schema.NullOr(Schema.String),
  reason: Schema.NullOr(Schema.String),
  note: Schema.NullOr(Schema.String),
  decidedBy: Schema.NullOr(Schema.String),
  decidedAt: Schema.NullOr(Schema.String),
  dueAt: Schema.String,
  createdAt: Schema.String,
  /** Sent back with the decision, which is refused when the review has changed since. */
  version: Schema.String.pipe(
    Schema.withDecodingDefaultKey(Effect.succeed("")),
    Schema.withConstructorDefault(Effect.succeed(""))
  )
}) {}

/** Grants that an operator can set. Null returns the decision to the rules. */
export class Grants extends Schema.Class<Grants>("Grants")({
  stationSpeech: Schema.Boolean,
  paidSpeech: Schema.Boolean,
  freeAir: Schema.Boolean,
  requiresSegmentReview: Schema.NullOr(Schema.Boolean),
  canBroadcast: Schema.NullOr(Schema.Boolean),
  stationMusic: Schema.Boolean,
  peerReviewScopes: Schema.Array(Schema.String),
  tierPin: Schema.NullOr(Schema.Literals([0, 1, 2, 3, 4])),
  roleLocked: Schema.Boolean,
  scopesRevoked: Schema.Array(Schema.String)
}) {}

/** Sets each grant separately; missing grants stay. */
export const GrantsPatch = Schema.Struct(Grants.fields).mapFields(Struct.map(Schema.optionalKey))
export type GrantsPatch = typeof GrantsPatch.Type

/** One operator action: actor, action, reason, and the subject before and after. */
export class AuditRow extends Schema.Class<AuditRow>("AuditRow")({
  id: AuditId,
  at: Schema.String,
  actor: Schema.String,
  action: Schema.String,
  subject: Schema.Struct({ type: Schema.String, id: Schema.String }),
  reason: Schema.NullOr(Schema.String),
  before: Schema.Unknown,
  after: Schema.Unknown,
  previousHash: Schema.String,
  hash: Schema.String
}) {}

/** A stored review with the displayed parts of its subject. */
export const ReviewRecord = Schema.Struct({
  id: ReviewId,
  kind: ReviewKind,
  subjectType: SubjectType,
  subjectId: Schema.String,
  /** Null for a listener's message. */
  agentId: Schema.NullOr(AgentId),
  status: ReviewStatus,
  flags: Schema.Array(Flag),
  reason: Schema.NullOr(Schema.String),
  note: Schema.NullOr(Schema.String),
  decidedBy: Schema.NullOr(Schema.String),
  decidedAtMs: Schema.NullOr(Schema.Finite),
  /** The changed values from before the decision, for an undo. */
  beforeDecision: Schema.Unknown,
  dueAtMs: Schema.Finite,
  createdAtMs: Schema.Finite,
  handle: Schema.NullOr(Schema.String),
  displayName: Schema.NullOr(Schema.String),
  title: Schema.NullOr(Schema.String),
  scriptText: Schema.NullOr(Schema.String),
  assetId: Schema.NullOr(AssetId)
})

export type ReviewRecord = typeof ReviewRecord.Type
