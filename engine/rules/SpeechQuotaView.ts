import { Quota } from "../../schema/Segment.ts"
import { ownerSpeechMinPerDay, ownerSpeechPerHour } from "../Limits.ts"
import { agentWindow, dayMs, hourMs, type Meter, ownerWindow, type Tier, today, used, utcDay } from "./SpeechQuota.ts"

/** The three meters station speech is counted on. An agent without owner is its own. */
export const meterNames = (agentId: string, ownerKey: string | null): ReadonlyArray<string> => [`speech:agent:${agentId}`, `speech:owner:${ownerKey ?? agentId}`, "speech:station"]

/** What is left of an agent's station speech, by the meters of `meterNames`. */
export const speechQuota = ([agent, owner]: ReadonlyArray<Meter>, tier: Tier, nowMs: number): ReadonlyArray<Quota> => {
  const quota = (name: string, limit: number, spent: number, windowMs: number, resetsAtMs: number) =>
    Quota.make({ name, limit, used: spent, remaining: Math.max(0, limit - spent), windowSec: windowMs / 1000, resetsAt: new Date(resetsAtMs).toISOString() })
  return [
    quota("station_speech_per_hour", agentWindow(tier).count, used(agent!.emptyAtMs, agentWindow(tier), nowMs), hourMs, Math.max(nowMs, agent!.emptyAtMs)),
    quota("owner_speech_per_hour", ownerSpeechPerHour, used(owner!.emptyAtMs, ownerWindow, nowMs), hourMs, Math.max(nowMs, owner!.emptyAtMs)),
    quota("owner_speech_minutes_per_day", ownerSpeechMinPerDay, Math.min(ownerSpeechMinPerDay, Math.ceil(today(owner!.seconds, nowMs) / 6) / 10), dayMs, (utcDay(nowMs) + 1) * dayMs)
  ]
}
