import { Clock, Effect } from "effect"
import { StationConfig } from "../../engine/runtime/Config.ts"
import { IdSource } from "../../engine/runtime/IdSource.ts"
import { bookingTriesMax, plansOpenMax } from "../../engine/rules/programmes/limits.ts"
import { type Occurrence, runsOf, weekFrom } from "../../engine/rules/time/WeekSchedule.ts"
import { itemFaults, itemsOf } from "../../engine/rules/programmes/PlanItems.ts"
import { labelItems } from "../../engine/rules/programmes/PlanMaterials.ts"
import { plannedSec, rowsOf } from "../../engine/rules/programmes/PlanPreview.ts"
import { type NoRun, runsFor } from "../../engine/rules/programmes/PlanRuns.ts"
import { isEditable, isOpen } from "../../engine/rules/programmes/PlanState.ts"
import { WeekSchedules, WeekSchedulesWriter } from "../../engine/store/programmes/WeekSchedules.ts"
import { PlanStocks } from "../../engine/store/programmes/PlanStocks.ts"
import { type NewPlan, Plans, PlansWriter } from "../../engine/store/programmes/Plans.ts"
import { Shows } from "../../engine/store/programmes/Shows.ts"
import type { Broadcaster } from "../../schema/segments/Submission.ts"
import type { AgentId, ItemId, PlanId } from "../../schema/Ids.ts"
import type { PlanChange, PlanDraft, PlanItem, PlanItemDraft, PlanRecord } from "../../schema/programmes/Plan.ts"
import {
  CollaborationSlotNotBookable,
  DjShowPlanNotFound,
  Forbidden,
  InvalidField,
  MissingFields,
  OccurrenceAlreadyBooked,
  OccurrenceInPast,
  PlanNotEditable,
  ScheduleBlockNotFound,
  StationNotFound,
  TitleRequired
} from "../../schema/Problems.ts"
import { ShowAudience, ShowFormat } from "../../schema/programmes/Show.ts"
import { EventBus } from "../runtime/EventBus.ts"
import { keepSpeech } from "./ProducerSpeech.ts"
import { command } from "../runtime/Command.ts"
import { activeAgent } from "../agents/activeAgent.ts"
import { planView } from "../../engine/rules/programmes/PlanView.ts"

export interface DraftCommand {
  readonly by: Broadcaster
  readonly draft: PlanDraft
}
export interface PlanCommand {
  readonly planId: string
  readonly by: Broadcaster
}
/** The agent's plan. DjShowPlanNotFound for other agents' plans. */
export const findOwnPlan = Effect.fnUntraced(function* (planId: string, agentId: AgentId) {
  const plan = yield* (yield* Plans).find(planId)
  return plan?.agentId === agentId
    ? plan
    : yield* new DjShowPlanNotFound({ detail: `None of your plans has the id ${planId}.` })
})
/** The agent's view of a plan. */
export const render = Effect.fnUntraced(function* (plan: PlanRecord) {
  return planView(plan, (yield* StationConfig).planLeadMin)
})
/** The items with titles and durations, and their total duration. */
export const measure = Effect.fnUntraced(function* (
  plan: Pick<PlanRecord, "id" | "agentId" | "title" | "format" | "startMs" | "targetDurationSec">,
  items: ReadonlyArray<PlanItem>
) {
  const stock = yield* (yield* PlanStocks).find(plan.agentId, items)
  const named = labelItems(items, plan.id, stock)
  return { items: named, plannedDurationSec: plannedSec(plan.startMs, rowsOf({ ...plan, items: named }, stock)) }
})
const writeItems = Effect.fnUntraced(function* (drafts: ReadonlyArray<PlanItemDraft>, before: ReadonlyArray<PlanItem>) {
  const faults = itemFaults(drafts)
  if (faults.length > 0) return yield* new InvalidField({ detail: "Some items are invalid.", errors: faults })
  const ids = yield* IdSource
  return itemsOf(drafts, before, yield* Effect.forEach(drafts, () => ids.make("itm") as Effect.Effect<ItemId>))
})
const checkTitle = (title: string) =>
  title === ""
    ? new TitleRequired({
        detail: "Give the clip a title.",
        errors: [{ pointer: "/title", code: "TITLE_REQUIRED", detail: "is required and must not be empty" }]
      })
    : Effect.void
const refuseRun = (reason: NoRun["reason"], { blockId, occurrenceStartMs }: PlanDraft) => {
  const start = occurrenceStartMs === null ? "" : new Date(occurrenceStartMs).toISOString()
  switch (reason) {
    case "past":
      return new OccurrenceInPast({
        detail: `${start} is in the past.`,
        errors: [{ pointer: "/occurrenceStart", code: "OCCURRENCE_IN_PAST", detail: "must be in the future" }]
      })
    case "unknown_block":
      return new ScheduleBlockNotFound({
        detail:
          blockId === null
            ? `No block that agents can book begins at ${start}. GET /api/v1/catalog/slots lists them.`
            : `There is no block ${blockId}. GET /api/v1/catalog/slots lists those that can be booked.`
      })
    case "collaboration":
      return new CollaborationSlotNotBookable({
        detail: "This block is for panels. Open a session of one of your shows instead."
      })
    case "not_bookable":
      return new Forbidden({
        detail: "The station fills this block itself. GET /api/v1/catalog/slots lists those that can be booked."
      })
    case "not_a_start":
    case "too_far":
      return new InvalidField({
        detail: reason === "too_far" ? "Runs can be booked 28 days ahead." : "No run of this block begins then.",
        errors: [
          {
            pointer: "/occurrenceStart",
            code: "INVALID_FIELD",
            detail:
              reason === "too_far"
                ? "is too far ahead"
                : "is no start of a run; GET /api/v1/catalog/slots suggests some"
          }
        ]
      })
    case "taken":
      return new OccurrenceAlreadyBooked({
        detail: start === "" ? "Every run with enough lead time is taken." : `The run at ${start} is taken.`,
        nextStep: "GET /api/v1/catalog/slots shows which runs are free."
      })
  }
}
/** Runs open to this agent: blocks of other agents' active shows are excluded. Fails when none is left. */
const filterOwnRuns = Effect.fnUntraced(function* (runs: ReadonlyArray<Occurrence>, agentId: AgentId) {
  const shows = yield* Shows
  const homes = new Map(
    (yield* Effect.forEach([...new Set(runs.flatMap(({ block }) => block.showId ?? []))], shows.findById)).flatMap(
      (show) => (show === null ? [] : [[show.id, show] as const])
    )
  )
  const open = runs.filter(({ block }) => {
    const show = block.showId === null ? undefined : homes.get(block.showId)
    return show === undefined || show.status !== "active" || show.hostAgentId === agentId
  })
  const showOf = ({ block }: Occurrence) =>
    block.showId !== null && homes.get(block.showId)?.hostAgentId === agentId ? block.showId : null
  return open.length > 0
    ? { open, showOf }
    : yield* new Forbidden({ detail: `The block is the home of another agent's show.` })
})
const checkOwnShow = Effect.fnUntraced(function* ({ agentShowId }: PlanDraft, agentId: AgentId) {
  if (agentShowId === null) return
  const show = yield* (yield* Shows).findById(agentShowId)
  if (show?.hostAgentId !== agentId || show.status !== "active")
    return yield* new Forbidden({ detail: `You host no active show ${agentShowId}.` })
})
const formatOf = (text: string | null): ShowFormat | null => ShowFormat.literals.find((each) => each === text) ?? null
const audienceOf = (text: string | null): ShowAudience | null =>
  ShowAudience.literals.find((each) => each === text) ?? null
const checkStation = Effect.fnUntraced(function* ({ stationId, stationSlug }: PlanDraft) {
  const config = yield* StationConfig
  const known = yield* (yield* EventBus).get("stationId")
  if ((stationSlug !== null && stationSlug !== config.stationSlug) || (stationId !== null && stationId !== known)) {
    return yield* new StationNotFound({
      detail: `This server has one station, with stationSlug "${config.stationSlug}".`
    })
  }
})
/** Bookable runs in the order to try them. */
const candidates = Effect.fnUntraced(function* (draft: PlanDraft, agentId: AgentId) {
  const { planLeadMin, timeZone } = yield* StationConfig
  const nowMs = yield* Clock.currentTimeMillis
  const week = weekFrom(yield* (yield* WeekSchedules).from(nowMs), nowMs)
  const bookable = [
    ...new Set(week.flatMap(({ blocks }) => blocks.filter((block) => block.bookable).map(({ id }) => id)))
  ]
  const taken = yield* (yield* Plans).listTaken(bookable, nowMs)
  const ask = { blockId: draft.blockId, startMs: draft.occurrenceStartMs, leadMin: planLeadMin, nowMs, taken }
  const runs = yield* Effect.mapError(Effect.fromResult(runsFor(week, timeZone, ask)), ({ reason }) =>
    refuseRun(reason, draft)
  )
  return yield* filterOwnRuns(runs, agentId)
})
const roomFor = Effect.fnUntraced(function* (agentId: AgentId) {
  const open = yield* (yield* Plans).listByAgent(agentId, ["draft", "submitted", "approved"])
  if (open.length >= plansOpenMax)
    return yield* new Forbidden({
      detail: `${plansOpenMax} of your plans are open, drafts among them: ${open.map(({ id, status }) => `${id} (${status})`).join(", ")}. Submit and air or cancel one of them first.`
    })
})
/** The booked run, if the week still has it. Locks the week for the transaction. */
const findStandingRun = Effect.fnUntraced(function* ({
  blockId,
  endMs,
  startMs
}: Pick<PlanRecord, "blockId" | "startMs" | "endMs">) {
  const grids = yield* WeekSchedulesWriter
  yield* grids.hold
  const nowMs = yield* Clock.currentTimeMillis
  return (
    runsOf(weekFrom(yield* grids.from(nowMs), nowMs), (yield* StationConfig).timeZone, startMs, startMs + 1).find(
      (run) => run.block.id === blockId && run.startMs === startMs && run.endMs === endMs
    ) ?? null
  )
})
/**
 * Reason why a plan can't take its run back, or null. Runs in a transaction; the store's unique index excludes runs taken by other plans.
 */
export const findLostRun = Effect.fnUntraced(function* (plan: PlanRecord) {
  const run = yield* findStandingRun(plan)
  if (run === null || !run.block.bookable) return "The week has changed and no longer has this run. Book another."
  return yield* Effect.match(filterOwnRuns([run], plan.agentId), {
    onFailure: ({ detail }) => `${detail} Book another.`,
    onSuccess: () => null
  })
})
/**
 * A draft in the first free run; the store's unique index decides between concurrent bookings. Answers the existing draft of the same
 * origin. Runs in the caller's transaction.
 */
export const bookDraft = Effect.fnUntraced(function* ({ by: { agentId }, draft }: DraftCommand, origin: string | null) {
  const plans = yield* PlansWriter
  const before = origin === null ? null : yield* plans.findByOrigin(agentId, origin)
  if (before !== null) return before
  yield* checkStation(draft)
  yield* checkTitle(draft.title)
  yield* activeAgent(agentId)
  const items = yield* writeItems(draft.items, [])
  yield* checkOwnShow(draft, agentId)
  const { open, showOf } = yield* candidates(draft, agentId)
  yield* roomFor(agentId)
  const id = (yield* (yield* IdSource).make("plan")) as PlanId
  const nowMs = yield* Clock.currentTimeMillis
  for (const run of open.slice(0, bookingTriesMax)) {
    const { block, endMs, startMs } = run
    const targetDurationSec = (endMs - startMs) / 1_000
    const shape = {
      id,
      agentId,
      title: draft.title,
      description: draft.description,
      format: draft.format ?? formatOf(block.format),
      audience: draft.audience ?? audienceOf(block.audience),
      blockId: block.id,
      startMs,
      endMs,
      targetDurationSec,
      agentShowId: draft.agentShowId ?? showOf(run),
      createdAtMs: nowMs,
      origin
    }
    const plan: NewPlan = { ...shape, ...(yield* measure(shape, items)) }
    if ((yield* findStandingRun(plan)) === null) continue
    const made = yield* plans.add(plan)
    if (made === null) continue
    yield* keepSpeech(plan)
    return made
  }
  return yield* refuseRun("taken", draft)
})
/** Makes a plan for the run with the given start. */
export const createPlan = Effect.fnUntraced(function* (asked: DraftCommand) {
  yield* checkTitle(asked.draft.title)
  if (asked.draft.occurrenceStartMs === null) {
    return yield* new MissingFields({
      detail: "occurrenceStart is required. It names the run of the plan.",
      errors: [{ pointer: "/occurrenceStart", code: "MISSING_FIELDS", detail: "is required" }]
    })
  }
  return yield* command({ run: Effect.flatMap(bookDraft(asked, null), render) })
})
export const notEditable = (plan: PlanRecord) =>
  new PlanNotEditable({
    detail:
      plan.status === "rejected"
        ? "It was rejected and can no longer be changed."
        : `It is ${plan.status}: only a draft can be changed.`
  })
/** Changes a draft. A rejected plan becomes a draft again if its run is still free. */
export const revisePlan = Effect.fnUntraced(function* ({
  by: { agentId },
  change,
  planId
}: PlanCommand & { readonly change: PlanChange }) {
  const plans = yield* PlansWriter
  const { planLeadMin } = yield* StationConfig
  const plan = yield* findOwnPlan(planId, agentId)
  yield* activeAgent(agentId)
  const nowMs = yield* Clock.currentTimeMillis
  if (change.title !== undefined) yield* checkTitle(change.title)
  if (!isEditable(plan, planLeadMin, nowMs)) return yield* notEditable(plan)
  const items = change.items === undefined ? plan.items : yield* writeItems(change.items, plan.items)
  const patch = {
    ...(change.title === undefined ? {} : { title: change.title }),
    ...(change.description === undefined ? {} : { description: change.description }),
    ...(change.items === undefined ? {} : { musicToComeSec: 0 }),
    ...(yield* measure(plan, items))
  }
  return yield* command({
    run: Effect.gen(function* () {
      if (!isOpen(plan.status)) {
        const lost = yield* findLostRun(plan)
        if (lost !== null) return yield* new PlanNotEditable({ detail: lost })
        yield* roomFor(agentId)
      }
      yield* keepSpeech({ ...plan, items })
      const changed = yield* plans.move(plan.id, {
        from: [plan.status],
        to: "draft",
        reason: null,
        atMs: nowMs,
        patch
      })
      return changed === null
        ? yield* new PlanNotEditable({
            detail:
              plan.status === "rejected"
                ? "Another agent has taken its run. Book another run."
                : "It changed in the meantime. Read it again."
          })
        : yield* render(changed)
    })
  })
})
