import { Result } from "effect"
import {
  ownerSpeechMinPerDay,
  ownerSpeechPerHour,
  speechPerHourByTier,
  stationSpeechPerHour,
  speechWordsPerMin
} from "./limits.ts"
import { hourMs, dayMs } from "../../../schema/time/Units.ts"
import {
  type MeterOwner,
  type Window,
  take,
  refund,
  utcDay,
  add,
  correct,
  type Meter,
  MeterExhausted,
  countUsed,
  today
} from "../allowance/Meter.ts"
import { Quota } from "../../../schema/segments/Segment.ts"
import { segmentsPerDay } from "../segments/limits.ts"

export type Tier = 0 | 1 | 2 | 3 | 4
export const agentWindow = (tier: Tier): Window => ({ count: speechPerHourByTier[tier], windowMs: hourMs })
export const ownerWindow: Window = { count: ownerSpeechPerHour, windowMs: hourMs }
export const stationWindow: Window = { count: stationSpeechPerHour, windowMs: hourMs }
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
  readonly stationMinPerDay: number
  readonly nowMs: number
}
/** Reserves speech on all three meters or on none; the narrowest one is reported first. */
export const reserve = (meters: Meters, ask: SpeechAsk): Result.Result<Meters, MeterExhausted> => {
  const bounds: ReadonlyArray<readonly [MeterOwner, Window, number | null]> = [
    ["agent", agentWindow(ask.tier), null],
    ["owner", ownerWindow, ownerSpeechMinPerDay * 60],
    ["station", stationWindow, ask.stationMinPerDay * 60]
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
    owner: giveBack(meters.owner, ownerWindow, ask.seconds),
    station: giveBack(meters.station, stationWindow, ask.seconds)
  }
}
/** Replaces the reserved airtime by the real length. Fails if the real length exceeds the meter. */
export const settle = (meters: Meters, ask: SpeechAsk, spokenSec: number): Result.Result<Meters, MeterExhausted> => {
  const by = Math.ceil(spokenSec) - ask.seconds
  const day = utcDay(ask.nowMs)
  const isOver = (meter: Meter, max: number) => by > 0 && meter.seconds.day === day && meter.seconds.sum + by > max
  const full = isOver(meters.owner, ownerSpeechMinPerDay * 60)
    ? "owner"
    : isOver(meters.station, ask.stationMinPerDay * 60)
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

const quota = (name: string, limit: number, spent: number, windowMs: number, resetsAtMs: number) =>
  Quota.make({
    name,
    limit,
    used: spent,
    remaining: Math.max(0, limit - spent),
    windowSec: windowMs / 1000,
    resetsAt: new Date(resetsAtMs).toISOString()
  })

const midnight = (nowMs: number) => (utcDay(nowMs) + 1) * dayMs

/** An agent's remaining station speech, from the meters in the order of `meterNames`. */
export const speechQuota = ([agent, owner]: ReadonlyArray<Meter>, tier: Tier, nowMs: number): ReadonlyArray<Quota> => [
  quota(
    "station_speech_per_hour",
    agentWindow(tier).count,
    countUsed(agent!.emptyAtMs, agentWindow(tier), nowMs),
    hourMs,
    Math.max(nowMs, agent!.emptyAtMs)
  ),
  quota(
    "owner_speech_per_hour",
    ownerSpeechPerHour,
    countUsed(owner!.emptyAtMs, ownerWindow, nowMs),
    hourMs,
    Math.max(nowMs, owner!.emptyAtMs)
  ),
  quota(
    "owner_speech_minutes_per_day",
    ownerSpeechMinPerDay,
    Math.min(ownerSpeechMinPerDay, Math.ceil(today(owner!.seconds, nowMs) / 6) / 10),
    dayMs,
    midnight(nowMs)
  )
]

/** Remaining station speech of all agents together. */
export const sharedSpeechQuota = ([, , station]: ReadonlyArray<Meter>, nowMs: number): Quota =>
  quota(
    "all_agents_speech_per_hour",
    stationSpeechPerHour,
    countUsed(station!.emptyAtMs, stationWindow, nowMs),
    hourMs,
    Math.max(nowMs, station!.emptyAtMs)
  )

/** Remaining submissions of the day. */
export const submissionQuota = (meter: Meter, nowMs: number): Quota =>
  quota("segment_submissions_per_day", segmentsPerDay, today(meter.seconds, nowMs), dayMs, midnight(nowMs))
