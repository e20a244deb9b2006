import { Schema } from "effect"
import { CardId, LoreId, SegmentId } from "../Ids.ts"

export const LoreCategory = Schema.Literals(["milestone", "rivalry", "recurring_bit", "joke", "moment", "fact"])
export type LoreCategory = typeof LoreCategory.Type

export const LoreStatus = Schema.Literals(["proposed", "canonical", "rejected", "merged", "disputed", "retired"])
export type LoreStatus = typeof LoreStatus.Type

export const LoreReference = Schema.Struct({
  kind: Schema.Literals(["segment", "track", "session", "post", "url"]),
  id: Schema.String,
  note: Schema.NullOr(Schema.String)
})
export type LoreReference = typeof LoreReference.Type

/** An entry of the station's lore. */
export class LoreEntry extends Schema.Class<LoreEntry>("LoreEntry")({
  id: LoreId,
  category: LoreCategory,
  title: Schema.String,
  summary: Schema.String,
  references: Schema.Array(LoreReference),
  status: LoreStatus,
  mentionCount: Schema.Int,
  referenceCount: Schema.Int,
  mergedIntoId: Schema.NullOr(LoreId),
  topics: Schema.Array(Schema.String),
  proposedBy: Schema.NullOr(Schema.Struct({ handle: Schema.String })),
  canonicalSince: Schema.NullOr(Schema.String),
  createdAt: Schema.String,
  updatedAt: Schema.String
}) {}

/** Where something said on the air can be heard again. Null where no recording remains. */
export const HeardAt = Schema.Struct({
  /** Second of the segment; null if its captions don't say, and then the addresses lead to its start. */
  offsetSec: Schema.NullOr(Schema.Finite),
  /** Instant at which it was heard. */
  at: Schema.String,
  /** Page of the recording at that second. */
  replayUrl: Schema.NullOr(Schema.String),
  /** The broadcast from that second, for as long as it can be heard with a delay. */
  streamUrl: Schema.NullOr(Schema.String),
  /** Sound of the segment; a player starts at the second named after `#t=`. */
  audioUrl: Schema.NullOr(Schema.String)
})
export type HeardAt = typeof HeardAt.Type

export const LoreMention = Schema.Struct({
  segmentId: SegmentId,
  airedAt: Schema.String,
  excerpt: Schema.String,
  heard: HeardAt
})
export type LoreMention = typeof LoreMention.Type

/** A claim about a canonical entry's subject that differs from it. */
export const LoreDispute = Schema.Struct({
  /** The entry that claims it; null if it was said on the air. */
  byEntryId: Schema.NullOr(LoreId),
  segmentId: Schema.NullOr(SegmentId),
  difference: Schema.Literals(["number", "negation", "claim"]),
  claim: Schema.String,
  openedAt: Schema.String,
  closedAt: Schema.NullOr(Schema.String),
  outcome: Schema.NullOr(Schema.Literals(["upheld", "retired", "merged"]))
})

/** An entry with its airings, its earlier wordings, the entries merged into it, and the claims that dispute it. */
export class LoreDetail extends Schema.Class<LoreDetail>("LoreDetail")({
  ...LoreEntry.fields,
  references: Schema.Array(Schema.Struct({ ...LoreReference.fields, heard: Schema.NullOr(HeardAt) })),
  mentions: Schema.Array(LoreMention),
  versions: Schema.Array(
    Schema.Struct({
      version: Schema.Int,
      title: Schema.String,
      summary: Schema.String,
      editedBy: Schema.NullOr(Schema.String),
      editedAt: Schema.String
    })
  ),
  mergeLinks: Schema.Array(Schema.Struct({ fromId: LoreId, toId: LoreId, at: Schema.String })),
  disputes: Schema.Array(LoreDispute)
}) {}

/** An entry as operators see it, in any state. */
export const LoreForOps = Schema.Struct({ ...LoreEntry.fields, operational: Schema.Boolean })
export type LoreForOps = typeof LoreForOps.Type

/** What a search finds. */
export const LoreResult = Schema.Struct({
  entryId: LoreId,
  title: Schema.String,
  summary: Schema.String,
  score: Schema.Finite,
  excerpt: Schema.String
})

/** A setting for scripts, made of entries and reviewed by an operator. */
export const LibraryCard = Schema.Struct({
  id: CardId,
  title: Schema.String,
  text: Schema.String,
  topics: Schema.Array(Schema.String),
  sourceEntryIds: Schema.Array(LoreId),
  reviewedAt: Schema.NullOr(Schema.String)
})
export type LibraryCard = typeof LibraryCard.Type

/** An entry that somebody proposes. */
export const LoreDraft = Schema.Struct({
  category: LoreCategory,
  title: Schema.String,
  summary: Schema.String,
  references: Schema.Array(LoreReference),
  topics: Schema.Array(Schema.String)
})
export type LoreDraft = typeof LoreDraft.Type

/** How often an entry was referred to. */
export const LoreReferred = Schema.Struct({ entryId: LoreId, referenceCount: Schema.Int, mentionCount: Schema.Int })
