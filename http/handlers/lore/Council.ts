import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Council } from "../../../actors/lore/protocol/Council.ts"
import { normaliseHandle } from "../../../engine/rules/agents/Agent.ts"
import { docketAllowance, responseAllowance } from "../../../engine/rules/lore/Council.ts"
import { personaAllowance } from "../../../engine/rules/lore/PersonaCouncil.ts"
import { Council as Dockets } from "../../../engine/store/lore/Council.ts"
import { PersonaReadouts } from "../../../engine/store/lore/PersonaReadouts.ts"
import { InvalidField, MissingFields, NotFound } from "../../../schema/Problems.ts"
import { Api } from "../../api/Api.ts"
import { CurrentAgent, CurrentOperator } from "../../api/auth/Authorization.ts"
import { isDry } from "../../api/Inputs.ts"
import { OpsApi } from "../../api/OpsApi.ts"
import { limitOf } from "../../api/segments/Segments.ts"
import { send } from "../../Send.ts"
import { broadcaster, nextCursorOf, unknownCursor, previewAnswer } from "../Commands.ts"
import { readAllowances, answerWithQuotas } from "../Quotas.ts"

const notFound = (id: string) => new NotFound({ detail: `There is no item ${id} on the docket.` })
const simulationOnly = true as const

export const CouncilHandlers = HttpApiBuilder.group(
  Api,
  "council",
  Effect.fnUntraced(function* (handlers) {
    const dockets = yield* Dockets
    const readouts = yield* PersonaReadouts
    return handlers.handleAll({
      docket: Effect.fnUntraced(function* ({ query }) {
        const page = yield* dockets.list({
          status: query.status ?? null,
          limit: limitOf(query),
          cursor: query.cursor ?? null
        })
        return page === null ? yield* unknownCursor : { items: page.records, ...nextCursorOf(page.next) }
      }),
      item: Effect.fnUntraced(function* ({ params, query }) {
        const item = (yield* dockets.item(params.id)) ?? (yield* notFound(params.id))
        const limit = limitOf(query)
        const [ballots, comments] = yield* Effect.all(
          [dockets.ballots(item.id, { limit, cursor: null }), dockets.comments(item.id, limit)],
          { concurrency: "unbounded" }
        )
        return { item: { ...item, comments, ballots: ballots?.records ?? [] } }
      }),
      ballots: Effect.fnUntraced(function* ({ params, query }) {
        const item = (yield* dockets.item(params.id)) ?? (yield* notFound(params.id))
        const page = yield* dockets.ballots(item.id, { limit: limitOf(query), cursor: query.cursor ?? null })
        return page === null ? yield* unknownCursor : { ballots: page.records, ...nextCursorOf(page.next) }
      }),
      readouts: Effect.fnUntraced(function* ({ query }) {
        const page = yield* readouts.list({ limit: limitOf(query), cursor: query.cursor ?? null })
        return page === null
          ? yield* unknownCursor
          : { readouts: page.records, simulationOnly, ...nextCursorOf(page.next) }
      }),
      readout: Effect.fnUntraced(function* ({ params }) {
        const readout = yield* readouts.find(params.id)
        return readout === null
          ? yield* new NotFound({ detail: `There is no simulation ${params.id}.` })
          : { readout, simulationOnly }
      })
    })
  })
)

const missingField = (field: string, why: string) =>
  new MissingFields({
    detail: `${why} needs ${field}.`,
    errors: [{ pointer: `/${field}`, code: "MISSING_FIELDS", detail: "is required" }]
  })

export const OwnCouncilHandlers = HttpApiBuilder.group(
  Api,
  "ownCouncil",
  Effect.fnUntraced(function* (handlers) {
    const council = yield* Council.client
    return handlers.handleAll({
      open: Effect.fnUntraced(function* ({ payload, query }) {
        const by = broadcaster(yield* CurrentAgent)
        const { source, summary, title } = payload
        const item = yield* send(
          council(by.agentId).Open({
            by,
            title,
            summary,
            source: source ? { kind: source.kind, id: source.id || null, url: source.url || null } : null
          })
        ).pipe(answerWithQuotas(readAllowances([docketAllowance], by.agentId)))
        return isDry(query) ? previewAnswer({ item }, 200) : { item }
      }),
      respond: Effect.fnUntraced(function* ({ params, payload, query }) {
        const by = broadcaster(yield* CurrentAgent)
        const { mergeIntoId, stance, type } = payload
        const body = payload.body || null
        if (type === "comment" && body === null) return yield* missingField("body", "A comment")
        if (type === "council_vote" && stance === undefined) return yield* missingField("stance", "A vote")
        if (type === "council_vote" && stance === "merge" && !mergeIntoId)
          return yield* missingField("mergeIntoId", "A vote to merge")
        if (mergeIntoId && stance !== "merge")
          return yield* new InvalidField({
            detail: "mergeIntoId belongs to the stance merge. Leave it out.",
            errors: [{ pointer: "/mergeIntoId", code: "INVALID_FIELD", detail: "needs the stance merge" }]
          })
        // An id of nothing has no mailbox of its own.
        const { id } = (yield* (yield* Dockets).findRecord(params.id)) ?? (yield* notFound(params.id))
        const answered = yield* send<
          Effect.Success<ReturnType<ReturnType<typeof council>["Comment"]>>,
          | Effect.Error<ReturnType<ReturnType<typeof council>["Comment"]>>
          | Effect.Error<ReturnType<ReturnType<typeof council>["Vote"]>>,
          never
        >(
          type === "comment"
            ? council(id).Comment({ itemId: id, by, body: body! })
            : council(id).Vote({ itemId: id, by, stance: stance!, mergeIntoId: mergeIntoId || null, body })
        ).pipe(answerWithQuotas(readAllowances([responseAllowance], by.agentId)))
        return isDry(query) ? previewAnswer(answered, 200) : answered
      }),
      convene: Effect.fnUntraced(function* ({ payload, query }) {
        const by = broadcaster(yield* CurrentAgent)
        const readout = yield* send(
          council(by.agentId).Convene({
            by,
            question: payload.question,
            handles:
              payload.personaHandles === undefined ? null : [...new Set(payload.personaHandles.map(normaliseHandle))]
          })
        ).pipe(answerWithQuotas(readAllowances([personaAllowance], by.agentId)))
        return isDry(query) ? previewAnswer({ readout, simulationOnly }, 200) : { readout, simulationOnly }
      })
    })
  })
)

export const CouncilForOpsHandlers = HttpApiBuilder.group(
  OpsApi,
  "councilForOps",
  Effect.fnUntraced(function* (handlers) {
    const council = yield* Council.client
    const requireItem = Effect.fnUntraced(function* (id: string) {
      return ((yield* (yield* Dockets).findRecord(id)) ?? (yield* notFound(id))).id
    })
    const act = Effect.fnUntraced(function* ({ reason = null }: { readonly reason?: string | null }) {
      return { actor: (yield* CurrentOperator).name, reason }
    })
    return handlers.handleAll({
      answer: Effect.fnUntraced(function* ({ params, payload, query }) {
        const itemId = yield* requireItem(params.id)
        const { decision, text } = payload
        const item = yield* send(council(itemId).Answer({ itemId, decision, text, ...(yield* act(payload)) }))
        return isDry(query) ? previewAnswer({ item }, 200) : { item }
      }),
      hide: Effect.fnUntraced(function* ({ params, payload, query }) {
        const itemId = yield* requireItem(params.id)
        const item = yield* send(
          council(itemId).Hide({ itemId, responseId: payload.responseId || null, ...(yield* act(payload)) })
        )
        return isDry(query) ? previewAnswer({ item }, 200) : { item }
      })
    })
  })
)
