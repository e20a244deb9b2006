import { Clock, Effect } from "effect"
import { Settings } from "../../engine/store/operations/Settings.ts"
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
  speechHoldRestSec,
  unheardSoundKeptDays
} from "../../engine/rules/segments/limits.ts"
import type { AgentId, SegmentId } from "../../schema/Ids.ts"
import { dayMs, hourMs } from "../../schema/time/Units.ts"
import { Segments } from "../../engine/store/segments/Segments.ts"
import { SpeechHolds } from "../../engine/store/voices/SpeechHolds.ts"
import { backOff, repeatEvery, jobHandler, rescheduleAfter, periodicJob } from "../runtime/Jobs.ts"
import { ReadPlannedScript, ReadScript } from "./protocol/Jobs.ts"
import { Studio } from "./protocol/Studio.ts"

const read = Effect.fnUntraced(function* ({
  agentId,
  segmentId
}: {
  readonly segmentId: SegmentId
  readonly agentId: AgentId
}) {
  if (!(yield* (yield* Settings).current).houseReads) {
    const segment = yield* (yield* Segments).find(segmentId)
    if (segment?.status !== "queued") return undefined
    // Planned scripts are always read; the others wait.
    if (segment.planId === null) return yield* rescheduleAfter(readWaitSec * 1_000, "Automatic voicing is off.")
  }
  const outcome = yield* (yield* Studio.client)(agentId).ReadForHouse({ segmentId })
  if (outcome === "no_airtime") return yield* rescheduleAfter(readWaitSec * 1_000, "No airtime is left for it today.")
  if (outcome === "busy") return yield* rescheduleAfter(readRestSec * 1_000, "Station speech is busy.")
  return outcome === "done" ? undefined : yield* Effect.fail(new Error("The speech engine made no usable audio."))
})

/** Jobs that voice scripts. Without airtime a script waits for the next day. */
export const readJobs = [ReadPlannedScript, ReadScript].map((kind) =>
  jobHandler(kind, {
    triesMax: readTriesMax,
    restMs: backOff(readRestSec * 1_000, 60_000),
    work: read,
    giveUp: ({ agentId, segmentId }) =>
      Effect.flatMap(Studio.client, (studio) => studio(agentId).LeaveUnread({ segmentId }))
  })
)

/** Ends overdue segments. */
export const endOverdue = Effect.fnUntraced(function* () {
  const studio = yield* Studio.client
  const now = yield* Clock.currentTimeMillis
  const overdue = yield* (yield* Segments).listOverdue(
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

/** Deletes speech that was rejected, expired or cancelled long ago, and never heard. */
export const dropUnheardSounds = Effect.fnUntraced(function* () {
  const studio = yield* Studio.client
  const before = (yield* Clock.currentTimeMillis) - unheardSoundKeptDays * dayMs
  const unheard = yield* (yield* Segments).listUnheardSounds(before, segmentsSweptAtOnceMax)
  yield* Effect.forEach(unheard, ({ agentId, assetId, id }) => studio(agentId).DropSound({ segmentId: id, assetId }), {
    discard: true
  })
})

/** Returns the speech airtime reserved by dead processes. */
export const releaseHolds = Effect.fnUntraced(function* () {
  const studio = yield* Studio.client
  const now = yield* Clock.currentTimeMillis
  const left = yield* (yield* SpeechHolds).agentsBefore(now - speechHoldRestSec * 1_000, segmentsSweptAtOnceMax)
  yield* Effect.forEach(left, (agentId) => studio(agentId).ReleaseHolds(), { discard: true })
})

const next = repeatEvery(segmentsSweptEverySec * 1_000)
export const scriptJobs = [
  ...readJobs,
  periodicJob("segments.end_overdue", { next, work: endOverdue() }),
  periodicJob("segments.drop_unheard_sounds", { next, work: dropUnheardSounds() }),
  periodicJob("voices.release_holds", { next, work: releaseHolds() })
] as const
