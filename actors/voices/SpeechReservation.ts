import { Clock, Effect, Result } from "effect"
import { Settings } from "../../engine/store/operations/Settings.ts"
import { IdSource } from "../../engine/runtime/IdSource.ts"
import { speechPerHourByTier } from "../../engine/rules/voices/limits.ts"
import { readMaxSec, readMeters, type ReadPurpose } from "../../engine/rules/voices/ReadAirtime.ts"
import { add, correct, type MeterExhausted, utcDay } from "../../engine/rules/allowance/Meter.ts"
import {
  type Meters as MeterTrio,
  release,
  reserve,
  reservedSec,
  settle,
  type SpeechAsk,
  type Tier,
  meterNames
} from "../../engine/rules/voices/SpeechQuota.ts"
import { type MeterRecord, Meters } from "../../engine/store/sql/Meters.ts"
import { type SpeechHold, SpeechHolds, SpeechHoldsWriter } from "../../engine/store/voices/SpeechHolds.ts"
import { Transaction } from "../../engine/store/sql/Transaction.ts"
import type { Broadcaster } from "../../schema/segments/Submission.ts"
import type { AgentId } from "../../schema/Ids.ts"
import { RateLimited, StationTtsQuotaExhausted } from "../../schema/Problems.ts"

const trio = ([agent, owner, station]: ReadonlyArray<MeterRecord>): MeterTrio => ({
  agent: agent!,
  owner: owner!,
  station: station!
})
const list = ({ agent, owner, station }: MeterTrio) => [agent, owner, station]
const askOf = Effect.fnUntraced(function* ({ atMs, seconds, tier }: SpeechHold) {
  const ask: SpeechAsk = { tier, seconds, limits: yield* (yield* Settings).current, nowMs: atMs }
  return ask
})
const namesOf = ({ agentId, ownerKey, purpose }: SpeechHold) =>
  purpose === "agent" ? meterNames(agentId, ownerKey) : readMeters(purpose, agentId)
/** Returns a reservation whose audio was never made, at most once. */
const giveBack = Effect.fnUntraced(function* (hold: SpeechHold) {
  const ask = yield* askOf(hold)
  const meters = yield* Meters
  const undo = (records: ReadonlyArray<MeterRecord>) =>
    Result.succeed(
      hold.purpose === "agent"
        ? list(release(trio(records), ask))
        : records.map((record) => ({ ...record, seconds: correct(record.seconds, -hold.seconds, utcDay(hold.atMs)) }))
    )
  yield* (yield* Transaction).run(
    Effect.flatMap((yield* SpeechHoldsWriter).close(hold.id), (mine) =>
      mine ? meters.change(namesOf(hold), undo) : Effect.void
    )
  )
})
/** Opens a hold and reserves its seconds on the meters, in one transaction. */
const hold = Effect.fnUntraced(function* <E>(
  hold: SpeechHold,
  take: (records: ReadonlyArray<MeterRecord>) => Result.Result<ReadonlyArray<MeterRecord>, E>
) {
  const meters = yield* Meters
  const holds = yield* SpeechHoldsWriter
  yield* (yield* Transaction).run(Effect.andThen(meters.change(namesOf(hold), take), holds.open(hold)))
})
/** Replaces the reserved seconds by the spoken ones. A hold returned meanwhile has to reserve again. */
const charge = Effect.fnUntraced(function* <E>(
  hold: SpeechHold,
  rules: {
    readonly settleHeld: (records: ReadonlyArray<MeterRecord>) => Result.Result<ReadonlyArray<MeterRecord>, E>
    readonly reserveAnew: (records: ReadonlyArray<MeterRecord>) => Result.Result<ReadonlyArray<MeterRecord>, E>
  }
) {
  const meters = yield* Meters
  yield* Effect.flatMap((yield* SpeechHoldsWriter).close(hold.id), (mine) =>
    meters.change(namesOf(hold), mine ? rules.settleHeld : rules.reserveAnew)
  )
})
const refusal =
  (tier: Tier) =>
  ({ meter, retryAfterMs }: MeterExhausted) => {
    const retryAfterSec = Math.max(1, Math.ceil(retryAfterMs / 1000))
    return meter === "agent"
      ? new RateLimited({
          detail: `You have made ${speechPerHourByTier[tier]} pieces of station speech in the last hour.`,
          retryAfterSec,
          meter
        })
      : new StationTtsQuotaExhausted({
          detail:
            meter === "owner"
              ? "All agents of your owner together have used up the owner's station speech."
              : "The station has used up its speech for now.",
          retryAfterSec,
          meter
        })
  }
/** Reserves an agent's speech on all three meters. Fails with RateLimited or StationTtsQuotaExhausted. */
export const reserveSpeech = Effect.fnUntraced(function* (by: Broadcaster, tier: Tier, words: number) {
  const held: SpeechHold = {
    id: yield* (yield* IdSource).make("hold"),
    agentId: by.agentId,
    ownerKey: by.ownerKey,
    purpose: "agent",
    tier,
    seconds: reservedSec(words),
    atMs: yield* Clock.currentTimeMillis
  }
  const ask = yield* askOf(held)
  const take = (records: ReadonlyArray<MeterRecord>) => Result.map(reserve(trio(records), ask), list)
  yield* Effect.mapError(hold(held, take), refusal(tier))
  return {
    refund: giveBack(held),
    /** Call in the transaction that saves the audio. Fails when the spoken seconds exceed a meter. */
    settle: Effect.fnUntraced(function* (spokenSec: number) {
      const anew: SpeechAsk = { ...ask, seconds: Math.ceil(spokenSec), nowMs: yield* Clock.currentTimeMillis }
      yield* Effect.mapError(
        charge(held, {
          settleHeld: (records) => Result.map(settle(trio(records), ask, spokenSec), list),
          reserveAnew: (records) => Result.map(reserve(trio(records), anew), list)
        }),
        refusal(tier)
      )
    })
  }
})
/** Reserves the station's daily airtime for a script. Null when too little is left. */
export const reserveRead = Effect.fnUntraced(function* (agentId: AgentId, purpose: ReadPurpose, words: number) {
  const now = yield* Clock.currentTimeMillis
  const maxSec = readMaxSec(purpose)
  const held: SpeechHold = {
    id: yield* (yield* IdSource).make("hold"),
    agentId,
    ownerKey: null,
    purpose,
    tier: 0,
    seconds: reservedSec(words),
    atMs: now
  }
  const addSeconds = (seconds: number) => (records: ReadonlyArray<MeterRecord>) =>
    Result.all(
      records.map((record, i) =>
        Result.map(add(record.seconds, seconds, maxSec[i]!, now), (sum) => ({ ...record, seconds: sum }))
      )
    )
  if (Result.isFailure(yield* Effect.result(hold(held, addSeconds(held.seconds))))) return null
  return {
    refund: giveBack(held),
    settle: (spokenSec: number) =>
      charge(held, {
        settleHeld: (records) => addSeconds(Math.ceil(spokenSec) - held.seconds)(records),
        reserveAnew: (records) => addSeconds(Math.ceil(spokenSec))(records)
      }),
    endDay: Effect.andThen(
      giveBack(held),
      (yield* Meters).change([readMeters(purpose, agentId)[0]!], ([meter]) =>
        Result.succeed([{ ...meter!, seconds: { day: utcDay(now), sum: maxSec[0]! } }])
      )
    )
  }
})
/** Returns the holds of a dead process and answers their number. Call only in the agent's own turn, when it has no speech in progress. */
export const releaseLeftHolds = Effect.fnUntraced(function* (agentId: AgentId) {
  const left = yield* (yield* SpeechHolds).listByAgent(agentId)
  yield* Effect.forEach(left, giveBack, { discard: true })
  return left.length
})
