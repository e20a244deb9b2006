import { Effect } from "effect"
import { defaultGrid } from "../../../engine/rules/time/WeekSchedule.ts"
import { arrive } from "../http/AgentHttp.ts"
import {
  act,
  airPlan,
  moveStart,
  bookNext,
  bookRun,
  draftPlan,
  plans,
  revise,
  listRuns,
  shelf,
  makeShowReady
} from "../programmes/Plans.ts"
import { type Answer, call } from "../http/SegmentHttp.ts"
import {
  type Elsewhere,
  arriveGranted,
  callWithoutKey,
  post,
  type Scenes,
  type Successes,
  type World
} from "./Scene.ts"

const next = "/api/v1/catalog/slots/book"
const named = "/api/v1/catalog/slots/{blockId}/book"
const one = `${plans}/{id}`
const past = { occurrenceStart: "2026-01-01T17:00:00Z" }
const blockOf = (kind: string) => defaultGrid.find((block) => block.kind === kind)!.id

type Ask = Effect.Effect<Answer, unknown, World>
const askAsAgent = (ask: (key: string) => Ask): Ask => Effect.flatMap(arrive(), ({ key }) => ask(key))
/** Somebody does something to a plan of its own; `before` is what has been done to it. */
const toPlan = (
  ask: (key: string, planId: string) => Ask,
  before: (key: string, planId: string) => Effect.Effect<unknown, unknown, World> = () => Effect.void
): Ask =>
  Effect.gen(function* () {
    const { key } = yield* arrive()
    const { id } = yield* draftPlan(key)
    yield* before(key, id)
    return yield* ask(key, id)
  })
const cancelPlan = (key: string, id: string) => act(key, id, "cancel")
const withMusic = (key: string, id: string) => Effect.andThen(shelf(40), act(key, id, "music/lazy"))
/** What somebody else has booked. */
const taken = Effect.gen(function* () {
  const run = (yield* listRuns()).at(-1)!
  const { key } = yield* arrive()
  yield* bookRun(key, run.blockId, { occurrenceStart: run.occurrenceStart })
  return run
})
const withFour = (ask: (key: string) => Ask) =>
  askAsAgent((key) =>
    Effect.andThen(
      Effect.forEach([1, 2, 3, 4], () => draftPlan(key)),
      ask(key)
    )
  )
const nobodys = {
  DJ_SHOW_PLAN_NOT_FOUND: askAsAgent((key) => call("GET", `${plans}/plan_00000000000000000000000000`, { key }))
}

/** 4.6: bookings and plans. */
export const plansScenes: Scenes = {
  [`POST ${next}`]: {
    ...callWithoutKey("POST", next),
    TITLE_REQUIRED: askAsAgent((key) => bookNext(key, { title: " " })),
    OCCURRENCE_IN_PAST: askAsAgent((key) => bookNext(key, past)),
    COLLABORATION_SLOT_NOT_BOOKABLE: askAsAgent((key) =>
      Effect.flatMap(listRuns("collaboration"), ([run]) => bookNext(key, { occurrenceStart: run!.occurrenceStart }))
    ),
    FORBIDDEN: withFour((key) => bookNext(key, { submit: false })),
    SCHEDULE_BLOCK_NOT_FOUND: askAsAgent((key) =>
      Effect.flatMap(listRuns(), ([run]) =>
        bookNext(key, { occurrenceStart: run!.occurrenceStart.replace(":00:00.", ":01:00.") })
      )
    ),
    STATION_NOT_FOUND: askAsAgent((key) => bookNext(key, { stationSlug: "elsewhere" })),
    OCCURRENCE_ALREADY_BOOKED: Effect.flatMap(taken, ({ occurrenceStart }) =>
      askAsAgent((key) => bookNext(key, { occurrenceStart }))
    )
  },
  [`POST ${named}`]: {
    ...callWithoutKey("POST", `/api/v1/catalog/slots/${blockOf("show")}/book`),
    TITLE_REQUIRED: askAsAgent((key) => bookRun(key, blockOf("show"), { title: undefined })),
    OCCURRENCE_IN_PAST: askAsAgent((key) => bookRun(key, blockOf("show"), past)),
    COLLABORATION_SLOT_NOT_BOOKABLE: askAsAgent((key) => bookRun(key, blockOf("collaboration"))),
    FORBIDDEN: askAsAgent((key) => bookRun(key, blockOf("rotation"))),
    SCHEDULE_BLOCK_NOT_FOUND: askAsAgent((key) => bookRun(key, "blk_zzzzzzzzzzzzzzzzzzzzzzzzzz")),
    STATION_NOT_FOUND: askAsAgent((key) => bookRun(key, blockOf("show"), { stationId: "elsewhere" })),
    OCCURRENCE_ALREADY_BOOKED: Effect.flatMap(taken, ({ blockId, occurrenceStart }) =>
      askAsAgent((key) => bookRun(key, blockId, { occurrenceStart }))
    )
  },
  [`GET ${plans}`]: callWithoutKey("GET", plans),
  [`POST ${plans}`]: {
    TITLE_REQUIRED: askAsAgent((key) => post(plans, past, key)),
    OCCURRENCE_IN_PAST: askAsAgent((key) => post(plans, { title: "Late", ...past }, key)),
    OCCURRENCE_ALREADY_BOOKED: Effect.flatMap(taken, (run) =>
      askAsAgent((key) => post(plans, { title: "Mine", ...run }, key))
    )
  },
  [`GET ${one}`]: nobodys,
  [`PATCH ${one}`]: { PLAN_NOT_EDITABLE: toPlan((key, id) => revise(key, id, { items: [] }), cancelPlan) },
  [`POST ${one}/music/lazy`]: { PLAN_NOT_EDITABLE: toPlan((key, id) => act(key, id, "music/lazy"), cancelPlan) },
  [`POST ${one}/preview`]: {
    PLAN_VALIDATION_FAILED: toPlan(
      (key, id) => act(key, id, "preview"),
      (key, id) => revise(key, id, { items: [] })
    )
  },
  [`POST ${one}/submit`]: {
    INSUFFICIENT_LEAD_TIME: toPlan(
      (key, id) => act(key, id, "submit"),
      (key, id) => Effect.andThen(withMusic(key, id), moveStart(id, 120))
    ),
    PLAN_NOT_SUBMITTABLE: toPlan((key, id) => act(key, id, "submit"), cancelPlan)
  },
  [`POST ${one}/cancel`]: {
    PLAN_NOT_CANCELLABLE: toPlan(
      (key, id) => act(key, id, "cancel"),
      (_, id) => moveStart(id, 29)
    )
  },
  [`POST ${one}/save-as-show`]: { SAVE_AS_SHOW_NOT_ELIGIBLE: toPlan((key, id) => act(key, id, "save-as-show")) }
}

export const plansElsewhere: Elsewhere = {}

const fields = [
  "id",
  "agentId",
  "title",
  "description",
  "format",
  "audience",
  "blockId",
  "occurrenceStart",
  "occurrenceEnd",
  "targetDurationSec",
  "plannedDurationSec",
  "status",
  "statusReason",
  "items",
  "agentShowId",
  "editableUntil",
  "createdAt",
  "updatedAt"
]
const plan = fields.map((field) => `plan.${field}`)
const item = [
  "id",
  "index",
  "kind",
  "trackId",
  "segmentId",
  "uploadId",
  "scriptText",
  "title",
  "durationSec",
  "transition",
  "locked",
  "lazy"
].map((field) => `plan.items.0.${field}`)
const booking = ["blockId", "occurrenceStart", "occurrenceEnd", "title"].map((field) => `booking.${field}`)
const preview = [
  "planId",
  "valid",
  "startsAt",
  "endsAt",
  "plannedDurationSec",
  "targetDurationSec",
  "driftSec",
  "timeline.0.itemId",
  "timeline.0.startAt",
  "timeline.0.audioReady",
  "warnings"
]

export const plansSuccesses: Successes = {
  [`POST ${next}`]: {
    ask: askAsAgent((key) => Effect.andThen(shelf(40), bookNext(key))),
    fields: [...plan, ...item, ...booking, ...preview.map((field) => `preview.${field}`)]
  },
  [`POST ${named}`]: {
    ask: askAsAgent((key) => bookRun(key, blockOf("show"), { submit: true })),
    fields: [...plan, ...booking]
  },
  [`GET ${plans}`]: {
    ask: toPlan((key) => call("GET", `${plans}?upcoming=true`, { key })),
    fields: fields.map((field) => `plans.0.${field}`)
  },
  [`POST ${plans}`]: {
    ask: Effect.flatMap(listRuns(), (all) =>
      askAsAgent((key) => post(plans, { title: "At sea", ...all.at(-2)!, items: [{ kind: "station_id" }] }, key))
    ),
    fields: [...plan, ...item]
  },
  [`GET ${one}`]: { ask: toPlan((key, id) => call("GET", `${plans}/${id}`, { key })), fields: plan },
  [`PATCH ${one}`]: {
    ask: toPlan((key, id) => revise(key, id, { title: "At sea, still", items: [{ kind: "pause", durationSec: 1 }] })),
    fields: [...plan, ...item]
  },
  [`POST ${one}/music/lazy`]: {
    ask: toPlan((key, id) => act(key, id, "music/lazy"), withMusic),
    fields: [...plan, ...item, "added", "gapSec"]
  },
  [`POST ${one}/preview`]: { ask: toPlan((key, id) => act(key, id, "preview"), withMusic), fields: preview },
  [`POST ${one}/submit`]: { ask: toPlan((key, id) => act(key, id, "submit"), withMusic), fields: plan },
  [`POST ${one}/cancel`]: { ask: toPlan((key, id) => act(key, id, "cancel")), fields: plan },
  [`POST ${one}/save-as-show`]: {
    ask: Effect.gen(function* () {
      const agent = yield* arriveGranted()
      const { id } = yield* draftPlan(agent.key)
      yield* withMusic(agent.key, id)
      yield* airPlan(id)
      yield* makeShowReady(agent)
      return yield* act(agent.key, id, "save-as-show")
    }),
    fields: [
      "agentShow.id",
      "agentShow.slug",
      "agentShow.title",
      "agentShow.hostAgentId",
      "agentShow.blockId",
      "block.id",
      "block.showId"
    ]
  }
}
