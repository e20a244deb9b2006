import { describe, expect, it } from "vitest"
import { probeActsMax, probeActsWindowMs, probeVainMs } from "../../../engine/rules/air/limits.ts"
import { ProbeWatchdog } from "../../../media/chain/AirWatch.ts"

describe("the watchdog of the listener probe", () => {
  it("gives up on silence that goes on under the emergency programme, and not on one that ends", () => {
    const watchdog = new ProbeWatchdog()
    expect(watchdog.gaveUp(1_000_000, true)).toBe(false)
    watchdog.noteAct(1_000)
    expect(watchdog.gaveUp(1_000 + probeVainMs - 1, true)).toBe(false)
    expect([watchdog.gaveUp(1_000 + probeVainMs, false), watchdog.gaveUp(1_000 + probeVainMs, true)]).toEqual([
      false,
      true
    ])
    watchdog.noteEnd(false)
    expect(watchdog.gaveUp(1_000 + 2 * probeVainMs, true)).toBe(false)
  })

  it("gives up on an alarm that comes back again and again, until an operator ends the emergency programme", () => {
    const watchdog = new ProbeWatchdog()
    const acts = (fromMs: number, everyMs: number) => {
      for (let act = 0; act < probeActsMax; act++) {
        watchdog.noteEnd(false)
        watchdog.noteAct(fromMs + act * everyMs)
      }
    }
    acts(0, probeActsWindowMs)
    expect(watchdog.isSpent).toBe(false)
    acts(10 * probeActsWindowMs, 60_000)
    expect([watchdog.isSpent, watchdog.gaveUp(10 * probeActsWindowMs + 200_000, false)]).toEqual([true, true])
    watchdog.noteEnd(true)
    expect([watchdog.isSpent, watchdog.gaveUp(10 * probeActsWindowMs + 300_000, true)]).toEqual([false, false])
  })
})
