import type { ItemId, PlanId } from "../../schema/Ids.ts"
import type { PlanItem } from "../../schema/Plan.ts"
import { airedCompletelyShareMin } from "../Limits.ts"
import { airIdOf } from "./Sequence.ts"

/** What was heard of an item, by the id it aired under. */
export interface ItemHeard {
  readonly itemId: ItemId
  readonly startedAtMs: number
  readonly endedAtMs: number
  readonly complete: boolean
}

/**
 * Which items of a plan have aired: what was heard to its end or for half of it at least. Silence and a bed under voices have no
 * airing of their own: they count with what is heard behind them.
 */
export const airedItems = (planId: PlanId, items: ReadonlyArray<PlanItem>, heard: ReadonlyArray<ItemHeard>): ReadonlySet<ItemId> => {
  const rows = new Map(heard.map((row) => [row.itemId, row]))
  const aired = new Set<ItemId>()
  const own = (item: PlanItem): boolean => {
    const row = rows.get(airIdOf(planId, item.id))
    return row !== undefined && (row.complete || row.endedAtMs - row.startedAtMs >= item.durationSec * 1_000 * airedCompletelyShareMin)
  }
  for (const [i, item] of items.entries()) {
    const isCarried = item.kind === "pause" || item.kind === "bed"
    const behind = items.slice(i + 1).find(({ kind }) => kind !== "pause" && kind !== "bed")
    if (own(item) || (isCarried && behind !== undefined && own(behind))) aired.add(item.id)
  }
  return aired
}
