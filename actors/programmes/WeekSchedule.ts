import { Clock, Effect, Result } from "effect"
import { createHash } from "node:crypto"
import { StationConfig } from "../../engine/runtime/Config.ts"
import { IdSource } from "../../engine/runtime/IdSource.ts"
import { gridAheadDays } from "../../engine/rules/programmes/limits.ts"
import { runsOf, weekFrom } from "../../engine/rules/time/WeekSchedule.ts"
import {
  editWeek,
  type EditFault,
  type GridChange,
  minuteName
} from "../../engine/rules/programmes/WeekScheduleEdit.ts"
import { weekDifferences } from "../../engine/rules/programmes/WeekDifference.ts"
import { dayMs } from "../../schema/time/Units.ts"
import { type BookedRun, WeekSchedulesWriter } from "../../engine/store/programmes/WeekSchedules.ts"
import { PlansWriter } from "../../engine/store/programmes/Plans.ts"
import { Shows, ShowsWriter } from "../../engine/store/programmes/Shows.ts"
import { Block, GridRevision } from "../../schema/programmes/Block.ts"
import { type BlockId, makeId, type ShowId } from "../../schema/Ids.ts"
import {
  InvalidField,
  PreconditionFailed,
  ScheduleBlockNotFound,
  ShowNotFound,
  SubjectConflict
} from "../../schema/Problems.ts"
import { type WeekChange, WeekChanged, type WeekFit } from "../../schema/programmes/WeekSchedule.ts"
import { type Act, record } from "../runtime/audit.ts"
import { behaviours, command } from "../runtime/Command.ts"
import { actorLayer } from "../runtime/actorLayer.ts"
import { transient } from "../runtime/EntityKinds.ts"
import { releaseSpeech } from "./ProducerSpeech.ts"
import { Station } from "../air/protocol.ts"
import { WeekSchedule } from "./protocol/WeekSchedule.ts"
import { withdrawReview } from "../moderation/Reviews.ts"
import { emit } from "../runtime/emit.ts"
import { iso } from "../../schema/time/Instant.ts"
import { sendLater } from "../runtime/protocol.ts"

interface Asked extends Act {
  readonly change: WeekChange
  readonly fit: WeekFit
  readonly validFromMs: number | null
  readonly cancelPlans: boolean
  readonly seen?: string | null
}
const blockId = (text: string) =>
  makeId("blk", 0, createHash("sha256").update(text).digest().subarray(0, 10)) as BlockId
const said: { readonly [Code in EditFault["code"]]: string } = {
  gap: "belongs to no block",
  overlap: "belongs to two blocks",
  too_short: "the rest of the block is too short",
  too_long: "the block would be longer than a day",
  too_many: "there are too many blocks",
  unknown: "there is no such block",
  empty: "nothing is left"
}
const conflictOf = (detail: string, faults: ReadonlyArray<EditFault>) =>
  new SubjectConflict({
    detail,
    errors: faults.map(({ blockId, code, minute }) => ({
      pointer: blockId === null ? "/blocks" : `/blocks/${blockId}`,
      code: code.toUpperCase(),
      detail: `${minuteName(minute)}: ${said[code]}`
    })),
    nextStep: "List the replaced blocks, or send fit make_room to shorten the neighbours."
  })
/** The change for the rules. A new block has the same id in every week. */
const nameBlocks = (change: WeekChange, seed: string): GridChange =>
  change._tag === "Put"
    ? { ...change, blocks: change.blocks.map((block, n) => new Block({ ...block, id: blockId(`${seed}/${n}`) })) }
    : change._tag === "Change"
      ? { ...change, to: change.to as Partial<Omit<Block, "id">> }
      : change
/** The part of the change that applies to a later week; null when none does. */
const limitTo = (change: GridChange, week: ReadonlyArray<Block>): GridChange | null => {
  const has = (id: string) => week.some((block) => block.id === id)
  return change._tag === "Put" ? { ...change, replaces: change.replaces.filter(has) } : has(change.id) ? change : null
}
/** All weeks from an instant on, with the change applied. */
const changeWeeks = Effect.fnUntraced(function* (
  weeks: ReadonlyArray<GridRevision>,
  fromMs: number,
  change: GridChange,
  fit: WeekFit,
  seed: string
) {
  const pieceId = (of: BlockId, nth: number) => blockId(`${seed}/${of}/${nth}`)
  const [inForce, ...later] = weeks
  const first = editWeek(inForce!.blocks, change, fit, pieceId)
  if (Result.isFailure(first)) {
    const unknown = first.failure.find(({ code }) => code === "unknown")
    return yield* unknown === undefined
      ? conflictOf(
          "Every minute of the week needs exactly one block. This change leaves gaps or overlaps.",
          first.failure
        )
      : new ScheduleBlockNotFound({
          detail: `The week has no block ${unknown.blockId} at ${iso(fromMs)}. See GET /api/ops/blocks.`
        })
  }
  const after = [new GridRevision({ validFromMs: fromMs, blocks: first.success })]
  for (const { blocks, validFromMs } of later) {
    const part = limitTo(change, blocks)
    const next = part === null ? Result.succeed(blocks) : editWeek(blocks, part, fit, pieceId)
    if (Result.isFailure(next))
      return yield* conflictOf(
        `The change doesn't fit into the week planned from ${iso(validFromMs)} on.`,
        next.failure
      )
    after.push(new GridRevision({ validFromMs, blocks: next.success }))
  }
  return after
})
/** Booked runs that the new weeks lack or have at another time. */
const findDisplaced = (booked: ReadonlyArray<BookedRun>, weeks: ReadonlyArray<GridRevision>, zone: string) =>
  booked.filter(
    ({ blockId, endMs, startMs }) =>
      !runsOf(weeks, zone, startMs, startMs + 1).some(
        (run) => run.block.id === blockId && run.startMs === startMs && run.endMs === endMs
      )
  )
const takeBack = Effect.fnUntraced(function* ({ planId }: BookedRun) {
  const plans = yield* PlansWriter
  const plan = yield* plans.find(planId)
  if (plan === null) return
  yield* withdrawReview("plan", planId, "BLOCK_CHANGED")
  const items = yield* releaseSpeech(plan, "BLOCK_CHANGED")
  yield* plans.move(plan.id, {
    from: [plan.status],
    to: "cancelled",
    reason: "BLOCK_CHANGED",
    atMs: yield* Clock.currentTimeMillis,
    patch: { items }
  })
  yield* emit({
    _tag: "PlanDecided",
    planId: plan.id,
    agentId: plan.agentId,
    title: plan.title,
    status: "rejected",
    reason: "BLOCK_CHANGED"
  })
})
const planConflict = (gone: ReadonlyArray<BookedRun>) => {
  const isOn = gone.some(({ status }) => status === "airing")
  return new SubjectConflict({
    detail: isOn
      ? "The change removes a run that is on the air. Start the change after its end."
      : "The change removes runs that agents have booked.",
    errors: gone.map(({ endMs, handle, planId, startMs, title }) => ({
      pointer: "/cancelPlans",
      code: "RUN_BOOKED",
      detail: `${planId}: "${title}" by @${handle}, ${iso(startMs)} to ${iso(endMs)}`
    })),
    nextStep: isOn
      ? "Send validFrom."
      : "Send cancelPlans true to cancel them and notify their agents, or start the change later."
  })
}
/** Binds shows to their blocks in the last week. */
const bindShows = Effect.fnUntraced(function* (before: ReadonlyArray<Block>, after: ReadonlyArray<Block>) {
  const shows = yield* ShowsWriter
  const idsIn = (blocks: ReadonlyArray<Block>): ReadonlyArray<ShowId> => blocks.flatMap(({ showId }) => showId ?? [])
  for (const id of new Set([...idsIn(before), ...idsIn(after)])) {
    const show = yield* shows.findById(id)
    const home = after.find(({ showId }) => showId === id)?.id ?? null
    if (
      show !== null &&
      (show.blockId === null || !after.some((block) => block.id === show.blockId && block.showId === id))
    )
      yield* shows.bind(id, home)
  }
})
const isShow = (id: ShowId | null | undefined) => id !== null && id !== undefined
const homesIn = (change: WeekChange): ReadonlyArray<ShowId> =>
  (change._tag === "Put"
    ? change.blocks.map(({ showId }) => showId)
    : change._tag === "Change"
      ? [change.to.showId]
      : []
  ).filter(isShow)
const has = (blocks: ReadonlyArray<Block>, block: Block) =>
  blocks.some((other) => JSON.stringify(other) === JSON.stringify(block))
const without = (blocks: ReadonlyArray<Block>, others: ReadonlyArray<Block>) =>
  blocks.filter((block) => !has(others, block))
const instantOf = Effect.fnUntraced(function* ({ validFromMs }: Asked) {
  const nowMs = yield* Clock.currentTimeMillis
  const fromMs = validFromMs ?? nowMs
  if (fromMs >= nowMs && fromMs <= nowMs + gridAheadDays * dayMs) return { nowMs, fromMs }
  return yield* new InvalidField({
    detail: `validFrom must be now or within the next ${gridAheadDays} days.`,
    errors: [{ pointer: "/validFrom", code: "INVALID_FIELD", detail: "is not within the planned days" }]
  })
})
/** Fails when the week has changed since the version that the operator saw. The week is locked. */
const requireUnchanged = Effect.fnUntraced(function* (seen: string | null | undefined, fromMs: number) {
  const grids = yield* WeekSchedulesWriter
  const version = yield* grids.version
  if (seen == null || seen === String(version)) return
  const known = /^\d{1,9}$/.test(seen) && Number(seen) < version ? Number(seen) : null
  return yield* new PreconditionFailed({
    detail: "The week has changed since you read it. Read it again, then change it.",
    errors: [{ pointer: "/headers/if-match", code: "PRECONDITION_FAILED", detail: "is an older version" }],
    version: String(version),
    differences:
      known === null
        ? []
        : weekDifferences(
            weekFrom(yield* grids.from(fromMs, known), fromMs),
            weekFrom(yield* grids.from(fromMs), fromMs)
          )
  })
})
/** Runs in a transaction. */
const changeWeek = Effect.fnUntraced(function* (asked: Asked) {
  const grids = yield* WeekSchedulesWriter
  const { timeZone } = yield* StationConfig
  const { fromMs, nowMs } = yield* instantOf(asked)
  for (const id of homesIn(asked.change)) {
    const show = yield* (yield* Shows).findById(id)
    if (show === null || show.status === "retired")
      return yield* new ShowNotFound({ detail: `There is no show ${id} to bind to a block.` })
  }
  // Locks the week.
  yield* grids.newest
  yield* requireUnchanged(asked.seen, nowMs)
  const known = weekFrom(yield* grids.from(nowMs), nowMs)
  const weeks = weekFrom(yield* grids.from(fromMs), fromMs)
  const before = weeks[0]!.blocks
  const laterMs = weeks.slice(1).map(({ validFromMs }) => validFromMs)
  const seed = yield* (yield* IdSource).make("blk")
  const change = nameBlocks(asked.change, seed)
  const next = yield* changeWeeks(weeks, fromMs, change, asked.fit, seed)
  const after = next[0]!.blocks
  const changed = without(after, before)
  if (changed.length === 0 && after.length === before.length)
    return new WeekChanged({
      validFromMs: weeks[0]!.validFromMs,
      blocks: before,
      changed,
      laterMs,
      cancelledPlanIds: [],
      version: yield* grids.version
    })
  const gone = findDisplaced(
    yield* grids.listBooked(fromMs),
    [...known.filter(({ validFromMs }) => validFromMs < fromMs), ...next],
    timeZone
  )
  if (gone.some(({ status }) => status === "airing") || (gone.length > 0 && !asked.cancelPlans))
    return yield* planConflict(gone)
  yield* Effect.forEach(gone, takeBack, { discard: true })
  yield* Effect.forEach(next, (revision) => grids.add(revision, asked.actor), { discard: true })
  yield* bindShows(weeks.at(-1)!.blocks, next.at(-1)!.blocks)
  const cancelledPlanIds = gone.map(({ planId }) => planId)
  yield* record(
    asked,
    `blocks.${change._tag.toLowerCase()}`,
    { type: "schedule_block", id: change._tag === "Put" ? change.blocks[0]!.id : change.id },
    { blocks: without(before, after) },
    { blocks: changed, validFrom: iso(fromMs), cancelledPlanIds }
  )
  return new WeekChanged({
    validFromMs: fromMs,
    blocks: after,
    changed,
    laterMs,
    cancelledPlanIds,
    version: yield* grids.version
  })
})
/** The week's only mailbox; other writers take the week's lock. The station replans after each change. */
export const WeekScheduleLive = actorLayer(
  WeekSchedule,
  Effect.gen(function* () {
    const station = yield* Station.client
    const { stationSlug } = yield* StationConfig
    return WeekSchedule.of(
      yield* behaviours(WeekSchedule, {
        ChangeWeek: ({ payload }) =>
          command({
            run: changeWeek(payload),
            // A lost message delays the change by seconds: the station's clock also polls the week.
            after: (changed) => Effect.as(sendLater(station(stationSlug).Replan()), changed)
          })
      })
    )
  }),
  transient
)
