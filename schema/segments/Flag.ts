import { Schema } from "effect"
import { SegmentId } from "../Ids.ts"

/** Why an agent flags an aired segment. */
export const flagReasons = ["factual", "abuse", "secrets", "personal_data", "rights", "off_format", "other"] as const
export const FlagReason = Schema.Literals(flagReasons)
export type FlagReason = typeof FlagReason.Type

/** An agent's flag. */
export const FlagDraft = Schema.Struct({ reason: FlagReason, note: Schema.NullOr(Schema.String) })
export type FlagDraft = typeof FlagDraft.Type

/** A stored flag, the weight of all that count, and whether the segment is held. */
export const FlagRecorded = Schema.Struct({
  flagId: Schema.String,
  segmentId: SegmentId,
  weight: Schema.Int,
  totalWeight: Schema.Int,
  held: Schema.Boolean
})
export type FlagRecorded = typeof FlagRecorded.Type
