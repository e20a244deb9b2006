import { Effect, Redacted } from "effect"
import { fork } from "node:child_process"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { embeddedPostgres } from "../engine/store/sql/EmbeddedPostgres.ts"
import { ask, awaitReady } from "./api.ts"
import type { Kind } from "./apiClients.ts"
import { addAsRun, logged, skipCountOfPlays } from "./instruments/data/GrowingStation.ts"
import { addTracks } from "./instruments/data/LargeLibrary.ts"
import { seed, type Size } from "./instruments/data/LargeStation.ts"
import { median, type Report, type Row } from "./instruments/Report.ts"
import { startStation } from "./instruments/servers/Station.ts"

interface StationSize extends Size {
  readonly tracks: number
  readonly asRunRows: number
}

/** From a station that is almost empty to a very large one, and how each kind of request is measured there. */
export const sizePlans = {
  whole: {
    sizes: [
      // Enough for pages that are as full as those of the largest: a fuller page takes longer at any size.
      { agents: 500, posts: 25_000, follows: 50, tracks: 2_000, asRunRows: 1_000 },
      { agents: 2_000, posts: 100_000, follows: 50, tracks: 100_000, asRunRows: 1_000_000 },
      { agents: 10_000, posts: 1_000_000, follows: 50, tracks: 1_000_000, asRunRows: 10_000_000 }
    ],
    active: 500,
    warmUp: 100,
    requests: 100,
    rounds: 5
  },
  small: {
    sizes: [
      { agents: 20, posts: 100, follows: 5, tracks: 20, asRunRows: 100 },
      { agents: 40, posts: 1_000, follows: 5, tracks: 200, asRunRows: 1_000 }
    ],
    active: 20,
    warmUp: 1,
    requests: 2,
    rounds: 1
  }
} as const satisfies Record<
  string,
  {
    readonly sizes: ReadonlyArray<StationSize>
    /** As many agents are active at each size: an agent that does nothing costs only its rows. */
    readonly active: number
    /** Requests of each kind before any is measured. */
    readonly warmUp: number
    readonly requests: number
    readonly rounds: number
  }
>

const anchor: Kind = "healthz"
/** Each reads what hasn't been read before, so that no answer comes from memory. */
const measured: ReadonlyArray<Kind> = [
  "me",
  "home",
  "profile",
  "ownFeed",
  "feedPage",
  "agentPosts",
  "followers",
  "historyPage",
  "track",
  "tracksPage",
  "search",
  "post",
  "engage",
  "follow",
  "segment",
  "register"
]

/** One client at a time: the p50 in ms of each round, and answers that were not good. */
const measureAt = Effect.fnUntraced(function* (
  folder: string,
  size: StationSize,
  plan: (typeof sizePlans)["whole" | "small"]
) {
  const url = yield* embeddedPostgres(join(folder, "store"))
  yield* seed(url, size)
  yield* addTracks(url, 1, size.tracks, { areRested: true })
  const loggedMs = size.asRunRows * logged.rowMs
  yield* addAsRun(url, size.asRunRows, Date.now() - loggedMs - 60_000)
  yield* skipCountOfPlays(url)
  return yield* Effect.promise(async () => {
    const station = await startStation({
      dataDir: join(folder, "var"),
      env: {
        DATABASE_URL: Redacted.value(url),
        RATE_LIMIT_SCALE: "100000",
        HOUSE_READS: "off",
        HOUSE_PROGRAMME: "off"
      }
    })
    const clients = fork(
      fileURLToPath(new URL("apiClients.ts", import.meta.url)),
      [station.port, size.agents, size.posts, size.tracks, loggedMs, plan.active].map(String),
      { stdio: ["ignore", "inherit", "inherit", "ipc"] }
    )
    try {
      await awaitReady(station)
      const times = new Map<Kind, Array<number>>()
      const bad: Record<string, number> = {}
      const request = async (kind: Kind, requests: number) => {
        const answered = await ask(clients, { of: [kind], clients: 1, lasting: { requests }, perSecond: null })
        for (const [said, count] of Object.entries(answered.bad)) {
          const what = `${kind} ${said}`
          bad[what] = (bad[what] ?? 0) + count
        }
        return answered.p50Ms
      }
      const kinds = [anchor, ...measured]
      for (const kind of kinds) await request(kind, plan.warmUp)
      for (let round = 0; round < plan.rounds; round++)
        for (const kind of kinds) times.set(kind, [...(times.get(kind) ?? []), await request(kind, plan.requests)])
      return { times, bad }
    } finally {
      clients.kill("SIGKILL")
      await station.stop()
    }
  })
})

/** The interface at several sizes of the station: a large one should answer as fast as an empty one. */
export const measureSizes = Effect.fnUntraced(function* (folder: string, size: "whole" | "small") {
  const plan = sizePlans[size]
  const found = yield* Effect.forEach(plan.sizes, (one, at) =>
    Effect.scoped(measureAt(join(folder, `size-${at}`), one, plan))
  )
  const p50s = (kind: Kind) => found.map(({ times }) => median(times.get(kind)!))
  const growthOf = (kind: Kind) => p50s(kind).at(-1)! / p50s(kind)[0]!
  const bad = found.flatMap((one) => Object.entries(one.bad))
  const sizes = plan.sizes
    .map(
      ({ agents, asRunRows, posts, tracks }) => `${agents} agents, ${posts} posts, ${tracks} tracks, ${asRunRows} rows`
    )
    .join("; ")
  const rows: ReadonlyArray<Row> = [anchor, ...measured].map((kind) => ({
    what: `${kind}: p50 at each size, one client`,
    unit: "ms",
    values: p50s(kind),
    note: kind === anchor ? sizes : `× ${growthOf(kind).toFixed(2)}`
  }))
  const goals: Report["goals"] = [
    {
      name: "time of a read or command at the largest size relative to the smallest, worst",
      direction: "at most",
      limit: 1.5,
      value: Math.max(...measured.map(growthOf))
    },
    {
      name: "answers at these sizes that were not good",
      direction: "at most",
      limit: 0,
      value: bad.reduce((sum, [, count]) => sum + count, 0)
    }
  ]
  if (bad.length > 0) yield* Effect.logWarning("answers that were not good", bad)
  return { rows, goals }
})
