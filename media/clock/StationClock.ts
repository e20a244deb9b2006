import { slewMaxRatio, slewTimeMs } from "../../engine/rules/air/limits.ts"
import { epochMs, sampleRateHz } from "../../schema/time/Samples.ts"

/** Source of time, injected so that tests can step the wall clock. */
export interface TimeSources {
  readonly wallMs: () => number
  /** Monotonic, and the same in all threads of the process. */
  readonly monoMs: () => number
}

export const systemTime: TimeSources = {
  wallMs: () => Date.now(),
  monoMs: () => Number(process.hrtime.bigint()) / 1e6
}

/** State from which another thread computes the same time. */
export interface ClockAnchor {
  readonly monoMs: number
  readonly stationMs: number
  readonly rate: number
}

const samplesPerMs = sampleRateHz / 1000

/** Sample heard at a station time. */
export const sampleAt = (stationMs: number): number => Math.floor((stationMs - epochMs) * samplesPerMs)

/** Station time at which a sample is heard. */
export const msAt = (sample: number): number => epochMs + sample / samplesPerMs

/**
 * The station's time: anchored once, then carried by the monotonic clock. The wall clock only changes its pace, by at most `slewMaxRatio`,
 * so a step of the wall clock is inaudible.
 */
export class StationClock {
  #anchor: ClockAnchor
  readonly #time: TimeSources

  /** Without an anchor the clock begins at wall time, but never before `notBeforeMs`, because segment numbers must not decrease. */
  constructor(time: TimeSources, anchor: ClockAnchor | null = null, notBeforeMs = 0) {
    this.#time = time
    this.#anchor = anchor ?? { monoMs: time.monoMs(), stationMs: Math.max(time.wallMs(), notBeforeMs), rate: 1 }
  }

  get anchor(): ClockAnchor {
    return this.#anchor
  }

  readMs(): number {
    const { monoMs, rate, stationMs } = this.#anchor
    return stationMs + (this.#time.monoMs() - monoMs) * rate
  }

  nowSample(): number {
    return sampleAt(this.readMs())
  }

  /** How far the station is ahead of the wall clock. */
  driftMs(): number {
    return this.readMs() - this.#time.wallMs()
  }

  /** Compares with the wall clock and sets the pace until the next comparison. */
  observe(): void {
    const monoMs = this.#time.monoMs()
    const { rate, ...former } = this.#anchor
    const stationMs = former.stationMs + (monoMs - former.monoMs) * rate
    const wanted = (this.#time.wallMs() - stationMs) / slewTimeMs
    this.#anchor = { monoMs, stationMs, rate: 1 + Math.max(-slewMaxRatio, Math.min(slewMaxRatio, wanted)) }
  }

  /** Adopts another thread's time. */
  adopt(anchor: ClockAnchor): void {
    this.#anchor = anchor
  }
}
