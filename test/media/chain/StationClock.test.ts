import { describe, expect, it } from "vitest"
import * as fc from "fast-check"
import { slewMaxRatio } from "../../../engine/rules/air/limits.ts"
import { defaultGrid, occurrences } from "../../../engine/rules/time/WeekSchedule.ts"
import { epochMs } from "../../../schema/time/Samples.ts"
import { msAt, sampleAt, StationClock } from "../../../media/clock/StationClock.ts"

/** A machine with clocks that the test sets. */
const machine = () => {
  let wallMs = 1_795_000_000_000
  let monoMs = 5_000
  return {
    time: { wallMs: () => wallMs, monoMs: () => monoMs },
    pass: (ms: number) => {
      wallMs += ms
      monoMs += ms
    },
    jump: (ms: number) => {
      wallMs += ms
    }
  }
}

const hourMs = 3_600_000

describe("StationClock", () => {
  it("counts samples from the epoch", () => {
    expect(sampleAt(epochMs)).toBe(0)
    expect(sampleAt(epochMs + 1_000)).toBe(48_000)
    expect(msAt(48_000)).toBe(epochMs + 1_000)
  })

  it.each([hourMs, -hourMs])("moves no sound when the wall clock jumps by %i ms", (jumpMs) => {
    const { jump, pass, time } = machine()
    const clock = new StationClock(time)
    pass(10_000)
    clock.observe()
    const before = clock.nowSample()
    jump(jumpMs)
    clock.observe()
    expect(clock.nowSample()).toBe(before)
    for (let tick = 0; tick < 600; tick++) {
      pass(100)
      clock.observe()
    }
    const error = clock.nowSample() - before - 60 * 48_000
    // A double has a resolution of a quarter of a microsecond for this year's times: 600 ticks may round to a few samples.
    expect(Math.abs(error)).toBeLessThanOrEqual(60 * 48_000 * slewMaxRatio + 10)
    expect(Math.sign(error)).toBe(Math.sign(jumpMs))
  })

  it("corrects a small drift", () => {
    const { jump, pass, time } = machine()
    const clock = new StationClock(time)
    jump(40)
    for (let tick = 0; tick < 6_000; tick++) {
      pass(100)
      clock.observe()
    }
    expect(Math.abs(clock.driftMs())).toBeLessThan(1)
  })

  it("never goes back and never runs faster than the slew allows", () => {
    const step = fc.record({
      passMs: fc.integer({ min: 0, max: 5_000 }),
      jumpMs: fc.oneof(fc.constant(0), fc.integer({ min: -2 * hourMs, max: 2 * hourMs }))
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const { jump, pass, time } = machine()
        const clock = new StationClock(time)
        for (const { jumpMs, passMs } of steps) {
          const before = clock.readMs()
          jump(jumpMs)
          pass(passMs)
          clock.observe()
          expect(Math.abs(clock.readMs() - before - passMs)).toBeLessThanOrEqual(passMs * slewMaxRatio + 0.01)
        }
      })
    )
  })

  /** Offset of the wall clock during a leap second that is spread over a day, after a part of that day. */
  const smears = {
    linear: (share: number) => share * 1_000,
    cosine: (share: number) => 500 * (1 - Math.cos(Math.PI * share))
  }
  it.each([
    ["linear", 1],
    ["linear", -1],
    ["cosine", 1],
    ["cosine", -1]
  ] as const)("F13: keeps sound and blocks through a %s smear of %i s over a day", (shape, direction) => {
    const { jump, pass, time } = machine()
    const clock = new StationClock(time)
    const [tickMs, ticks] = [1_000, 86_400]
    const beginsMs = time.wallMs()
    const edges = occurrences(defaultGrid, "Europe/Berlin", beginsMs, beginsMs + 23 * hourMs)
      .map(({ startMs }) => startMs)
      .filter((startMs) => startMs > beginsMs)
    let [smearedMs, fastest, furthestMs, began] = [0, 0, 0, 0]
    for (let tick = 1; tick <= ticks; tick++) {
      const [beforeMs, beforeWallMs] = [clock.readMs(), time.wallMs()]
      const wantedMs = direction * smears[shape](tick / ticks)
      pass(tickMs)
      jump(wantedMs - smearedMs)
      smearedMs = wantedMs
      fastest = Math.max(fastest, Math.abs((clock.readMs() - beforeMs) / tickMs - 1))
      furthestMs = Math.max(furthestMs, Math.abs(clock.driftMs()))
      // A block that begins in this second of the wall clock begins in the same second of the sound.
      for (const edge of edges.filter((each) => beforeWallMs < each && each <= time.wallMs())) {
        expect(Math.abs(sampleAt(edge) - sampleAt(clock.readMs() - (time.wallMs() - edge)))).toBeLessThan(2 * 48)
        began++
      }
      clock.observe()
    }
    expect(began).toBe(edges.length)
    expect(began).toBeGreaterThan(5)
    // A second a day is 12 millionths. The clock rate follows it, at most a minute late.
    expect(fastest).toBeLessThan(0.000_02)
    expect(furthestMs).toBeLessThan(1.2)
  })

  it("F13: handles a repeated or skipped leap second of the wall clock without a jump", () => {
    for (const leapMs of [-1_000, 1_000]) {
      const { jump, pass, time } = machine()
      const clock = new StationClock(time)
      jump(leapMs)
      for (let second = 0; second < 3_600; second++) {
        const before = clock.nowSample()
        pass(1_000)
        clock.observe()
        expect(Math.abs(clock.nowSample() - before - 48_000)).toBeLessThanOrEqual(48_000 * slewMaxRatio + 1)
      }
      expect(Math.abs(clock.driftMs())).toBeLessThan(1)
    }
  })

  it("begins no earlier than the broadcast ended, also if the wall clock was set back", () => {
    const { time } = machine()
    const endMs = time.wallMs() + hourMs
    expect(new StationClock(time, null, endMs).readMs()).toBe(endMs)
  })

  it("gives another thread the same time", () => {
    const { pass, time } = machine()
    const clock = new StationClock(time)
    pass(1_234)
    clock.observe()
    const other = new StationClock(time, clock.anchor)
    pass(777)
    expect(other.nowSample()).toBe(clock.nowSample())
  })
})
