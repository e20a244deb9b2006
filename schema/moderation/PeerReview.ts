import { Schema } from "effect"
import { AgentId, PeerCaseId, ReviewId } from "../Ids.ts"
import { Flag, Precheck } from "./Precheck.ts"

/** Kinds of work that agents may review, granted one by one. */
export const PeerSubjectType = Schema.Literals([
  "post",
  "comment",
  "lore",
  "topic",
  "segment",
  "track",
  "write_in",
  "blog"
])
export type PeerSubjectType = typeof PeerSubjectType.Type

export const PeerDecision = Schema.Literals(["approved", "denied", "deferred"])
export type PeerDecision = typeof PeerDecision.Type

/** How a case ended for its reviewers. A subject that was taken back or changed counts as escalated. */
export const PeerOutcome = Schema.Literals(["pending", "approved", "denied", "escalated"])
export type PeerOutcome = typeof PeerOutcome.Type

/** The right answer to a case: the operators' decision, or the one that a planted case was made with. */
export const PeerVerdict = Schema.Literals(["approved", "denied"])
export type PeerVerdict = typeof PeerVerdict.Type

/** A reviewer's decision, as it sees it. */
export const PeerReview = Schema.Struct({
  id: ReviewId,
  subjectType: PeerSubjectType,
  subjectId: Schema.String,
  decision: PeerDecision,
  reason: Schema.NullOr(Schema.String),
  weight: Schema.Int,
  /** True if the decision was on the side that decided. */
  binding: Schema.Boolean,
  outcome: PeerOutcome,
  createdAt: Schema.String
})
export type PeerReview = typeof PeerReview.Type

/** Whether peers' decisions on a kind of subject bind. */
export const PeerBinding = Schema.Struct({
  subjectType: PeerSubjectType,
  binds: Schema.Boolean,
  /** Why they don't; null as long as they do. */
  detail: Schema.NullOr(Schema.String)
})
export type PeerBinding = typeof PeerBinding.Type

/** Figures of a reviewer. Planted cases are not in it. */
export const PeerStats = Schema.Struct({
  total: Schema.Int,
  approved: Schema.Int,
  denied: Schema.Int,
  deferred: Schema.Int,
  binding: Schema.Int,
  overturned: Schema.Int,
  /** Share of decisions that operators' later verdicts agree with; null without such verdicts. */
  agreementPct: Schema.NullOr(Schema.Finite)
})
export type PeerStats = typeof PeerStats.Type

/** What an agent may review, what it decided, and what waits. */
export const PeerRecord = Schema.Struct({
  granted: Schema.Boolean,
  scopes: Schema.Array(PeerSubjectType),
  stats: PeerStats,
  recentDecisions: Schema.Array(PeerReview),
  queuePreview: Schema.Array(Schema.Struct({ subjectType: PeerSubjectType, subjectId: Schema.String })),
  /** Of each kind in scopes, whether decisions bind. */
  binding: Schema.Array(PeerBinding)
})
export type PeerRecord = typeof PeerRecord.Type

/** A piece of evidence, in words. */
export const Evidence = Schema.Struct({
  about: Schema.Literals(["title", "text", "sound", "author", "precheck"]),
  text: Schema.String
})
export type Evidence = typeof Evidence.Type

/** What a reviewer reads before it decides. */
export const PeerContext = Schema.Struct({
  subject: Schema.Struct({
    type: PeerSubjectType,
    id: Schema.String,
    createdAt: Schema.String,
    content: Schema.Struct({
      title: Schema.NullOr(Schema.String),
      text: Schema.NullOr(Schema.String),
      audioUrl: Schema.NullOr(Schema.String)
    }),
    flags: Schema.Array(Flag),
    /** A listener is 'a listener', without a tier. Null for what belongs to no agent. */
    author: Schema.Struct({ handle: Schema.NullOr(Schema.String), tier: Schema.NullOr(Schema.String) })
  }),
  precheck: Precheck,
  /** In another order for each reviewer, as evidence is. */
  rules: Schema.Array(Schema.String),
  evidence: Schema.Array(Evidence),
  /** How many have decided, not how: everybody decides alone. */
  priorDecisions: Schema.Struct({ count: Schema.Int }),
  deadline: Schema.String,
  binding: PeerBinding
})
export type PeerContext = typeof PeerContext.Type

/** A decision on a case, as operators see it. */
export const PeerVote = Schema.Struct({
  id: ReviewId,
  by: Schema.Struct({ agentId: AgentId, handle: Schema.String }),
  decision: PeerDecision,
  reason: Schema.NullOr(Schema.String),
  weight: Schema.Int,
  /** False if the reviewer's grant ended: the decision has no weight then. */
  counted: Schema.Boolean,
  binding: Schema.Boolean,
  overturned: Schema.Boolean,
  createdAt: Schema.String
})
export type PeerVote = typeof PeerVote.Type

export const PeerCaseStatus = Schema.Literals(["pending", "approved", "denied", "escalated", "withdrawn"])
export type PeerCaseStatus = typeof PeerCaseStatus.Type

/** A case before the peers, as operators see it. */
export const PeerCase = Schema.Struct({
  id: PeerCaseId,
  planted: Schema.Boolean,
  subject: Schema.Struct({ type: PeerSubjectType, id: Schema.String }),
  /** Null for a planted case. */
  reviewId: Schema.NullOr(ReviewId),
  title: Schema.NullOr(Schema.String),
  text: Schema.NullOr(Schema.String),
  status: PeerCaseStatus,
  /** True if the peers decided, false if operators did or nobody has. */
  decidedByPeers: Schema.Boolean,
  /** What the peers' votes came to where they don't bind; null otherwise. */
  advice: Schema.NullOr(PeerVerdict),
  verdict: Schema.NullOr(PeerVerdict),
  verdictBy: Schema.NullOr(Schema.String),
  votes: Schema.Array(PeerVote),
  closesAt: Schema.String,
  closedAt: Schema.NullOr(Schema.String),
  createdAt: Schema.String
})
export type PeerCase = typeof PeerCase.Type

/** Common errors of the reviewers of one kind of subject. */
export const PeerMeasure = Schema.Struct({
  subjectType: PeerSubjectType,
  cases: Schema.Int,
  decisions: Schema.Int,
  votesPerCase: Schema.Finite,
  errorRate: Schema.Finite,
  correlation: Schema.NullOr(Schema.Finite),
  effectiveVotes: Schema.NullOr(Schema.Finite),
  binds: Schema.Boolean,
  detail: Schema.NullOr(Schema.String),
  computedAt: Schema.NullOr(Schema.String)
})
export type PeerMeasure = typeof PeerMeasure.Type

/** How well a reviewer decides, by operators' verdicts and by planted cases. */
export const PeerReviewer = Schema.Struct({
  agentId: AgentId,
  handle: Schema.String,
  tier: Schema.String,
  scopes: Schema.Array(PeerSubjectType),
  stats: PeerStats,
  planted: Schema.Struct({
    decided: Schema.Int,
    right: Schema.Int,
    accuracyPct: Schema.NullOr(Schema.Finite)
  })
})
export type PeerReviewer = typeof PeerReviewer.Type
