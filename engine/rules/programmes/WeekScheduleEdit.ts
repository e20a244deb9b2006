import { Result } from "effect"
import { Block } from "../../../schema/programmes/Block.ts"
import type { BlockId } from "../../../schema/Ids.ts"
import { blockMinutesMax, blockMinutesMin, gridBlocksMax } from "./limits.ts"
import { faultsOf } from "../time/WeekSchedule.ts"

/** A change of the week. `replaces` names the blocks that the given ones replace. */
export type GridChange =
  | { readonly _tag: "Put"; readonly blocks: ReadonlyArray<Block>; readonly replaces: ReadonlyArray<string> }
  | { readonly _tag: "Change"; readonly id: string; readonly to: Partial<Omit<Block, "id">> }
  | { readonly _tag: "Remove"; readonly id: string }

/**
 * The effect on neighbouring blocks. `exact` leaves them unchanged and refuses a change that doesn't fit. `make_room` cuts them under the new block.
 * A gap goes to the block before it, or to the block after it if the one before is new.
 */
export type GridFit = "exact" | "make_room"

/** The reason a change is refused, and its minute of the week (Sunday 00:00 is 0). */
export interface EditFault {
  readonly code: "gap" | "overlap" | "too_short" | "too_long" | "too_many" | "unknown" | "empty"
  readonly minute: number
  readonly blockId: string | null
}

const dayMin = 1_440
const weekMin = 7 * dayMin
const days = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"] as const

/** A minute of the week in words. */
export const minuteName = (minute: number): string =>
  `${days[Math.floor(minute / dayMin)]!} ${String(Math.floor((minute % dayMin) / 60)).padStart(2, "0")}:${String(minute % 60).padStart(2, "0")}`

const startOf = ({ startMinute, weekday }: Pick<Block, "startMinute" | "weekday">): number =>
  weekday * dayMin + startMinute
const compareStarts = (one: Block, other: Block) => startOf(one) - startOf(other)

/** The same block at another time of the week. */
const placeBlock = (block: Block, from: number, to: number, id = block.id): Block => {
  const start = ((from % weekMin) + weekMin) % weekMin
  return new Block({
    ...block,
    id,
    weekday: Math.floor(start / dayMin),
    startMinute: start % dayMin,
    durationMin: to - from
  })
}

/** The rest of a block under others: none, all, or pieces. The first piece keeps its id. */
const cutUnder = (
  block: Block,
  over: ReadonlyArray<Block>,
  pieceId: (of: BlockId, nth: number) => BlockId
): ReadonlyArray<Block> => {
  const whole: readonly [number, number] = [startOf(block), startOf(block) + block.durationMin]
  const cuts = over.flatMap((other) =>
    [-weekMin, 0, weekMin].map((shift) => [startOf(other) + shift, startOf(other) + shift + other.durationMin] as const)
  )
  const pieces = cuts.reduce<ReadonlyArray<readonly [number, number]>>(
    (left, [from, to]) =>
      left.flatMap(([begins, ends]) =>
        to <= begins || from >= ends
          ? [[begins, ends] as const]
          : [...(from > begins ? [[begins, from] as const] : []), ...(to < ends ? [[to, ends] as const] : [])]
      ),
    [whole]
  )
  return pieces.map(([from, to], nth) => placeBlock(block, from, to, nth === 0 ? block.id : pieceId(block.id, nth)))
}

/** Extends a neighbour over each gap, preferably one that isn't new. */
const closeGaps = (blocks: ReadonlyArray<Block>, put: ReadonlySet<string>): ReadonlyArray<Block> => {
  const sorted = blocks.toSorted(compareStarts)
  const grown = new Map<string, Block>()
  const currentOf = (block: Block) => grown.get(block.id) ?? block
  sorted.forEach((block, i) => {
    const next = sorted[(i + 1) % sorted.length]!
    const ends = startOf(block) + block.durationMin
    const until = startOf(next) + (i + 1 === sorted.length ? weekMin : 0)
    if (ends >= until) return
    if (!put.has(block.id))
      grown.set(
        block.id,
        placeBlock(
          currentOf(block),
          startOf(currentOf(block)),
          startOf(currentOf(block)) + currentOf(block).durationMin + until - ends
        )
      )
    else if (!put.has(next.id))
      grown.set(
        next.id,
        placeBlock(
          currentOf(next),
          startOf(currentOf(next)) - (until - ends),
          startOf(currentOf(next)) + currentOf(next).durationMin
        )
      )
  })
  return sorted.map(currentOf)
}

const faultsIn = (blocks: ReadonlyArray<Block>): ReadonlyArray<EditFault> => {
  const faults = faultsOf(blocks)
  // After a block that overlaps several others, further faults of order are no evidence of gaps.
  const overlaps = faults.filter(({ code }) => code === "overlap")
  return [
    ...(overlaps.length > 0 ? overlaps : faults).map((fault): EditFault => ({ ...fault, blockId: null })),
    ...blocks.flatMap((block): ReadonlyArray<EditFault> =>
      block.durationMin < blockMinutesMin
        ? [{ code: "too_short", minute: startOf(block), blockId: block.id }]
        : block.durationMin > blockMinutesMax
          ? [{ code: "too_long", minute: startOf(block), blockId: block.id }]
          : []
    ),
    ...(blocks.length > gridBlocksMax ? [{ code: "too_many", minute: 0, blockId: null } as const] : [])
  ]
}

/** The week after a change, in order, or all its faults. `pieceId` derives the ids of a split block, so repeats agree. */
export const editWeek = (
  week: ReadonlyArray<Block>,
  change: GridChange,
  fit: GridFit,
  pieceId: (of: BlockId, nth: number) => BlockId
): Result.Result<ReadonlyArray<Block>, ReadonlyArray<EditFault>> => {
  const named = change._tag === "Put" ? change.replaces : [change.id]
  const missing = named.filter((id) => !week.some((block) => block.id === id))
  if (missing.length > 0) return Result.fail(missing.map((blockId) => ({ code: "unknown", minute: 0, blockId })))
  const put =
    change._tag === "Put"
      ? change.blocks
      : change._tag === "Remove"
        ? []
        : week.filter(({ id }) => id === change.id).map((block) => new Block({ ...block, ...change.to }))
  const others = week.filter(({ id }) => !named.includes(id))
  const after =
    fit === "exact"
      ? [...others, ...put].toSorted(compareStarts)
      : closeGaps(
          [...others.flatMap((block) => cutUnder(block, put, pieceId)), ...put],
          new Set(put.map(({ id }) => id))
        )
  const faults = faultsIn(after)
  return faults.length === 0 ? Result.succeed(after) : Result.fail(faults)
}
