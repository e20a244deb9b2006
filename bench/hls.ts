import type { ChildProcess } from "node:child_process"
import { child, end, pause, pinArguments, nextMessage } from "./instruments/Children.ts"
import type { Loaded, Reload, Reloaded } from "./hlsClients.ts"
import { nginxPath, nginxVersion, startNginx } from "./peers/Nginx.ts"
import { cpuSeconds, hash, median, quantile, type Report, type Row } from "./instruments/Report.ts"
import { runInFolder } from "./instruments/servers/Station.ts"
import { isUwsHere } from "../http/fastpath/Uws.ts"

const variant = "/live/aac128"
const anchorNames = { playlist: "index.m3u8", segment: "segment.m4s" } as const
const kinds = ["playlist", "segment"] as const
type Kind = (typeof kinds)[number]

interface Server {
  readonly name: string
  readonly port: number
  readonly process: ChildProcess
  readonly paths: Readonly<Record<Kind, string>>
  readonly stop: () => Promise<void>
}

interface Measured {
  readonly cpuMicros: number
  readonly perSecond: number
  readonly loaded: Loaded
}

const station = async (engine: string): Promise<Server> => {
  const server = child(0, "hlsServer.ts", [engine])
  const port = Number(await nextMessage(server))
  const playlist = await (await fetch(`http://127.0.0.1:${port}${variant}/index.m3u8`)).text()
  const segment = [...playlist.matchAll(/^s\d+\.m4s$/gm)].at(-1)![0]
  return {
    name: engine,
    port,
    process: server,
    paths: { playlist: `${variant}/index.m3u8`, segment: `${variant}/${segment}` },
    stop: () => end(server)
  }
}

/** The station's own responses, as files. */
const anchor = async (program: string, folder: string, from: Server): Promise<Server> => {
  const bytesOf = async (kind: Kind) =>
    new Uint8Array(await (await fetch(`http://127.0.0.1:${from.port}${from.paths[kind]}`)).arrayBuffer())
  const files = { [anchorNames.playlist]: await bytesOf("playlist"), [anchorNames.segment]: await bytesOf("segment") }
  return {
    name: "nginx",
    ...(await startNginx(program, folder, files, pinArguments(0))),
    paths: { playlist: `/${anchorNames.playlist}`, segment: `/${anchorNames.segment}` }
  }
}

const measure = async (
  server: Server,
  kind: Kind,
  {
    connections,
    perSecond,
    settleMs,
    windowMs
  }: {
    readonly connections: number
    readonly perSecond: Readonly<Record<Kind, number>>
    readonly settleMs: number
    readonly windowMs: number
  }
): Promise<Measured> => {
  const clients = child(1, "hlsClients.ts", [
    "load",
    String(server.port),
    String(connections),
    server.paths[kind],
    String(perSecond[kind])
  ])
  try {
    await pause(settleMs)
    const ask = async () => {
      clients.send("report")
      return {
        loaded: (await nextMessage(clients)) as Loaded,
        cpuSec: cpuSeconds(server.process.pid!),
        atMs: performance.now()
      }
    }
    const before = await ask()
    await pause(windowMs)
    const after = await ask()
    const answers = after.loaded.answers - before.loaded.answers
    return {
      cpuMicros: ((after.cpuSec - before.cpuSec) * 1e6) / answers,
      perSecond: (answers * 1_000) / (after.atMs - before.atMs),
      loaded: after.loaded
    }
  } finally {
    await end(clients)
  }
}

interface Blocked {
  readonly playing: number
  readonly bad: number
  readonly reloads: number
  readonly cpuMicros: number
  /** Time from a part's publication to its last byte in the player, for each reload. Includes the reading time of one process of players. */
  readonly heardMs: ReadonlyArray<number>
  /** Time from a part's publication to the last of its answers in the kernel, for each part. */
  readonly givenMs: ReadonlyArray<number>
}

interface Made extends Reload {
  readonly announcedMs: number
}

const block = async (engine: string, players: number, windowMs: number): Promise<Blocked> => {
  const server = await station(engine)
  const made: Array<Made> = []
  server.process.on("message", (message) => made.push(message as Made))
  const clients = child(1, "hlsClients.ts", ["play", String(server.port), String(players), `${variant}/index.m3u8`])
  try {
    server.process.send("air")
    await pause(players / 2 + 2_000)
    const ask = async () => {
      clients.send("report")
      return { reloaded: (await nextMessage(clients)) as Reloaded, cpuSec: cpuSeconds(server.process.pid!) }
    }
    const before = await ask()
    const first = made.length
    await pause(windowMs)
    const after = await ask()
    const parts = new Map(made.slice(first).map((part) => [`${part.msn}.${part.part}`, part]))
    const heardMs = after.reloaded.reloads.flatMap(({ atMs, msn, part }) => {
      const known = parts.get(`${msn}.${part}`)
      return known === undefined ? [] : [atMs - known.atMs]
    })
    return {
      playing: after.reloaded.playing,
      bad: after.reloaded.bad - before.reloaded.bad,
      reloads: after.reloaded.reloads.length,
      cpuMicros: ((after.cpuSec - before.cpuSec) * 1e6) / after.reloaded.reloads.length,
      heardMs,
      givenMs: [...parts.values()].map(({ announcedMs, atMs }) => announcedMs - atMs)
    }
  } finally {
    await end(clients)
    await server.stop()
  }
}

const plans = {
  whole: {
    connections: 64,
    perSecond: { playlist: 8_000, segment: 4_000 },
    rounds: 3,
    settleMs: 500,
    windowMs: 4_000,
    players: [1_250, 2_500, 5_000],
    blockMs: 6_000
  },
  small: {
    connections: 8,
    perSecond: { playlist: 1_000, segment: 500 },
    rounds: 1,
    settleMs: 100,
    windowMs: 400,
    players: [20],
    blockMs: 1_200
  }
} as const

/** P2: cost of a playlist and of a segment, beside nginx with the same bytes as files, and the delay of a part to all players. */
export const run = async (size: "whole" | "small"): Promise<Report> => {
  const plan = plans[size]
  const program = nginxPath()
  const engines = ["node", "floor", ...(isUwsHere() ? ["uws"] : [])]
  const runs = new Map<string, Array<Measured>>()
  await runInFolder(async (folder) => {
    const servers = await Promise.all(engines.map(station))
    try {
      if (program !== undefined) servers.push(await anchor(program, folder, servers[0]!))
      for (let round = 0; round < plan.rounds; round++) {
        for (const kind of kinds) {
          for (const server of servers) {
            const key = `${server.name} ${kind}`
            runs.set(key, [...(runs.get(key) ?? []), await measure(server, kind, plan)])
          }
        }
      }
    } finally {
      await Promise.all(servers.map(({ stop }) => stop()))
    }
  })
  const runsOf = (name: string, kind: Kind): ReadonlyArray<Measured> => runs.get(`${name} ${kind}`) ?? []
  const rows: Array<Row> = []
  for (const name of ["node", "floor", "uws", "nginx"]) {
    for (const kind of kinds) {
      const measured = runsOf(name, kind)
      rows.push(
        {
          what: `${name}, ${kind}: CPU per request`,
          unit: "µs",
          values: measured.map(({ cpuMicros }) => cpuMicros),
          ...(name === "nginx" && program !== undefined ? { note: nginxVersion(program) } : {})
        },
        { what: `${name}, ${kind}: answers`, unit: "/s", values: measured.map(({ perSecond }) => perSecond) },
        {
          what: `${name}, ${kind}: wrong or refused`,
          unit: "answers",
          values: measured.map(({ loaded }) => loaded.bad)
        }
      )
    }
  }
  /** From alternating runs: other work of the machine affects both. */
  const ratio = (name: string, kind: Kind, against = "nginx"): number | null => {
    const [mine, theirs] = [runsOf(name, kind), runsOf(against, kind)]
    return mine.length === 0 || theirs.length === 0
      ? null
      : median(mine.map(({ cpuMicros }, round) => cpuMicros / theirs[round]!.cpuMicros))
  }
  const goals: Array<Report["goals"][number]> = kinds.flatMap((kind) => [
    {
      name: `${kind}: CPU of Node relative to nginx`,
      direction: "at most" as const,
      limit: 1.3,
      value: ratio("node", kind)
    },
    {
      name: `${kind}: CPU of Node relative to bare sockets`,
      direction: "at most" as const,
      limit: 1.1,
      value: ratio("node", kind, "floor")
    },
    {
      name: `${kind}: CPU of uWebSockets.js relative to nginx`,
      direction: "at most" as const,
      limit: 1,
      value: ratio("uws", kind)
    }
  ])
  for (const players of plan.players) {
    const blocked = await block("node", players, plan.blockMs)
    const row = (what: string, unit: string, value: number): Row => ({
      what: `blocking reload, ${players} players: ${what}`,
      unit,
      values: [value]
    })
    rows.push(
      row("players that play", "players", blocked.playing),
      row("CPU per reload", "µs", blocked.cpuMicros),
      row("reloads", "answers", blocked.reloads),
      row("refused or broken", "answers", blocked.bad),
      row("all given to the kernel, p99", "ms", quantile(blocked.givenMs, 0.99)),
      row("read by the player p50", "ms", quantile(blocked.heardMs, 0.5)),
      row("read by the player p99", "ms", quantile(blocked.heardMs, 0.99))
    )
    goals.push({
      name: `${players} players: delay of a reload after the part, p99 (ms)`,
      direction: "at most",
      limit: 20,
      value: quantile(blocked.heardMs, 0.99)
    })
  }
  const computed = kinds.map(
    (kind) => `${kind} ${runsOf("node", kind)[0]!.loaded.bodyBytes} ${runsOf("node", kind)[0]!.loaded.bodyHash}`
  )
  for (const [key, measured] of runs)
    for (const { loaded } of measured)
      if (!computed.some((text) => text === `${key.split(" ")[1]!} ${loaded.bodyBytes} ${loaded.bodyHash}`))
        throw new Error(`${key}: other bytes`)
  return { bench: "hls", rows, goals, computed: hash(computed.join("\n")) }
}
