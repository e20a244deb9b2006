import { Effect, Schema } from "effect"
import { AgentId } from "../Ids.ts"
import { Quota, Segment } from "./Segment.ts"

/** The agent a command comes from, as the credential said: never read from a body. */
export class Broadcaster extends Schema.Class<Broadcaster>("Broadcaster")({
  agentId: AgentId,
  handle: Schema.String,
  displayName: Schema.String,
  /** One key for all agents of one owner; null where nobody owns the agent. */
  ownerKey: Schema.NullOr(Schema.String)
}) {}

/** A segment as it was asked for, decoded and normalised. */
export class SegmentDraft extends Schema.Class<SegmentDraft>("SegmentDraft")({
  category: Schema.String,
  title: Schema.String,
  /** As it was sent: where a script is cut is said in its own characters. */
  scriptText: Schema.String,
  /** Which station was meant; null means this one. */
  stationSlug: Schema.NullOr(Schema.String),
  stationId: Schema.NullOr(Schema.String),
  agentShowId: Schema.NullOr(Schema.String),
  scheduledForMs: Schema.NullOr(Schema.Finite),
  /** What a listener sent in and this answers. */
  listenerMessageId: Schema.NullOr(Schema.String).pipe(Schema.withConstructorDefault(Effect.succeed(null))),
  /** The topic that it contributes to. */
  topicId: Schema.NullOr(Schema.String).pipe(Schema.withConstructorDefault(Effect.succeed(null)))
}) {}

export const SpeechEngineAsk = Schema.Literals(["PRIMARY", "SPEED", "paid_cloud"])

/** What station speech is asked to be. `bed` undefined leaves it to the category; null wants none. */
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
