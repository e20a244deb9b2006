import { aacFrameSamples, partFrames, segmentFrames } from "../engine/rules/air/limits.ts"
import { listenersMax } from "../engine/rules/listeners/limits.ts"
import { sseTickSec } from "../engine/rules/http/limits.ts"
import { sampleRateHz } from "../schema/time/Samples.ts"
import { hash, type Report, type Row } from "./instruments/Report.ts"

/**
 * Costs on two virtual cores of a shared machine, each with the command that measures it. Another machine has other figures: run the command
 * there and change them here. Those marked `estimate` come from answers a second, not from CPU time.
 */
const measured = {
  /** `npm run bench -- fanout`: one MP3 listener for a second, at 9,500. */
  mp3Micros: 21.5,
  /** `npm run bench -- hls`: a playlist, and a part or segment. */
  playlistMicros: 15,
  segmentMicros: 33,
  /** `npm run bench -- sse`: one event to one reader. */
  eventMicros: 30,
  /** Estimate: a read through all layers from memory, a read of the database, and a command, with Postgres. `npm run bench -- api`. */
  memoryReadMicros: 400,
  databaseReadMicros: 1_500,
  commandMicros: 5_000,
  /** `npm run bench -- playout`: mixing and encoding three renditions, of a core. */
  airShare: 0.07,
  /** `npm run bench -- boot`: a station on the air without listeners. */
  stationMiB: 250,
  /** `npm run bench -- fanout`: memory of one connection at 10,000. */
  connectionKiB: 31
} as const

/** What listeners and agents do. Assumptions, not measurements: change them to yours. */
const habits = {
  /** Shares of the outputs. */
  lowLatency: 0.3,
  hls: 0.4,
  mp3: 0.3,
  /** Share of listeners with the page open, and so with an event stream. */
  page: 0.5,
  sessionMin: 45,
  /** Requests of the interface when a page opens, answered from memory and from the database. */
  pageMemoryReads: 4,
  pageDatabaseReads: 2,
  /** Votes, requests, letters and chat of a listener in an hour. */
  listenerCommandsPerHour: 0.2,
  visitEveryMin: 30,
  visitReads: 4,
  visitCommands: 0.3,
  /** Seconds of sound that an agent hands in a day. */
  soundSecPerDay: 45,
  /** Time of a person for one review, and share of contributions that need one. */
  reviewSec: 40,
  reviewShare: 0.1,
  /** Share of the day that agents' contributions may fill. */
  airShare: 0.6
} as const

/** Prices in US dollars, with where and when they were read. */
const prices = {
  /** A machine with 4 cores and a port of 1 Gbit/s. An assumption; €1 is taken for $1.10. */
  machineMonth: 55,
  /** Hetzner: €1 for each TB above what a server includes. docs.hetzner.com/cloud/billing/faq, 2023-08-03. */
  rentedPerTb: 1.1,
  rentedIncludedTb: 20,
  /** bunny.net, volume network, first 500 TB, next 500 TB, above. bunny.net/pricing, 2026-09-20. */
  cdnPerTb: [5, 4, 2],
  cdnStepsTb: [500, 500, Infinity],
  /** AWS, EC2 to the internet, Sydney, above 150 TB. chengqing.dev/en/2020/01/23/aws-data-transfer, 2020-01-23. */
  cloudPerTb: 92,
  /** A managed Postgres of that size with a standby. An assumption. */
  postgresMonth: 400
} as const

const cores = 4
const portMbits = 1_000
/** Above this a machine has nothing left for a crowd that comes at once. */
const loadMax = 0.6
const partSec = (partFrames * aacFrameSamples) / sampleRateHz
const segmentSec = (segmentFrames * aacFrameSamples) / sampleRateHz
const monthSec = 30 * 86_400
/** With headers of HTTP and TCP, and the lists of parts, compressed. */
const kbits = { lowLatency: 128 + 12 + (1.4 * 8) / partSec, hls: 128 + 8, mp3: 128 + 3 } as const

/** Share of the day's peak at each hour, in the station's zone. */
const day = [20, 14, 10, 8, 8, 12, 30, 62, 80, 78, 72, 70, 74, 72, 70, 72, 78, 88, 96, 100, 96, 82, 58, 34].map(
  (percent) => percent / 100
)

export interface Demand {
  /** At the busiest moment. */
  readonly listeners: number
  readonly agents: number
}

/** Load of one part: the share of its bound at the busiest moment, and what the bound is. */
interface Load {
  readonly part: string
  readonly share: number
  readonly bound: string
}

/** A month under this demand: machines, traffic and load at the busiest of its hours. */
export const simulate = ({ agents, listeners }: Demand) => {
  const listenerMicros =
    habits.mp3 * measured.mp3Micros +
    habits.hls * ((measured.playlistMicros + measured.segmentMicros) / segmentSec) +
    habits.lowLatency * ((measured.playlistMicros + measured.segmentMicros) / partSec) +
    habits.page * (measured.eventMicros / sseTickSec)
  const listenerKbits = habits.mp3 * kbits.mp3 + habits.hls * kbits.hls + habits.lowLatency * kbits.lowLatency
  /** Of one edge machine: by cores (one process each), by its port, and by connections. */
  const perEdge = {
    cores: Math.floor((cores * loadMax * 1e6) / listenerMicros),
    port: Math.floor((portMbits * loadMax * 1_000) / listenerKbits),
    connections: cores * listenersMax
  }
  const edges = Math.ceil(listeners / Math.min(...Object.values(perEdge)))
  const cores1 = (micros: number) => micros / 1e6

  // The origin serves edges: a reload and a part of two qualities, and the list of captions, for each part.
  const originCores =
    measured.airShare +
    cores1(edges * ((3 * measured.playlistMicros + 2 * measured.segmentMicros) / partSec + measured.mp3Micros))
  const hours = day.map((share) => {
    const now = listeners * share
    const arrivals = now / (habits.sessionMin * 60)
    const visits = agents / (habits.visitEveryMin * 60)
    const memoryReads = arrivals * habits.page * habits.pageMemoryReads
    const databaseReads = arrivals * habits.page * habits.pageDatabaseReads + visits * habits.visitReads
    const commands = (now * habits.listenerCommandsPerHour) / 3_600 + visits * habits.visitCommands
    return {
      listeners: now,
      apiCores: cores1(
        memoryReads * measured.memoryReadMicros +
          databaseReads * measured.databaseReadMicros +
          commands * measured.commandMicros
      ),
      commands
    }
  })
  const peak = hours.reduce((most, hour) => (hour.apiCores > most.apiCores ? hour : most))
  const averageListeners = hours.reduce((sum, hour) => sum + hour.listeners, 0) / hours.length
  const trafficTb = (averageListeners * listenerKbits * 125 * monthSec) / 1e12
  const handedInSec = agents * habits.soundSecPerDay
  const reviewHours = (agents * habits.reviewShare * habits.reviewSec) / 3_600
  const loads: ReadonlyArray<Load> = [
    { part: "time on the air", share: handedInSec / (86_400 * habits.airShare), bound: "the agents' share of the day" },
    { part: "reviewers", share: reviewHours / 8, bound: "one person, 8 h a day" },
    { part: "interface and database, one station", share: peak.apiCores / loadMax / cores, bound: `${cores} cores` },
    { part: "stream of the origin", share: originCores / loadMax, bound: "one core" },
    { part: "edges of one tier", share: edges / 256, bound: "256 edges that report to one station" }
  ]
  const machines = edges + 3
  const cdnMonth = prices.cdnPerTb.reduce(
    ({ cost, left }, perTb, step) => {
      const here = Math.min(left, prices.cdnStepsTb[step]!)
      return { cost: cost + here * perTb, left: left - here }
    },
    { cost: 0, left: trafficTb }
  ).cost
  const fixed = 3 * prices.machineMonth + prices.postgresMonth
  return {
    perEdge,
    edges,
    machines,
    trafficTb,
    peakGbits: (listeners * listenerKbits) / 1e6,
    apiCores: peak.apiCores,
    commands: peak.commands,
    originCores,
    edgeGiB: (Math.min(listeners, Math.min(...Object.values(perEdge))) * measured.connectionKiB) / 2 ** 20,
    loads: [...loads].sort((a, b) => b.share - a.share),
    costs: {
      rented:
        fixed +
        edges * prices.machineMonth +
        Math.max(0, trafficTb - edges * prices.rentedIncludedTb) * prices.rentedPerTb,
      cdn: fixed + cdnMonth,
      cloud: fixed + edges * prices.machineMonth + trafficTb * prices.cloudPerTb
    }
  }
}

const demands: ReadonlyArray<Demand> = [
  { listeners: 1_000, agents: 100 },
  { listeners: 20_000, agents: 2_000 },
  { listeners: 100_000, agents: 10_000 },
  { listeners: 1_000_000, agents: 100_000 }
]

/** P14, past this machine: a month of a station with up to a million listeners and 100,000 agents, from measured costs. */
export const run = async (): Promise<Report> => {
  const results = demands.map((demand) => ({ demand, result: simulate(demand) }))
  const rows = results.flatMap(({ demand, result }): ReadonlyArray<Row> => {
    const row = (what: string, unit: string, value: number, note?: string): Row => ({
      what: `${demand.listeners} listeners, ${demand.agents} agents: ${what}`,
      unit,
      values: [value],
      ...(note === undefined ? {} : { note })
    })
    const bound = Object.entries(result.perEdge).reduce((least, each) => (each[1] < least[1] ? each : least))
    return [
      row("edges", "machines", result.edges, `bound by ${bound[0]} at ${bound[1]} listeners`),
      row("traffic at the peak", "Gbit/s", result.peakGbits),
      row("traffic", "TB a month", result.trafficTb),
      row("stream of the origin", "cores", result.originCores),
      row("interface and database at the peak", "cores", result.apiCores),
      row("commands at the peak", "/s", result.commands),
      ...result.loads.map(({ bound, part, share }) => row(`load of ${part}`, "of its bound", share, bound)),
      row("rented machines and traffic", "$ a month", result.costs.rented),
      row("a CDN for HLS instead of edges", "$ a month", result.costs.cdn),
      row("a large cloud's traffic", "$ a month", result.costs.cloud)
    ]
  })
  const largest = results.at(-1)!.result
  return {
    bench: "scale",
    rows,
    goals: [
      {
        name: "a million listeners: stream of the origin (cores)",
        direction: "at most",
        limit: 1,
        value: largest.originCores
      }
    ],
    computed: hash(JSON.stringify(results))
  }
}
