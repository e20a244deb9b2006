import { spawn } from "node:child_process"
import { once } from "node:events"
import { describe, expect, it } from "vitest"
import { readOwnThread, pulseOfProcess, pulseOfThread, Starvation } from "../../../media/clock/Pulse.ts"

describe("hanging and starving processes", () => {
  const asked = (pulses: ReadonlyArray<readonly [cpuMs: number, wantsCpu: boolean]>) => {
    const starvation = new Starvation()
    return pulses.map(([cpuMs, wantsCpu], at) => starvation.isStarving({ cpuMs, wantsCpu }, at * 100))
  }

  it("a process starves while it waits for CPU, and no longer once it gets what it needs", () => {
    expect(
      asked([
        [500, true],
        [500, true],
        [520, true],
        [540, true]
      ])
    ).toEqual([true, true, true, true])
    expect(
      asked([
        [500, true],
        [600, true],
        [700, true]
      ])
    ).toEqual([true, false, false])
  })

  it("a process hangs if it asks for no CPU", () => {
    expect(
      asked([
        [500, false],
        [500, false]
      ])
    ).toEqual([false, false])
    expect(new Starvation().isStarving(null, 0)).toBe(false)
  })

  it("every sign of life restarts the measurement", () => {
    const starvation = new Starvation()
    starvation.isStarving({ cpuMs: 0, wantsCpu: true }, 0)
    starvation.noteHeartbeat()
    expect(starvation.isStarving({ cpuMs: 1_000, wantsCpu: true }, 1_000)).toBe(true)
  })

  it.runIf(process.platform === "linux")(
    "the system reports which process runs, is stopped, or has ended",
    async () => {
      expect(pulseOfThread(readOwnThread())).toMatchObject({ wantsCpu: true })
      const hog = spawn("sh", ["-c", "echo; while :; do :; done"])
      await once(hog.stdout, "data")
      expect(pulseOfProcess(hog.pid!)).toMatchObject({ wantsCpu: true })
      hog.kill("SIGSTOP")
      while (pulseOfProcess(hog.pid!)!.wantsCpu);
      hog.kill("SIGKILL")
      await once(hog, "exit")
      expect(pulseOfProcess(hog.pid!)).toBeNull()
    }
  )
})
