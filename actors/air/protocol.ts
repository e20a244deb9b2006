import { Schema } from "effect"
import { Entity } from "effect/cluster"
import { Rpc } from "effect/rpc"
import { ItemId, SegmentId, SongRequestId, TrackId } from "../../schema/Ids.ts"
import { PlayoutConflict, SegmentNotFound, TrackNotFound } from "../../schema/Problems.ts"
import { RundownLine } from "../../schema/air/Rundown.ts"
import { act } from "../runtime/protocol.ts"

/** The rundown as operators see it. */
export class RundownView extends Schema.Class<RundownView>("RundownView")({
  revision: Schema.Int,
  held: Schema.Boolean,
  emergency: Schema.Boolean,
  onAir: Schema.NullOr(RundownLine),
  items: Schema.Array(RundownLine)
}) {}

/** The item isn't in the rundown: it never was, has begun, or was dropped. */
export class NotInRundown extends Schema.TaggedError<NotInRundown>()("NotInRundown", { itemId: Schema.String }) {}

/** What can be put on the air by hand: a segment that may air, or a track of the rotation. */
export const Chosen = Schema.Union([
  Schema.TaggedStruct("Segment", { segmentId: Schema.String }),
  Schema.TaggedStruct("Track", { trackId: Schema.String })
])
export type Chosen = typeof Chosen.Type

const notChosen = [SegmentNotFound, TrackNotFound, PlayoutConflict] as const

/** What the as-run log is worth: how many rows were checked, and the first that is wrong. */
export const AsRunVerdict = Schema.Struct({
  rows: Schema.Int,
  fault: Schema.NullOr(Schema.Struct({ seq: Schema.Int, reason: Schema.String })),
  firstAtMs: Schema.NullOr(Schema.Int),
  lastAtMs: Schema.NullOr(Schema.Int),
  lastHash: Schema.NullOr(Schema.String)
})

/** Everything that changes what is on air passes through this mailbox, one message at a time. A repeat of any of them changes nothing. */
export const Station = Entity.make("Station", [
  /** A segment became ready for air: it is placed at the next open speech slot. Null when it has to wait. */
  Rpc.make("Enqueue", { payload: { segmentId: SegmentId }, success: Schema.NullOr(RundownLine) }),
  /** It may not air any more: it leaves the rundown unless it has begun. */
  Rpc.make("Withdraw", { payload: { segmentId: SegmentId, reason: Schema.String }, success: Schema.Boolean }),
  /** It may not be heard any more: as `Withdraw`, and if it is being heard, it ends here. False when it was neither. */
  Rpc.make("TakeOff", { payload: { segmentId: SegmentId }, success: Schema.Boolean }),
  /** Fades what is on the air and begins the next. `itemId` says what was meant: a skip that comes twice skips one item. Refused in an emergency. */
  Rpc.make("Skip", {
    payload: { itemId: Schema.NullOr(ItemId), ...act },
    success: RundownView,
    error: PlayoutConflict
  }),
  Rpc.make("Hold", { payload: act, success: RundownView }),
  Rpc.make("Resume", { payload: act, success: RundownView }),
  Rpc.make("Emergency", { payload: act, success: RundownView }),
  Rpc.make("ClearEmergency", { payload: act, success: RundownView }),
  /** `commandKey` makes the item's id: sent twice, it is inserted once. `before` null puts it next, `now` on the air at once. */
  Rpc.make("Insert", {
    payload: { commandKey: Schema.String, chosen: Chosen, before: Schema.NullOr(ItemId), now: Schema.Boolean, ...act },
    success: RundownView,
    error: Schema.Union([NotInRundown, ...notChosen])
  }),
  Rpc.make("Replace", {
    payload: { commandKey: Schema.String, itemId: ItemId, chosen: Chosen, ...act },
    success: RundownView,
    error: Schema.Union([NotInRundown, ...notChosen])
  }),
  Rpc.make("Move", {
    payload: { itemId: ItemId, before: Schema.NullOr(ItemId), ...act },
    success: RundownView,
    error: NotInRundown
  }),
  Rpc.make("Lock", {
    payload: { itemId: ItemId, locked: Schema.Boolean, ...act },
    success: RundownView,
    error: NotInRundown
  }),
  Rpc.make("Drop", { payload: { itemId: ItemId, ...act }, success: RundownView, error: NotInRundown }),
  /** Keeps one item off the air until it is released; whatever else there is moves up. */
  Rpc.make("HoldItem", {
    payload: { itemId: ItemId, held: Schema.Boolean, ...act },
    success: RundownView,
    error: NotInRundown
  }),
  /** What may air has changed: whatever is planned and may not any more leaves the rundown. What is playing is played out. */
  Rpc.make("Recheck", { success: Schema.Void }),
  /** Checks the as-run log, or one UTC day of it (`yyyy-mm-dd`). One check at a time: it costs a core for seconds. */
  Rpc.make("VerifyAsRun", { payload: { day: Schema.NullOr(Schema.String) }, success: AsRunVerdict }),
  /** Somebody asked for a song, or waits no longer. Answered once it is known when the song comes, as far as that can be known. */
  Rpc.make("PlaceRequests", { success: Schema.Void }),
  /** Puts a song that somebody asked for before the rest. `displacements`: how often it has lost its place, for each time is another item. */
  Rpc.make("PromoteRequest", {
    payload: { requestId: SongRequestId, displacements: Schema.Int, trackId: TrackId, ...act },
    success: RundownView,
    error: Schema.Union([NotInRundown, ...notChosen])
  }),
  /** Something that could air has appeared or gone. */
  Rpc.make("Replan", { success: RundownView }),
  Rpc.make("GetRundown", { success: RundownView })
])
