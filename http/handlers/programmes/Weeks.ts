import { Effect } from "effect"
import { weekFrom } from "../../../engine/rules/time/WeekSchedule.ts"
import { WeekSchedules } from "../../../engine/store/programmes/WeekSchedules.ts"
import type { GridRevision } from "../../../schema/programmes/Block.ts"

/** The week at an instant, with planned changes. */
export const weekSince = (fromMs: number) =>
  Effect.map(
    Effect.flatMap(WeekSchedules, (grids) => grids.from(fromMs)),
    (known) => weekFrom(known, fromMs)
  )

/** Shows with a home in the week. */
export const showsIn = (week: ReadonlyArray<GridRevision>) =>
  Effect.flatMap(WeekSchedules, (grids) =>
    grids.showsOf([...new Set(week.flatMap(({ blocks }) => blocks.flatMap(({ showId }) => showId ?? [])))])
  )
