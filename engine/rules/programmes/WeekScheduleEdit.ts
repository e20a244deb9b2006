import { Result } from "effect"
import { Block } from "../../../schema/programmes/Block.ts"
import type { BlockId } from "../../../schema/Ids.ts"
import { blockMinutesMax, blockMinutesMin, gridBlocksMax } from "./limits.ts"
import { faultsOf } from "../time/WeekSchedule.ts"

/** What somebody wants of the week. `replaces` names what the given blocks stand in place of. */
export type GridChange =
  | { readonly _tag: "Put"; readonly blocks: ReadonlyArray<Block>; readonly replaces: ReadonlyArray<string> }
  | { readonly _tag: "Change"; readonly id: string; readonly to: Partial<Omit<Block, "id">> }
  | { readonly _tag: "Remove"; readonly id: string }

/**
 * What becomes of the neighbours. `exact` leaves them as they are, and what doesn't fit is refused. With `make_room` they give way:
 * what is put over them is cut out of them, and what is left open belongs to the block before, which runs on; or to the block
 * after, where the one before was just put there.
 */
export type GridFit = "exact" | "make_room"

/** Why a change can't be made, and at which minute of the week, Sunday 00:00 being 0. */
export interface EditFault {
  readonly code: "gap" | "overlap" | "too_short" | "too_long" | "too_many" | "unknown" | "empty"
  readonly minute: number
  readonly blockId: string | null
}

const dayMin = 1_440
const weekMin = 7 * dayMin
const days = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"] as const

/** A minute of the week as people say it. */
export const minuteName = (minute: number): string =>
  `${days[Math.floor(minute / dayMin)]!} ${String(Math.floor((minute % dayMin) / 60)).padStart(2, "0")}:${String(minute % 60).padStart(2, "0")}`

const startOf = ({ startMinute, weekday }: Pick<Block, "startMinute" | "weekday">): number =>
  weekday * dayMin + startMinute
const byStart = (one: Block, other: Block) => startOf(one) - startOf(other)

/** The same block with another place in the week. */
const placed = (block: Block, from: number, to: number, id = block.id): Block => {
  const start = ((from % weekMin) + weekMin) % weekMin
  return new Block({
    ...block,
    id,
    weekday: Math.floor(start / dayMin),
    startMinute: start % dayMin,
    durationMin: to - from
  })
}

/** What is left of a block under others: nothing, itself, or pieces, the first of which keeps its name. */
const under = (
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
  return pieces.map(([from, to], nth) => placed(block, from, to, nth === 0 ? block.id : pieceId(block.id, nth)))
}

/** Gives what belongs to nobody to a neighbour that wasn't just put there. */
const closed = (blocks: ReadonlyArray<Block>, put: ReadonlySet<string>): ReadonlyArray<Block> => {
  const sorted = blocks.toSorted(byStart)
  const grown = new Map<string, Block>()
  const now = (block: Block) => grown.get(block.id) ?? block
  sorted.forEach((block, i) => {
    const next = sorted[(i + 1) % sorted.length]!
    const ends = startOf(block) + block.durationMin
    const until = startOf(next) + (i + 1 === sorted.length ? weekMin : 0)
    if (ends >= until) return
    if (!put.has(block.id))
      grown.set(
        block.id,
        placed(now(block), startOf(now(block)), startOf(now(block)) + now(block).durationMin + until - ends)
      )
    else if (!put.has(next.id))
      grown.set(
        next.id,
        placed(now(next), startOf(now(next)) - (until - ends), startOf(now(next)) + now(next).durationMin)
      )
  })
  return sorted.map(now)
}

const faultsIn = (blocks: ReadonlyArray<Block>): ReadonlyArray<EditFault> => {
  const faults = faultsOf(blocks)
  // Behind a block that runs over several others the order of the rest says nothing of gaps.
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

/** The week after a change, in order, or everything that stands in its way. `pieceId` names what a block falls into, the same each time. */
export const edited = (
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
      ? [...others, ...put].toSorted(byStart)
      : closed([...others.flatMap((block) => under(block, put, pieceId)), ...put], new Set(put.map(({ id }) => id)))
  const faults = faultsIn(after)
  return faults.length === 0 ? Result.succeed(after) : Result.fail(faults)
}
