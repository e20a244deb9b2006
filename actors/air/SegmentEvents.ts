import { Effect, Layer } from "effect"
import type { IdSource } from "../../engine/runtime/IdSource.ts"
import { AirableSegments } from "../../engine/store/air/AirableSegments.ts"
import type { Jobs } from "../../engine/store/sql/Jobs.ts"
import type { Outbox } from "../../engine/store/sql/Outbox.ts"
import type { Ranks } from "../../engine/store/ranks/Ranks.ts"
import { Segments } from "../../engine/store/segments/Segments.ts"
import { Transaction } from "../../engine/store/sql/Transaction.ts"
import type { SegmentId } from "../../schema/Ids.ts"
import type { SegmentStatus } from "../../schema/segments/Segment.ts"
import type { EventBus } from "../runtime/EventBus.ts"
import { emitSegment, emit } from "../runtime/emit.ts"

/** What the scheduler and the ledger say of segments, each with its news in one transaction: neither is ever without the other. */
export const announcedSegments = Layer.effect(
  AirableSegments,
  Effect.gen(function* () {
    const marks = yield* AirableSegments
    const segments = yield* Segments
    const transaction = yield* Transaction
    const context = yield* Effect.context<EventBus | IdSource | Jobs | Outbox | Ranks | Transaction>()

    /** Most marks repeat what is known already; news is only what has become of it. */
    const telling = (id: SegmentId, to: ReadonlyArray<SegmentStatus>, mark: Effect.Effect<void>) =>
      transaction
        .run(
          Effect.gen(function* () {
            const before = yield* segments.find(id)
            yield* mark
            const after = yield* segments.find(id)
            if (after === null || before?.status === after.status || !to.includes(after.status)) return
            yield* emitSegment(after)
            if (after.status === "failed")
              yield* emit({
                _tag: "OpsAlerted",
                what: "segment_unairable",
                detail: `${after.id} by @${after.handle}: its sound can't be had (${after.statusReason ?? "not stated"}).`
              })
          })
        )
        .pipe(Effect.provideContext(context))

    return AirableSegments.of({
      ...marks,
      markScheduled: (id, ...rest) => telling(id, ["scheduled"], marks.markScheduled(id, ...rest)),
      markQueued: (id, ...rest) => telling(id, ["queued"], marks.markQueued(id, ...rest)),
      markAired: (id, ...rest) => telling(id, ["aired", "queued"], marks.markAired(id, ...rest)),
      markFailed: (id, ...rest) => telling(id, ["failed"], marks.markFailed(id, ...rest))
    })
  })
)
