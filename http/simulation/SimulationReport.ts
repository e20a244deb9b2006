import { Cause, Clock, Console, Effect, FileSystem, Layer } from "effect"
import { SimulationStores, stageOf } from "./SimulationInput.ts"
import { StationConfig } from "../../engine/runtime/Config.ts"
import { musicLufs, programmeLuTolerance, programmeStepMaxLu, speechLufs } from "../../engine/rules/sound/limits.ts"
import { simulate } from "../../engine/rules/simulation/Simulation.ts"
import { drawDemand, drawFaults, smallStation } from "../../engine/rules/simulation/SimulatedStation.ts"
import { type Figures, figuresOf, type Start } from "../../engine/rules/simulation/SimulationFigures.ts"
import type { Stage } from "../../engine/rules/simulation/SimulationInput.ts"
import { ownStore } from "./OwnStore.ts"
import { readerAt } from "../../engine/store/sql/Database.ts"

export interface SimulationAsk {
  readonly days: number
  readonly seed: number
  /** Injects faults, from the seed. */
  readonly faults: boolean
  /** Adds agents and listeners, from the seed. A synthetic station is always busy. */
  readonly demand: boolean
  readonly json: string | null
  /** Tells the progress on standard error. */
  readonly progress: boolean
}

const prepareStage = Effect.fnUntraced(function* ({ days, demand, faults, seed }: SimulationAsk) {
  const { houseSeed, timeZone: zone } = yield* StationConfig
  const fromMs = yield* Clock.currentTimeMillis
  const time = { fromMs, toMs: fromMs + Math.round(days * 86_400_000), zone }
  const own = yield* ownStore
  const bare: Stage =
    own === null
      ? { ...smallStation(seed), ...time, happenings: [] }
      : yield* stageOf({ ...time, seed: houseSeed }).pipe(
          Effect.provide(Layer.provide(SimulationStores, readerAt(own.url)))
        )
  const busy: Stage =
    own === null || demand ? { ...bare, happenings: [...bare.happenings, ...drawDemand(bare, seed, faults)] } : bare
  const stage: Stage = faults ? { ...busy, happenings: [...busy.happenings, ...drawFaults(busy, seed)] } : busy
  return { stage, source: own?.source ?? "an invented small station: this DATA_DIR has none yet" }
})

const percent = (share: number): string => `${(share * 100).toFixed(1)} %`
const minutes = (value: number | null): string => (value === null ? "–" : `${value.toFixed(0)} min`)
const hours = (sec: number): string => (sec / 3_600).toFixed(1)
const instantText = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`

const limitLines = (lines: ReadonlyArray<string>): ReadonlyArray<string> => [
  ...lines.slice(0, 12).map((line) => `    ${line}`),
  ...(lines.length > 12 ? [`    and ${lines.length - 12} more`] : [])
]

const startLines = (what: string, starts: ReadonlyArray<Start>, margin: string): ReadonlyArray<string> => {
  const off = starts.filter(({ why }) => why !== "on time")
  return [
    `  ${what.padEnd(22)} ${starts.length - off.length} of ${starts.length} ${margin}`,
    ...limitLines(
      off.map(
        ({ atMs, lateMs, title, why }) =>
          `${instantText(atMs)}  ${title}: ${lateMs === null ? "not heard" : `${(lateMs / 1_000).toFixed(1)} s late`}, ${why}`
      )
    )
  ]
}

const loudnessLines = ({ items, loudness: { measured, off, steps } }: Figures): ReadonlyArray<string> => [
  `  ${"loudness".padEnd(22)} ${measured === 0 ? "unknown: no sound was measured" : `${measured} of ${items} items measured, ${off.length} sounds off their loudness (speech ${speechLufs}, music ${musicLufs} LUFS) by more than ${programmeLuTolerance}, ${steps.length} steps of more than ${programmeStepMaxLu} LU`}`,
  ...limitLines(off.map(({ atMs, lufs, title }) => `${instantText(atMs)}  ${title}: ${lufs.toFixed(1)} LUFS`)),
  ...limitLines(
    steps.map(
      ({ atMs, stepLu, title }) =>
        `${instantText(atMs)}  ${title}: ${stepLu > 0 ? "+" : "−"}${Math.abs(stepLu).toFixed(1)} LU`
    )
  )
]

/** The figures as text. */
export const simulationText = (
  figures: Figures,
  told: { readonly source: string; readonly seed: number; readonly faults: boolean; readonly tookSec: number }
): string => {
  const {
    days,
    emergencies,
    fairness,
    gaps,
    hard,
    holds,
    skipped,
    programmes,
    repeats,
    requests,
    separation,
    soft,
    speech,
    twoVoices
  } = figures
  const table = [
    ["day", "items", "music h", "speech h", "segments", "idents", "hour calls", "relaxed", "requests", "gaps"],
    ...days.map((day) =>
      [
        day.day,
        day.items,
        hours(day.musicSec),
        hours(day.speechSec),
        day.segments,
        day.idents,
        day.hourCalls,
        day.relaxed,
        day.requests,
        day.gaps
      ].map(String)
    )
  ]
  const broken = figures.broken.slice(0, 20)
  return [
    `${instantText(figures.fromMs)} to ${instantText(figures.toMs)}, ${figures.zone}, from ${told.source}; seed ${told.seed}${told.faults ? ", with faults" : ""}`,
    `${figures.items} items, planned ${figures.plans} times in ${told.tookSec.toFixed(1)} s`,
    "",
    `  ${"gaps".padEnd(22)} ${gaps.length}`,
    `  ${"two voices".padEnd(22)} ${twoVoices}`,
    ...startLines("hard starts", hard, "within 50 ms"),
    ...startLines("plans", programmes.starts, "within 50 ms"),
    ...startLines("soft starts", soft, "within their margin"),
    ...programmes.starts
      .filter(({ aired, parts }) => aired < parts)
      .map(
        ({ aired, left, parts, title }) =>
          `    ${title}: ${aired} of ${parts} parts aired${left.length > 0 ? `, ${left[0]}` : ""}`
      ),
    `  ${"runs without a plan".padEnd(22)} ${programmes.unplanned} of ${programmes.bookable} that agents may plan`,
    ...loudnessLines(figures),
    `  ${"skipped".padEnd(22)} ${skipped} for missing sound; ${emergencies.length} emergencies, ${holds.length} holds`,
    "",
    "  separation             kept   too near   of these requested, planned or marked as relaxed",
    ...separation.map(
      ({ judged, near, rule, said }) =>
        `    ${rule.padEnd(18)} ${String(judged - near).padStart(6)} ${String(near).padStart(10)} ${String(said).padStart(10)}`
    ),
    "",
    "  class                  goal    picks    airtime",
    ...fairness.classes.map(
      ({ airtime, goal, name, picks }) =>
        `    ${name.padEnd(18)} ${percent(goal).padStart(6)} ${percent(picks).padStart(8)} ${percent(airtime).padStart(9)}`
    ),
    `  ${"music of agents".padEnd(22)} ${fairness.contributors} agents, ${fairness.unheard} without airtime, Gini ${fairness.gini.toFixed(2)}`,
    ...fairness.most.map(({ agentId, sec }) => `    ${agentId}  ${hours(sec)} h`),
    `  ${"songs".padEnd(22)} ${repeats.tracks} aired, ${repeats.once} once, at most ${repeats.most} times`,
    `  ${"requests".padEnd(22)} ${requests.heard} of ${requests.asked} aired, median wait ${minutes(requests.medianMin)}, p90 ${minutes(requests.p90Min)}; ${requests.expired} expired, ${requests.cancelled} cancelled, ${requests.waiting} wait`,
    `  ${"speech".padEnd(22)} ${percent(speech.share)} of the airtime; ${speech.segments} segments, ${speech.waiting} still wait; ${speech.cut} items cut short`,
    "",
    ...table.map((row) => `  ${row.map((cell, i) => (i === 0 ? cell.padEnd(11) : cell.padStart(11))).join("")}`),
    "",
    ...(figures.broken.length === 0
      ? ["all promises kept"]
      : [`${figures.broken.length} promises broken:`, ...broken.map((line) => `  ${line}`)])
  ].join("\n")
}

/**
 * Simulates the coming time with the rules of the air and reports the result. Returns whether every promise is kept;
 * null if the store can't be read.
 */
export const simulation = Effect.fnUntraced(
  function* (ask: SimulationAsk) {
    const { source, stage } = yield* prepareStage(ask)
    const begunMs = yield* Clock.currentTimeMillis
    const tell = (percent: number) => void process.stderr.write(`  ${percent} %\n`)
    const figures = figuresOf(stage, simulate(stage, ask.progress ? tell : undefined))
    const tookSec = ((yield* Clock.currentTimeMillis) - begunMs) / 1_000
    yield* Console.log(simulationText(figures, { source, seed: ask.seed, faults: ask.faults, tookSec }))
    if (ask.json !== null)
      yield* (yield* FileSystem.FileSystem).writeFileString(
        ask.json,
        `${JSON.stringify({ source, seed: ask.seed, faults: ask.faults, ...figures }, null, 2)}\n`
      )
    return figures.broken.length === 0
  },
  Effect.scoped,
  Effect.catchCause((cause) =>
    Cause.hasInterruptsOnly(cause)
      ? Effect.failCause(cause)
      : Effect.as(
          Console.error(
            `The station's store can't be read: ${Cause.pretty(cause).split("\n")[0]}. If another version wrote it, start the station with this version first.`
          ),
          null
        )
  )
)
