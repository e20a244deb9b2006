import { Schema } from "effect"
import { Entity } from "effect/cluster"
import { Rpc } from "effect/rpc"
import { ItemId, SegmentId } from "../../schema/Ids.ts"
import { Airable, Placement, RundownLine } from "../../schema/Rundown.ts"

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

const reason = Schema.NullOr(Schema.String)

/** Everything that changes what is on air passes through this mailbox, one message at a time. A repeat of any of them changes nothing. */
export const Station = Entity.make("Station", [
  /** A segment became ready for air: it is placed at the next open speech slot. Null when it has to wait. */
  Rpc.make("Enqueue", { payload: { segmentId: SegmentId }, success: Schema.NullOr(RundownLine) }),
  /** It may not air any more: it leaves the rundown unless it has begun. */
  Rpc.make("Withdraw", { payload: { segmentId: SegmentId, reason: Schema.String }, success: Schema.Boolean }),
  /** Fades what is on the air and begins the next. `itemId` says what was meant: a skip that comes twice skips one item. */
  Rpc.make("Skip", { payload: { itemId: Schema.NullOr(ItemId), reason }, success: RundownView }),
  Rpc.make("Hold", { payload: { reason }, success: RundownView }),
  Rpc.make("Resume", { payload: { reason }, success: RundownView }),
  Rpc.make("Emergency", { payload: { reason }, success: RundownView }),
  Rpc.make("ClearEmergency", { payload: { reason }, success: RundownView }),
  /** `commandKey` makes the item's id: sent twice, it is inserted once. `before` null puts it next. */
  Rpc.make("Insert", {
    payload: { commandKey: Schema.String, airable: Airable, placement: Placement, before: Schema.NullOr(ItemId), now: Schema.Boolean },
    success: RundownView,
    error: NotInRundown
  }),
  Rpc.make("Move", { payload: { itemId: ItemId, before: Schema.NullOr(ItemId) }, success: RundownView, error: NotInRundown }),
  Rpc.make("Lock", { payload: { itemId: ItemId, locked: Schema.Boolean }, success: RundownView, error: NotInRundown }),
  Rpc.make("Drop", { payload: { itemId: ItemId, reason: Schema.String }, success: RundownView, error: NotInRundown }),
  /** Something that could air has appeared or gone. */
  Rpc.make("Replan", { success: RundownView }),
  Rpc.make("GetRundown", { success: RundownView })
])
