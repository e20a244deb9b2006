import { houseReadMinPerDay, planReadMinPerAgentAndDay, planReadMinPerDay } from "./limits.ts"
import { type Meter, today, utcDay } from "../allowance/Meter.ts"

/** What the station reads: scripts that wait in the queue, of its own accord, or what an agent has planned to be heard. */
export type ReadPurpose = "house" | "plan"
/** The airtime that a reading takes, the narrowest first: a plan's is its agent's share of what plans have together. */
export const readMeters = (purpose: ReadPurpose, agentId: string): ReadonlyArray<string> =>
  purpose === "house" ? ["house_reads"] : [`plan_reads:${agentId}`, "plan_reads"]
/** How many seconds of a day each of them has. */
export const readMaxSec = (purpose: ReadPurpose): ReadonlyArray<number> =>
  (purpose === "house" ? [houseReadMinPerDay] : [planReadMinPerAgentAndDay, planReadMinPerDay]).map(
    (minutes) => minutes * 60
  )
/** What plans of an agent can still have read: so much of the day is left, and so much each further day has. */
export interface ReadAirtime {
  readonly atMs: number
  readonly leftSec: number
  readonly perDaySec: number
}
export const readAirtime = (meters: ReadonlyArray<Meter>, atMs: number): ReadAirtime => {
  const max = readMaxSec("plan")
  return {
    atMs,
    leftSec: Math.min(...meters.map(({ seconds }, i) => Math.max(0, max[i]! - today(seconds, atMs)))),
    perDaySec: Math.min(...max)
  }
}
/** How much can be read before an instant. */
export const readableSec = ({ atMs, leftSec, perDaySec }: ReadAirtime, byMs: number): number =>
  leftSec + Math.max(0, utcDay(byMs) - utcDay(atMs)) * perDaySec
