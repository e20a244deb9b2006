import { Block, GridRevision } from "../../../schema/programmes/Block.ts"
import { makeId } from "../../../schema/Ids.ts"

/** One run of a block on a date. `startMs === endMs` if it lies inside a missing hour. */
export interface Occurrence {
  readonly block: Block
  /** Its local date, as the UTC midnight of that calendar day. */
  readonly dayMs: number
  readonly startMs: number
  readonly endMs: number
}

export interface GridFault {
  readonly code: "gap" | "overlap" | "empty"
  /** Minute of the week, Sunday 00:00 is 0. */
  readonly minute: number
}

const minuteMs = 60_000
const dayMin = 1_440
const dayMs = dayMin * minuteMs
const weekMin = 7 * dayMin

const formats = new Map<string, Intl.DateTimeFormat>()

const formatOf = (zone: string): Intl.DateTimeFormat => {
  const known = formats.get(zone)
  if (known !== undefined) return known
  const made = new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    hourCycle: "h23",
    era: "short",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric"
  })
  formats.set(zone, made)
  return made
}

/** For half a century all clock changes have been at full quarters of an hour. */
const quarterMs = 15 * minuteMs
/** An offset look-up costs 20 µs, and a plan needs the same few thousands of times. */
const offsetsMax = 10_000
const offsets = new Map<string, number>()

const offsetOf = (zone: string, quarter: number): number => {
  const name = `${zone}/${quarter}`
  const known = offsets.get(name)
  if (known !== undefined) return known
  const atMs = quarter * quarterMs
  const field: Record<string, number> = {}
  for (const part of formatOf(zone).formatToParts(atMs)) field[part.type] = Number(part.value)
  const offset =
    Date.UTC(field["year"]!, field["month"]! - 1, field["day"]!, field["hour"]!, field["minute"]!, field["second"]!) -
    atMs
  if (offsets.size >= offsetsMax) offsets.clear()
  offsets.set(name, offset)
  return offset
}

/** Local time of the zone at an instant, encoded as if it were UTC. */
export const wallOf = (zone: string, atMs: number): number => atMs + offsetOf(zone, Math.floor(atMs / quarterMs))

/**
 * The first instant at which the zone's local time is `wallMs` or later. A local time that occurs twice means its first occurrence, one that is
 * skipped means the instant of the change. So every local time has exactly one instant.
 */
export const instantOf = (zone: string, wallMs: number): number => {
  const offsets = [wallMs - dayMs, wallMs + dayMs].map((probe) => wallOf(zone, probe) - probe).sort((a, b) => b - a)
  for (const offset of offsets) {
    if (wallOf(zone, wallMs - offset) === wallMs) return wallMs - offset
  }
  let before = wallMs - offsets[0]!
  let from = wallMs - offsets[1]!
  while (from - before > minuteMs) {
    const middle = before + Math.floor((from - before) / (2 * minuteMs)) * minuteMs
    if (wallOf(zone, middle) >= wallMs) from = middle
    else before = middle
  }
  return from
}

const startOf = (block: Block): number => block.weekday * dayMin + block.startMinute

/** Faults of the rule that every minute of the week belongs to exactly one block, in order. */
export const faultsOf = (blocks: ReadonlyArray<Block>): ReadonlyArray<GridFault> => {
  if (blocks.length === 0) return [{ code: "empty", minute: 0 }]
  const sorted = [...blocks].sort((a, b) => startOf(a) - startOf(b))
  return sorted.flatMap((block, i): ReadonlyArray<GridFault> => {
    const next = sorted[(i + 1) % sorted.length]!
    const until = startOf(next) + (i + 1 === sorted.length ? weekMin : 0)
    const ends = startOf(block) + block.durationMin
    if (ends < until) return [{ code: "gap", minute: ends % weekMin }]
    return ends > until ? [{ code: "overlap", minute: until % weekMin }] : []
  })
}

/**
 * The runs that touch `[fromMs, toMs)`, in order. Each block runs once per day it is due: one inside a repeated hour lasts until the next begins, one
 * inside a missing hour is listed with no length. A run ends where the next begins, so every minute has one.
 */
export const occurrences = (
  blocks: ReadonlyArray<Block>,
  zone: string,
  fromMs: number,
  toMs: number
): ReadonlyArray<Occurrence> => {
  const runsOn = (day: number): ReadonlyArray<Omit<Occurrence, "endMs">> =>
    blocks
      .filter((block) => block.weekday === (((day / dayMs + 4) % 7) + 7) % 7)
      .sort((a, b) => a.startMinute - b.startMinute)
      .map((block) => ({ block, dayMs: day, startMs: instantOf(zone, day + block.startMinute * minuteMs) }))
  let day = Math.floor(wallOf(zone, fromMs) / dayMs) * dayMs
  const starts = [...runsOn(day)]
  for (let back = day - dayMs; (starts[0]?.startMs ?? fromMs) >= fromMs && back >= day - 8 * dayMs; back -= dayMs)
    starts.unshift(...runsOn(back))
  for (let days = 0; (starts.at(-1)?.startMs ?? toMs) < toMs || days < 2; days++) starts.push(...runsOn((day += dayMs)))
  if (starts.at(-1)!.startMs < toMs || starts.length < 2) starts.push(...runsOn((day += dayMs)))
  return starts
    .slice(0, -1)
    .map((run, i): Occurrence => ({ ...run, endMs: starts[i + 1]!.startMs }))
    .filter((run) => run.startMs < toMs && run.endMs >= fromMs && (run.endMs > fromMs || run.startMs === run.endMs))
}

/** The block on the air at an instant. */
export const blockAt = (blocks: ReadonlyArray<Block>, zone: string, atMs: number): Occurrence => {
  const runs = occurrences(blocks, zone, atMs, atMs + 1)
  return runs.findLast((run) => run.startMs <= atMs && run.endMs > atMs)!
}

/** The next instant strictly after `atMs` at a full hour of the zone. */
export const nextHourTop = (zone: string, atMs: number): { readonly atMs: number; readonly hour: number } => {
  const step = 15 * minuteMs
  for (let probe = (Math.floor(atMs / step) + 1) * step; ; probe += step) {
    const wall = wallOf(zone, probe)
    if (wall % (60 * minuteMs) === 0) return { atMs: probe, hour: Math.floor(wall / (60 * minuteMs)) % 24 }
  }
}

/** The revision in force at an instant; before the first one begins, the first. */
export const revisionAt = (revisions: ReadonlyArray<GridRevision>, atMs: number): GridRevision =>
  revisions.findLast(({ validFromMs }) => validFromMs <= atMs) ?? revisions[0]!

/** The runs that touch `[fromMs, toMs)` of a week with revisions. A new revision ends the current run, unless it has a run with the same start. */
export const runsOf = (
  revisions: ReadonlyArray<GridRevision>,
  zone: string,
  fromMs: number,
  toMs: number
): ReadonlyArray<Occurrence> => {
  const inForce = revisionAt(revisions, fromMs)
  const stretches = [inForce, ...revisions.filter(({ validFromMs }) => validFromMs > fromMs && validFromMs < toMs)]
  const runs: Array<Occurrence> = []
  stretches.forEach(({ blocks, validFromMs }, i) => {
    const begins = i === 0 ? Number.NEGATIVE_INFINITY : validFromMs
    const ends = stretches[i + 1]?.validFromMs ?? Number.POSITIVE_INFINITY
    for (const run of occurrences(blocks, zone, Math.max(fromMs, begins), Math.min(toMs, ends))) {
      if (run.startMs >= ends) continue
      const before = runs.at(-1)
      const goesOn =
        before !== undefined && run.startMs < begins && before.block.id === run.block.id && before.dayMs === run.dayMs
      if (goesOn) runs.pop()
      runs.push({
        ...run,
        startMs: goesOn ? before.startMs : Math.max(run.startMs, begins),
        endMs: Math.min(run.endMs, ends)
      })
    }
  })
  return runs
}

/** The run at an instant and its end, with all revisions considered. */
export const runAt = (revisions: ReadonlyArray<GridRevision>, zone: string, atMs: number): Occurrence => {
  const findRun = (toMs: number) =>
    runsOf(revisions, zone, atMs, toMs).findLast((run) => run.startMs <= atMs && run.endMs > atMs)!
  const { block, ...now } = findRun(atMs + 1)
  // A revision that begins before the run's end may end or extend it.
  for (let [toMs, { endMs }] = [atMs + 1, now]; ; endMs = findRun(toMs).endMs) {
    if (endMs <= toMs) return { ...now, block, endMs }
    toMs = endMs
  }
}

const character: ReadonlyArray<readonly [number, number, string, string, Block["kind"], ReadonlyArray<string>]> = [
  [0, 6, "Night Watch", "Quiet music and few words for whoever is awake.", "rotation", ["ambient", "lofi", "jazz"]],
  [6, 4, "First Light", "The day begins: news, weather, and music with a pulse.", "news", ["folk", "pop", "funk"]],
  [10, 4, "Workbench", "Long stretches of music, voices in between.", "rotation", ["electronic", "house", "lofi"]],
  [
    14,
    3,
    "Open Desk",
    "What agents and listeners bring: segments, dedications, requests.",
    "request",
    ["pop", "rock", "soul"]
  ],
  [17, 1, "Guest Hour", "An hour that agents plan.", "show", ["pop", "rock", "soul"]],
  [18, 2, "Evening Frequency", "Stories, interviews and panels.", "rotation", ["jazz", "soul", "synthwave"]],
  [20, 1, "Studio Hour", "An hour that agents plan.", "show", ["jazz", "soul", "synthwave"]],
  [21, 1, "Round Table", "Several agents at one table.", "collaboration", ["jazz", "soul", "synthwave"]],
  [22, 2, "Late Signal", "Electronic music and late talk.", "rotation", ["techno", "synthwave", "ambient"]]
]

/** Default week of a new station. */
export const defaultGrid: ReadonlyArray<Block> = Array.from({ length: 7 }, (_, weekday) =>
  character.map(([hour, hours, title, description, kind, genres]) => {
    const planned = kind === "show" || kind === "collaboration"
    return new Block({
      id: makeId("blk", 0, new Uint8Array([0, 0, 0, 0, 0, 0, 0, 0, weekday, hour])),
      title,
      description,
      kind,
      weekday,
      startMinute: hour * 60,
      durationMin: hours * 60,
      audience: "general",
      format: kind === "collaboration" ? "panel" : null,
      genres,
      overrunPolicy: planned ? "trim" : "allow",
      placement: planned ? "hard" : "soft",
      bookable: planned,
      showId: null
    })
  })
).flat()

const unprogrammed = new GridRevision({ validFromMs: 0, blocks: defaultGrid })

/** The revisions from an instant on: those of operators, and the default before the first. Never empty. */
export const weekFrom = (known: ReadonlyArray<GridRevision>, fromMs: number): ReadonlyArray<GridRevision> =>
  known[0] === undefined || known[0].validFromMs > fromMs ? [unprogrammed, ...known] : known
