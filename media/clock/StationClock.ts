import { slewMaxRatio, slewTimeMs } from "../../engine/rules/air/limits.ts"
import { epochMs, sampleRateHz } from "../../schema/time/Samples.ts"

/** Where time comes from. Injected, so that a test can make the wall clock jump. */
export interface TimeSources {
  readonly wallMs: () => number
  /** Never goes back, and is the same for all threads of the process. */
  readonly monoMs: () => number
}

export const systemTime: TimeSources = {
  wallMs: () => Date.now(),
  monoMs: () => Number(process.hrtime.bigint()) / 1e6
}

/** All that another thread needs to tell the same time. */
export interface ClockAnchor {
  readonly monoMs: number
  readonly stationMs: number
  readonly rate: number
}

const samplesPerMs = sampleRateHz / 1000

/** The sample that is heard at a station time. */
export const sampleAt = (stationMs: number): number => Math.floor((stationMs - epochMs) * samplesPerMs)

/** The station time at which a sample is heard. */
export const msAt = (sample: number): number => epochMs + sample / samplesPerMs

/**
 * The station's time: anchored once, then carried by the monotonic clock. Wall time only ever changes its pace, by
 * at most `slewMaxRatio`; a step of the wall clock is not heard.
 */
export class StationClock {
  #anchor: ClockAnchor
  readonly #time: TimeSources

  /** Without an anchor the clock begins at wall time, but never before `notBeforeMs`: numbering must not go back. */
  constructor(time: TimeSources, anchor: ClockAnchor | null = null, notBeforeMs = 0) {
    this.#time = time
    this.#anchor = anchor ?? { monoMs: time.monoMs(), stationMs: Math.max(time.wallMs(), notBeforeMs), rate: 1 }
  }

  get anchor(): ClockAnchor {
    return this.#anchor
  }

  nowMs(): number {
    const { monoMs, rate, stationMs } = this.#anchor
    return stationMs + (this.#time.monoMs() - monoMs) * rate
  }

  nowSample(): number {
    return sampleAt(this.nowMs())
  }

  /** How far the station is ahead of the wall clock. */
  driftMs(): number {
    return this.nowMs() - this.#time.wallMs()
  }

  /** Looks at the wall clock and sets the pace until the next look. */
  observe(): void {
    const monoMs = this.#time.monoMs()
    const { rate, ...former } = this.#anchor
    const stationMs = former.stationMs + (monoMs - former.monoMs) * rate
    const wanted = (this.#time.wallMs() - stationMs) / slewTimeMs
    this.#anchor = { monoMs, stationMs, rate: 1 + Math.max(-slewMaxRatio, Math.min(slewMaxRatio, wanted)) }
  }

  /** Takes over the time another thread keeps. */
  adopt(anchor: ClockAnchor): void {
    this.#anchor = anchor
  }
}
