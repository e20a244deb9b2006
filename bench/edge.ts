import type { ChildProcess } from "node:child_process"
import { mp3BurstMs, mp3SettledAfterMs } from "../engine/rules/air/limits.ts"
import type { Heard, Joined } from "./fanoutClients.ts"
import type { Reload, Reloaded } from "./hlsClients.ts"
import { child, end, nextMessage, pause } from "./instruments/Children.ts"
import { cpuSeconds, hash, quantile, type Report, type Row } from "./instruments/Report.ts"
import { startEdge } from "./instruments/servers/Edge.ts"
import { frameMs } from "./instruments/sounds/NumberedFrames.ts"

const connectsPerSecond = 500

interface Edge {
  readonly port: number
  readonly process: ChildProcess
}

/** An origin with edges, until `use` has ended. */
const withEdges = async <A>(
  edgesCount: number,
  server: string,
  kind: string,
  use: (origin: Edge, edges: ReadonlyArray<Edge>) => Promise<A>
): Promise<A> => {
  const origin = child(0, server, [kind])
  const edges: Array<Edge> = []
  try {
    const port = Number(await nextMessage(origin))
    for (let index = 0; index < edgesCount; index++)
      edges.push(await startEdge([`http://127.0.0.1:${port}`], { core: 0, secret: "the secret of the bench" }))
    return await use({ port, process: origin }, edges)
  } finally {
    await Promise.all([origin, ...edges.map(({ process }) => process)].map(end))
  }
}

/** CPU of the origin and of the edges over a window, in seconds of a core for each second. */
const measureCpu = async (origin: Edge, edges: ReadonlyArray<Edge>, windowMs: number) => {
  const read = () => [origin, ...edges].map(({ process }) => cpuSeconds(process.pid!))
  const before = read()
  const beganMs = performance.now()
  await pause(windowMs)
  const seconds = (performance.now() - beganMs) / 1_000
  const after = read()
  const [mine = 0, ...theirs] = after.map((value, index) => (value - before[index]!) / seconds)
  return { origin: mine, edges: theirs.reduce((sum, value) => sum + value, 0) }
}

const mp3 = (
  listeners: number,
  plan: { readonly edges: number; readonly burstMs: number; readonly settleMs: number; readonly windowMs: number }
) =>
  withEdges(plan.edges, "fanoutServer.ts", "ours", async (origin, edges) => {
    await pause(plan.burstMs)
    const idle = await measureCpu(origin, edges, plan.windowMs)
    const clients = edges.map(({ port }) =>
      child(1, "fanoutClients.ts", [String(port), String(listeners), String(connectsPerSecond), "/live.mp3"])
    )
    try {
      const joined = (await Promise.all(clients.map(nextMessage))) as ReadonlyArray<Joined>
      await pause(plan.settleMs)
      const ask = () =>
        Promise.all(
          clients.map(async (each) => {
            each.send("report")
            return (await nextMessage(each)) as Heard
          })
        )
      const before = await ask()
      const busy = await measureCpu(origin, edges, plan.windowMs)
      const heard = await ask()
      const sum = (value: (heard: Heard) => number) => heard.reduce((total, each) => total + value(each), 0)
      const frames = sum(({ frames }) => frames) - before.reduce((total, each) => total + each.frames, 0)
      return {
        idle,
        busy,
        joined: joined.reduce((total, { firstByteMs }) => total + firstByteMs.length, 0),
        firstByteMs: joined.flatMap(({ firstByteMs }) => firstByteMs),
        behind: sum(({ behind }) => behind),
        faults: sum(({ faults, strays }) => faults + strays),
        listenerSec: (frames * frameMs) / 1_000,
        windowSec: plan.windowMs / 1_000
      }
    } finally {
      await Promise.all(clients.map(end))
    }
  })

interface Made extends Reload {
  readonly announcedMs: number
}

const hls = (edgesCount: number, players: number, windowMs: number) =>
  withEdges(edgesCount, "hlsServer.ts", "node", async (origin, edges) => {
    const made = new Map<string, number>()
    origin.process.on("message", (message) => {
      const { atMs, msn, part } = message as Made
      made.set(`${msn}.${part}`, atMs)
    })
    origin.process.send("air")
    await pause(2_000)
    const idle = await measureCpu(origin, edges, windowMs)
    const play = async (targets: ReadonlyArray<Edge>, each: number) => {
      const clients = targets.map(({ port }) =>
        child(1, "hlsClients.ts", ["play", String(port), String(each), "/live/aac128/index.m3u8"])
      )
      try {
        await pause(each / 2 + 2_000)
        const ask = () =>
          Promise.all(
            clients.map(async (one) => {
              one.send("report")
              return (await nextMessage(one)) as Reloaded
            })
          )
        await ask()
        const cpu = await measureCpu(origin, edges, windowMs)
        const reloaded = await ask()
        return {
          cpu,
          playing: reloaded.reduce((sum, { playing }) => sum + playing, 0),
          bad: reloaded.reduce((sum, { bad }) => sum + bad, 0),
          heardMs: reloaded.flatMap(({ reloads }) =>
            reloads.flatMap(({ atMs, msn, part }) => {
              const madeMs = made.get(`${msn}.${part}`)
              return madeMs === undefined ? [] : [atMs - madeMs]
            })
          )
        }
      } finally {
        await Promise.all(clients.map(end))
      }
    }
    const atOrigin = await play([origin], players)
    const atEdges = await play(edges, players)
    return { idle, atOrigin, atEdges }
  })

const plans = {
  whole: {
    edges: 2,
    listeners: 10_000,
    burstMs: mp3BurstMs,
    settleMs: mp3SettledAfterMs + 1_000,
    windowMs: 10_000,
    players: 2_000,
    reloadMs: 8_000
  },
  small: { edges: 1, listeners: 25, burstMs: 300, settleMs: 300, windowMs: 1_500, players: 10, reloadMs: 1_200 }
} as const

/** P14: two edges before one origin: what its listeners cost the origin and the edges, and how much later they hear. */
export const run = async (size: "whole" | "small"): Promise<Report> => {
  const plan = plans[size]
  const radio = await mp3(plan.listeners, plan)
  const low = await hls(plan.edges, plan.players, plan.reloadMs)
  const [originP95, edgeP95] = [quantile(low.atOrigin.heardMs, 0.95), quantile(low.atEdges.heardMs, 0.95)]
  const row = (what: string, unit: string, value: number): Row => ({ what, unit, values: [value] })
  const all = plan.edges * plan.listeners
  return {
    bench: "edge",
    rows: [
      row("MP3: CPU of the origin, no listeners", "ms/s", radio.idle.origin * 1_000),
      row(`MP3: CPU of the origin, ${all} listeners at its edges`, "ms/s", radio.busy.origin * 1_000),
      row("MP3: CPU of an edge without listeners", "ms/s", (radio.idle.edges * 1_000) / plan.edges),
      row(
        "MP3: CPU of the edges per listener-second",
        "µs",
        (radio.busy.edges * radio.windowSec * 1e6) / radio.listenerSec
      ),
      row("MP3: never got a byte", "listeners", all - radio.joined),
      row("MP3: first byte p99", "ms", radio.firstByteMs.length === 0 ? Infinity : quantile(radio.firstByteMs, 0.99)),
      row("MP3: behind or cut off", "listeners", radio.behind),
      row("MP3: broken, missing or doubled frames", "frames", radio.faults),
      row("LL-HLS: CPU of the origin, no players", "ms/s", low.idle.origin * 1_000),
      row(`LL-HLS: CPU of the origin, ${plan.players} players of its own`, "ms/s", low.atOrigin.cpu.origin * 1_000),
      row(
        `LL-HLS: CPU of the origin, ${plan.edges * plan.players} players at its edges`,
        "ms/s",
        low.atEdges.cpu.origin * 1_000
      ),
      row("LL-HLS: reload after the part at the origin, p95", "ms", originP95),
      row("LL-HLS: reload after the part at the edges, p95", "ms", edgeP95),
      row("LL-HLS: players that play at the edges", "players", low.atEdges.playing),
      row("LL-HLS: refused or broken at the edges", "answers", low.atEdges.bad)
    ],
    goals: [
      {
        name: `${all} MP3 listeners at ${plan.edges} edges: behind`,
        direction: "at most",
        limit: 0,
        value: radio.behind
      },
      { name: "faulty frames", direction: "at most", limit: 0, value: radio.faults },
      {
        name: "CPU of the origin with them, more than without (ms/s)",
        direction: "at most",
        limit: 10,
        value: Math.max(0, (radio.busy.origin - radio.idle.origin) * 1_000)
      },
      {
        name: "LL-HLS p95 delay, more than at the origin (ms)",
        direction: "at most",
        limit: 500,
        value: edgeP95 - originP95
      }
    ],
    computed: hash(
      `${radio.joined} joined, ${radio.behind} behind, ${radio.faults} faults, ${low.atEdges.playing} play`
    )
  }
}
