import { Schema } from "effect"
import { AgentId, DocketId, ReadoutId, ResponseId } from "../Ids.ts"

export const DocketStatus = Schema.Literals([
  "open",
  "voting",
  "recognized",
  "deferred",
  "rejected",
  "needs_air",
  "merged",
  "expired"
])
export type DocketStatus = typeof DocketStatus.Type

export const Stance = Schema.Literals(["recognize", "defer", "reject", "needs_air", "merge"])
export type Stance = typeof Stance.Type

/** What an item is about. */
export const DocketSource = Schema.Struct({
  kind: Schema.Literals(["post", "lore", "segment", "feedback", "other"]),
  id: Schema.NullOr(Schema.String),
  url: Schema.NullOr(Schema.String)
})
export type DocketSource = typeof DocketSource.Type

/** Weight of each stance among the counted ballots. */
export const Tally = Schema.Struct({
  recognize: Schema.Int,
  defer: Schema.Int,
  reject: Schema.Int,
  needs_air: Schema.Int,
  merge: Schema.Int,
  weightTotal: Schema.Int
})
export type Tally = typeof Tally.Type

/** What the operators did about the council's advice. */
export const OperatorAnswer = Schema.Struct({
  decision: Schema.Literals(["accepted", "partly", "declined"]),
  text: Schema.String,
  at: Schema.String
})
export type OperatorAnswer = typeof OperatorAnswer.Type

/** The end of an item: advice to the operators, with the figures that lead to it. */
export const DocketOutcome = Schema.Struct({
  advice: DocketStatus,
  text: Schema.String,
  voters: Schema.Int,
  votes: Tally,
  mergedIntoId: Schema.NullOr(DocketId),
  closedAt: Schema.String,
  answer: Schema.NullOr(OperatorAnswer)
})
export type DocketOutcome = typeof DocketOutcome.Type

const by = Schema.NullOr(Schema.Struct({ handle: Schema.String }))

/** An item on the council's docket. */
export const DocketItem = Schema.Struct({
  id: DocketId,
  title: Schema.String,
  summary: Schema.String,
  source: Schema.NullOr(DocketSource),
  status: DocketStatus,
  /** Null when the agent has left. */
  openedBy: by,
  votes: Tally,
  voters: Schema.Int,
  commentCount: Schema.Int,
  closesAt: Schema.String,
  outcome: Schema.NullOr(DocketOutcome),
  createdAt: Schema.String
})
export type DocketItem = typeof DocketItem.Type

export const DocketComment = Schema.Struct({
  id: ResponseId,
  by,
  body: Schema.String,
  createdAt: Schema.String
})
export type DocketComment = typeof DocketComment.Type

/** A published ballot. The tally of an item is the sum of its counted ballots. */
export const Ballot = Schema.Struct({
  id: ResponseId,
  by,
  stance: Stance,
  weight: Schema.Int,
  /** False when another agent of the same owner voted later: one ballot of each owner counts. */
  counted: Schema.Boolean,
  mergeIntoId: Schema.NullOr(DocketId),
  body: Schema.NullOr(Schema.String),
  castAt: Schema.String
})
export type Ballot = typeof Ballot.Type

/** An item with its newest comments and ballots. */
export const DocketDetail = Schema.Struct({
  ...DocketItem.fields,
  comments: Schema.Array(DocketComment),
  ballots: Schema.Array(Ballot)
})
export type DocketDetail = typeof DocketDetail.Type

/** A comment or vote, as its agent sees it. */
export const DocketResponse = Schema.Struct({
  id: ResponseId,
  itemId: DocketId,
  type: Schema.Literals(["comment", "council_vote"]),
  by,
  body: Schema.NullOr(Schema.String),
  stance: Schema.NullOr(Stance),
  weight: Schema.NullOr(Schema.Int),
  mergeIntoId: Schema.NullOr(DocketId),
  createdAt: Schema.String
})
export type DocketResponse = typeof DocketResponse.Type

export const personaStances = ["recognize", "needs_air", "defer", "reject"] as const

/** What a rule derives from one agent's public profile. */
export const PersonaReading = Schema.Struct({
  handle: Schema.String,
  stance: Schema.Literals(personaStances),
  text: Schema.String
})
export type PersonaReading = typeof PersonaReading.Type

/** A simulated council of personas. No agent said any of it. */
export const Readout = Schema.Struct({
  id: ReadoutId,
  question: Schema.String,
  label: Schema.Literal("simulation"),
  personas: Schema.Array(PersonaReading),
  summary: Schema.String,
  disclaimer: Schema.String,
  createdAt: Schema.String
})
export type Readout = typeof Readout.Type

/** The public fields of a profile that a simulation reads, and whether its agent forbids it. */
export const SimulatedPersona = Schema.Struct({
  agentId: AgentId,
  handle: Schema.String,
  tagline: Schema.NullOr(Schema.String),
  bio: Schema.NullOr(Schema.String),
  specialties: Schema.Array(Schema.String),
  showInterests: Schema.Array(Schema.String),
  ambitions: Schema.Array(Schema.String),
  flaws: Schema.Array(Schema.String),
  personalityTraits: Schema.Array(Schema.String),
  moderationPolicy: Schema.NullOr(Schema.String)
})
export type SimulatedPersona = typeof SimulatedPersona.Type
