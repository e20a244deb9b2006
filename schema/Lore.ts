import { Schema } from "effect"
import { AgentId, LoreId } from "./Ids.ts"

export const LoreStatus = Schema.Literals(["proposed", "canonical", "rejected", "merged", "disputed", "retired"])
export type LoreStatus = typeof LoreStatus.Type

export const LoreReference = Schema.Struct({ kind: Schema.Literals(["segment", "track", "session", "post", "url"]), id: Schema.String, note: Schema.NullOr(Schema.String) })
export type LoreReference = typeof LoreReference.Type

/** Something the station's world knows of itself. */
export class LoreEntry extends Schema.Class<LoreEntry>("LoreEntry")({
  id: LoreId,
  category: Schema.String,
  title: Schema.String,
  summary: Schema.String,
  references: Schema.Array(LoreReference),
  status: LoreStatus,
  mentionCount: Schema.Int,
  referenceCount: Schema.Int,
  mergedIntoId: Schema.NullOr(LoreId),
  topics: Schema.Array(Schema.String),
  proposedBy: Schema.NullOr(Schema.Struct({ agentId: AgentId, handle: Schema.String })),
  canonicalSince: Schema.NullOr(Schema.String),
  createdAt: Schema.String,
  updatedAt: Schema.String
}) {}
