import { NodeServices } from "@effect/platform-node"
import { Effect, Redacted } from "effect"
import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { partLateMs } from "../engine/rules/air/limits.ts"
import { embeddedPostgres } from "../engine/store/sql/EmbeddedPostgres.ts"
import { seed, type Size } from "./instruments/data/LargeStation.ts"
import { partsHeard } from "./instruments/ears/PartArrivals.ts"
import type { Answered, Answers, Kind, Stretch } from "./apiClients.ts"
import { cpuSeconds, cpuSecondsWithEnded, hash, quantile, type Report, type Row } from "./instruments/Report.ts"
import { runInFolder, processesUnder, type RunningStation, startStation } from "./instruments/servers/Station.ts"

/** What the rest is measured by: a page that is in memory, and the shortest way through all layers. */
const anchors: ReadonlyArray<Kind> = ["page", "healthz"]
/** Public reads with one answer for everybody. The station serves them from memory until they change. */
const publicReads: ReadonlyArray<Kind> = ["nowPlaying", "station", "schedule", "history", "feed"]
/** Each of them is another agent's, or another page. */
const ownReads: ReadonlyArray<Kind> = ["feedPage", "agentPosts", "ownFeed", "followers", "profile", "me", "home"]
const feeds: ReadonlyArray<Kind> = ["feed", "feedPage", "agentPosts", "ownFeed"]
const commands: ReadonlyArray<Kind> = ["register", "post", "segment", "follow", "engage"]
/** The mix of a busy station: listeners' pages read now-playing; agents read home and feeds, and write. */
const real: ReadonlyArray<Kind> = [
  ...Array.from({ length: 4 }, (): ReadonlyArray<Kind> => [
    "nowPlaying",
    "home",
    "nowPlaying",
    "feed",
    "schedule"
  ]).flat(),
  ...(["ownFeed", "profile", "history", "me", "agentPosts", "feedPage", "engage", "post", "follow", "segment"] as const)
]

/** Goals at one core for the station, with 32 clients. */
const perSecondGoals: Readonly<Partial<Record<Kind, number>>> = {
  healthz: 12_000,
  nowPlaying: 20_000,
  schedule: 10_000,
  history: 10_000,
  profile: 1_500,
  me: 1_500,
  home: 1_500,
  post: 1_000,
  engage: 1_000,
  follow: 1_000,
  segment: 1_000
}

interface Plan {
  readonly size: Size
  /** Duration for each anchor and kind of request at `clients` clients; null for the mixes alone. */
  readonly each: Stretch["lasting"] | null
  /**
   * Duration of the same load before each of these, which is not measured. V8 optimizes a function only after thousands of calls; until then a
   * private read costs half as much again.
   */
  readonly runIn: Stretch["lasting"]
  readonly clients: number
  readonly mix: Stretch["lasting"]
  readonly mixClients: number
  /** Long enough that one garbage collection takes less than 1 % of it. */
  readonly calm: Stretch["lasting"]
  /** Requests started each second, evenly spaced. The result is the time of one request plus waiting for other work of the station. */
  readonly calmPerSecond: number
}

export const plans: Readonly<Record<"whole" | "small", Plan>> = {
  whole: {
    size: { agents: 10_000, posts: 200_000, follows: 50 },
    each: { sec: 4 },
    runIn: { sec: 4 },
    clients: 32,
    mix: { sec: 12 },
    mixClients: 200,
    calm: { sec: 20 },
    calmPerSecond: 100
  },
  small: {
    size: { agents: 100, posts: 1_000, follows: 5 },
    each: null,
    runIn: { requests: 0 },
    clients: 5,
    mix: { requests: 40 },
    mixClients: 5,
    calm: { requests: 40 },
    calmPerSecond: 100
  }
}

/** Results of a stretch as the clients saw them, with its CPU time. */
interface Measured extends Answered {
  readonly stationCpuSec: number
  readonly postgresCpuSec: number
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

export const awaitReady = async ({ base }: RunningStation): Promise<void> => {
  while ((await fetch(`${base}/readyz`).catch(() => undefined))?.ok !== true) await pause(50)
}

export const ask = async (clients: ChildProcess, stretch: Stretch): Promise<Answered> => {
  const over = new AbortController()
  clients.send(stretch)
  try {
    const [answered] = (await Promise.race([
      once(clients, "message", over),
      once(clients, "exit", over).then(() => Promise.reject(new Error("the clients of the bench ended early")))
    ])) as [Answered]
    return answered
  } finally {
    over.abort()
  }
}

const failures = (bad: Answers["bad"]) =>
  Object.keys(bad).length === 0 ? {} : { note: `failed: ${JSON.stringify(bad)}` }

const rowsOf = (what: string, measured: Measured): ReadonlyArray<Row> => {
  const { answers, bad, byKind, p50Ms, p99Ms, perSecond, postgresCpuSec, stationCpuSec } = measured
  const kinds = Object.entries(byKind)
  return [
    { what: `${what}: answered`, unit: "per second", values: [perSecond], ...failures(bad) },
    { what: `${what}: p50`, unit: "ms", values: [p50Ms] },
    { what: `${what}: p99`, unit: "ms", values: [p99Ms] },
    ...(kinds.length < 2
      ? []
      : kinds.flatMap(([kind, of]) => [
          { what: `${what}, ${kind}: p50`, unit: "ms", values: [of.p50Ms], ...failures(of.bad) },
          { what: `${what}, ${kind}: p99`, unit: "ms", values: [of.p99Ms] }
        ])),
    {
      what: `${what}: CPU of the station per answer, on the air`,
      unit: "ms",
      values: [(stationCpuSec / answers) * 1_000]
    },
    { what: `${what}: CPU of Postgres per answer`, unit: "ms", values: [(postgresCpuSec / answers) * 1_000] }
  ]
}

/** Results of the load, and the delay of parts at a listener meanwhile. */
const load = async (
  station: RunningStation,
  { calm, calmPerSecond, clients: some, each, mix, mixClients, runIn, size }: Plan
) => {
  const clients = fork(
    fileURLToPath(new URL("apiClients.ts", import.meta.url)),
    [String(station.port), String(size.agents), String(size.posts)],
    { stdio: ["ignore", "inherit", "inherit", "ipc"] }
  )
  const until = new AbortController()
  const heard = partsHeard(station.base, until.signal)
  const stretches = new Map<string, Measured>()
  // Postgres has a process for each connection; the time of closed ones counts in their parent.
  const postgresCpu = () =>
    processesUnder(process.pid, "postgres").reduce((sum, pid) => sum + cpuSecondsWithEnded(Number(pid)), 0)
  const stretch = async (
    what: string,
    of: ReadonlyArray<Kind>,
    lasting: Stretch["lasting"],
    { count = some, perSecond = null }: { readonly count?: number; readonly perSecond?: number | null } = {}
  ) => {
    const [station0, postgres0] = [cpuSeconds(station.process.pid!), postgresCpu()]
    const answered = await ask(clients, { of, clients: count, lasting, perSecond })
    stretches.set(what, {
      ...answered,
      stationCpuSec: cpuSeconds(station.process.pid!) - station0,
      postgresCpuSec: postgresCpu() - postgres0
    })
  }
  const paced = { count: mixClients, perSecond: calmPerSecond }
  try {
    if (each !== null) {
      // A station that has just started compiles code as it answers: this stretch is reported and not judged.
      await stretch("warming up", [...real, ...feeds], { sec: 10 }, paced)
      for (const kind of [...anchors, ...publicReads, ...ownReads, ...commands]) {
        await ask(clients, { of: [kind], clients: some, lasting: runIn, perSecond: null })
        await stretch(kind, [kind], each)
      }
    }
    await stretch("calm feeds", feeds, calm, paced)
    await stretch("calm real mix", real, calm, paced)
    await stretch("all reads", [...publicReads, ...ownReads], mix, { count: mixClients })
    await stretch("all commands", commands, mix, { count: mixClients })
    await stretch("real mix", real, mix, { count: mixClients })
  } finally {
    clients.kill("SIGKILL")
    until.abort()
  }
  return { stretches, partsLateMs: await heard }
}

/** Runs the load against a station on the air with a filled database. */
export const measureUnderLoad = async (folder: string, databaseUrl: Redacted.Redacted, plan: Plan) => {
  // Script reading is off: it would be measured too.
  const station = await startStation({
    dataDir: join(folder, "var"),
    env: {
      DATABASE_URL: Redacted.value(databaseUrl),
      RATE_LIMIT_SCALE: "100000",
      HOUSE_READS: "off",
      // Making its pieces takes minutes; the station is on the air without them.
      HOUSE_PROGRAMME: "off"
    }
  })
  try {
    await awaitReady(station)
    return await load(station, plan)
  } finally {
    await station.stop()
  }
}

export const reportOf = (
  plan: Plan,
  { partsLateMs, stretches }: Awaited<ReturnType<typeof measureUnderLoad>>,
  seeding: ReadonlyArray<Row>
): Report => {
  const stretchOf = (what: string) => stretches.get(what)!
  /** Null if no answer was good. */
  const findWorstP99 = (measured: ReadonlyArray<Measured>) =>
    measured.every(({ good }) => good > 0) ? Math.max(...measured.map(({ p99Ms }) => p99Ms)) : null
  const bad = [...stretches.values()]
    .flatMap((measured) => Object.values(measured.bad))
    .reduce((sum, count) => sum + count, 0)
  return {
    bench: "api",
    rows: [
      ...seeding,
      ...[...stretches].flatMap(([what, measured]) => rowsOf(what, measured)),
      { what: "parts: behind their time, p50", unit: "ms", values: [quantile(partsLateMs, 0.5)] },
      { what: "parts: behind their time, p99", unit: "ms", values: [quantile(partsLateMs, 0.99)] },
      {
        what: "parts: highest delay",
        unit: "ms",
        values: [Math.max(...partsLateMs)],
        note: `${partsLateMs.length} parts`
      }
    ],
    goals: [
      ...Object.entries(perSecondGoals).flatMap(([kind, limit]) => {
        const measured = stretches.get(kind)
        return measured === undefined
          ? []
          : [
              {
                name: `${kind} a second, ${plan.clients} clients`,
                direction: "at least" as const,
                limit,
                value: measured.perSecond
              }
            ]
      }),
      ...commands.flatMap((kind) => {
        const measured = stretches.get(kind)
        return measured === undefined
          ? []
          : [{ name: `${kind} p99 (ms)`, direction: "at most" as const, limit: 50, value: findWorstP99([measured]) }]
      }),
      { name: "reads a second", direction: "at least", limit: 5_000, value: stretchOf("all reads").perSecond },
      { name: "commands a second", direction: "at least", limit: 1_000, value: stretchOf("all commands").perSecond },
      { name: "reads p99 (ms)", direction: "at most", limit: 50, value: findWorstP99([stretchOf("all reads")]) },
      { name: "commands p99 (ms)", direction: "at most", limit: 50, value: findWorstP99([stretchOf("all commands")]) },
      ...(["feeds", "real mix"] as const).map((what) => ({
        name: `${what} p99 at ${plan.calmPerSecond} a second (ms)`,
        direction: "at most" as const,
        limit: 50,
        value: findWorstP99([stretchOf(`calm ${what}`)])
      })),
      {
        name: "late parts on the stream",
        direction: "at most",
        limit: 0,
        value: partsLateMs.filter((ms) => ms > partLateMs).length
      },
      { name: "answers that were not good", direction: "at most", limit: 0, value: bad }
    ],
    computed: hash([...stretches].map(([what, { good }]) => `${what} ${good > 0}`).join("\n"))
  }
}

/** P5: throughput of a large station's interface while it is on the air: 200 clients, a real Postgres, and a listener who measures late parts. */
export const run = (size: "whole" | "small"): Promise<Report> =>
  runInFolder((folder) =>
    Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const plan = plans[size]
          const url = yield* embeddedPostgres(join(folder, "store"))
          const begunMs = performance.now()
          yield* seed(url, plan.size)
          const seeding = [
            {
              what: `seeding ${plan.size.agents} agents, ${plan.size.posts} posts`,
              unit: "s",
              values: [(performance.now() - begunMs) / 1_000]
            }
          ]
          return reportOf(plan, yield* Effect.promise(() => measureUnderLoad(folder, url, plan)), seeding)
        })
      ).pipe(Effect.provide(NodeServices.layer))
    )
  )
