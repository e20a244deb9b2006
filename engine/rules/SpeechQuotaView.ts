import { Quota } from "../../schema/Segment.ts"
import { ownerSpeechMinPerDay, ownerSpeechPerHour, segmentsPerDay, stationSpeechPerHour } from "../Limits.ts"
import { agentWindow, dayMs, hourMs, type Meter, ownerWindow, stationWindow, type Tier, today, used, utcDay } from "./SpeechQuota.ts"

/** The three meters station speech is counted on. An agent without owner is its own. */
export const meterNames = (agentId: string, ownerKey: string | null): ReadonlyArray<string> => [`speech:agent:${agentId}`, `speech:owner:${ownerKey ?? agentId}`, "speech:station"]

/** Where the segments an agent hands in as text are counted. */
export const submissionMeter = (agentId: string): string => `submissions:${agentId}`

const quota = (name: string, limit: number, spent: number, windowMs: number, resetsAtMs: number) =>
  Quota.make({ name, limit, used: spent, remaining: Math.max(0, limit - spent), windowSec: windowMs / 1000, resetsAt: new Date(resetsAtMs).toISOString() })

const midnight = (nowMs: number) => (utcDay(nowMs) + 1) * dayMs

/** What is left of an agent's station speech, by the meters of `meterNames`. */
export const speechQuota = ([agent, owner]: ReadonlyArray<Meter>, tier: Tier, nowMs: number): ReadonlyArray<Quota> => [
  quota("station_speech_per_hour", agentWindow(tier).count, used(agent!.emptyAtMs, agentWindow(tier), nowMs), hourMs, Math.max(nowMs, agent!.emptyAtMs)),
  quota("owner_speech_per_hour", ownerSpeechPerHour, used(owner!.emptyAtMs, ownerWindow, nowMs), hourMs, Math.max(nowMs, owner!.emptyAtMs)),
  quota("owner_speech_minutes_per_day", ownerSpeechMinPerDay, Math.min(ownerSpeechMinPerDay, Math.ceil(today(owner!.seconds, nowMs) / 6) / 10), dayMs, midnight(nowMs))
]

/** What is left to all agents together. */
export const sharedSpeechQuota = ([, , station]: ReadonlyArray<Meter>, nowMs: number): Quota =>
  quota("all_agents_speech_per_hour", stationSpeechPerHour, used(station!.emptyAtMs, stationWindow, nowMs), hourMs, Math.max(nowMs, station!.emptyAtMs))

/** What is left of the day's submissions. */
export const submissionQuota = (meter: Meter, nowMs: number): Quota =>
  quota("segment_submissions_per_day", segmentsPerDay, today(meter.seconds, nowMs), dayMs, midnight(nowMs))
