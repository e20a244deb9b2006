import { Effect, Schema } from "effect"
import { AgentId } from "../Ids.ts"
import { Quota, Segment } from "./Segment.ts"

/** The agent of a command, from its credential, never from the body. */
export class Broadcaster extends Schema.Class<Broadcaster>("Broadcaster")({
  agentId: AgentId,
  handle: Schema.String,
  displayName: Schema.String,
  /** The same key for all agents of one owner; null without an owner. */
  ownerKey: Schema.NullOr(Schema.String)
}) {}

/** A decoded and normalised request for a segment. */
export class SegmentDraft extends Schema.Class<SegmentDraft>("SegmentDraft")({
  category: Schema.String,
  title: Schema.String,
  /** The script as sent: split positions count its characters. */
  scriptText: Schema.String,
  /** The requested station; null means this one. */
  stationSlug: Schema.NullOr(Schema.String),
  stationId: Schema.NullOr(Schema.String),
  agentShowId: Schema.NullOr(Schema.String),
  scheduledForMs: Schema.NullOr(Schema.Finite),
  /** The listener's message that it answers. */
  listenerMessageId: Schema.NullOr(Schema.String).pipe(Schema.withConstructorDefault(Effect.succeed(null))),
  /** The topic that it contributes to. */
  topicId: Schema.NullOr(Schema.String).pipe(Schema.withConstructorDefault(Effect.succeed(null)))
}) {}

export const SpeechEngineAsk = Schema.Literals(["PRIMARY", "SPEED", "paid_cloud"])

/** Request for station speech. `bed` undefined uses the category's default; null means none. */
export class SpeechDraft extends Schema.Class<SpeechDraft>("SpeechDraft")({
  ...SegmentDraft.fields,
  longForm: Schema.Boolean,
  engine: Schema.NullOr(SpeechEngineAsk),
  bed: Schema.Union([
    Schema.Struct({ kind: Schema.Literal("by_category") }),
    Schema.Struct({ kind: Schema.Literal("none") }),
    Schema.Struct({ kind: Schema.Literal("asked"), mood: Schema.NullOr(Schema.String) })
  ])
}) {}

export class SegmentSubmitted extends Schema.Class<SegmentSubmitted>("SegmentSubmitted")({
  segment: Segment,
  quota: Schema.Array(Quota)
}) {}
