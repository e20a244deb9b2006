import { houseReadMinPerDay, planReadMinPerAgentAndDay, planReadMinPerDay } from "./limits.ts"
import { type Meter, today, utcDay } from "../allowance/Meter.ts"
import { reservedSec } from "./SpeechQuota.ts"

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
/** Text of a plan that was handed in and is yet to be read, and when its plan begins. */
export interface PromisedRead {
  readonly isOwn: boolean
  readonly byMs: number
  readonly words: number
}
/** One of the meters: what is left of today, what each further day has, and what of it is promised to plans already. */
interface Share {
  readonly leftSec: number
  readonly perDaySec: number
  readonly promised: ReadonlyArray<{ readonly byMs: number; readonly seconds: number }>
}
/** What plans of an agent can still have read: its own share, and what all plans share. */
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
 * How much more can be read before an instant, while every promise is kept: what is read first is what begins first, so a reading takes
 * its time from all that begins later.
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
/** How much of it can be read today, after what begins sooner. */
export const readableTodaySec = ({ shares }: ReadAirtime, byMs: number): number =>
  Math.max(0, Math.min(...shares.map((share) => share.leftSec - dueSec(share, byMs))))
