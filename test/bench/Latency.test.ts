import { describe, expect, it } from "vitest"
import { goal, smallBench } from "../support/BenchReports.ts"

/** Separate from the other benches: a click is heard only if nothing else takes the processor. */
describe("benches, small", () => {
  it("latency: clicks are heard in the order of the outputs' delays", async () => {
    const report = await smallBench("latency")
    const parts = goal(report, "LL-HLS heard p95 (s)")!
    expect(parts).toBeGreaterThan(1)
    expect(parts).toBeLessThan(goal(report, "HLS delay p95, target durations")! * 4)
    expect(goal(report, "MP3 without burst, decoded p95 (s)")).toBeGreaterThan(0)
    expect(goal(report, "emergency, order to sound p95 (ms)")).toBeGreaterThan(0)
    expect(goal(report, "emergency, API command to sound p95 (ms)")).toBeNull()
    expect(report.computed).toBe("3f4e0fe986c75a96")
  }, 300_000)
})
