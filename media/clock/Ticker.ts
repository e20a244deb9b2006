import { systemTime, type TimeSources } from "./StationClock.ts"

/** Calls once, later. The answer cancels. */
export const after = (delayMs: number, call: () => void): (() => void) => {
  const timer = setTimeout(call, delayMs)
  return () => clearTimeout(timer)
}

/**
 * Wakes up about every `periodMs`. A late wake-up is neither made up for nor counted: whoever is woken computes what
 * is due from the clock. The grid of wake-ups stays where it began, so lateness does not add up.
 */
export const every = (periodMs: number, wake: () => void, time: TimeSources = systemTime): (() => void) => {
  const startMs = time.monoMs()
  let cancel = () => {}
  const next = () => {
    const sinceMs = time.monoMs() - startMs
    cancel = after(periodMs - (sinceMs % periodMs), () => {
      next()
      wake()
    })
  }
  next()
  return () => cancel()
}
