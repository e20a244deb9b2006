import { readFileSync } from "node:fs"
import { filesReserved } from "../engine/rules/http/limits.ts"
import type { StreamName as AnyStream } from "../http/stream/events/EventStream.ts"

type StreamName = Exclude<AnyStream, "ops" | "meters" | "lines">
import { child, end, pause, nextMessage } from "./instruments/Children.ts"
import { cpuSeconds, hash, median, quantile, type Report, type Row } from "./instruments/Report.ts"
import type { Got } from "./sseClients.ts"
import type { Tell } from "./sseServer.ts"

const connectsPerSecond = 1_000
/** One reader of this number parses its events. */
const lookingShare = 50

interface Plan {
  readonly name: string
  readonly streams: ReadonlyArray<StreamName>
  readonly readers: number
  readonly rounds: number
}

interface Measured {
  readonly cpuMicros: number
  readonly delayMs: ReadonlyArray<number>
  readonly faults: number
  readonly missing: number
  readonly uneven: number
  readonly residentMiB: number
}

const resident = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))![1]) / 1_024

/** Maximum connections for one process of this bench. */
const openFilesMax = (): number => {
  const soft = /Max open files\s+(\d+|unlimited)/.exec(readFileSync("/proc/self/limits", "utf8"))![1]!
  return soft === "unlimited" ? Infinity : Number(soft) - filesReserved
}

const measure = async (
  kind: "ours" | "floor",
  { readers, streams }: Plan,
  windowMs: number,
  everyMs: number
): Promise<Measured> => {
  const server = child(0, "sseServer.ts", [kind])
  const port = String(await nextMessage(server))
  const looking = Math.max(streams.length * 2, Math.round(readers / lookingShare))
  const quiet = readers - looking
  const before = resident(server.pid!)
  // Both kinds connect during the same seconds, so that parsing readers are spread over the order of writes.
  const crowds = [
    child(1, "sseClients.ts", [port, String(quiet), String(connectsPerSecond), "quiet", "1", streams.join(",")]),
    child(1, "sseClients.ts", [
      port,
      String(looking),
      String((connectsPerSecond * looking) / quiet),
      "looking",
      "1000",
      streams.join(",")
    ])
  ]
  // Polled many times: the default number of listeners on a stream would print warnings.
  for (const crowd of crowds) crowd.setMaxListeners(0)
  try {
    await Promise.all(crowds.map(nextMessage))
    await pause(1_000)
    const report = async (what: "begin" | "report") => {
      for (const crowd of crowds) crowd.send(what)
      return (await Promise.all(crowds.map(nextMessage))) as ReadonlyArray<Got>
    }
    await report("begin")
    const begunSec = cpuSeconds(server.pid!)
    const begunMs = performance.now()
    let told = 0
    for (; performance.now() - begunMs < windowMs; told++) {
      for (const stream of streams) server.send({ stream, number: told } satisfies Tell)
      await pause(Math.max(0, (told + 1) * everyMs - (performance.now() - begunMs)))
    }
    const isWhole = ([quietGot, lookingGot]: ReadonlyArray<Got>) =>
      lookingGot!.delayMs.length >= told * looking && Object.values(quietGot!.bytes).every(({ length }) => length === 1)
    let got = await report("report")
    // A busy machine gets time to deliver everything: delivery and its delay count.
    for (let turn = 0; turn < 20 && !isWhole(got); turn++) {
      await pause(500)
      got = await report("report")
    }
    const cpuSec = cpuSeconds(server.pid!) - begunSec
    const open = got.reduce((sum, each) => sum + each.open, 0)
    const [quietGot, lookingGot] = [got[0]!, got[1]!]
    return {
      cpuMicros: (cpuSec * 1e6) / (told * open),
      delayMs: lookingGot.delayMs,
      faults: lookingGot.faults,
      missing: readers - open + Math.max(0, told * looking - lookingGot.delayMs.length),
      uneven: Object.values(quietGot.bytes).reduce((sum, bytes) => sum + bytes.length - 1, 0),
      residentMiB: ((resident(server.pid!) - before) * 1_024) / readers
    }
  } finally {
    await Promise.all(crowds.map(end))
    await end(server)
  }
}

/** P8: cost of one event for one reader, and its delay, beside the minimum in Node. */
export const run = async (size: "whole" | "small"): Promise<Report> => {
  const most = openFilesMax()
  const plans: ReadonlyArray<Plan> =
    size === "whole"
      ? [
          { name: "chat and now-playing", streams: ["chat", "nowPlaying"], readers: Math.min(10_000, most), rounds: 2 },
          { name: "chat alone", streams: ["chat"], readers: Math.min(10_000, most), rounds: 1 }
        ]
      : [{ name: "chat and now-playing", streams: ["chat", "nowPlaying"], readers: 60, rounds: 1 }]
  const [windowMs, everyMs] = size === "whole" ? [10_000, 500] : [1_000, 100]
  const rows: Array<Row> = []
  const goals: Array<Report["goals"][number]> = []
  const verdicts: Array<string> = []
  for (const plan of plans) {
    const runs = { station: [] as Array<Measured>, "node floor": [] as Array<Measured> }
    for (let round = 0; round < plan.rounds; round++) {
      runs.station.push(await measure("ours", plan, windowMs, everyMs))
      runs["node floor"].push(await measure("floor", plan, windowMs, everyMs))
    }
    for (const [name, measured] of Object.entries(runs)) {
      const row = (what: string, unit: string, value: (run: Measured) => number) =>
        rows.push({ what: `${name}, ${plan.readers} of ${plan.name}: ${what}`, unit, values: measured.map(value) })
      row("CPU per reader and event", "µs", ({ cpuMicros }) => cpuMicros)
      row("delivered p50", "ms", ({ delayMs }) => quantile(delayMs, 0.5))
      row("delivered p99", "ms", ({ delayMs }) => quantile(delayMs, 0.99))
      row("missing", "readers and events", ({ missing }) => missing)
      row("out of order or doubled", "events", ({ faults }) => faults)
      row("got other bytes than others", "readers", ({ uneven }) => uneven)
      row("memory per reader", "KiB", ({ residentMiB }) => residentMiB)
    }
    const [mine, floor] = [runs.station, runs["node floor"]].map((measured) =>
      median(measured.map(({ cpuMicros }) => cpuMicros))
    )
    goals.push(
      { name: `${plan.name}: CPU per reader and event (µs)`, direction: "at most", limit: 30, value: mine! },
      {
        name: `${plan.name}: CPU relative to the minimum in Node`,
        direction: "at most",
        limit: 1.3,
        value: mine! / floor!
      },
      {
        name: `${plan.name}: delivered p99 (ms)`,
        direction: "at most",
        limit: 100,
        value: median(runs.station.map(({ delayMs }) => quantile(delayMs, 0.99)))
      },
      {
        name: `${plan.name}: lost, doubled or misordered`,
        direction: "at most",
        limit: 0,
        value: Math.max(...runs.station.map(({ faults, missing, uneven }) => faults + missing + uneven))
      }
    )
    verdicts.push(
      ...runs.station.map(
        ({ faults, missing, uneven }) => `${plan.readers}: ${missing} missing, ${faults} faults, ${uneven} uneven`
      )
    )
  }
  return { bench: "sse", rows, goals, computed: hash(verdicts.join("\n")) }
}
