import { NodeServices } from "@effect/platform-node"
import { join } from "node:path"
import { Clock, Effect, Layer, type Redacted } from "effect"
import { sealOf } from "../actors/air/AsRunAudit.ts"
import { inboxJobs } from "../actors/inbox/InboxFeeder.ts"
import { guestJobs } from "../actors/listeners/ListenerWorker.ts"
import { totalsJobs } from "../actors/music/TotalsWorker.ts"
import { cleanupJobs } from "../actors/operations/CleanupWorker.ts"
import { rankJobs } from "../actors/ranks/RankWorker.ts"
import type { JobHandler } from "../actors/runtime/Jobs.ts"
import { EventBus } from "../actors/runtime/EventBus.ts"
import { AsRunKey } from "../engine/runtime/AsRunKey.ts"
import { StationConfig } from "../engine/runtime/Config.ts"
import { AsRun, AsRunWriter } from "../engine/store/air/AsRun.ts"
import { InboxesWriter } from "../engine/store/inbox/Inboxes.ts"
import { ListenersWriter } from "../engine/store/listeners/Listeners.ts"
import { SongRequests } from "../engine/store/music/SongRequests.ts"
import { TrackTotalsWriter } from "../engine/store/music/TrackTotals.ts"
import { TrackVotes } from "../engine/store/music/TrackVotes.ts"
import { BackupRecordsWriter } from "../engine/store/operations/BackupRecords.ts"
import { SimulationsWriter } from "../engine/store/operations/Simulations.ts"
import { AlertsWriter } from "../engine/store/operations/Alerts.ts"
import { Mails, MailsWriter } from "../engine/store/operations/Mails.ts"
import { OperatorsWriter } from "../engine/store/operations/Operators.ts"
import { Leaderboards } from "../engine/store/ranks/Leaderboards.ts"
import { PointMoves, RanksWriter } from "../engine/store/ranks/Ranks.ts"
import { databaseAt } from "../engine/store/sql/Database.ts"
import { embeddedPostgres } from "../engine/store/sql/EmbeddedPostgres.ts"
import { IdempotencyKeys } from "../engine/store/sql/IdempotencyKeys.ts"
import { Jobs } from "../engine/store/sql/Jobs.ts"
import { Meters } from "../engine/store/sql/Meters.ts"
import { Outbox } from "../engine/store/sql/Outbox.ts"
import { OutboxReaders } from "../engine/store/sql/OutboxReaders.ts"
import type { AsRunEntry } from "../schema/air/AsRun.ts"
import { dayMs } from "../schema/time/Units.ts"
import {
  addAsRun,
  addDays,
  anchor,
  counted,
  type Grown,
  grown,
  lastEvent,
  logged,
  perDay,
  sizes,
  startMs,
  stationId,
  vacuum
} from "./instruments/data/GrowingStation.ts"
import { addTracks } from "./instruments/data/LargeLibrary.ts"
import { hash, median, type Report, type Row } from "./instruments/Report.ts"
import { measureSizes } from "./sizes.ts"
import { runInFolder } from "./instruments/servers/Station.ts"

/** `scale` divides the rows of a busy day; `stepDays` is the time between two rounds of purges. */
const plans = {
  whole: { scale: 1, stepDays: 30, tracks: 10_000, asRunRows: 10_000_000, hours: 12, rounds: 300 },
  small: { scale: 500, stepDays: 180, tracks: 200, asRunRows: 10_000, hours: 1, rounds: 5 }
} as const
type Plan = (typeof plans)["whole" | "small"]

const daysMax = 1_800
/** Older than every retention except the longest of 400 days. */
const daysBefore = 540
const [, , purgeGuests] = guestJobs
const [, , foldPoints] = rankJobs
const purges = [...cleanupJobs, ...inboxJobs, ...totalsJobs, purgeGuests, foldPoints]
type Needs<Handler> = Handler extends JobHandler<infer R> ? R : never

/** Runs the station's purges of these tables at a given time. */
const purge = (nowMs: number) =>
  Effect.gen(function* () {
    const clock = yield* Clock.Clock
    yield* Effect.forEach(
      purges as ReadonlyArray<JobHandler<Needs<(typeof purges)[number]>>>,
      (job) => job.work(null, { key: "", tries: 1 }),
      { discard: true }
    ).pipe(
      Effect.provideService(Clock.Clock, {
        sleep: (duration) => clock.sleep(duration),
        currentTimeMillisUnsafe: () => nowMs,
        currentTimeMillis: Effect.succeed(nowMs),
        currentTimeNanosUnsafe: () => BigInt(nowMs) * 1_000_000n,
        currentTimeNanos: Effect.succeed(BigInt(nowMs) * 1_000_000n),
        monotonicTimeNanosUnsafe: () => clock.monotonicTimeNanosUnsafe(),
        monotonicTimeNanos: clock.monotonicTimeNanos
      })
    )
  })

const time = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.suspend(() => {
    const begun = performance.now()
    return Effect.map(effect, () => performance.now() - begun)
  })

/** Appends some hours to the log row by row and seals them. Returns ms, with the anchor's. */
const appendAndSeal = Effect.fnUntraced(function* (hours: number) {
  const asRun = yield* AsRunWriter
  const by = sealOf(yield* AsRunKey, 1)
  const { last } = yield* asRun.end(stationId)
  const entry = (n: number): AsRunEntry => {
    const firstSample = last.lastSample! + 1 + n * logged.measuredMs * 48
    return {
      itemId: `itm_${String(firstSample).padStart(26, "0")}`,
      kind: "music",
      role: "music",
      title: "song",
      artist: "somebody",
      segmentId: null,
      trackId: "trk_00000000000000000000000001",
      agentId: null,
      assetId: "mas_00000000000000000000000001",
      firstSample,
      lastSample: firstSample + logged.measuredMs * 48 - 1,
      outcome: "complete",
      layers: [],
      trace: ["rotation"],
      pcmSha256: null
    } as AsRunEntry
  }
  const appended: Array<number> = []
  const anchors: Array<number> = []
  for (let n = 0; n <= (hours * 3_600_000) / logged.measuredMs; n++) {
    anchors.push(yield* time(anchor))
    appended.push(yield* time(asRun.append(stationId, [entry(n)], by)))
  }
  const sealed: Array<number> = []
  for (;;) {
    const begun = performance.now()
    if (!(yield* asRun.seal(stationId, by))) break
    sealed.push(performance.now() - begun)
  }
  const anchorMs = median(anchors)
  return {
    append: { ms: median(appended), ratio: median(appended) / anchorMs },
    seal: { ms: median(sealed), ratio: median(sealed) / anchorMs }
  }
})

/** The main reads of a station, each with the anchor's time. */
const readTimes = Effect.fnUntraced(function* (nowMs: number, { rounds, tracks }: Plan) {
  const [asRun, boards, mails, moves, outbox, requests, votes] = [
    yield* AsRun,
    yield* Leaderboards,
    yield* Mails,
    yield* PointMoves,
    yield* Outbox,
    yield* SongRequests,
    yield* TrackVotes
  ]
  const newest = yield* lastEvent
  const track = `trk_${String((tracks >> 1) + 1).padStart(26, "0")}`
  const reads: Record<string, Effect.Effect<unknown>> = {
    "latest history": asRun.history(stationId, { types: [], before: { _tag: "Now" }, limit: 50 }),
    "plays for rotation": asRun.listPlays(stationId, 50),
    "hours sealed last": asRun.roots(stationId, 24),
    "votes on a track": votes.totals(track),
    "song requests, first page": requests.list({ status: null, limit: 50, cursor: null }),
    "points of an agent": moves.sumEarned("agt_7"),
    "mails, first page": mails.list(50, null),
    "events for a reader": outbox.listAfter(newest - 50, 50),
    "boards of a week": boards.sumWished(stationId, Number.MAX_SAFE_INTEGER, nowMs - 7 * dayMs, nowMs),
    "boards of all time": boards.sumWished(stationId, Number.MAX_SAFE_INTEGER, null, nowMs)
  }
  const ratios = new Map<string, { readonly ms: number; readonly ratio: number }>()
  for (const [what, read] of Object.entries(reads)) {
    yield* read
    const took: Array<number> = []
    const anchors: Array<number> = []
    // Leaderboards read a whole period, so that a few rounds read as many rows as the other reads in total.
    for (let round = 0; round < (what.startsWith("boards") ? Math.ceil(rounds / 10) : rounds); round++) {
      anchors.push(yield* time(anchor))
      took.push(yield* time(read))
    }
    ratios.set(what, { ms: median(took), ratio: median(took) / median(anchors) })
  }
  return ratios
})

const worlds = (url: Redacted.Redacted) =>
  Layer.mergeAll(
    AsRun.layer,
    AsRunKey.ephemeral,
    EventBus.layer,
    IdempotencyKeys.layer,
    InboxesWriter.layer,
    Jobs.layer,
    Leaderboards.layer,
    ListenersWriter.layer,
    Mails.layer,
    AlertsWriter.layer,
    BackupRecordsWriter.layer,
    SimulationsWriter.layer,
    MailsWriter.layer,
    Meters.layer,
    OperatorsWriter.layer,
    Outbox.layer,
    OutboxReaders.layer,
    PointMoves.layer,
    RanksWriter.layer,
    SongRequests.layer,
    StationConfig.fromEnvironment({}),
    TrackTotalsWriter.layer,
    TrackVotes.layer
  ).pipe(Layer.provideMerge(databaseAt(url)))

const measure = Effect.fnUntraced(function* (url: Redacted.Redacted, plan: Plan) {
  yield* addTracks(url, 1, plan.tracks)
  const snapshot = Effect.fnUntraced(function* (day: number) {
    yield* addAsRun(url, Math.floor((plan.asRunRows * day) / daysMax))
    const log = yield* appendAndSeal(plan.hours)
    yield* purge(startMs + day * dayMs)
    return { log, sizes: yield* sizes, reads: yield* readTimes(startMs + day * dayMs, plan) }
  })
  const purged: Array<number> = []
  let before: Effect.Success<ReturnType<typeof snapshot>> | null = null
  for (let day = 0; day < daysMax; day += plan.stepDays) {
    const toDay = day + plan.stepDays
    yield* addDays(url, plan, day, toDay)
    purged.push((yield* time(purge(startMs + toDay * dayMs))) / 1_000)
    yield* vacuum(url)
    if (toDay === daysBefore) before = yield* snapshot(toDay)
  }
  const after = yield* snapshot(daysMax)
  if (before === null) return yield* Effect.die("no step ends on the day of the first measurement")

  const rows: Array<Row> = []
  const findWorst = (values: Iterable<number>) => Math.max(...values)
  for (const [table, now] of after.sizes) {
    const then = before.sizes.get(table)!
    rows.push(
      { what: `${table}: rows after ${daysBefore} and ${daysMax} days`, unit: "rows", values: [then.rows, now.rows] },
      { what: `${table}: size after ${daysBefore} and ${daysMax} days`, unit: "MiB", values: [then.mib, now.mib] }
    )
  }
  const logReads = [
    ["append to the as-run log", before.log.append, after.log.append],
    ["sealing an hour of the as-run log", before.log.seal, after.log.seal]
  ] as const
  for (const [what, then, now] of [
    ...[...after.reads].map(([what, now]) => [what, before.reads.get(what)!, now] as const),
    ...logReads
  ]) {
    rows.push({
      what: `${what}: time relative to the anchor, before and after`,
      unit: "×",
      values: [then.ratio, now.ratio],
      note: `${then.ms.toPrecision(3)} ms, then ${now.ms.toPrecision(3)} ms`
    })
  }
  const kept = yield* counted
  rows.push(
    { what: "as-run log: rows", unit: "rows", values: [kept.logged] },
    { what: `purges of ${plan.stepDays} days`, unit: "s", values: purged }
  )
  const countMade = (table: Grown) => Math.floor((daysMax * perDay[table]) / plan.scale)
  const lost =
    Math.abs(countMade("track_votes") - kept.likes) +
    Math.abs(countMade("song_requests") - kept.requests) +
    Math.abs(countMade("points") - kept.points) +
    Math.abs(kept.logged - kept.plays)
  const report: Report = {
    bench: "growth",
    rows,
    computed: hash(JSON.stringify([[...after.sizes].map(([table, { rows }]) => [table, rows]), kept])),
    goals: [
      {
        name: `rows of a purged table after ${daysMax} days relative to ${daysBefore}, worst`,
        direction: "at most",
        limit: 1.1,
        value: findWorst(
          grown.map((table) => after.sizes.get(table)!.rows / Math.max(1, before.sizes.get(table)!.rows))
        )
      },
      {
        name: "votes, requests, points and plays missing from the totals",
        direction: "at most",
        limit: 0,
        value: lost
      },
      {
        name: "time of a read, after relative to before, worst",
        direction: "at most",
        limit: 2,
        value: findWorst([...after.reads].map(([what, { ratio }]) => ratio / before.reads.get(what)!.ratio))
      },
      ...logReads.map(([what, then, now]) => ({
        name: `time of ${what}, after relative to before, p50`,
        direction: "at most" as const,
        limit: 1.5,
        value: now.ratio / then.ratio
      }))
    ]
  }
  return report
})

/**
 * Five years of a busy station: purged tables keep their size, and the main reads their speed. And stations of several sizes, which answer as
 * fast as an empty one.
 */
export const run = (size: "whole" | "small"): Promise<Report> =>
  runInFolder((folder) =>
    Effect.runPromise(
      Effect.gen(function* () {
        const { goals, rows } = yield* measureSizes(folder, size)
        const years = yield* Effect.scoped(
          Effect.flatMap(embeddedPostgres(join(folder, "years"), "off"), (url) =>
            measure(url, plans[size]).pipe(Effect.provide(worlds(url)))
          )
        )
        return { ...years, rows: [...rows, ...years.rows], goals: [...goals, ...years.goals] }
      }).pipe(Effect.provide(NodeServices.layer))
    )
  )
