import type { Block } from "../../schema/Block.ts"
import type { Episode, ScheduleBlock, ScheduleView } from "../../schema/Schedule.ts"
import { scheduleDays } from "../Limits.ts"
import { blockAt, occurrences, wallOf } from "./Grid.ts"
import { dayMs } from "./SpeechQuota.ts"

const minuteMs = 60_000
const instant = (ms: number): string => new Date(ms).toISOString()
const two = (value: number): string => String(value).padStart(2, "0")

/** An instant as a clock in the zone shows it, with how far that clock is from UTC. */
export const localOf = (zone: string, atMs: number): string => {
  const wall = wallOf(zone, atMs)
  const offsetMin = Math.round((wall - atMs) / minuteMs)
  return `${instant(wall).slice(0, 19)}${offsetMin < 0 ? "-" : "+"}${two(Math.floor(Math.abs(offsetMin) / 60))}:${two(Math.abs(offsetMin) % 60)}`
}

/** What the schedule looks ahead to. */
export const horizonOf = (nowMs: number): number => nowMs + scheduleDays * dayMs

const blockView = (block: Block, zone: string, startMs: number, endMs: number): ScheduleBlock => ({
  id: block.id, title: block.title, description: block.description, kind: block.kind, showId: null, showSlug: null, hostHandle: null,
  weekday: block.weekday, startLocal: `${two(Math.floor(block.startMinute / 60))}:${two(block.startMinute % 60)}`, durationMin: block.durationMin, timezone: zone,
  audience: block.audience, format: block.format, genres: block.genres, bookable: false, overrunPolicy: block.overrunPolicy, placement: block.placement,
  nextStart: instant(startMs), nextEnd: instant(endMs), nextStartLocal: localOf(zone, startMs), nextEndLocal: localOf(zone, endMs)
})

/** The week as it is from now on: every block with its first run that hasn't begun, and what agents have planned into them. */
export const scheduleOf = (blocks: ReadonlyArray<Block>, zone: string, episodes: ReadonlyArray<Episode>, nowMs: number): ScheduleView => {
  const ahead = occurrences(blocks, zone, nowMs, nowMs + 9 * dayMs).filter(({ endMs, startMs }) => startMs > nowMs && endMs > startMs)
  return {
    timezone: zone,
    now: instant(nowMs),
    currentBlockId: blockAt(blocks, zone, nowMs).block.id,
    blocks: blocks.flatMap((block) => {
      const next = ahead.find((run) => run.block.id === block.id)
      return next === undefined ? [] : [blockView(block, zone, next.startMs, next.endMs)]
    }),
    upcomingEpisodes: episodes.map(({ endsAtMs, startsAtMs, ...episode }) =>
      ({ ...episode, startsAt: instant(startsAtMs), endsAt: instant(endsAtMs), startsAtLocal: localOf(zone, startsAtMs), endsAtLocal: localOf(zone, endsAtMs) }))
  }
}
