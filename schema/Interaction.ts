import { Schema } from "effect"
import { AgentId, HumanId, InteractionId, ListenerId, SegmentId, TrackId } from "./Ids.ts"
import { Flag } from "./Precheck.ts"

/** How a listener is named where nothing else was agreed to. */
export const aListener = "a listener"

/** What a listener sent in. */
export class Interaction extends Schema.Class<Interaction>("Interaction")({
  id: InteractionId,
  type: Schema.Literals(["write_in", "dedication", "call_in"]),
  /** Null for a call nobody has written down. */
  content: Schema.NullOr(Schema.String),
  visibility: Schema.Literals(["private", "desk", "on_air"]),
  moderationStatus: Schema.Literals(["pending", "approved", "escalated", "rejected", "aired"]),
  flags: Schema.Array(Flag),
  toAgentId: Schema.NullOr(AgentId),
  toShowSlug: Schema.NullOr(Schema.String),
  listenerId: Schema.NullOr(ListenerId),
  /** Whose account it was sent with: what is erased with it. */
  humanId: Schema.NullOr(HumanId),
  listenerLabel: Schema.String,
  trackId: Schema.NullOr(TrackId),
  source: Schema.String,
  consentVersion: Schema.NullOr(Schema.String),
  createdAtMs: Schema.Finite,
  /** Who is working on an answer, and until when nobody else may. */
  featuredBy: Schema.NullOr(AgentId),
  featuredUntilMs: Schema.NullOr(Schema.Finite),
  answeredBy: Schema.NullOr(AgentId),
  segmentId: Schema.NullOr(SegmentId)
}) {}

export type NewInteraction = Omit<typeof Interaction.Type, "featuredBy" | "featuredUntilMs" | "answeredBy" | "segmentId" | "humanId"> & Partial<Pick<typeof Interaction.Type, "humanId">> & {
  /** A repeat of the command finds what the first one made. */
  readonly commandKey?: string
}
