import { Clock, Effect } from "effect"
import { StationConfig } from "../../engine/runtime/Config.ts"
import {
  readRestSec,
  readTriesMax,
  readWaitSec,
  scheduledForLateHours,
  segmentQueuedDays,
  segmentsSweptAtOnceMax,
  segmentsSweptEverySec,
  segmentUnreviewedDays,
  showBoundDays,
  speechHoldRestSec
} from "../../engine/rules/segments/limits.ts"
import { dayMs, hourMs } from "../../schema/time/Units.ts"
import { Segments } from "../../engine/store/segments/Segments.ts"
import { SpeechHolds } from "../../engine/store/voices/SpeechHolds.ts"
import { backOff, every, jobHandler, later, periodicJob } from "../runtime/Jobs.ts"
import { ReadScript } from "./protocol/Jobs.ts"
import { Studio } from "./protocol/Studio.ts"

/** A script that waits for a voice is read by its agent's studio. A day without airtime left leaves it waiting. */
const readScript = jobHandler(ReadScript, {
  triesMax: readTriesMax,
  restMs: backOff(readRestSec * 1_000, 60_000),
  work: Effect.fn("Scripts.read")(function* ({ agentId, segmentId }) {
    if ((yield* StationConfig).houseReads === "off") {
      const segment = yield* (yield* Segments).find(segmentId)
      if (segment?.status !== "queued") return
      // What its agent has planned to be heard is asked for, and no reading of the house's own accord.
      if (segment.planId === null) return yield* later(readWaitSec * 1_000, "The station reads nothing by itself.")
    }
    switch (yield* (yield* Studio.client)(agentId).ReadForHouse({ segmentId })) {
      case "no_airtime":
        return yield* later(readWaitSec * 1_000, "No airtime is left for it today.")
      case "busy":
        return yield* later(readRestSec * 1_000, "The station can't make speech just now.")
      case "failed":
        return yield* Effect.fail(new Error("The speech engine made nothing that can air."))
    }
  }),
  givenUp: ({ agentId, segmentId }) =>
    Effect.flatMap(Studio.client, (studio) => studio(agentId).LeaveUnread({ segmentId }))
})

/** Ends what has waited too long. */
export const endOverdue = Effect.fn("Segments.endOverdue")(function* () {
  const studio = yield* Studio.client
  const now = yield* Clock.currentTimeMillis
  const overdue = yield* (yield* Segments).overdue(
    {
      unreviewedMs: now - segmentUnreviewedDays * dayMs,
      queuedMs: now - segmentQueuedDays * dayMs,
      showBoundMs: now - showBoundDays * dayMs,
      scheduledForMs: now - scheduledForLateHours * hourMs
    },
    segmentsSweptAtOnceMax
  )
  yield* Effect.forEach(overdue, ({ agentId, id }) => studio(agentId).Expire({ segmentId: id }), { discard: true })
})

/** Gives back what processes that died had set aside on the meters of speech. */
export const releaseHolds = Effect.fn("Speech.releaseHolds")(function* () {
  const studio = yield* Studio.client
  const now = yield* Clock.currentTimeMillis
  const left = yield* (yield* SpeechHolds).agentsBefore(now - speechHoldRestSec * 1_000, segmentsSweptAtOnceMax)
  yield* Effect.forEach(left, (agentId) => studio(agentId).ReleaseHolds(), { discard: true })
})

const next = every(segmentsSweptEverySec * 1_000)
export const scriptJobs = [
  readScript,
  periodicJob("segments.end_overdue", { next, work: endOverdue() }),
  periodicJob("voices.release_holds", { next, work: releaseHolds() })
] as const
