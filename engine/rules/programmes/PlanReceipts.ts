import type { ItemId, PlanId } from "../../../schema/Ids.ts"
import type { PlanItem, PlanReceipt } from "../../../schema/programmes/Plan.ts"
import { isHeard } from "../air/Airing.ts"
import { airIdOf } from "../air/Sequence.ts"
import { iso } from "../../../schema/time/Instant.ts"

/** The aired part of an item, by the id it aired under. */
export interface ItemHeard {
  readonly itemId: ItemId
  readonly startedAtMs: number
  readonly endedAtMs: number
  readonly complete: boolean
  /** The length of the speech that aired; null for other sounds, which are as long as planned. */
  readonly spokenMs: number | null
}
const isCarried = ({ kind }: Pick<PlanItem, "kind">): boolean => kind === "pause" || kind === "bed"
/**
 * The items of a plan that have aired: to their end, or at least half. Silence and beds under speech have no airing of their own; they count with the
 * next item.
 */
export const findAiredItems = (
  planId: PlanId,
  items: ReadonlyArray<PlanItem>,
  heard: ReadonlyArray<ItemHeard>
): ReadonlySet<ItemId> => {
  const rows = new Map(heard.map((row) => [row.itemId, row]))
  const hasAired = (item: PlanItem): boolean => {
    const row = rows.get(airIdOf(planId, item.id))
    return (
      row !== undefined &&
      (row.complete || isHeard("plan_part", row.endedAtMs - row.startedAtMs, row.spokenMs ?? item.durationSec * 1_000))
    )
  }
  return new Set(
    items.flatMap((item, i) => {
      const behind = items.slice(i + 1).find((one) => !isCarried(one))
      return hasAired(item) || (isCarried(item) && behind !== undefined && hasAired(behind)) ? [item.id] : []
    })
  )
}
/** Planned items next to their airings. */
export const receiptsOf = (
  plan: { readonly id: PlanId; readonly items: ReadonlyArray<PlanItem> },
  heard: ReadonlyArray<ItemHeard & { readonly asRunSeq: number; readonly cutBy: string | null }>,
  notes: ReadonlyArray<{ readonly itemId: ItemId; readonly plannedAtMs: number | null; readonly why: string | null }>
): ReadonlyArray<PlanReceipt> => {
  const aired = findAiredItems(plan.id, plan.items, heard)
  // A bed plays for its planned duration, not to its end.
  return plan.items.map(({ durationSec, id, index, kind, title }) => {
    const row = heard.find(({ itemId }) => itemId === airIdOf(plan.id, id))
    const note = notes.find(({ itemId }) => itemId === id)
    const plannedAtMs = note?.plannedAtMs ?? null
    return {
      itemId: id,
      index,
      kind,
      title,
      plannedAt: plannedAtMs === null ? null : iso(plannedAtMs),
      startedAt: row === undefined ? null : iso(row.startedAtMs),
      endedAt: row === undefined ? null : iso(row.endedAtMs),
      lateMs: row === undefined || plannedAtMs === null ? null : row.startedAtMs - plannedAtMs,
      aired: aired.has(id),
      complete:
        row === undefined
          ? null
          : row.complete || (isCarried({ kind }) && row.endedAtMs - row.startedAtMs >= durationSec * 1_000 - 100),
      asRunId: row === undefined ? null : `asr_${row.asRunSeq}`,
      reason: aired.has(id) ? null : row === undefined ? (note?.why ?? null) : row.cutBy
    }
  })
}
