import { houseReadMinPerDay, planReadMinPerAgentAndDay, planReadMinPerDay } from "./limits.ts"
import { type Meter, today, utcDay } from "../allowance/Meter.ts"
import { reservedSec } from "./SpeechQuota.ts"

/** Purpose of a synthesis by the station: queued scripts on its own initiative, or an agent's plan. */
export type ReadPurpose = "house" | "plan"
/** Names of the airtime meters, the narrowest first: a plan uses its agent's share and the total of all plans. */
export const readMeters = (purpose: ReadPurpose, agentId: string): ReadonlyArray<string> =>
  purpose === "house" ? ["house_reads"] : [`plan_reads:${agentId}`, "plan_reads"]
/** Seconds per day of each meter. */
export const readMaxSec = (purpose: ReadPurpose): ReadonlyArray<number> =>
  (purpose === "house" ? [houseReadMinPerDay] : [planReadMinPerAgentAndDay, planReadMinPerDay]).map(
    (minutes) => minutes * 60
  )
/** Text of a submitted plan that isn't synthesized yet, and the plan's start. */
export interface PromisedRead {
  readonly isOwn: boolean
  readonly byMs: number
  readonly words: number
}
/** One meter: what is left today, its size per further day, and what is reserved for plans. */
interface Share {
  readonly leftSec: number
  readonly perDaySec: number
  readonly promised: ReadonlyArray<{ readonly byMs: number; readonly seconds: number }>
}
/** Airtime left for an agent's plans: its own share and the total of all plans. */
export interface ReadAirtime {
  readonly atMs: number
  readonly shares: ReadonlyArray<Share>
}
export const readAirtime = (
  meters: ReadonlyArray<Meter>,
  promised: ReadonlyArray<PromisedRead>,
  atMs: number
): ReadAirtime => {
  const max = readMaxSec("plan")
  return {
    atMs,
    shares: meters.map(({ seconds }, i) => ({
      leftSec: Math.max(0, max[i]! - today(seconds, atMs)),
      perDaySec: max[i]!,
      promised: promised
        .filter(({ isOwn }) => isOwn || i > 0)
        .map(({ byMs, words }) => ({ byMs, seconds: reservedSec(words) }))
    }))
  }
}
const dueSec = ({ promised }: Share, byMs: number): number =>
  promised.reduce((sum, each) => (each.byMs <= byMs ? sum + each.seconds : sum), 0)
/**
 * Seconds that can still be synthesized before an instant while all reservations are kept. Plans are synthesized in order of their start, so a
 * synthesis takes its time from later plans.
 */
export const readableSec = ({ atMs, shares }: ReadAirtime, byMs: number): number =>
  Math.max(
    0,
    Math.min(
      ...shares.flatMap((share) =>
        [byMs, ...share.promised.flatMap((each) => (each.byMs > byMs ? [each.byMs] : []))].map(
          (untilMs) =>
            share.leftSec + Math.max(0, utcDay(untilMs) - utcDay(atMs)) * share.perDaySec - dueSec(share, untilMs)
        )
      )
    )
  )
/** Seconds of it that can be synthesized today, after earlier plans. */
export const readableTodaySec = ({ shares }: ReadAirtime, byMs: number): number =>
  Math.max(0, Math.min(...shares.map((share) => share.leftSec - dueSec(share, byMs))))
