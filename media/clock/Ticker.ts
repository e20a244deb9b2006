import { systemTime, type TimeSources } from "./StationClock.ts"

/** Calls once, later. Returns the cancellation. */
export const callAfter = (delayMs: number, call: () => void): (() => void) => {
  const timer = setTimeout(call, delayMs)
  return () => clearTimeout(timer)
}

/**
 * Wakes up about every `periodMs`. Late wake-ups are neither repeated nor counted: the caller computes the amount due from the clock. The
 * grid stays anchored at its start, so lateness does not accumulate.
 */
export const wakeEvery = (periodMs: number, wake: () => void, time: TimeSources = systemTime): (() => void) => {
  const startMs = time.monoMs()
  let cancel = () => {}
  const scheduleNext = () => {
    const sinceMs = time.monoMs() - startMs
    cancel = callAfter(periodMs - (sinceMs % periodMs), () => {
      scheduleNext()
      wake()
    })
  }
  scheduleNext()
  return () => cancel()
}
