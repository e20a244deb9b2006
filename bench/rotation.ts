import { NodeServices } from "@effect/platform-node"
import { Effect, type Redacted } from "effect"
import { playsRememberedMax, rotationCandidatesMax } from "../engine/rules/air/limits.ts"
import { simulate } from "../engine/rules/simulation/Simulation.ts"
import { drawDemand, smallStation } from "../engine/rules/simulation/SimulatedStation.ts"
import { figuresOf } from "../engine/rules/simulation/SimulationFigures.ts"
import type { Stage } from "../engine/rules/simulation/SimulationInput.ts"
import { defaultGrid } from "../engine/rules/time/WeekSchedule.ts"
import { defaultRotation, pick } from "../engine/rules/air/Rotation.ts"
import { embeddedPostgres } from "../engine/store/sql/EmbeddedPostgres.ts"
import { Tracks } from "../engine/store/music/Tracks.ts"
import { Play } from "../schema/air/Rundown.ts"
import { addTracks, recordAiring, libraryAt, measureHead } from "./instruments/data/LargeLibrary.ts"
import { hash, median, quantile, type Report, type Row } from "./instruments/Report.ts"
import { runInFolder } from "./instruments/servers/Station.ts"

const plans = {
  whole: { sizes: [1_000, 10_000, 100_000, 1_000_000], turns: 300, warm: 100, days: 7, rounds: 2 },
  small: { sizes: [1_000, 4_000], turns: 20, warm: 5, days: 0.5, rounds: 1 }
} as const

const classes = ["contributed", "house"]
const rules = defaultRotation(1)
const startMs = Date.UTC(2026, 5, 1)

/** Picks as the scheduler makes them, each aired before the next. Measures the query and the decision. */
const measurePicks = Effect.fnUntraced(function* (turns: number, warm: number) {
  const tracks = yield* Tracks
  const plays: Array<Play> = []
  const took: Array<{ readonly store: number; readonly rule: number }> = []
  const chosen: Array<string> = []
  for (let turn = 0; turn < warm + turns; turn++) {
    const atMs = startMs + turn * 200_000
    const begun = performance.now()
    const candidates = yield* tracks.listRested(classes, rotationCandidatesMax, atMs)
    const asked = performance.now()
    const picked = pick({
      rules,
      turn,
      atMs,
      candidates,
      plays,
      genres: defaultGrid[turn % defaultGrid.length]!.genres
    })!
    if (turn >= warm) took.push({ store: asked - begun, rule: performance.now() - asked })
    const { airable } = picked.candidate
    plays.push(
      new Play({
        atMs,
        role: "music",
        assetId: airable.assetId,
        artist: airable.artist,
        agentId: airable.agentId,
        topic: null
      })
    )
    if (plays.length > playsRememberedMax) plays.shift()
    chosen.push(airable.assetId)
    yield* recordAiring(airable.trackId!, atMs)
  }
  return { took, chosen }
})

const measure = Effect.fnUntraced(function* (
  url: Redacted.Redacted,
  { days, rounds, sizes, turns, warm }: (typeof plans)["whole" | "small"]
) {
  const rows: Array<Row> = []
  const computed: Array<string> = []
  const medians: Array<number> = []
  const pages: Array<number> = []
  let byIndex = true
  let filled = 0
  for (const size of sizes) {
    const filling = performance.now()
    yield* addTracks(url, filled + 1, size)
    filled = size
    const fillSec = (performance.now() - filling) / 1_000
    yield* Effect.gen(function* () {
      const { chosen, took } = yield* measurePicks(turns, warm)
      const all = took.map(({ rule, store }) => rule + store)
      const row = (what: string, values: ReadonlyArray<number>, note?: string) =>
        rows.push({ what: `${size} tracks: ${what}`, unit: "ms", values, ...(note === undefined ? {} : { note }) })
      medians.push(median(all))
      row("a pick, p50", [median(all)], `added in ${fillSec.toFixed(0)} s`)
      row("a pick, p99", [quantile(all, 0.99)])
      row("of it the store, p50", [median(took.map(({ store }) => store))])
      row("of it the rule, p50", [median(took.map(({ rule }) => rule))])
      const looks = yield* Effect.forEach(classes, (name) => measureHead(name, rotationCandidatesMax))
      pages.push(looks.reduce((sum, look) => sum + look.pages, 0))
      byIndex &&= size < 10_000 || looks.every((look) => look.byIndex)
      rows.push({
        what: `${size} tracks: database pages of a pick`,
        unit: "pages",
        values: [pages.at(-1)!]
      })
      computed.push(`${size}: ${chosen.join(" ")}`)
    }).pipe(Effect.provide(libraryAt(url)))
  }
  const week = yield* Effect.gen(function* () {
    const tracks = yield* Tracks
    const fromMs = startMs + 86_400_000
    const bare: Stage = {
      ...smallStation(1),
      fromMs,
      toMs: fromMs + days * 86_400_000,
      zone: "Europe/Berlin",
      happenings: [],
      tracks: yield* tracks.listRested(classes, rotationCandidatesMax + Math.ceil(days * 24 * 30), fromMs)
    }
    const stage = { ...bare, happenings: drawDemand(bare, 1) }
    const seconds: Array<number> = []
    for (let round = 0; round < rounds; round++) {
      const begun = performance.now()
      const rehearsed = simulate(stage)
      seconds.push((performance.now() - begun) / 1_000)
      if (round > 0) continue
      computed.push(rehearsed.aired.map(({ firstSample, item }) => `${firstSample} ${item.airable.assetId}`).join("\n"))
      const { broken, items } = figuresOf(stage, rehearsed)
      rows.push(
        { what: `${days} days: items`, unit: "items", values: [items] },
        { what: `${days} days: promises broken`, unit: "promises", values: [broken.length] }
      )
    }
    rows.push({ what: `${days} days planned with ${filled} tracks`, unit: "s", values: seconds })
    return median(seconds)
  }).pipe(Effect.provide(libraryAt(url)))
  const report: Report = {
    bench: "rotation",
    rows,
    computed: hash(computed.join("\n")),
    goals: [
      { name: `a pick among ${filled} tracks, p50 (ms)`, direction: "at most", limit: 5, value: medians.at(-1)! },
      {
        name: `a pick among ${filled} tracks relative to ${sizes[0]}`,
        direction: "at most",
        limit: 1.5,
        value: medians.at(-1)! / medians[0]!
      },
      // A smaller table is a few pages, which the database reads whole.
      {
        name: `database pages with ${filled} tracks relative to 10000`,
        direction: "at most",
        limit: 1.5,
        value: pages.length < 3 ? null : pages.at(-1)! / pages[1]!
      },
      {
        name: "libraries of 10,000 tracks and more that are read by index only",
        direction: "at least",
        limit: 1,
        value: byIndex ? 1 : 0
      },
      { name: `${days} days planned (s)`, direction: "at most", limit: 10, value: week }
    ]
  }
  return report
})

/** P7: cost of a decision by size of the library, and the result of a week of decisions. */
export const run = (size: "whole" | "small"): Promise<Report> =>
  runInFolder((folder) =>
    Effect.runPromise(
      Effect.scoped(
        Effect.flatMap(embeddedPostgres(folder), (own) =>
          Effect.andThen(Effect.provide(Effect.void, libraryAt(own)), measure(own, plans[size]))
        )
      ).pipe(Effect.provide(NodeServices.layer))
    )
  )
