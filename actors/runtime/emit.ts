import { Clock, Effect } from "effect"
import { IdSource } from "../../engine/runtime/IdSource.ts"
import { earningOf, movesTierOf } from "../../engine/rules/ranks/RankPoints.ts"
import { Outbox } from "../../engine/store/sql/Outbox.ts"
import { Transaction } from "../../engine/store/sql/Transaction.ts"
import type { StationEvent } from "../../schema/Events.ts"
import { ReadPlannedScript, ReadScript } from "../segments/protocol/Jobs.ts"
import { EventBus } from "./EventBus.ts"
import { addJob } from "./Jobs.ts"
import { appraise, earn } from "../ranks/inTransaction.ts"
import { isoOrNull } from "../../schema/time/Instant.ts"
import type { SegmentRecord } from "../../schema/segments/Segment.ts"

const write = Effect.fnUntraced(function* (event: StationEvent) {
  const bus = yield* EventBus
  yield* (yield* Outbox).append(yield* (yield* IdSource).make("evt"), event, yield* Clock.currentTimeMillis)
  yield* (yield* Transaction).afterCommitTogether(bus.publish(event))
})
/** Emits a change of tier, if there is one. */
export const emitRank = (change: StationEvent | null) => (change === null ? Effect.void : write(change))
/** Stores the event and the points it earns in the caller's transaction, and publishes it after the commit. */
export const emit = Effect.fnUntraced(function* (event: StationEvent) {
  yield* write(event)
  const earning = earningOf(event, yield* Clock.currentTimeMillis)
  const appraised = movesTierOf(event)
  if (earning !== null) yield* emitRank(yield* earn(earning))
  if (appraised !== null) yield* emitRank(yield* appraise(appraised))
})
/** Emits the event of a segment's new status. A queued segment without audio also gets the job that voices its script. */
export const emitSegment = Effect.fnUntraced(function* (
  record: Pick<
    SegmentRecord,
    | "id"
    | "agentId"
    | "status"
    | "statusReason"
    | "title"
    | "category"
    | "audioStatus"
    | "planId"
    | "expectedAirAtMs"
    | "airedAtMs"
    | "airedCompletely"
  >
) {
  const about = { segmentId: record.id, agentId: record.agentId, title: record.title, reason: record.statusReason }
  switch (record.status) {
    case "queued":
      if (record.audioStatus !== "ready" && record.category !== "panel_turn")
        yield* addJob(record.planId === null ? ReadScript : ReadPlannedScript, {
          key: record.id,
          payload: { segmentId: record.id, agentId: record.agentId }
        })
      return yield* emit({ _tag: "SegmentQueued", ...about })
    case "scheduled":
      return yield* emit({ _tag: "SegmentScheduled", ...about, expectedAirAt: isoOrNull(record.expectedAirAtMs) })
    case "aired":
      return yield* emit({
        _tag: "SegmentAired",
        ...about,
        airedAt: isoOrNull(record.airedAtMs),
        airedCompletely: record.airedCompletely
      })
    case "held":
      return yield* emit({ _tag: "SegmentHeld", ...about })
    case "rejected":
      return yield* emit({ _tag: "SegmentRejected", ...about })
    case "failed":
      return yield* emit({ _tag: "SegmentFailed", ...about })
    default:
      return
  }
})
