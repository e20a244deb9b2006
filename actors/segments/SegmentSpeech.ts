import { Clock, Effect, Result } from "effect"
import { sampleRateHz } from "../../schema/time/Samples.ts"
import type { SpeechRole } from "../../engine/ports/Speech.ts"
import { advance } from "../../engine/rules/segments/Segment.ts"
import { Beds } from "../../engine/store/segments/Beds.ts"
import { Segments, SegmentsWriter, type SegmentSound } from "../../engine/store/segments/Segments.ts"
import { Transaction } from "../../engine/store/sql/Transaction.ts"
import { Voices } from "../../engine/store/voices/Voices.ts"
import type { SpeechDraft } from "../../schema/segments/Submission.ts"
import type { ProductionEngine } from "../../schema/segments/Segment.ts"
import type { SegmentId } from "../../schema/Ids.ts"
import type { Asset } from "../../schema/Sound.ts"
import type { Voice } from "../../schema/voices/Voice.ts"
import { enqueue } from "../runtime/StationQueue.ts"
import { releaseLeftHolds, reserveRead } from "../voices/SpeechReservation.ts"
import { emitSegment, emit } from "../runtime/emit.ts"
import { voice } from "../voices/SpokenAsset.ts"

/** Categories with a music bed by default. */
const bedCategories = new Set(["weather", "news", "promo", "hour_call"])

const bedUnder = Effect.fnUntraced(function* (category: string, ask: SpeechDraft["bed"]) {
  const wanted = ask.kind === "asked" || (ask.kind === "by_category" && bedCategories.has(category))
  if (!wanted) return { bedStatus: "not_selected", bedAssetId: null, bedTrackId: null } as const
  const bed = yield* (yield* Beds).pick(ask.kind === "asked" ? ask.mood : null)
  return bed === null
    ? ({ bedStatus: "source_unavailable", bedAssetId: null, bedTrackId: null } as const)
    : ({ bedStatus: "used", bedAssetId: bed.assetId, bedTrackId: bed.trackId } as const)
})

export const secondsOf = (asset: Asset) =>
  Math.round(((asset.cue.cueOut - asset.cue.cueIn) / sampleRateHz) * 1000) / 1000

/** A spoken asset as the sound of a segment, with its music bed. */
export const soundOf = Effect.fnUntraced(function* (
  asset: Asset,
  ask: {
    readonly category: string
    readonly as: ProductionEngine
    readonly voiceId: string
    readonly bed: SpeechDraft["bed"]
  }
) {
  const sound: SegmentSound = {
    assetId: asset.id,
    durationSec: secondsOf(asset),
    engine: ask.as,
    voiceId: ask.voiceId,
    loudnessLufs: asset.loudness.integratedLufs,
    ...(yield* bedUnder(ask.category, ask.bed))
  }
  return sound
})

/** Voices a script and picks its music bed. */
export const makeSound = Effect.fnUntraced(function* (ask: {
  readonly script: string
  readonly category: string
  readonly speaker: Voice
  readonly role: SpeechRole
  readonly as: SpeechRole | "HOUSE"
  /** By a provider that is paid. */
  readonly isPaid?: boolean
  readonly handle: string
  readonly bed: SpeechDraft["bed"]
}) {
  return yield* soundOf(yield* voice(ask), { ...ask, voiceId: ask.speaker.voiceId })
})

/** The segment, if it is queued and lacks only its audio. */
const findUnread = Effect.fnUntraced(function* (segmentId: SegmentId) {
  const record = yield* (yield* Segments).find(segmentId)
  return record?.status === "queued" && record.audioStatus !== "ready" && record.category !== "panel_turn"
    ? record
    : null
})

/** Voices a queued script with the agent's voice. Airtime comes from the station's budget, or from the plan budget for a planned script. */
export const readForHouse = Effect.fnUntraced(function* (segmentId: SegmentId) {
  const segments = yield* SegmentsWriter
  const transaction = yield* Transaction
  const now = yield* Clock.currentTimeMillis
  const record = yield* findUnread(segmentId)
  if (record === null) return "done"
  const own = yield* (yield* Voices).findByAgent(record.agentId)
  // The voices are still being set up.
  if (own === null) return "busy"
  yield* releaseLeftHolds(record.agentId)
  const purpose = record.planId === null ? "house" : "plan"
  const noTime = purpose === "house" ? "NO_AUDIO" : "NO_AIRTIME"
  const budget = yield* reserveRead(record.agentId, purpose, record.wordCount)
  if (budget === null) {
    if (purpose === "plan" && record.statusReason !== noTime)
      yield* segments.markSoundless(segmentId, "none", noTime, now)
    return "no_airtime"
  }
  yield* segments.markRendering(segmentId, now)
  const made = yield* Effect.result(
    makeSound({
      script: record.scriptText,
      category: record.category,
      speaker: own.voice,
      role: "PRIMARY",
      as: "HOUSE",
      handle: record.handle,
      bed: { kind: "by_category" }
    })
  ).pipe(Effect.onInterrupt(() => budget.refund))
  const after = yield* Clock.currentTimeMillis
  if (Result.isFailure(made)) {
    yield* budget.refund
    yield* segments.markSoundless(segmentId, "none", "NO_AUDIO", after)
    return made.failure._tag === "Unvoiced" ? "failed" : "busy"
  }
  const sounded = yield* Effect.result(
    transaction.run(
      Effect.gen(function* () {
        yield* budget.settle(made.success.durationSec)
        const ready = yield* segments.addSound(segmentId, made.success, after)
        if (ready !== null)
          yield* emit({ _tag: "SegmentVoiced", segmentId, agentId: ready.agentId, title: ready.title, reason: null })
        return ready
      })
    )
  )
  if (Result.isFailure(sounded)) {
    // Longer than today's remaining airtime. End the day for everything else too, or this script would be voiced again and again.
    yield* budget.endDay
    yield* segments.markSoundless(segmentId, "none", noTime, after)
    return "no_airtime"
  }
  if (sounded.success !== null) yield* enqueue(segmentId)
  return "done"
})

/** Fails a segment whose script no engine could voice. */
export const leaveUnread = Effect.fnUntraced(function* (segmentId: SegmentId) {
  const segments = yield* SegmentsWriter
  const atMs = yield* Clock.currentTimeMillis
  if ((yield* findUnread(segmentId)) === null) return
  yield* (yield* Transaction).run(
    Effect.gen(function* () {
      yield* segments.markSoundless(segmentId, "failed", "AUDIO_IMPOSSIBLE", atMs)
      const failed = yield* segments.move(segmentId, {
        from: ["queued"],
        to: Result.getOrThrow(advance("queued", "Fail")),
        reason: "AUDIO_IMPOSSIBLE",
        atMs
      })
      if (failed !== null) yield* emitSegment(failed)
    })
  )
})
