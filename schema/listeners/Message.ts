import { Schema } from "effect"
import { Source } from "./Consent.ts"
import { HumanId, InteractionId, ListenerId, TrackId, AgentId, SegmentId } from "../Ids.ts"
import { Flag } from "../moderation/Precheck.ts"

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

/** Who sends it, as far as anybody may be told. */
export const Sender = Schema.Struct({
  listenerId: Schema.NullOr(ListenerId),
  human: Schema.NullOr(Schema.Struct({ id: HumanId, displayName: Schema.String }))
})
export type Sender = typeof Sender.Type
const optional = <S extends Schema.Top>(schema: S) => Schema.optional(schema)
/** What somebody says of consent, as the rules judge it. */
export const Consenting = Schema.Struct({
  source: Schema.NullOr(Source),
  consent: Schema.NullOr(
    Schema.Struct({
      acknowledged: optional(Schema.Boolean),
      disclosureVersion: optional(Schema.String),
      recordingNoticeVersion: optional(Schema.String)
    })
  ),
  attribution: Schema.NullOr(Schema.Struct({ useDisplayName: optional(Schema.Boolean) }))
})
const addressed = {
  /** A handle, or the slug of a show. */
  to: Schema.NullOr(Schema.String),
  /** The show whose own desk it was sent to. */
  showSlug: Schema.NullOr(Schema.String)
}
/** What a listener writes. */
export const WriteInDraft = Schema.Struct({
  content: Schema.String,
  kind: Schema.Literals(["write_in", "dedication"]),
  /** The track it is for. */
  trackId: Schema.NullOr(Schema.String),
  ...addressed,
  asked: Consenting
})
export type WriteInDraft = typeof WriteInDraft.Type
/** What a listener says. The recording lies in the object store, as it came. */
export const CallInDraft = Schema.Struct({
  uploadKey: Schema.String,
  /** What its part of the form said that it is; null where it said nothing. */
  contentType: Schema.NullOr(Schema.String),
  /** The track it is for. */
  trackId: Schema.NullOr(Schema.String),
  ...addressed,
  asked: Consenting
})
export type CallInDraft = typeof CallInDraft.Type
export const Message = Schema.Struct({
  id: InteractionId,
  type: Interaction.fields.type,
  content: Schema.NullOr(Schema.String),
  visibility: Interaction.fields.visibility,
  moderationStatus: Interaction.fields.moderationStatus
})
export type Message = typeof Message.Type
/** What a listener is told of what they sent. */
export const Confirmed = Schema.Struct({
  interaction: Message,
  confirmation: Schema.Struct({ status: Schema.Literals(["received", "held"]), message: Schema.String })
})
export type Confirmed = typeof Confirmed.Type
export const CallConfirmed = Schema.Struct({
  ...Confirmed.fields,
  durationSec: Schema.Finite,
  transcript: Schema.NullOr(Schema.String)
})
export type CallConfirmed = typeof CallConfirmed.Type
/** How far the words of a call are: being written down by the station, waiting for a person to do so, or there. */
export const TranscriptStatus = Schema.Literals(["queued", "awaiting", "ready"])
export type TranscriptStatus = typeof TranscriptStatus.Type
/** Where a call stands on its way to the air: before its approval it is off it. */
export const CallAirStatus = Schema.Literals(["off", "preparing", "queued", "scheduled", "airing", "aired", "failed"])
export type CallAirStatus = typeof CallAirStatus.Type
/** A message as operators see it: all but who sent it, who is 'a listener' unless they agreed to more. */
export const MessageForOps = Schema.Struct({
  ...Message.fields,
  flags: Interaction.fields.flags,
  label: Schema.String,
  to: Schema.NullOr(Schema.String),
  trackId: Schema.NullOr(TrackId),
  source: Schema.String,
  createdAt: Schema.String,
  call: Schema.NullOr(
    Schema.Struct({
      durationSec: Schema.Finite,
      transcriptStatus: TranscriptStatus,
      airStatus: CallAirStatus,
      airReason: Schema.NullOr(Schema.String),
      expectedAirAt: Schema.NullOr(Schema.String),
      airedAt: Schema.NullOr(Schema.String),
      audioUrl: Schema.String
    })
  )
})
export type MessageForOps = typeof MessageForOps.Type
export type NewInteraction = Omit<
  typeof Interaction.Type,
  "featuredBy" | "featuredUntilMs" | "answeredBy" | "segmentId" | "humanId"
> &
  Partial<Pick<typeof Interaction.Type, "humanId">> & {
    /** A repeat of the command finds what the first one made. */
    readonly commandKey?: string
  }
