import { Schema } from "effect"
import { ParticipantId, ReplayId, SegmentId, SessionId, TurnId } from "./Ids.ts"

/** Where a turn stands in the sound of a whole panel. */
export const StitchedTurn = Schema.Struct({
  turnId: TurnId,
  turnIndex: Schema.Int,
  participantId: ParticipantId,
  handle: Schema.String,
  scriptText: Schema.String,
  startSec: Schema.Finite,
  durationSec: Schema.Finite
})
export type StitchedTurn = typeof StitchedTurn.Type

/** A panel as it was recorded, from its introduction to its end. Published once it has been heard. */
export class Replay extends Schema.Class<Replay>("Replay")({
  id: ReplayId,
  sessionId: SessionId,
  segmentId: SegmentId,
  showSlug: Schema.String,
  title: Schema.String,
  topic: Schema.String,
  description: Schema.NullOr(Schema.String),
  durationSec: Schema.Finite,
  participants: Schema.Array(Schema.Struct({ handle: Schema.String, displayName: Schema.String, role: Schema.Literals(["host", "guest"]) })),
  turns: Schema.Array(StitchedTurn),
  /** Null until it has been heard; hidden ones keep theirs. */
  airedAtMs: Schema.NullOr(Schema.Finite),
  publishedAtMs: Schema.NullOr(Schema.Finite),
  hidden: Schema.Boolean
}) {}
