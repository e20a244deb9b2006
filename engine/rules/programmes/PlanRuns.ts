import { Data, Result } from "effect"
import type { GridRevision } from "../../../schema/programmes/Block.ts"
import type { BlockId } from "../../../schema/Ids.ts"
import { slotsAheadDays } from "./limits.ts"
import { type Occurrence, runsOf } from "../time/WeekSchedule.ts"
import { submitUntilMs } from "./PlanState.ts"

export class NoRun extends Data.TaggedError("NoRun")<{
  readonly reason: "past" | "unknown_block" | "collaboration" | "not_bookable" | "not_a_start" | "too_far" | "taken"
}> {}

export interface RunAsk {
  readonly blockId: string | null
  readonly startMs: number | null
  /** Excludes runs whose deadline has passed. A run named by its start is taken without this check. */
  readonly leadMin: number
  readonly nowMs: number
  readonly taken: ReadonlyArray<{ readonly blockId: BlockId; readonly startMs: number }>
}

export const runsAheadMs = slotsAheadDays * 86_400_000

const refuse = (reason: NoRun["reason"]) => Result.fail(new NoRun({ reason }))

/** Runs for an agent to book, the first choice first. Never empty; each is free as far as known. */
export const runsFor = (
  revisions: ReadonlyArray<GridRevision>,
  zone: string,
  { blockId, leadMin, nowMs, startMs, taken }: RunAsk
): Result.Result<ReadonlyArray<Occurrence>, NoRun> => {
  const blocks = revisions.flatMap(({ blocks }) => blocks)
  if (blockId !== null && !blocks.some(({ id }) => id === blockId)) return refuse("unknown_block")
  if (startMs !== null && startMs <= nowMs) return refuse("past")
  if (startMs !== null && startMs > nowMs + runsAheadMs) return refuse("too_far")
  const runs = runsOf(revisions, zone, nowMs, nowMs + runsAheadMs).filter(
    (run) => run.startMs > nowMs && run.endMs > run.startMs
  )
  const starting = startMs === null ? runs : runs.filter((run) => run.startMs === startMs)
  const asked =
    blockId === null
      ? starting.filter(({ block }) => block.bookable || block.kind === "collaboration")
      : starting.filter(({ block }) => block.id === blockId)
  if (asked.length === 0 && startMs !== null) return refuse(blockId === null ? "unknown_block" : "not_a_start")
  const alone = asked.filter(({ block }) => block.kind !== "collaboration")
  if (alone.length === 0 && asked.length > 0) return refuse("collaboration")
  const bookable = alone.filter(({ block }) => block.bookable)
  if (bookable.length === 0) return refuse(blockId === null ? "unknown_block" : "not_bookable")
  const free = bookable.filter(
    (run) => !taken.some((other) => other.blockId === run.block.id && other.startMs === run.startMs)
  )
  const inTime = startMs === null ? free.filter((run) => submitUntilMs(run.startMs, leadMin) >= nowMs) : free
  return inTime.length === 0 ? refuse("taken") : Result.succeed(inTime)
}
