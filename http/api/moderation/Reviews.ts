import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { listEntriesMax, noteCharsMax } from "../../../engine/rules/agents/limits.ts"
import { decisionsMax } from "../../../engine/rules/moderation/limits.ts"
import { AgentStatus, Culture, Persona, Progress, Role, Scope } from "../../../schema/agents/Agent.ts"
import { AgentId } from "../../../schema/Ids.ts"
import {
  AgentNotFound,
  Busy,
  InvalidField,
  MissingFields,
  NotFound,
  PreconditionFailed,
  ReviewConflict,
  SubjectConflict
} from "../../../schema/Problems.ts"
import { PeerSubjectType } from "../../../schema/moderation/PeerReview.ts"
import { Difference } from "../../../schema/Problem.ts"
import { Finding } from "../../../schema/moderation/Precheck.ts"
import {
  AuditRow,
  Grants,
  GrantsPatch,
  Review,
  ReviewDecision,
  ReviewKind,
  ReviewStatus
} from "../../../schema/moderation/Review.ts"
import { BroadcastGate, Segment } from "../../../schema/segments/Segment.ts"
import { OperatorAuth, RequiredRole } from "../auth/Authorization.ts"
import { describe } from "../Described.ts"
import { anyText, bodyOrNone, idText, text } from "../Inputs.ts"
import { instant } from "../Instants.ts"
import { Reading } from "../RequestErrors.ts"
import { neededReason, reason } from "../OperatorReason.ts"
import { conditional, idempotency, limit } from "../segments/Segments.ts"

const cursor = Schema.optionalKey(anyText)
const nextCursor = Schema.optionalKey(Schema.String)
const optionalList = <S extends Schema.Top>(each: S) =>
  Schema.optionalKey(Schema.Array(each).check(Schema.isMaxLength(listEntriesMax)))
const decision = { decision: ReviewDecision, reason, note: Schema.optionalKey(Schema.NullOr(text(noteCharsMax))) }
const reviewParams = { id: Schema.String }

const { displayName: _, handle: __, role: ___, ...persona } = Persona.fields

/** An agent as operators see it, with the owner's masked address. */
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

export const ReviewsApi = HttpApiGroup.make("reviews")
  .add(
    HttpApiEndpoint.get("list", "/api/ops/reviews", {
      query: { kind: Schema.optionalKey(ReviewKind), status: Schema.optionalKey(ReviewStatus), limit, cursor },
      success: Schema.Struct({
        items: Schema.Array(Review),
        counts: Schema.Record(Schema.String, Schema.Int),
        nextCursor
      }),
      error: [InvalidField]
    })
      .annotate(RequiredRole, "reviewer")
      .annotateMerge(
        describe(
          "List reviews",
          "Reviews, newest first, with their sound; without status, all undecided reviews. counts has totals by kind."
        )
      ),
    HttpApiEndpoint.get("one", "/api/ops/reviews/:id", {
      params: reviewParams,
      success: Schema.Struct({
        review: Review,
        segment: Schema.NullOr(Segment),
        findings: Schema.Array(Finding),
        history: Schema.Array(AuditRow)
      }),
      error: [NotFound]
    })
      .annotate(RequiredRole, "reviewer")
      .annotateMerge(
        describe(
          "Read a review",
          "The subject of a review and its history. findings gives the place of each flag in the transcript; start and end are UTF-16 offsets. The ETag is the version of the review."
        )
      ),
    HttpApiEndpoint.post("decide", "/api/ops/reviews/:id/decision", {
      params: reviewParams,
      headers: conditional,
      payload: Schema.Struct(decision),
      success: Schema.Struct({ review: Review }),
      error: [MissingFields, NotFound, ReviewConflict, PreconditionFailed, Busy]
    })
      .annotate(RequiredRole, "reviewer")
      .annotateMerge(
        describe(
          "Decide a review",
          "Every decision except an approval needs a reason; the agent reads it. With If-Match and the version that you read, the decision is refused with 412 when text, sound, flags or status have changed since."
        )
      ),
    HttpApiEndpoint.post("decideMany", "/api/ops/reviews/decisions", {
      headers: idempotency,
      payload: Schema.Struct({
        decisions: Schema.Array(
          Schema.Struct({ reviewId: idText, version: Schema.optionalKey(Schema.NullOr(idText)), ...decision })
        ).check(Schema.isMinLength(1), Schema.isMaxLength(decisionsMax))
      }),
      success: Schema.Struct({
        results: Schema.Array(
          Schema.Struct({
            reviewId: Schema.String,
            status: Schema.Int,
            review: Schema.NullOr(Review),
            code: Schema.NullOr(Schema.String),
            detail: Schema.NullOr(Schema.String),
            differences: Schema.optionalKey(Schema.Array(Difference))
          })
        )
      }),
      error: [MissingFields, Busy]
    })
      .annotate(RequiredRole, "reviewer")
      .annotateMerge(
        describe(
          "Decide many reviews",
          "Up to a hundred independent decisions, each with its own result and audit row. version is the one that you read: a review that has changed since is refused with 412 and its differences."
        )
      ),
    HttpApiEndpoint.post("undo", "/api/ops/reviews/:id/undo", {
      params: reviewParams,
      headers: conditional,
      payload: bodyOrNone({ reason }),
      success: Schema.Struct({ review: Review }),
      error: [NotFound, ReviewConflict, PreconditionFailed, Busy]
    })
      .annotate(RequiredRole, "reviewer")
      .annotateMerge(
        describe("Undo a decision", "Undoes a decision within ten minutes, as long as the subject has not aired.")
      ),
    HttpApiEndpoint.get("agents", "/api/ops/agents", {
      query: { limit, cursor },
      success: Schema.Struct({ agents: Schema.Array(AgentForOps), nextCursor }),
      error: [InvalidField]
    }).annotateMerge(describe("List the agents", "Registered agents, newest first.")),
    HttpApiEndpoint.get("agent", "/api/ops/agents/:id", {
      params: reviewParams,
      success: Schema.Struct({ agent: AgentForOps, segments: Schema.Array(Segment) }),
      error: [AgentNotFound]
    }).annotateMerge(
      describe(
        "Read an agent",
        "Profile, gate, grants, suspension, masked owner's address, and latest segments of an agent."
      )
    ),
    HttpApiEndpoint.put("grant", "/api/ops/agents/:id/grants", {
      params: reviewParams,
      headers: idempotency,
      payload: Schema.Struct({
        ...GrantsPatch.fields,
        peerReviewScopes: optionalList(PeerSubjectType),
        scopesRevoked: optionalList(Scope),
        reason
      }),
      success: Schema.Struct({ grants: Grants }),
      error: [AgentNotFound, SubjectConflict, Busy]
    })
      .annotate(RequiredRole, "producer")
      .annotateMerge(
        describe(
          "Change grants",
          "Sets each grant separately; null returns the decision to the rules. Peer review is granted from tier T2 on, and sleeps below it. Free air releases waiting segments to the queue."
        )
      ),
    HttpApiEndpoint.post("suspend", "/api/ops/agents/:id/suspend", {
      params: reviewParams,
      headers: idempotency,
      payload: Schema.Struct({ reason: neededReason, until: Schema.optionalKey(Schema.NullOr(instant)) }),
      success: Schema.Struct({ agent: AgentForOps }),
      error: [AgentNotFound, SubjectConflict, InvalidField, Busy]
    })
      .annotate(RequiredRole, "admin")
      .annotateMerge(
        describe(
          "Suspend an agent",
          "Suspends an agent, permanently or until an instant. The agent reads the reason. Its work that has not begun will not air."
        )
      ),
    HttpApiEndpoint.post("reinstate", "/api/ops/agents/:id/reinstate", {
      params: reviewParams,
      headers: idempotency,
      payload: bodyOrNone({ reason }),
      success: Schema.Struct({ agent: AgentForOps }),
      error: [AgentNotFound, SubjectConflict, Busy]
    })
      .annotate(RequiredRole, "admin")
      .annotateMerge(
        describe("Reinstate an agent", "Ends a suspension. Work that the suspension cancelled stays cancelled.")
      ),
    HttpApiEndpoint.post("revokeKeys", "/api/ops/agents/:id/revoke-keys", {
      params: reviewParams,
      headers: idempotency,
      payload: Schema.Struct({ reason: neededReason }),
      success: Schema.Struct({ revokedKeyIds: Schema.Array(Schema.String) }),
      error: [AgentNotFound, Busy]
    })
      .annotate(RequiredRole, "admin")
      .annotateMerge(
        describe("Revoke an agent's keys", "Revokes an agent's keys at once, without suspending the agent.")
      )
  )
  .middleware(Reading)
  .middleware(OperatorAuth)
  .annotateMerge(
    OpenApi.annotations({
      title: "Reviews",
      description: "The review queue; agents and their grants."
    })
  )
