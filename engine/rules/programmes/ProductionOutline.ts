import type { GridRevision } from "../../../schema/programmes/Block.ts"
import type { ProblemPart } from "../../../schema/Problem.ts"
import type { ProductionPart, Recurring } from "../../../schema/programmes/Production.ts"
import type { ShowFormat } from "../../../schema/programmes/Show.ts"
import { speechWordsPerMin } from "../voices/limits.ts"
import { productionItemsMax, productionPartMinutes, productionSpeechShare } from "./limits.ts"
import { type Occurrence, runsOf } from "../time/WeekSchedule.ts"
import { fits, lint, tidied } from "../segments/Script.ts"

/** How a programme of each kind goes, from its first words to its last; what stands in the middle comes as often as there is time for. */
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
/** The most that one part may take, so that its script is within what can be spoken at once. */
const partMinutesMax = productionPartMinutes[1]
const tenths = (minutes: number): number => Math.round(minutes * 10) / 10
/** An outline of the right length, all of it yet to be written: with music the words have their share of the time, else all of it. */
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
  // What rounding took or gave is the last part's.
  return Array.from({ length: parts }, (_, i) => ({
    title: titleOf(i),
    minutes: i === parts - 1 ? tenths(spoken - each * (parts - 1)) : each,
    scriptText: null
  }))
}
/** How many words a part has room for. */
export const wordsFor = (minutes: number | null): number | null =>
  minutes === null ? null : Math.round(minutes * speechWordsPerMin)
/** What keeps scripts from being spoken, each at its place. Too long is said apart, with where to cut. */
export const scriptFaults = (
  scripts: ReadonlyArray<{ readonly pointer: string; readonly script: string }>
): ReadonlyArray<ProblemPart> =>
  scripts.flatMap(({ pointer, script }) => lint(tidied(script)).map(({ code, detail }) => ({ pointer, code, detail })))
export const tooLong = (scripts: ReadonlyArray<string>): string | null =>
  scripts.find((script) => !fits(tidied(script), false)) ?? null
const dayMs = 86_400_000
/** The next runs of the block that begins then each week, from an instant on. What a missing hour swallows isn't among them. */
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
