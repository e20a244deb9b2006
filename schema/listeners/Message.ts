import { Schema } from "effect"
import { Source } from "./Consent.ts"
import { HumanId, InteractionId, ListenerId, TrackId, AgentId, SegmentId } from "../Ids.ts"
import { Flag } from "../moderation/Precheck.ts"

/** Name of a listener who agreed to no other. */
export const aListener = "a listener"

/** A listener's message. */
export class Interaction extends Schema.Class<Interaction>("Interaction")({
  id: InteractionId,
  type: Schema.Literals(["write_in", "dedication", "call_in"]),
  /** Null for a call without a transcript. */
  content: Schema.NullOr(Schema.String),
  visibility: Schema.Literals(["private", "desk", "on_air"]),
  moderationStatus: Schema.Literals(["pending", "approved", "escalated", "rejected", "aired"]),
  flags: Schema.Array(Flag),
  toAgentId: Schema.NullOr(AgentId),
  toShowSlug: Schema.NullOr(Schema.String),
  listenerId: Schema.NullOr(ListenerId),
  /** The account that sent it; erasing the account erases the message. */
  humanId: Schema.NullOr(HumanId),
  listenerLabel: Schema.String,
  trackId: Schema.NullOr(TrackId),
  source: Schema.String,
  consentVersion: Schema.NullOr(Schema.String),
  createdAtMs: Schema.Finite,
  /** The agent that reserved it, and until when. */
  featuredBy: Schema.NullOr(AgentId),
  featuredUntilMs: Schema.NullOr(Schema.Finite),
  answeredBy: Schema.NullOr(AgentId),
  segmentId: Schema.NullOr(SegmentId)
}) {}

/** The sender, as far as they may be named. */
export const Sender = Schema.Struct({
  listenerId: Schema.NullOr(ListenerId),
  human: Schema.NullOr(Schema.Struct({ id: HumanId, displayName: Schema.String }))
})
export type Sender = typeof Sender.Type
const optional = <S extends Schema.Top>(schema: S) => Schema.optional(schema)
/** Consent sent with a message, as the rules check it. */
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
  /** The show to whose inbox it was sent. */
  showSlug: Schema.NullOr(Schema.String)
}
/** A listener's written message. */
export const WriteInDraft = Schema.Struct({
  content: Schema.String,
  kind: Schema.Literals(["write_in", "dedication"]),
  /** The track it is for. */
  trackId: Schema.NullOr(Schema.String),
  ...addressed,
  asked: Consenting
})
export type WriteInDraft = typeof WriteInDraft.Type
/** A listener's call. The recording is in the object store, unchanged. */
export const CallInDraft = Schema.Struct({
  uploadKey: Schema.String,
  /** The content type declared in its form part; null if none. */
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
/** The confirmation that a listener gets. */
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
/** State of a call's transcript: being made by the station, waiting for a person, or done. */
export const TranscriptStatus = Schema.Literals(["queued", "awaiting", "ready"])
export type TranscriptStatus = typeof TranscriptStatus.Type
/** State of a call on its way to the air. It can't air before its approval. */
export const CallAirStatus = Schema.Literals(["off", "preparing", "queued", "scheduled", "airing", "aired", "failed"])
export type CallAirStatus = typeof CallAirStatus.Type
/** A message as operators see it, without its sender, who is 'a listener' unless they agreed to more. */
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
    /** Lets a repeated command find the message of the first. */
    readonly commandKey?: string
  }
