import { Schema } from "effect"
import { Source } from "../listeners/Consent.ts"
import { AgentId, HumanId, ItemId, ListenerId, SongRequestId, TrackId } from "../Ids.ts"

export const SongRequestStatus = Schema.Literals(["pending", "scheduled", "fulfilled", "expired", "cancelled"])
export type SongRequestStatus = typeof SongRequestStatus.Type

/** Public data of a requested track. */
export const RequestedTrack = Schema.Struct({
  id: TrackId,
  title: Schema.String,
  artist: Schema.String,
  genre: Schema.String,
  isInstrumental: Schema.Boolean,
  durationSec: Schema.Finite
})

/** One song request. */
export class SongRequest extends Schema.Class<SongRequest>("SongRequest")({
  id: SongRequestId,
  track: RequestedTrack,
  /** The holder of the limit: an account, an agent, or `guest_` and a keyed hash of an address. Null after erasure. */
  requester: Schema.NullOr(Schema.String),
  humanId: Schema.NullOr(HumanId),
  listenerId: Schema.NullOr(ListenerId),
  agentId: Schema.NullOr(AgentId),
  listenerLabel: Schema.String,
  note: Schema.NullOr(Schema.String),
  source: Source,
  status: SongRequestStatus,
  statusReason: Schema.NullOr(Schema.String),
  displacements: Schema.Int,
  itemId: Schema.NullOr(ItemId),
  scheduledForMs: Schema.NullOr(Schema.Finite),
  fulfilledAtMs: Schema.NullOr(Schema.Finite),
  createdAtMs: Schema.Finite,
  expiresAtMs: Schema.Finite,
  updatedAtMs: Schema.Finite
}) {}

export const EtaLabel = Schema.Literals(["on_air", "up_next", "within_15_min", "within_1_hour", "later", "unknown"])
export const EtaReason = Schema.Literals([
  "in_rundown",
  "separation",
  "request_quota",
  "live_show",
  "queue_full",
  "expired"
])
export type EtaReason = typeof EtaReason.Type

/** Expected time by the planner; null if unknown. */
export interface Eta {
  readonly label: typeof EtaLabel.Type
  readonly reason: EtaReason | null
  readonly playAtMs: number | null
}

/** The planner's estimate for a request without a place: its time, and the reason for the delay. */
export const Forecast = Schema.Struct({ playAtMs: Schema.NullOr(Schema.Finite), reason: Schema.NullOr(EtaReason) })
export type Forecast = typeof Forecast.Type

/** A request as its sender sees it. */
export const SongRequestView = Schema.Struct({
  requestId: SongRequestId,
  trackId: TrackId,
  status: SongRequestStatus,
  expiresAt: Schema.String,
  scheduledFor: Schema.NullOr(Schema.String),
  fulfilledAt: Schema.NullOr(Schema.String),
  createdAt: Schema.String,
  queueDisclaimer: Schema.String,
  track: RequestedTrack,
  estimatedPlayAt: Schema.NullOr(Schema.String),
  estimatedWaitSeconds: Schema.NullOr(Schema.Int),
  etaLabel: EtaLabel,
  etaReason: Schema.NullOr(EtaReason)
})
export type SongRequestView = typeof SongRequestView.Type

/** A finished request: `terminalAt` is its end, null if it was cancelled. */
export const TerminalSongRequest = Schema.Struct({
  ...SongRequestView.fields,
  terminalAt: Schema.NullOr(Schema.String)
})

/** A request as operators see it. They see only the kind and the label of its sender. */
export const SongRequestForOps = Schema.Struct({
  ...SongRequestView.fields,
  requestedBy: Schema.Literals(["account", "guest", "agent", "erased"]),
  agentId: Schema.NullOr(AgentId),
  listenerLabel: Schema.String,
  note: Schema.NullOr(Schema.String),
  source: Source,
  statusReason: Schema.NullOr(Schema.String),
  displacements: Schema.Int,
  itemId: Schema.NullOr(ItemId)
})

/** A decoded and checked song request. */
export const SongRequestDraft = Schema.Struct({
  trackId: Schema.String,
  listenerId: Schema.NullOr(ListenerId),
  account: Schema.NullOr(Schema.Struct({ id: HumanId, displayName: Schema.String })),
  source: Schema.NullOr(Source),
  consent: Schema.NullOr(
    Schema.Struct({ acknowledged: Schema.optional(Schema.Boolean), disclosureVersion: Schema.optional(Schema.String) })
  ),
  attribution: Schema.NullOr(Schema.Struct({ useDisplayName: Schema.optional(Schema.Boolean) }))
})
export type SongRequestDraft = typeof SongRequestDraft.Type
