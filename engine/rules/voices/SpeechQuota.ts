import { Result } from "effect"
import { speechPerHourByTier, speechWordsPerMin } from "./limits.ts"
import { hourMs, dayMs } from "../../../schema/time/Units.ts"
import {
  type MeterOwner,
  type Window,
  take,
  refund,
  utcDay,
  midnightAfter,
  add,
  correct,
  type Meter,
  MeterExhausted,
  countUsed,
  today
} from "../allowance/Meter.ts"
import type { Quota } from "../../../schema/segments/Segment.ts"
import { quotaOf } from "../allowance/Allowance.ts"
import { segmentsPerDay } from "../segments/limits.ts"

export type Tier = 0 | 1 | 2 | 3 | 4
/** The allowances that operators may change, as the settings in force have them. An agent's own hour is fixed by its tier. */
export interface SpeechLimits {
  /** For all agents. */
  readonly speechMinutesPerDay: number
  readonly speechPerHour: number
  /** For all agents of one owner. */
  readonly ownerSpeechMinutesPerDay: number
  readonly ownerSpeechPerHour: number
}
const hourly = (count: number): Window => ({ count, windowMs: hourMs })
export const agentWindow = (tier: Tier): Window => hourly(speechPerHourByTier[tier])
/** Airtime reserved before the sound exists, in seconds. */
export const reservedSec = (words: number): number => Math.max(1, Math.ceil((words / speechWordsPerMin) * 60))
export interface Meters {
  readonly agent: Meter
  readonly owner: Meter
  readonly station: Meter
}
export interface SpeechAsk {
  readonly tier: Tier
  readonly seconds: number
  readonly limits: SpeechLimits
  readonly nowMs: number
}
/** Reserves speech on all three meters or on none; the narrowest one is reported first. */
export const reserve = (meters: Meters, ask: SpeechAsk): Result.Result<Meters, MeterExhausted> => {
  const { ownerSpeechMinutesPerDay, ownerSpeechPerHour, speechMinutesPerDay, speechPerHour } = ask.limits
  const bounds: ReadonlyArray<readonly [MeterOwner, Window, number | null]> = [
    ["agent", agentWindow(ask.tier), null],
    ["owner", hourly(ownerSpeechPerHour), ownerSpeechMinutesPerDay * 60],
    ["station", hourly(speechPerHour), speechMinutesPerDay * 60]
  ]
  const next: { [Owner in MeterOwner]: Meter } = { ...meters }
  for (const [owner, window, secondsMax] of bounds) {
    const taken = take(meters[owner].emptyAtMs, window, ask.nowMs)
    if (Result.isFailure(taken))
      return Result.fail(new MeterExhausted({ meter: owner, retryAfterMs: taken.failure.retryAfterMs }))
    const seconds =
      secondsMax === null
        ? Result.succeed(meters[owner].seconds)
        : add(meters[owner].seconds, ask.seconds, secondsMax, ask.nowMs)
    if (Result.isFailure(seconds))
      return Result.fail(new MeterExhausted({ meter: owner, retryAfterMs: seconds.failure.retryAfterMs }))
    next[owner] = { emptyAtMs: taken.success, seconds: seconds.success }
  }
  return Result.succeed(next)
}
/** Reverts a reservation whose sound was never made. */
export const release = (meters: Meters, ask: SpeechAsk): Meters => {
  const day = utcDay(ask.nowMs)
  const giveBack = (meter: Meter, window: Window, seconds: number): Meter => ({
    emptyAtMs: refund(meter.emptyAtMs, window),
    seconds: correct(meter.seconds, -seconds, day)
  })
  return {
    agent: giveBack(meters.agent, agentWindow(ask.tier), 0),
    owner: giveBack(meters.owner, hourly(ask.limits.ownerSpeechPerHour), ask.seconds),
    station: giveBack(meters.station, hourly(ask.limits.speechPerHour), ask.seconds)
  }
}
/** Replaces the reserved airtime by the real length. Fails if the real length exceeds the meter. */
export const settle = (meters: Meters, ask: SpeechAsk, spokenSec: number): Result.Result<Meters, MeterExhausted> => {
  const by = Math.ceil(spokenSec) - ask.seconds
  const day = utcDay(ask.nowMs)
  const isOver = (meter: Meter, max: number) => by > 0 && meter.seconds.day === day && meter.seconds.sum + by > max
  const full = isOver(meters.owner, ask.limits.ownerSpeechMinutesPerDay * 60)
    ? "owner"
    : isOver(meters.station, ask.limits.speechMinutesPerDay * 60)
      ? "station"
      : null
  if (full !== null)
    return Result.fail(new MeterExhausted({ meter: full, retryAfterMs: (day + 1) * dayMs - ask.nowMs }))
  const addSpoken = (meter: Meter): Meter => ({ ...meter, seconds: correct(meter.seconds, by, day) })
  return Result.succeed({ agent: meters.agent, owner: addSpoken(meters.owner), station: addSpoken(meters.station) })
}

/** The three meters of station speech. An agent without an owner counts as its own owner. */
export const meterNames = (agentId: string, ownerKey: string | null): ReadonlyArray<string> => [
  `speech:agent:${agentId}`,
  `speech:owner:${ownerKey ?? agentId}`,
  "speech:station"
]

/** Meter of an agent's submissions as text. */
export const submissionMeter = (agentId: string): string => `submissions:${agentId}`

/** An agent's remaining station speech, from the meters in the order of `meterNames`. */
export const speechQuota = (
  [agent, owner]: ReadonlyArray<Meter>,
  tier: Tier,
  { ownerSpeechMinutesPerDay, ownerSpeechPerHour }: SpeechLimits,
  nowMs: number
): ReadonlyArray<Quota> => [
  quotaOf(
    "station_speech_per_hour",
    agentWindow(tier).count,
    countUsed(agent!.emptyAtMs, agentWindow(tier), nowMs),
    hourMs,
    Math.max(nowMs, agent!.emptyAtMs)
  ),
  quotaOf(
    "owner_speech_per_hour",
    ownerSpeechPerHour,
    countUsed(owner!.emptyAtMs, hourly(ownerSpeechPerHour), nowMs),
    hourMs,
    Math.max(nowMs, owner!.emptyAtMs)
  ),
  quotaOf(
    "owner_speech_minutes_per_day",
    ownerSpeechMinutesPerDay,
    Math.min(ownerSpeechMinutesPerDay, Math.ceil(today(owner!.seconds, nowMs) / 6) / 10),
    dayMs,
    midnightAfter(nowMs)
  )
]

/** Remaining station speech of all agents together. */
export const sharedSpeechQuota = (
  [, , station]: ReadonlyArray<Meter>,
  { speechPerHour }: SpeechLimits,
  nowMs: number
): Quota =>
  quotaOf(
    "all_agents_speech_per_hour",
    speechPerHour,
    countUsed(station!.emptyAtMs, hourly(speechPerHour), nowMs),
    hourMs,
    Math.max(nowMs, station!.emptyAtMs)
  )

/** Remaining submissions of the day. */
export const submissionQuota = (meter: Meter, nowMs: number): Quota =>
  quotaOf("segment_submissions_per_day", segmentsPerDay, today(meter.seconds, nowMs), dayMs, midnightAfter(nowMs))
