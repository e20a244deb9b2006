import { Clock, Effect, Result } from "effect"
import { StationConfig } from "../engine/Config.ts"
import { houseReadMinPerDay, sampleRateHz, speechPerHourByTier, speechTriesMax } from "../engine/Limits.ts"
import type { SpeechRole } from "../engine/ports/Speech.ts"
import { advance } from "../engine/rules/Segment.ts"
import { add, correct, type Meters as MeterTrio, release, reserve, reservedSec, settle, type SpeechAsk, type Tier, utcDay } from "../engine/rules/SpeechQuota.ts"
import { meterNames } from "../engine/rules/SpeechQuotaView.ts"
import { Beds } from "../engine/store/Beds.ts"
import { type MeterRecord, Meters } from "../engine/store/Meters.ts"
import { Segments, type SegmentSound } from "../engine/store/Segments.ts"
import { Transaction } from "../engine/store/Transaction.ts"
import { Voices } from "../engine/store/Voices.ts"
import type { Broadcaster, SpeechDraft } from "../schema/Broadcast.ts"
import type { SegmentId } from "../schema/Ids.ts"
import { RateLimited, StationTtsQuotaExhausted } from "../schema/Problems.ts"
import type { Asset } from "../schema/Sound.ts"
import { enqueue } from "./Enqueueing.ts"
import { announce, tell } from "./Telling.ts"
import { voice } from "./Voicing.ts"

const trio = ([agent, owner, station]: ReadonlyArray<MeterRecord>): MeterTrio => ({ agent: agent!, owner: owner!, station: station! })
const list = ({ agent, owner, station }: MeterTrio) => [agent, owner, station]

/** Speech that may be made: its place on all three meters is taken. */
export const reserveSpeech = Effect.fnUntraced(function*(by: Broadcaster, tier: Tier, words: number, dryRun: boolean) {
  const meters = yield* Meters
  const { speechMinutesPerDay } = yield* StationConfig
  const ask: SpeechAsk = { tier, seconds: reservedSec(words), stationMinPerDay: speechMinutesPerDay, nowMs: yield* Clock.currentTimeMillis }
  const take = (records: ReadonlyArray<MeterRecord>) => Result.map(reserve(trio(records), ask), list)
  yield* (dryRun
    ? Effect.asVoid(Effect.flatMap(meters.read(meterNames(by.agentId, by.ownerKey)), (records) => Effect.fromResult(take(records))))
    : meters.change(meterNames(by.agentId, by.ownerKey), take)).pipe(Effect.mapError(({ meter, retryAfterMs }) => {
    const retryAfterSec = Math.max(1, Math.ceil(retryAfterMs / 1000))
    return meter === "agent"
      ? new RateLimited({ detail: `You have made ${speechPerHourByTier[tier]} pieces of station speech within the hour.`, retryAfterSec, meter })
      : new StationTtsQuotaExhausted({ detail: meter === "owner" ? "All agents of your owner together have used up the owner's station speech." : "The station has used up its speech for now.", retryAfterSec, meter })
  }))
  const rewrite = (rule: (now: MeterTrio) => MeterTrio) => meters.change(meterNames(by.agentId, by.ownerKey), (records) => Result.succeed(list(rule(trio(records)))))
  return {
    refund: rewrite((now) => release(now, ask)),
    settle: (spokenSec: number) => rewrite((now) => settle(now, ask, spokenSec))
  }
})

/** Programmes that come with music under them unless their agent says otherwise. */
const bedCategories = new Set(["weather", "news", "promo", "hour_call"])

const bedUnder = Effect.fnUntraced(function*(category: string, ask: SpeechDraft["bed"]) {
  const wanted = ask.kind === "asked" || (ask.kind === "by_category" && bedCategories.has(category))
  if (!wanted) return { bedStatus: "not_selected", bedAssetId: null, bedTrackId: null } as const
  const bed = yield* (yield* Beds).pick(ask.kind === "asked" ? ask.mood : null)
  return bed === null
    ? { bedStatus: "source_unavailable", bedAssetId: null, bedTrackId: null } as const
    : { bedStatus: "used", bedAssetId: bed.assetId, bedTrackId: bed.trackId } as const
})

export const secondsOf = (asset: Asset) => Math.round((asset.cue.cueOut - asset.cue.cueIn) / sampleRateHz * 1000) / 1000

/** A script with its voice, and music under it where that belongs. */
export const makeSound = Effect.fnUntraced(function*(ask: { readonly script: string; readonly category: string; readonly voiceId: string; readonly role: SpeechRole; readonly as: SpeechRole | "HOUSE"; readonly bed: SpeechDraft["bed"] }) {
  const asset = yield* voice(ask)
  const sound: SegmentSound = {
    assetId: asset.id, durationSec: secondsOf(asset), engine: ask.as, voiceId: ask.voiceId, loudnessLufs: asset.loudness.integratedLufs, ...yield* bedUnder(ask.category, ask.bed)
  }
  return sound
})

const houseMeter = "house_reads"

/**
 * The house read: the station speaks a queued script with its agent's voice, from the station's own airtime. Three failed
 * attempts end it; a day without airtime left leaves it waiting.
 */
export const readForHouse = Effect.fnUntraced(function*(segmentId: SegmentId) {
  const segments = yield* Segments
  const meters = yield* Meters
  const transaction = yield* Transaction
  const now = yield* Clock.currentTimeMillis
  const record = yield* segments.find(segmentId)
  if (record === null || record.status !== "queued" || record.audioStatus === "ready") return false
  const own = yield* (yield* Voices).ofAgent(record.agentId)
  if (own === null) return false
  const seconds = reservedSec(record.wordCount)
  const budget = yield* Effect.result(meters.change([houseMeter], ([meter]) =>
    Result.map(add(meter!.seconds, seconds, houseReadMinPerDay * 60, now), (sum) => [{ ...meter!, seconds: sum }])))
  if (Result.isFailure(budget)) return false
  const rebook = (by: number) => meters.change([houseMeter], ([meter]) => Result.succeed([{ ...meter!, seconds: correct(meter!.seconds, by, utcDay(now)) }]))
  yield* segments.rendering(segmentId, now)
  const made = yield* Effect.result(makeSound({
    script: record.scriptText, category: record.category, voiceId: own.voice.voiceId, role: "PRIMARY", as: "HOUSE", bed: { kind: "by_category" }
  }).pipe(Effect.onInterrupt(() => rebook(-seconds))))
  const after = yield* Clock.currentTimeMillis
  if (Result.isSuccess(made)) {
    const sounded = yield* transaction.run(Effect.gen(function*() {
      yield* rebook(Math.ceil(made.success.durationSec) - seconds)
      const ready = yield* segments.sounded(segmentId, made.success, after)
      if (ready !== null) yield* tell({ _tag: "SegmentVoiced", segmentId, agentId: ready.agentId, title: ready.title, reason: null })
      return ready
    }))
    if (sounded !== null) yield* enqueue(segmentId)
    return sounded !== null
  }
  yield* rebook(-seconds)
  const given = made.failure._tag === "Unvoiced" && record.audioTries + 1 >= speechTriesMax + 1
  yield* segments.soundless(segmentId, given ? "failed" : "none", given ? "AUDIO_IMPOSSIBLE" : "NO_AUDIO", after)
  if (given) {
    const failed = yield* segments.move(segmentId, { from: ["queued"], to: Result.getOrThrow(advance("queued", "Fail")), reason: "AUDIO_IMPOSSIBLE", atMs: after })
    if (failed !== null) yield* announce(failed)
  }
  return false
})
