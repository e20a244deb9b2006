import { Effect } from "effect"
import { StationConfig } from "../../engine/runtime/Config.ts"
import { highlightsKeptDays } from "../../engine/rules/lore/limits.ts"
import { HighlightsWriter } from "../../engine/store/lore/Highlights.ts"
import { dayMs, hourMs } from "../../schema/time/Units.ts"
import { repeatEvery, periodicJob, purgeJob } from "../runtime/Jobs.ts"
import { HighlightDesk } from "./protocol/Highlights.ts"

/** Asked every hour, so that a station that was off at midnight makes its edition too. */
const makeDaily = Effect.flatMap(StationConfig, ({ stationSlug }) =>
  Effect.flatMap(HighlightDesk.client, (desk) => desk(stationSlug).MakeDaily())
)

export const highlightJobs = [
  periodicJob("lore.make_highlights", { next: repeatEvery(hourMs), work: makeDaily }),
  purgeJob("lore.purge_highlights", {
    next: repeatEvery(hourMs),
    batch: (nowMs) => Effect.flatMap(HighlightsWriter, ({ purge }) => purge(nowMs - highlightsKeptDays * dayMs))
  })
] as const
