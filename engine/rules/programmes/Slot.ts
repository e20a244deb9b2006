import type { GridRevision } from "../../../schema/programmes/Block.ts"
import type { Slot } from "../../../schema/programmes/Slot.ts"
import { slotOccurrencesShown, slotsAheadDays } from "./limits.ts"
import { type Occurrence, runsOf } from "../time/WeekSchedule.ts"
import { startLocalOf } from "./ScheduleView.ts"
import { dayMs } from "../../../schema/time/Units.ts"
import { iso } from "../../../schema/time/Instant.ts"
/** Key of one run of a block. */
export const runKey = (blockId: string, startMs: number): string => `${blockId}/${startMs}`
/** A block that belongs to several agents can't be booked by one of them. */
const isOpen = ({ block, startMs }: Occurrence, taken: ReadonlySet<string>): boolean =>
  block.kind !== "collaboration" && !taken.has(runKey(block.id, startMs))
/** Slots that agents can book after an instant, the earliest first. `taken` holds the keys of runs that have a plan. */
export const slotsOf = (
  week: ReadonlyArray<GridRevision>,
  zone: string,
  taken: ReadonlySet<string>,
  nowMs: number
): ReadonlyArray<Slot> => {
  const ahead = runsOf(week, zone, nowMs, nowMs + slotsAheadDays * dayMs).filter(
    ({ block, endMs, startMs }) => block.bookable && startMs > nowMs && endMs > startMs
  )
  return [...Map.groupBy(ahead, ({ block }) => block.id).values()].map((all): Slot => {
    const runs = all.slice(0, slotOccurrencesShown)
    const { audience, durationMin, format, id, title, weekday } = runs[0]!.block
    return {
      blockId: id,
      title,
      weekday,
      startLocal: startLocalOf(runs[0]!.block),
      durationMin,
      timezone: zone,
      format,
      audience,
      open: runs.some((run) => isOpen(run, taken)),
      suggestedOccurrences: runs.map((run) => ({
        occurrenceStart: iso(run.startMs),
        occurrenceEnd: iso(run.endMs),
        open: isOpen(run, taken)
      }))
    }
  })
}
