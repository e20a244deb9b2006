import { heartbeatEveryMs, heartbeatSlackMs } from "./limits.ts"

/** Consecutive listening days by UTC: the current run, the longest run, and the last day that counted. */
export interface Streak {
  readonly current: number
  readonly longest: number
  readonly lastDay: number | null
}

/** `days` are the UTC days with enough minutes, in any order. A run lasts until the end of the day after its last one. */
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
 * Accepts one heartbeat a minute. A beat may be slightly early because of network jitter, but the next is due a full minute after this one was due,
 * so the count never exceeds the minutes passed. Returns when the next is due, or null if this one is too early.
 */
export const beat = (dueAtMs: number, nowMs: number): number | null =>
  nowMs < dueAtMs - heartbeatSlackMs ? null : Math.max(dueAtMs, nowMs - heartbeatSlackMs) + heartbeatEveryMs
