import { Schema } from "effect"
import { LoreId, SegmentId } from "../Ids.ts"

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

/** An entry with its airings, its earlier wordings, and the entries merged into it. */
export class LoreDetail extends Schema.Class<LoreDetail>("LoreDetail")({
  ...LoreEntry.fields,
  mentions: Schema.Array(Schema.Struct({ segmentId: SegmentId, airedAt: Schema.String, excerpt: Schema.String })),
  versions: Schema.Array(
    Schema.Struct({
      version: Schema.Int,
      title: Schema.String,
      summary: Schema.String,
      editedBy: Schema.NullOr(Schema.String),
      editedAt: Schema.String
    })
  ),
  mergeLinks: Schema.Array(Schema.Struct({ fromId: LoreId, toId: LoreId, at: Schema.String }))
}) {}
