import type { ChildProcess } from "node:child_process"
import { mp3BurstMs, mp3SettledAfterMs } from "../engine/rules/air/limits.ts"
import { child, end, pause, pinArguments, nextMessage } from "./instruments/Children.ts"
import type { Heard, Joined } from "./fanoutClients.ts"
import { icecastPath, startIcecast } from "./peers/Icecast.ts"
import { frameMs } from "./instruments/sounds/NumberedFrames.ts"
import { cpuSeconds, hash, median, quantile, type Report, type Row } from "./instruments/Report.ts"
import { runInFolder } from "./instruments/servers/Station.ts"

const connectsPerSecond = 1_000

interface Server {
  readonly port: number
  readonly path: string
  readonly process: ChildProcess
  readonly stop: () => Promise<void>
}

interface Measured {
  readonly cpuMicros: number
  readonly firstByteMs: ReadonlyArray<number>
  readonly heard: Heard
}

const nodeServer = async (kind: "ours" | "floor", path: string): Promise<Server> => {
  const server = child(0, "fanoutServer.ts", [kind])
  return { port: Number(await nextMessage(server)), path, process: server, stop: () => end(server) }
}

const measure = async (
  server: Server,
  listeners: number,
  { burstMs, settleMs, windowMs }: { readonly burstMs: number; readonly settleMs: number; readonly windowMs: number }
): Promise<Measured> => {
  // A new server has no burst to send yet.
  await pause(burstMs)
  const clients = child(1, "fanoutClients.ts", [
    String(server.port),
    String(listeners),
    String(connectsPerSecond),
    server.path
  ])
  try {
    const { firstByteMs } = (await nextMessage(clients)) as Joined
    await pause(settleMs)
    const ask = async () => {
      clients.send("report")
      return { heard: (await nextMessage(clients)) as Heard, cpuSec: cpuSeconds(server.process.pid!) }
    }
    const before = await ask()
    await pause(windowMs)
    const after = await ask()
    // A listener without a stream must not make a server look cheap: only delivered sound counts.
    const listenerSec = ((after.heard.frames - before.heard.frames) * frameMs) / 1_000
    return { cpuMicros: ((after.cpuSec - before.cpuSec) * 1e6) / listenerSec, firstByteMs, heard: after.heard }
  } finally {
    await end(clients)
    await server.stop()
  }
}

interface Subject {
  readonly name: string
  readonly start: ((folder: string, listeners: number) => Promise<Server>) | undefined
}

const subjects = (): ReadonlyArray<Subject> => {
  const icecast = icecastPath()
  return [
    { name: "station", start: () => nodeServer("ours", "/live.mp3") },
    {
      name: "Icecast",
      start:
        icecast === undefined
          ? undefined
          : (folder, listeners) => startIcecast(icecast, folder, listeners, pinArguments(0))
    },
    { name: "node floor", start: () => nodeServer("floor", "/") }
  ]
}

const rowsOf = (name: string, listeners: number, runs: ReadonlyArray<Measured>): ReadonlyArray<Row> => {
  const row = (what: string, unit: string, value: (run: Measured) => number): Row => ({
    what: `${name}, ${listeners}: ${what}`,
    unit,
    values: runs.map(value)
  })
  const firstByteMsOf = (q: number) => (run: Measured) =>
    run.firstByteMs.length === 0 ? Infinity : quantile(run.firstByteMs, q)
  return [
    row("CPU per listener-second", "µs", ({ cpuMicros }) => cpuMicros),
    row("first byte p50", "ms", firstByteMsOf(0.5)),
    row("first byte p99", "ms", firstByteMsOf(0.99)),
    row("never got a byte", "listeners", ({ firstByteMs }) => listeners - firstByteMs.length),
    row("behind or cut off", "listeners", ({ heard }) => heard.behind),
    row("joined within a frame", "listeners", ({ heard }) => heard.strays),
    row("broken, missing or doubled frames", "frames", ({ heard }) => heard.faults)
  ]
}

/** P1: cost of one MP3 listener in one process, with all frames of all listeners checked; Icecast and a minimal Node server in the same run. */
export const run = async (size: "whole" | "small"): Promise<Report> => {
  const plan =
    size === "whole"
      ? {
          listeners: [
            { count: 2_000, rounds: 3 },
            { count: 5_000, rounds: 2 },
            { count: 9_500, rounds: 1 }
          ],
          burstMs: mp3BurstMs,
          settleMs: mp3SettledAfterMs + 1_000,
          windowMs: 8_000
        }
      : { listeners: [{ count: 50, rounds: 1 }], burstMs: 300, settleMs: 300, windowMs: 1_500 }
  const rows: Array<Row> = []
  const goals: Array<Report["goals"][number]> = []
  const verdicts: Array<string> = []
  for (const { count, rounds } of plan.listeners) {
    const runs = new Map<string, Array<Measured>>()
    for (let round = 0; round < rounds; round++) {
      for (const { name, start } of subjects()) {
        const mine = runs.get(name) ?? []
        runs.set(name, mine)
        if (start !== undefined)
          mine.push(await runInFolder(async (folder) => measure(await start(folder, count), count, plan)))
      }
    }
    for (const [name, measured] of runs) rows.push(...rowsOf(name, count, measured))
    const cpu = (name: string) => {
      const values = runs.get(name)!.map(({ cpuMicros }) => cpuMicros)
      return values.length === 0 ? null : median(values)
    }
    const [mine, icecast, floor] = [cpu("station")!, cpu("Icecast"), cpu("node floor")]
    const station = runs.get("station")!
    goals.push(
      {
        name: `${count} listeners: CPU against Icecast's`,
        direction: "at most",
        limit: 0.2,
        value: icecast === null ? null : mine / icecast
      },
      {
        name: `${count} listeners: CPU against the minimum in Node`,
        direction: "at most",
        limit: 1.1,
        value: floor === null ? null : mine / floor
      },
      {
        name: `${count} listeners: first byte p99 (ms)`,
        direction: "at most",
        limit: 50,
        value: median(
          station.map(({ firstByteMs }) => (firstByteMs.length === 0 ? Infinity : quantile(firstByteMs, 0.99)))
        )
      },
      {
        name: `${count} listeners: behind the others`,
        direction: "at most",
        limit: 0,
        value: Math.max(...station.map(({ heard }) => heard.behind))
      },
      {
        name: `${count} listeners: faulty frames`,
        direction: "at most",
        limit: 0,
        value: Math.max(...station.map(({ heard }) => heard.faults + heard.strays))
      }
    )
    verdicts.push(
      ...station.map(
        ({ firstByteMs, heard }) =>
          `${count}: ${firstByteMs.length} joined, ${heard.behind} behind, ${heard.faults + heard.strays} faults`
      )
    )
  }
  return { bench: "fanout", rows, goals, computed: hash(verdicts.join("\n")) }
}
