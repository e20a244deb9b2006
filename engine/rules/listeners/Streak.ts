import { heartbeatEveryMs, heartbeatSlackMs } from "./limits.ts"

/** How many days in a row, by UTC: the run that goes on, the longest there was, and the last day that counted. */
export interface Streak {
  readonly current: number
  readonly longest: number
  readonly lastDay: number | null
}

/** `days`: those with minutes enough, as UTC days in any order. A run goes on until the end of the day after its last. */
export const streakOf = (days: ReadonlyArray<number>, today: number): Streak => {
  let [run, longest, last] = [0, 0, null as number | null]
  for (const day of [...new Set(days)].sort((a, b) => a - b)) {
    run = last !== null && day === last + 1 ? run + 1 : 1
    longest = Math.max(longest, run)
    last = day
  }
  return { current: last !== null && today - last <= 1 ? run : 0, longest, lastDay: last }
}

/**
 * A sign of life is due a minute after the one before. It may come a little early, for networks are uneven, but what it was early by is
 * not gained: in the long run there is one minute for each that passes. Null for one too many; else when the next is due.
 */
export const beat = (dueAtMs: number, nowMs: number): number | null =>
  nowMs < dueAtMs - heartbeatSlackMs ? null : Math.max(dueAtMs, nowMs - heartbeatSlackMs) + heartbeatEveryMs
