import type { Block, GridRevision } from "../../../schema/programmes/Block.ts"
import type { Episode, ScheduleBlock, ScheduleView, WeekBlock } from "../../../schema/programmes/WeekSchedule.ts"
import type { Show } from "../../../schema/programmes/Show.ts"
import { scheduleDays } from "./limits.ts"
import { type Occurrence, runAt, runsOf, wallOf } from "../time/WeekSchedule.ts"
import { dayMs } from "../../../schema/time/Units.ts"
import { iso } from "../../../schema/time/Instant.ts"

const minuteMs = 60_000
const padTwo = (value: number): string => String(value).padStart(2, "0")
/** An instant in the zone's local time with its UTC offset. */
export const localOf = (zone: string, atMs: number): string => {
  const wall = wallOf(zone, atMs)
  const offsetMin = Math.round((wall - atMs) / minuteMs)
  return `${iso(wall).slice(0, 19)}${offsetMin < 0 ? "-" : "+"}${padTwo(Math.floor(Math.abs(offsetMin) / 60))}:${padTwo(Math.abs(offsetMin) % 60)}`
}
/** End of the schedule's range. */
export const horizonOf = (nowMs: number): number => nowMs + scheduleDays * dayMs
/** The shows of a week's blocks by id. */
export type ShowsOfWeek = ReadonlyMap<string, Pick<Show, "slug" | "hostHandle">>
/** The block's start as HH:MM. */
export const startLocalOf = ({ startMinute }: Pick<Block, "startMinute">): string =>
  `${padTwo(Math.floor(startMinute / 60))}:${padTwo(startMinute % 60)}`
/** A block as operators see it. */
export const weekBlock =
  (zone: string, shows: ShowsOfWeek) =>
  (block: Block): WeekBlock => ({
    id: block.id,
    title: block.title,
    description: block.description,
    kind: block.kind,
    showId: block.showId,
    showSlug: shows.get(block.showId ?? "")?.slug ?? null,
    hostHandle: shows.get(block.showId ?? "")?.hostHandle ?? null,
    weekday: block.weekday,
    startLocal: startLocalOf(block),
    durationMin: block.durationMin,
    timezone: zone,
    audience: block.audience,
    format: block.format,
    genres: block.genres,
    bookable: block.bookable,
    overrunPolicy: block.overrunPolicy,
    placement: block.placement,
    clock: block.clock
  })
/** A block with one run of it, as everybody sees it. */
const blockView =
  (zone: string, shows: ShowsOfWeek) =>
  ({ block, endMs, startMs }: Pick<Occurrence, "block" | "startMs" | "endMs">): ScheduleBlock => {
    const { clock: _, ...shown } = weekBlock(zone, shows)(block)
    return {
      ...shown,
      nextStart: iso(startMs),
      nextEnd: iso(endMs),
      nextStartLocal: localOf(zone, startMs),
      nextEndLocal: localOf(zone, endMs)
    }
  }
const minuteOfWeek = ({ startMinute, weekday }: Block): number => weekday * 1_440 + startMinute
/** For each block with a run after the instant: its first run that hasn't begun, or the rest of its last one. */
export const nextRuns = (week: ReadonlyArray<GridRevision>, zone: string, nowMs: number): ReadonlyArray<Occurrence> => {
  const next = new Map<string, Occurrence>()
  for (const run of runsOf(week, zone, nowMs, nowMs + 9 * dayMs)) {
    if (run.endMs > run.startMs && (next.get(run.block.id)?.startMs ?? nowMs) <= nowMs) next.set(run.block.id, run)
  }
  return [...next.values()].sort((one, other) => minuteOfWeek(one.block) - minuteOfWeek(other.block))
}
/** The week from now on: every block with its next run, and the agents' plans for it. */
export const scheduleOf = (
  week: ReadonlyArray<GridRevision>,
  shows: ShowsOfWeek,
  zone: string,
  episodes: ReadonlyArray<Episode>,
  nowMs: number
): ScheduleView => ({
  timezone: zone,
  now: iso(nowMs),
  currentBlockId: runAt(week, zone, nowMs).block.id,
  blocks: nextRuns(week, zone, nowMs).map(blockView(zone, shows)),
  upcomingEpisodes: episodes.map(({ endsAtMs, startsAtMs, ...episode }) => ({
    ...episode,
    startsAt: iso(startsAtMs),
    endsAt: iso(endsAtMs),
    startsAtLocal: localOf(zone, startsAtMs),
    endsAtLocal: localOf(zone, endsAtMs)
  }))
})
