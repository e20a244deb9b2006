import { Clock, Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Producer } from "../../../actors/programmes/protocol/Producer.ts"
import { weekFrom } from "../../../engine/rules/time/WeekSchedule.ts"
import { planFaults, previewOf } from "../../../engine/rules/programmes/PlanPreview.ts"
import { readAirtime, readMeters } from "../../../engine/rules/voices/ReadAirtime.ts"
import { WeekSchedules } from "../../../engine/store/programmes/WeekSchedules.ts"
import { Meters } from "../../../engine/store/sql/Meters.ts"
import { PlanSegments } from "../../../engine/store/segments/PlanSegments.ts"
import { PlanStocks } from "../../../engine/store/programmes/PlanStocks.ts"
import { Plans } from "../../../engine/store/programmes/Plans.ts"
import { StationFacts } from "../../../engine/store/sql/StationFacts.ts"
import type { AgentId } from "../../../schema/Ids.ts"
import type { Booked, PlanDraft, PlanItemDraft, PlanRecord } from "../../../schema/programmes/Plan.ts"
import { DjShowPlanNotFound, PlanValidationFailed } from "../../../schema/Problems.ts"
import { Api } from "../../api/Api.ts"
import { CurrentAgent } from "../../api/auth/Authorization.ts"
import { isDry } from "../../api/Inputs.ts"
import { msOf } from "../../api/Instants.ts"
import type { DraftSent, ItemSent } from "../../api/programmes/Plans.ts"
import { limitOf } from "../../api/segments/Segments.ts"
import { send } from "../../Send.ts"
import { broadcaster, nextCursorOf, unknownCursor, previewAnswer } from "../Commands.ts"
import { PlansForAir } from "../../../engine/store/air/PlansForAir.ts"
import { receiptsOf } from "../../../engine/rules/programmes/PlanReceipts.ts"
import { airIdOf } from "../../../engine/rules/air/Sequence.ts"
import { iso } from "../../../schema/time/Instant.ts"
import { planView } from "../../../engine/rules/programmes/PlanView.ts"

export const PlanReceiptsHandlers = HttpApiBuilder.group(Api, "planReceipts", (handlers) =>
  handlers.handle(
    "asRun",
    Effect.fnUntraced(function* ({ params }) {
      const air = yield* PlansForAir
      const plan = yield* (yield* Plans).find(params.id)
      if (plan === null || plan.agentId !== (yield* CurrentAgent).agent.id)
        return yield* new DjShowPlanNotFound({ detail: `None of your plans has the id ${params.id}.` })
      const items = receiptsOf(
        plan,
        yield* air.listHeard(plan.items.map(({ id }) => airIdOf(plan.id, id))),
        yield* (yield* Plans).partNotes(plan.id)
      )
      const { endMs, id: planId, startMs, status, statusReason } = plan
      return {
        planId,
        status,
        statusReason,
        occurrenceStart: iso(startMs),
        occurrenceEnd: iso(endMs),
        airedItems: items.filter(({ aired }) => aired).length,
        items
      }
    })
  )
)

const itemDraftOf = ({
  durationSec,
  id,
  kind,
  locked,
  scriptText,
  segmentId,
  title,
  trackId,
  transition,
  uploadId
}: ItemSent): PlanItemDraft => ({
  id: id ?? null,
  kind,
  trackId: trackId ?? null,
  segmentId: segmentId ?? null,
  uploadId: uploadId ?? null,
  scriptText: scriptText ?? null,
  title: title ?? null,
  durationSec: durationSec ?? null,
  transition: transition ?? "segue",
  locked: locked ?? false
})
const draftOf = (sent: DraftSent, blockId: string | null): PlanDraft => ({
  title: sent.title ?? "",
  description: sent.description ?? null,
  format: sent.format ?? null,
  audience: sent.audience ?? null,
  blockId,
  agentShowId: null,
  occurrenceStartMs: sent.occurrenceStart == null ? null : msOf(sent.occurrenceStart),
  items: sent.items?.map(itemDraftOf) ?? [],
  stationSlug: sent.stationSlug ?? null,
  stationId: sent.stationId ?? null
})
/** Also accepted in the query. Declared for the body only, so that MCP tools don't ask twice. */
const submitAsked = Effect.map(HttpServerRequest.HttpServerRequest, ({ url }) =>
  new URLSearchParams(url.split("?")[1] ?? "").get("submit")
)
const bookedView = ({ preview, ...booked }: Booked) => ({ ...booked, ...(preview === null ? {} : { preview }) })
const findOwnPlan = Effect.fnUntraced(function* (planId: string, agentId: AgentId) {
  const plan = yield* (yield* Plans).find(planId)
  return plan?.agentId === agentId
    ? plan
    : yield* new DjShowPlanNotFound({ detail: `None of your plans has the id ${planId}.` })
})
const previewPlan = Effect.fnUntraced(function* (plan: PlanRecord) {
  const airtime = readAirtime(
    yield* (yield* Meters).read(readMeters("plan", plan.agentId)),
    yield* (yield* PlanSegments).listPromised(plan.agentId, plan.id),
    yield* Clock.currentTimeMillis
  )
  const stock = yield* (yield* PlanStocks).find(plan.agentId, plan.items)
  const errors = planFaults(plan, stock, airtime)
  if (errors.length > 0) return yield* new PlanValidationFailed({ detail: errors[0]!.detail, errors, planId: plan.id })
  const blocks = weekFrom(yield* (yield* WeekSchedules).from(plan.startMs), plan.startMs).flatMap(
    (revision) => revision.blocks
  )
  return previewOf(plan, stock, {
    overrunPolicy: blocks.find(({ id }) => id === plan.blockId)?.overrunPolicy ?? "trim",
    airtime
  })
})
export const PlansHandlers = HttpApiBuilder.group(
  Api,
  "plans",
  Effect.fnUntraced(function* (handlers) {
    const producer = yield* Producer.client
    const { planLeadMin } = yield* StationFacts
    const onPlan = Effect.map(CurrentAgent, (current) => ({
      by: broadcaster(current),
      mine: producer(current.agent.id)
    }))
    return handlers.handleAll({
      bookNext: Effect.fnUntraced(function* ({ payload, query }) {
        const { by, mine } = yield* onPlan
        const orchestrate = payload.submit === false || (yield* submitAsked) === "false" ? "fill" : "submit"
        const { booked, refusal } = yield* send(
          mine.Book({ by, draft: draftOf(payload, null), origin: null, orchestrate })
        )
        if (refusal !== null) return yield* refusal
        return isDry(query) ? previewAnswer(bookedView(booked), 201) : bookedView(booked)
      }),
      book: Effect.fnUntraced(function* ({ params, payload, query }) {
        const { by, mine } = yield* onPlan
        const { booked } = yield* send(
          mine.Book({ by, draft: draftOf(payload, params.blockId), origin: null, orchestrate: "draft" })
        )
        return isDry(query) ? previewAnswer(bookedView(booked), 201) : bookedView(booked)
      }),
      own: Effect.fnUntraced(function* ({ query }) {
        const { agent } = yield* CurrentAgent
        const upcoming = query.upcoming === "true" || query.upcoming === "1"
        const page = yield* (yield* Plans).list({
          agentId: agent.id,
          upcomingMs: upcoming ? yield* Clock.currentTimeMillis : null,
          limit: limitOf(query),
          cursor: query.cursor ?? null
        })
        if (page === null) return yield* unknownCursor
        return { plans: page.records.map((record) => planView(record, planLeadMin)), ...nextCursorOf(page.next) }
      }),
      create: Effect.fnUntraced(function* ({ payload, query }) {
        const { by, mine } = yield* onPlan
        const plan = yield* send(mine.CreatePlan({ by, draft: draftOf(payload, payload.blockId ?? null) }))
        return isDry(query) ? previewAnswer({ plan }, 201) : { plan }
      }),
      one: Effect.fnUntraced(function* ({ params }) {
        return { plan: planView(yield* findOwnPlan(params.id, (yield* CurrentAgent).agent.id), planLeadMin) }
      }),
      revise: Effect.fnUntraced(function* ({ params, payload, query }) {
        const { by, mine } = yield* onPlan
        const { items, ...words } = payload
        const plan = yield* send(
          mine.RevisePlan({
            by,
            planId: params.id,
            change: { ...words, ...(items === undefined ? {} : { items: items.map(itemDraftOf) }) }
          })
        )
        return isDry(query) ? previewAnswer({ plan }, 200) : { plan }
      }),
      fill: Effect.fnUntraced(function* ({ params, query }) {
        const { by, mine } = yield* onPlan
        const filled = yield* send(mine.FillMusic({ by, planId: params.id }))
        return isDry(query) ? previewAnswer(filled, 200) : filled
      }),
      preview: Effect.fnUntraced(function* ({ params, query }) {
        const preview = yield* previewPlan(yield* findOwnPlan(params.id, (yield* CurrentAgent).agent.id))
        return isDry(query) ? previewAnswer(preview, 200) : preview
      }),
      submit: Effect.fnUntraced(function* ({ params, query }) {
        const { by, mine } = yield* onPlan
        const plan = yield* send(mine.Submit({ by, planId: params.id }))
        return isDry(query) ? previewAnswer({ plan }, 200) : { plan }
      }),
      cancel: Effect.fnUntraced(function* ({ params, query }) {
        const { by, mine } = yield* onPlan
        const plan = yield* send(mine.CancelPlan({ by, planId: params.id }))
        return isDry(query) ? previewAnswer({ plan }, 200) : { plan }
      }),
      saveAsShow: Effect.fnUntraced(function* ({ params, payload, query }) {
        const { by, mine } = yield* onPlan
        const saved = yield* send(
          mine.SaveAsShow({ by, planId: params.id, title: payload.title || null, slug: payload.slug || null })
        )
        return isDry(query) ? previewAnswer(saved, 200) : saved
      })
    })
  })
)
