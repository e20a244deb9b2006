import type { GridRevision } from "../../schema/Block.ts"
import type { Slot } from "../../schema/Slot.ts"
import { slotOccurrencesShown, slotsAheadDays } from "../Limits.ts"
import { type Occurrence, runsOf } from "./Grid.ts"
import { startLocalOf } from "./Schedule.ts"
import { dayMs } from "./SpeechQuota.ts"

const instant = (ms: number): string => new Date(ms).toISOString()

/** One run of a block by its name. */
export const runKey = (blockId: string, startMs: number): string => `${blockId}/${startMs}`

/** What belongs to several agents together is planned by none of them alone. */
const isOpen = ({ block, startMs }: Occurrence, taken: ReadonlySet<string>): boolean => block.kind !== "collaboration" && !taken.has(runKey(block.id, startMs))

/** What agents can book from an instant on, the soonest first. `taken` names the runs that belong to a plan. */
export const slotsOf = (week: ReadonlyArray<GridRevision>, zone: string, taken: ReadonlySet<string>, nowMs: number): ReadonlyArray<Slot> => {
  const ahead = runsOf(week, zone, nowMs, nowMs + slotsAheadDays * dayMs).filter(({ block, endMs, startMs }) => block.bookable && startMs > nowMs && endMs > startMs)
  return [...Map.groupBy(ahead, ({ block }) => block.id).values()].map((all): Slot => {
    const runs = all.slice(0, slotOccurrencesShown)
    const { audience, durationMin, format, id, title, weekday } = runs[0]!.block
    return {
      blockId: id, title, weekday, startLocal: startLocalOf(runs[0]!.block), durationMin, timezone: zone, format, audience, open: runs.some((run) => isOpen(run, taken)),
      suggestedOccurrences: runs.map((run) => ({ occurrenceStart: instant(run.startMs), occurrenceEnd: instant(run.endMs), open: isOpen(run, taken) }))
    }
  })
}
