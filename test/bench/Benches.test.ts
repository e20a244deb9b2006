import { describe, expect, it } from "vitest"
import { run as boot } from "../../bench/boot.ts"
import { run as fanout } from "../../bench/fanout.ts"
import { icecastPath } from "../../bench/Icecast.ts"
import { run as latency } from "../../bench/latency.ts"
import type { Report } from "../../bench/Report.ts"

const figure = (report: Report, what: string) => report.rows.find((row) => row.what === what)?.values[0]

const goal = (report: Report, name: string) => report.goals.find((goal) => goal.name === name)?.value

/** Small enough for a busy machine; what is measured here is that it measures, and that nothing is lost on the way. */
describe("benches, small", () => {
  it("fanout: every frame reaches every listener, ours and the floor's; Icecast is measured or said to be missing", async () => {
    const report = await fanout("small")
    for (const who of ["station", "node floor"]) {
      expect(figure(report, `${who}, 50: CPU per listener-second`)).toBeGreaterThanOrEqual(0)
      for (const what of ["never got a byte", "behind or cut off", "joined within a frame", "broken, missing or doubled frames"]) {
        expect([who, what, figure(report, `${who}, 50: ${what}`)]).toEqual([who, what, 0])
      }
    }
    expect(report.rows.filter(({ what, values }) => what.startsWith("Icecast") && values.length > 0).length > 0).toBe(icecastPath() !== undefined)
    expect(report.computed).toBe("dffa6db305984a0e")
  }, 60_000)

  it("latency: clicks are heard in order of the ways they take", async () => {
    const report = await latency("small")
    const parts = goal(report, "LL-HLS heard p95 (s)")!
    expect(parts).toBeGreaterThan(1)
    expect(parts).toBeLessThan(goal(report, "HLS behind the clock p95, target durations")! * 4)
    expect(goal(report, "MP3 decoded p95, burst not counted (s)")).toBeGreaterThan(0)
    expect(goal(report, "emergency, order to sound p95 (ms)")).toBeGreaterThan(0)
    expect(goal(report, "emergency, API command to sound p95 (ms)")).toBeNull()
    expect(report.computed).toBe("3f4e0fe986c75a96")
  }, 60_000)

  it("boot: sound and API, cold and warm", async () => {
    const report = await boot("small")
    expect(report.rows.flatMap(({ values }) => values).every((value) => value > 0)).toBe(true)
    expect(report.rows.every(({ values }) => values.length === 1)).toBe(true)
  }, 60_000)
})
