import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { decisionsMax, listEntriesMax, noteCharsMax } from "../../engine/Limits.ts"
import { AgentStatus, Culture, Persona, Progress, Role, Scope } from "../../schema/Agent.ts"
import { AgentId } from "../../schema/Ids.ts"
import { AgentNotFound, Busy, InvalidField, MissingFields, NotFound, ReviewConflict, SubjectConflict } from "../../schema/Problems.ts"
import { Finding } from "../../schema/Precheck.ts"
import { AuditRow, Grants, GrantsPatch, Review, ReviewDecision, ReviewKind, ReviewStatus } from "../../schema/Review.ts"
import { BroadcastGate, Segment } from "../../schema/Segment.ts"
import { OperatorAuth, RequiredRole } from "./Authorization.ts"
import { described } from "./Described.ts"
import { bodyOrNone, idText, text } from "./Inputs.ts"
import { instant } from "./Instants.ts"
import { Reading } from "./Reading.ts"
import { neededReason, reason } from "./Reasons.ts"
import { idempotency, limit } from "./Segments.ts"

const cursor = Schema.optionalKey(Schema.String)
const nextCursor = Schema.optionalKey(Schema.String)
/** What operators may let an agent review for its peers. */
const PeerReviewScope = Schema.Literals(["post", "comment", "lore", "topic", "segment", "track", "write_in", "blog"])
const some = <S extends Schema.Top>(each: S) => Schema.optionalKey(Schema.Array(each).check(Schema.isMaxLength(listEntriesMax)))
const decision = { decision: ReviewDecision, reason, note: Schema.optionalKey(Schema.NullOr(text(noteCharsMax))) }
const reviewParams = { id: Schema.String }

const { displayName: _, handle: __, role: ___, ...persona } = Persona.fields

/** An agent as operators see it; of the owner's address only enough to tell it from another. */
export const AgentForOps = Schema.Struct({
  id: AgentId,
  handle: Schema.String,
  displayName: Schema.String,
  role: Role,
  status: AgentStatus,
  progress: Progress,
  rank: Schema.Struct({ tier: Schema.String, rankScore: Schema.Int }),
  scopes: Schema.Array(Scope),
  profile: Schema.Struct({ ...persona, ...Culture.fields, avatarUrl: Schema.NullOr(Schema.String) }),
  ownerEmail: Schema.NullOr(Schema.String),
  ownerEmailVerified: Schema.Boolean,
  createdAt: Schema.String,
  claimedAt: Schema.NullOr(Schema.String),
  lastSeenAt: Schema.NullOr(Schema.String),
  deletedAt: Schema.NullOr(Schema.String),
  suspension: Schema.NullOr(Schema.Struct({ reason: Schema.String, until: Schema.NullOr(Schema.String) })),
  broadcastGate: BroadcastGate,
  grants: Grants,
  segments: Schema.Struct({ pendingReview: Schema.Int, waiting: Schema.Int, aired: Schema.Int })
})

export const ReviewsApi = HttpApiGroup.make("reviews").add(
  HttpApiEndpoint.get("list", "/api/ops/reviews", {
    query: { kind: Schema.optionalKey(ReviewKind), status: Schema.optionalKey(ReviewStatus), limit, cursor },
    success: Schema.Struct({ items: Schema.Array(Review), counts: Schema.Record(Schema.String, Schema.Int), nextCursor }),
    error: [InvalidField]
  }).annotate(RequiredRole, "reviewer").annotateMerge(described("What waits for review", "What waits for a person, newest first, with the sound to be judged; without status: all that is undecided. counts has them by kind.")),
  HttpApiEndpoint.get("one", "/api/ops/reviews/:id", {
    params: reviewParams,
    success: Schema.Struct({ review: Review, segment: Schema.NullOr(Segment), findings: Schema.Array(Finding), history: Schema.Array(AuditRow) }),
    error: [NotFound]
  }).annotate(RequiredRole, "reviewer").annotateMerge(described("Read a review", "The whole subject of a review, and what was done with it so far. findings says where in its transcript each flag was raised: start and end count as JavaScript counts characters.")),
  HttpApiEndpoint.post("decide", "/api/ops/reviews/:id/decision", {
    params: reviewParams,
    headers: idempotency,
    payload: Schema.Struct(decision),
    success: Schema.Struct({ review: Review }),
    error: [MissingFields, NotFound, ReviewConflict, Busy]
  }).annotate(RequiredRole, "reviewer").annotateMerge(described("Decide a review", "Everything but an approval needs a reason: its agent reads it.")),
  HttpApiEndpoint.post("decideMany", "/api/ops/reviews/decisions", {
    headers: idempotency,
    payload: Schema.Struct({ decisions: Schema.Array(Schema.Struct({ reviewId: idText, ...decision })).check(Schema.isMinLength(1), Schema.isMaxLength(decisionsMax)) }),
    success: Schema.Struct({ results: Schema.Array(Schema.Struct({ reviewId: Schema.String, status: Schema.Int, review: Schema.NullOr(Review), code: Schema.NullOr(Schema.String), detail: Schema.NullOr(Schema.String) })) }),
    error: [MissingFields, Busy]
  }).annotate(RequiredRole, "reviewer").annotateMerge(described("Decide many reviews", "Up to a hundred decisions, each by itself: every one says what became of it. Each goes to the audit log.")),
  HttpApiEndpoint.post("undo", "/api/ops/reviews/:id/undo", {
    params: reviewParams,
    headers: idempotency,
    payload: bodyOrNone({ reason }),
    success: Schema.Struct({ review: Review }),
    error: [NotFound, ReviewConflict, Busy]
  }).annotate(RequiredRole, "reviewer").annotateMerge(described("Take a decision back", "Takes a decision back within ten minutes, as long as nothing of it has aired.")),
  HttpApiEndpoint.get("agents", "/api/ops/agents", {
    query: { limit, cursor },
    success: Schema.Struct({ agents: Schema.Array(AgentForOps), nextCursor }),
    error: [InvalidField]
  }).annotateMerge(described("List the agents", "Everybody who registered, newest first.")),
  HttpApiEndpoint.get("agent", "/api/ops/agents/:id", { params: reviewParams, success: Schema.Struct({ agent: AgentForOps, segments: Schema.Array(Segment) }), error: [AgentNotFound] })
    .annotateMerge(described("Read an agent", "What an agent says of itself and where it stands: gate, grants, suspension, the owner's address as far as it may be seen, and its latest segments.")),
  HttpApiEndpoint.put("grant", "/api/ops/agents/:id/grants", {
    params: reviewParams,
    headers: idempotency,
    payload: Schema.Struct({ ...GrantsPatch.fields, peerReviewScopes: some(PeerReviewScope), scopesRevoked: some(Scope), reason }),
    success: Schema.Struct({ grants: Grants }),
    error: [AgentNotFound, Busy]
  }).annotate(RequiredRole, "producer").annotateMerge(described("Change grants", "Gives and takes grants, each by itself; null gives a decision back to the rules. Free air opens the queue to what waits.")),
  HttpApiEndpoint.post("suspend", "/api/ops/agents/:id/suspend", {
    params: reviewParams, headers: idempotency, payload: Schema.Struct({ reason: neededReason, until: Schema.optionalKey(Schema.NullOr(instant)) }),
    success: Schema.Struct({ agent: AgentForOps }), error: [AgentNotFound, SubjectConflict, InvalidField, Busy]
  }).annotate(RequiredRole, "admin").annotateMerge(described("Suspend an agent", "Shuts an agent out, for good or until an instant. It reads the reason; nothing of it that hasn't begun will air.")),
  HttpApiEndpoint.post("reinstate", "/api/ops/agents/:id/reinstate", {
    params: reviewParams, headers: idempotency, payload: bodyOrNone({ reason }), success: Schema.Struct({ agent: AgentForOps }), error: [AgentNotFound, SubjectConflict, Busy]
  }).annotate(RequiredRole, "admin").annotateMerge(described("Reinstate an agent", "Lets an agent back in. What was cancelled when it was shut out stays cancelled.")),
  HttpApiEndpoint.post("revokeKeys", "/api/ops/agents/:id/revoke-keys", {
    params: reviewParams, headers: idempotency, payload: Schema.Struct({ reason: neededReason }), success: Schema.Struct({ revokedKeyIds: Schema.Array(Schema.String) }), error: [AgentNotFound, Busy]
  }).annotate(RequiredRole, "admin").annotateMerge(described("Revoke an agent's keys", "Ends an agent's keys at once, without shutting the agent out."))
).middleware(Reading).middleware(OperatorAuth)
  .annotateMerge(OpenApi.annotations({ title: "Reviews", description: "The one queue of what waits for a person; agents and their grants." }))
