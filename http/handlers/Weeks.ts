import { Effect } from "effect"
import { weekFrom } from "../../engine/rules/Grid.ts"
import { Grids } from "../../engine/store/Grids.ts"
import type { GridRevision } from "../../schema/Block.ts"

/** The week as it holds at an instant and after it. */
export const weekSince = (fromMs: number) => Effect.map(Effect.flatMap(Grids, (grids) => grids.from(fromMs)), (known) => weekFrom(known, fromMs))

/** The shows that have their homes in it. */
export const showsIn = (week: ReadonlyArray<GridRevision>) =>
  Effect.flatMap(Grids, (grids) => grids.showsOf([...new Set(week.flatMap(({ blocks }) => blocks.flatMap(({ showId }) => showId ?? [])))]))
