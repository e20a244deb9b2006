import { Clock, Effect } from "effect"
import { Ids } from "../engine/Ids.ts"
import { earningOf, movesTierOf } from "../engine/rules/Points.ts"
import { Outbox } from "../engine/store/Outbox.ts"
import type { SegmentRecord } from "../engine/store/SegmentRecords.ts"
import { Transaction } from "../engine/store/Transaction.ts"
import type { StationEvent } from "../schema/Events.ts"
import { Bus } from "./Bus.ts"
import { appraise, earn } from "./Earning.ts"

const write = Effect.fnUntraced(function*(event: StationEvent) {
  const bus = yield* Bus
  yield* (yield* Outbox).append(yield* (yield* Ids).make("evt"), event, yield* Clock.currentTimeMillis)
  yield* (yield* Transaction).afterCommit(Effect.asVoid(bus.publish(event)))
})

/** Tells of another tier, where there is one to tell of. */
export const tellRank = (change: StationEvent | null) => change === null ? Effect.void : write(change)

/** The event is stored with the change it tells of, and so is what it earned; it goes round the house once that change is certain. */
export const tell = Effect.fnUntraced(function*(event: StationEvent) {
  yield* write(event)
  const earning = earningOf(event, yield* Clock.currentTimeMillis)
  const appraised = movesTierOf(event)
  if (earning !== null) yield* tellRank(yield* earn(earning))
  if (appraised !== null) yield* tellRank(yield* appraise(appraised))
})

const instant = (ms: number | null): string | null => ms === null ? null : new Date(ms).toISOString()

/** Tells what a segment has become. */
export const announce = Effect.fnUntraced(function*(record: Pick<SegmentRecord, "id" | "agentId" | "status" | "statusReason" | "title" | "expectedAirAtMs" | "airedAtMs" | "airedCompletely">) {
  const about = { segmentId: record.id, agentId: record.agentId, title: record.title, reason: record.statusReason }
  switch (record.status) {
    case "queued": return yield* tell({ _tag: "SegmentQueued", ...about })
    case "scheduled": return yield* tell({ _tag: "SegmentScheduled", ...about, expectedAirAt: instant(record.expectedAirAtMs) })
    case "aired": return yield* tell({ _tag: "SegmentAired", ...about, airedAt: instant(record.airedAtMs), airedCompletely: record.airedCompletely })
    case "held": return yield* tell({ _tag: "SegmentHeld", ...about })
    case "rejected": return yield* tell({ _tag: "SegmentRejected", ...about })
    case "failed": return yield* tell({ _tag: "SegmentFailed", ...about })
    default: return
  }
})
