import { Schema } from "effect"
import { Entity } from "effect/cluster"
import { Rpc } from "effect/rpc"
import { AnnouncementKind } from "../../schema/air/Announcement.ts"
import { AssetId, ItemId, SegmentId, SongRequestId, TrackId } from "../../schema/Ids.ts"
import { PlayoutConflict, PreconditionFailed, SegmentNotFound, TrackNotFound } from "../../schema/Problems.ts"
import { LiveEnd, LiveState } from "../../schema/air/Live.ts"
import { RundownLine } from "../../schema/air/Rundown.ts"
import { act, seen, tried } from "../runtime/protocol.ts"

/** The operators' view of the rundown. */
export class RundownView extends Schema.Class<RundownView>("RundownView")({
  revision: Schema.Int,
  held: Schema.Boolean,
  emergency: Schema.Boolean,
  onAir: Schema.NullOr(RundownLine),
  items: Schema.Array(RundownLine)
}) {}

/** The item isn't in the rundown: it never was, has begun, or was dropped. */
export class NotInRundown extends Schema.TaggedError<NotInRundown>()("NotInRundown", { itemId: Schema.String }) {}

/** Operators' choices: a segment that may air, or a track of the rotation. */
export const Chosen = Schema.Union([
  Schema.TaggedStruct("Segment", { segmentId: Schema.String }),
  Schema.TaggedStruct("Track", { trackId: Schema.String })
])
export type Chosen = typeof Chosen.Type

const notChosen = [SegmentNotFound, TrackNotFound, PlayoutConflict] as const

/** Result of a check of the as-run log: rows checked and the first faulty row. */
export const AsRunVerdict = Schema.Struct({
  rows: Schema.Int,
  fault: Schema.NullOr(Schema.Struct({ seq: Schema.Int, reason: Schema.String })),
  firstAtMs: Schema.NullOr(Schema.Int),
  lastAtMs: Schema.NullOr(Schema.Int),
  lastHash: Schema.NullOr(Schema.String)
})

/** The station's rundown, changed by one message at a time. Repeating a message changes nothing. */
export const Station = Entity.make("Station", [
  /** Places a segment that is ready at the next open speech slot. Null when it has to wait. */
  Rpc.make("Enqueue", { payload: { segmentId: SegmentId }, success: Schema.NullOr(RundownLine) }),
  /** Removes a segment from the rundown unless it has begun. */
  Rpc.make("Withdraw", { payload: { segmentId: SegmentId, reason: Schema.String }, success: Schema.Boolean }),
  /**
   * Removes a segment from the rundown for an operator who undoes its approval. `on_air`: too late, the mixer has it. With `dryRun` it only
   * answers.
   */
  Rpc.make("Recall", {
    payload: { segmentId: SegmentId, ...tried },
    success: Schema.Literals(["removed", "absent", "on_air"])
  }),
  /** The same for a track that an operator approved at `sinceMs`. An earlier play doesn't count. */
  Rpc.make("RecallTrack", {
    payload: { trackId: TrackId, assetId: AssetId, sinceMs: Schema.Finite, ...tried },
    success: Schema.Literals(["removed", "absent", "on_air"])
  }),
  /** Like `Withdraw`, and ends the segment if it is on the air. False when it was neither planned nor on the air. */
  Rpc.make("TakeOff", { payload: { segmentId: SegmentId }, success: Schema.Boolean }),
  /** Fades the current item and starts the next. `itemId` names the item to skip, so a repeat skips only one. Refused in an emergency. */
  Rpc.make("Skip", {
    payload: { itemId: Schema.NullOr(ItemId), ...act, ...seen, ...tried },
    success: RundownView,
    error: Schema.Union([PlayoutConflict, PreconditionFailed])
  }),
  Rpc.make("Hold", { payload: { ...act, ...seen, ...tried }, success: RundownView, error: PreconditionFailed }),
  Rpc.make("Resume", { payload: { ...act, ...seen, ...tried }, success: RundownView, error: PreconditionFailed }),
  /** Never refused for its version: an emergency comes first. */
  Rpc.make("Emergency", { payload: act, success: RundownView }),
  Rpc.make("ClearEmergency", { payload: { ...act, ...seen }, success: RundownView, error: PreconditionFailed }),
  /** Live sound takes the place of the rundown as soon as it comes. Refused in an emergency, and while another operator has the air. */
  Rpc.make("TakeLive", {
    payload: { title: Schema.String, isSynthetic: Schema.Boolean, ...act },
    success: LiveState,
    error: PlayoutConflict
  }),
  /** An operator's program connects to send live sound. */
  Rpc.make("ConnectLive", { payload: { format: Schema.String, ...act } }),
  /** The connection is over; null: it broke. */
  Rpc.make("DisconnectLive", { payload: { ended: Schema.NullOr(LiveEnd), ...act } }),
  /** The rundown goes on. A repeat changes nothing. */
  Rpc.make("ReleaseLive", { payload: act, success: LiveState }),
  /** `commandKey` determines the item's id, so a repeat inserts once. Null `before` places it next; `now` starts it at once. */
  Rpc.make("Insert", {
    payload: {
      commandKey: Schema.String,
      chosen: Chosen,
      before: Schema.NullOr(ItemId),
      now: Schema.Boolean,
      ...act,
      ...seen,
      ...tried
    },
    success: RundownView,
    error: Schema.Union([NotInRundown, PreconditionFailed, ...notChosen])
  }),
  Rpc.make("Replace", {
    payload: { commandKey: Schema.String, itemId: ItemId, chosen: Chosen, ...act, ...seen, ...tried },
    success: RundownView,
    error: Schema.Union([NotInRundown, PreconditionFailed, ...notChosen])
  }),
  Rpc.make("Move", {
    payload: { itemId: ItemId, before: Schema.NullOr(ItemId), ...act, ...seen, ...tried },
    success: RundownView,
    error: Schema.Union([NotInRundown, PreconditionFailed])
  }),
  Rpc.make("Lock", {
    payload: { itemId: ItemId, locked: Schema.Boolean, ...act, ...seen, ...tried },
    success: RundownView,
    error: Schema.Union([NotInRundown, PreconditionFailed])
  }),
  Rpc.make("Drop", {
    payload: { itemId: ItemId, ...act, ...seen, ...tried },
    success: RundownView,
    error: Schema.Union([NotInRundown, PreconditionFailed])
  }),
  /** Holds one item until it is released; later items move up. */
  Rpc.make("HoldItem", {
    payload: { itemId: ItemId, held: Schema.Boolean, ...act, ...seen, ...tried },
    success: RundownView,
    error: Schema.Union([NotInRundown, PreconditionFailed])
  }),
  /** Switches a kind of the station's own words on or off. Those that wait are dropped. */
  Rpc.make("SwitchAnnouncements", {
    payload: { kind: AnnouncementKind, on: Schema.Boolean, ...act },
    success: Schema.Void
  }),
  /** Removes planned items that may no longer air. The current item plays to its end. */
  Rpc.make("Recheck", { success: Schema.Void }),
  /** Checks the as-run log, or one UTC day of it (`yyyy-mm-dd`). One check at a time, because it uses a core for seconds. */
  Rpc.make("VerifyAsRun", { payload: { day: Schema.NullOr(Schema.String) }, success: AsRunVerdict }),
  /** Plans changed song requests. Answers when their forecasts are published. */
  Rpc.make("PlaceRequests", { success: Schema.Void }),
  /** Places a requested song first. `displacements` counts how often it lost its place; each count makes a new item id. */
  Rpc.make("PromoteRequest", {
    payload: { requestId: SongRequestId, displacements: Schema.Int, trackId: TrackId, ...act },
    success: RundownView,
    error: Schema.Union([NotInRundown, ...notChosen])
  }),
  /** Replans after a change of candidates. */
  Rpc.make("Replan", { success: RundownView }),
  Rpc.make("GetRundown", { success: RundownView })
])
