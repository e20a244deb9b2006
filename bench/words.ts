import { announcementMinutesPerWeek } from "../engine/rules/air/limits.ts"
import { rehearseWords } from "../engine/rules/simulation/WordsRehearsal.ts"
import { hash, type Report } from "./instruments/Report.ts"

const plans = { whole: 30, small: 2 } as const

/** Days of the station's own words without sound: what repeats, what no fact says, and how much is said. */
export const run = async (size: "whole" | "small"): Promise<Report> => {
  const days = plans[size]
  const begun = performance.now()
  // A clock change lies within the thirty days.
  const report = rehearseWords({ days, seed: 1, zone: "Europe/Berlin", fromMs: Date.UTC(2026, 9, 5) })
  const tookSec = (performance.now() - begun) / 1_000
  const dropped = Object.entries(report.dropped).map(([why, times]) => `${why} ${times}`)
  const minutesMax = Object.values(announcementMinutesPerWeek).reduce((sum, minutes) => sum + minutes, 0)
  return {
    bench: "words",
    rows: [
      { what: "days rehearsed", unit: "days", values: [days] },
      { what: "announcements heard", unit: "", values: [report.announcements] },
      {
        what: "dropped before the air",
        unit: "",
        values: [Object.values(report.dropped).reduce((a, b) => a + b, 0)],
        note: dropped.join(", ")
      },
      { what: "sentences", unit: "", values: [report.sentences] },
      { what: "distinct sentences", unit: "", values: [report.distinctSentences] },
      { what: "patterns used", unit: "", values: [report.distinctPatterns] },
      { what: "phrases of five words", unit: "", values: [report.phrases] },
      { what: "phrases heard again within a day", unit: "", values: [report.repeated.length] },
      { what: "sentences without an approved fact", unit: "", values: [report.ungrounded.length] },
      { what: "one pattern within a day, at most", unit: "times", values: [report.patternTimesMax] },
      { what: "one sentence within a day, at most", unit: "times", values: [report.sentenceTimesMax] },
      ...Object.entries(report.minutesPerWeek).map(([kind, minutes]) => ({
        what: `${kind}, a week`,
        unit: "min",
        values: [minutes]
      })),
      { what: "spoken in the fullest week", unit: "min", values: [report.minutesPerWeekMax] },
      { what: "the rehearsal took", unit: "s", values: [tookSec] }
    ],
    goals: [
      { name: "phrases heard again within a day", limit: 0, direction: "at most", value: report.repeated.length },
      { name: "sentences without an approved fact", limit: 0, direction: "at most", value: report.ungrounded.length },
      {
        name: "spoken in the fullest week (min)",
        limit: minutesMax,
        direction: "at most",
        value: report.minutesPerWeekMax
      },
      { name: "the rehearsal of 30 days (s)", limit: 60, direction: "at most", value: tookSec }
    ],
    computed: hash(
      report.heard.map(({ atMs, sentences }) => `${atMs} ${sentences.map(({ text }) => text).join(" ")}`).join("\n")
    )
  }
}
