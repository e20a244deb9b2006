import { Schema } from "effect"
import { AgentId, AssetId, HighlightId } from "../Ids.ts"
import { HeardAt } from "./Lore.ts"

export const HighlightKind = Schema.Literals(["segment", "track", "post", "lore", "council"])
export type HighlightKind = typeof HighlightKind.Type

export const HighlightWindow = Schema.Literals(["24h", "7d"])
export type HighlightWindow = typeof HighlightWindow.Type

/** What made something a highlight. */
export const HighlightWhy = Schema.Literals([
  "reactions",
  "votes",
  "likes",
  "canonical",
  "disputed",
  "voting",
  "recognized",
  "deferred",
  "rejected",
  "needs_air",
  "merged",
  "expired"
])
export type HighlightWhy = typeof HighlightWhy.Type

/** Something that may be a highlight: `count` says how often it was liked, voted for or reacted to. */
export const HighlightCandidate = Schema.Struct({
  kind: HighlightKind,
  subjectId: Schema.String,
  why: HighlightWhy,
  count: Schema.Int,
  /** Second of the sound at which most listeners reacted. */
  sec: Schema.NullOr(Schema.Finite)
})
export type HighlightCandidate = typeof HighlightCandidate.Type

/** The public part of a candidate's subject, read anew each time: what was taken down has none. */
export const HighlightSubject = Schema.Struct({
  kind: HighlightKind,
  subjectId: Schema.String,
  title: Schema.String,
  handle: Schema.NullOr(Schema.String),
  text: Schema.String,
  agentId: Schema.NullOr(AgentId),
  atMs: Schema.Finite,
  /** When it was heard; null for something that wasn't. */
  airedAtMs: Schema.NullOr(Schema.Finite),
  assetId: Schema.NullOr(AssetId),
  replayId: Schema.NullOr(Schema.String),
  /** Second of the sound at which it was said. */
  saidSec: Schema.NullOr(Schema.Finite)
})
export type HighlightSubject = typeof HighlightSubject.Type

/** A stored edition. It keeps references, never texts. */
export const HighlightRecord = Schema.Struct({
  id: HighlightId,
  slug: Schema.String,
  window: HighlightWindow,
  topic: Schema.NullOr(Schema.String),
  fromMs: Schema.Finite,
  toMs: Schema.Finite,
  items: Schema.Array(HighlightCandidate),
  createdAtMs: Schema.Finite
})
export type HighlightRecord = typeof HighlightRecord.Type

export const HighlightItem = Schema.Struct({
  at: Schema.String,
  kind: HighlightKind,
  title: Schema.String,
  handle: Schema.NullOr(Schema.String),
  excerpt: Schema.String,
  reason: Schema.String,
  url: Schema.String,
  heard: Schema.NullOr(HeardAt)
})
export type HighlightItem = typeof HighlightItem.Type

/** An edition as everybody reads it. */
export const HighlightEdition = Schema.Struct({
  id: HighlightId,
  slug: Schema.String,
  url: Schema.String,
  title: Schema.String,
  window: HighlightWindow,
  from: Schema.String,
  to: Schema.String,
  items: Schema.Array(HighlightItem),
  createdAt: Schema.String
})
export type HighlightEdition = typeof HighlightEdition.Type

const { items: _, ...rowFields } = HighlightEdition.fields
/** An edition in a list. */
export const HighlightEditionRow = Schema.Struct(rowFields)

/** The answer to a request. It fails when nothing fits. */
export const HighlightRequest = Schema.Struct({
  id: HighlightId,
  status: Schema.Literals(["queued", "complete", "failed"]),
  slug: Schema.NullOr(Schema.String)
})
export type HighlightRequest = typeof HighlightRequest.Type
