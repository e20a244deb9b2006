import type { GridRevision } from "../../../schema/programmes/Block.ts"
import type { ProblemPart } from "../../../schema/Problem.ts"
import type { ProductionPart, Recurring } from "../../../schema/programmes/Production.ts"
import type { ShowFormat } from "../../../schema/programmes/Show.ts"
import { speechWordsPerMin } from "../voices/limits.ts"
import { productionItemsMax, productionPartMinutes, productionSpeechShare } from "./limits.ts"
import { type Occurrence, runsOf } from "../time/WeekSchedule.ts"
import { isWithinLimits, lint, tidyScript } from "../segments/Script.ts"

/** Opening, middle and closing of each format. The middle part repeats as time allows. */
const shapes: { readonly [Format in ShowFormat]?: readonly [string, string, string] } = {
  dj_set: ["Opening", "Link", "Goodbye"],
  talk: ["Opening", "Point", "Conclusion"],
  news_hour: ["Headlines", "Report", "Closing headlines"],
  interview: ["Introducing the guest", "Question", "Thanks"],
  story_hour: ["Once upon a time", "Chapter", "The end"],
  request_hour: ["Opening", "Dedication", "Goodbye"],
  countdown: ["Opening", "Place", "Number one"],
  late_night: ["Good evening", "Thought", "Good night"]
}
const plain = ["Opening", "Part", "Closing"] as const
/** The longest part whose script is within the limit of one synthesis. */
const partMinutesMax = productionPartMinutes[1]
const tenths = (minutes: number): number => Math.round(minutes * 10) / 10
/** An outline of the wanted length with empty parts. With music, speech gets its share of the time, otherwise all of it. */
export const outlineOf = (
  format: ShowFormat | null,
  targetMinutes: number,
  includeMusic: boolean
): ReadonlyArray<ProductionPart> => {
  const spoken = targetMinutes * (includeMusic ? productionSpeechShare : 1)
  const parts = Math.min(
    productionItemsMax,
    Math.max(1, Math.ceil(spoken / partMinutesMax), Math.round(spoken / productionPartMinutes[0]))
  )
  const [first, middle, last] = (format === null ? undefined : shapes[format]) ?? plain
  const titleOf = (i: number) => (i === 0 ? first : i === parts - 1 ? last : parts === 3 ? middle : `${middle} ${i}`)
  const each = tenths(spoken / parts)
  // The last part absorbs the rounding.
  return Array.from({ length: parts }, (_, i) => ({
    title: titleOf(i),
    minutes: i === parts - 1 ? tenths(spoken - each * (parts - 1)) : each,
    scriptText: null
  }))
}
/** Word count for a part of this length. */
export const wordsFor = (minutes: number | null): number | null =>
  minutes === null ? null : Math.round(minutes * speechWordsPerMin)
/** Faults that prevent speech, each with its position. A script over the limit is a separate fault with a suggested split. */
export const scriptFaults = (
  scripts: ReadonlyArray<{ readonly pointer: string; readonly script: string }>
): ReadonlyArray<ProblemPart> =>
  scripts.flatMap(({ pointer, script }) =>
    lint(tidyScript(script)).map(({ code, detail }) => ({ pointer, code, detail }))
  )
export const findTooLong = (scripts: ReadonlyArray<string>): string | null =>
  scripts.find((script) => !isWithinLimits(tidyScript(script), false)) ?? null
const dayMs = 86_400_000
/** The next weekly runs of the block at this time. Runs inside a missing hour are left out. */
export const recurringRuns = (
  week: ReadonlyArray<GridRevision>,
  zone: string,
  { count, time, weekday }: Recurring,
  fromMs: number
): ReadonlyArray<Occurrence> => {
  const [hour, minute] = time.split(":").map(Number)
  return runsOf(week, zone, fromMs, fromMs + (count + 2) * 7 * dayMs)
    .filter(
      ({ block, endMs, startMs }) =>
        startMs >= fromMs &&
        endMs > startMs &&
        block.bookable &&
        block.kind !== "collaboration" &&
        block.weekday === weekday &&
        block.startMinute === hour! * 60 + minute!
    )
    .slice(0, count)
}
