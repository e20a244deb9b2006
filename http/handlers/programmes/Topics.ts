import { Clock, Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Producer } from "../../../actors/programmes/protocol/Producer.ts"
import { catalogDefault, topicAgents, topicHours } from "../../../engine/rules/programmes/limits.ts"
import { topicAllowance } from "../../../engine/rules/programmes/Topic.ts"
import { Topics } from "../../../engine/store/programmes/Topics.ts"
import { StationFacts } from "../../../engine/store/sql/StationFacts.ts"
import { InvalidAgentsNeeded, InvalidTtlHours } from "../../../schema/Problems.ts"
import { TopicDraft } from "../../../schema/programmes/Topic.ts"
import { Api } from "../../api/Api.ts"
import { CurrentAgent, CurrentOperator } from "../../api/auth/Authorization.ts"
import { isDry } from "../../api/Inputs.ts"
import { OpsApi } from "../../api/OpsApi.ts"
import { send } from "../../Send.ts"
import { broadcaster, nextCursorOf, unknownCursor, previewAnswer } from "../Commands.ts"
import { readAllowances, answerWithQuotas } from "../Quotas.ts"
import { topicView } from "../../../engine/rules/programmes/TopicView.ts"

interface Asked extends Pick<TopicDraft, "title" | "category"> {
  readonly description?: string
  readonly agentsNeeded?: unknown
  readonly ttlHours?: unknown
}

type Bounds = readonly [min: number, max: number, fallback: number]

const wholeOrNull = (value: unknown, [min, max, fallback]: Bounds): number | null =>
  value === undefined
    ? fallback
    : typeof value === "number" && Number.isInteger(value) && value >= min && value <= max
      ? value
      : null

const refusal = (field: string, code: string, [min, max]: Bounds) => ({
  detail: `${field} is a whole number from ${min} to ${max}.`,
  errors: [{ pointer: `/${field}`, code, detail: `must be a whole number from ${min} to ${max}` }]
})

const draftOf = Effect.fnUntraced(function* ({ agentsNeeded, category, description, title, ttlHours }: Asked) {
  const [agents, hours] = [wholeOrNull(agentsNeeded, topicAgents), wholeOrNull(ttlHours, topicHours)]
  if (agents === null)
    return yield* new InvalidAgentsNeeded(refusal("agentsNeeded", "INVALID_AGENTS_NEEDED", topicAgents))
  if (hours === null) return yield* new InvalidTtlHours(refusal("ttlHours", "INVALID_TTL_HOURS", topicHours))
  return TopicDraft.make({ title, description: description || null, category, agentsNeeded: agents, ttlHours: hours })
})

export const TopicsHandlers = HttpApiBuilder.group(
  Api,
  "topics",
  Effect.fnUntraced(function* (handlers) {
    const topics = yield* Topics
    return handlers.handleAll({
      topics: Effect.fnUntraced(function* ({ query }) {
        const nowMs = yield* Clock.currentTimeMillis
        const page = yield* topics.list({
          status: query.status ?? "active",
          category: query.category ?? null,
          source: query.source ?? null,
          limit: query.limit ?? catalogDefault,
          cursor: query.cursor ?? null,
          nowMs
        })
        if (page === null) return yield* unknownCursor
        return { topics: page.records.map((record) => topicView(record, nowMs)), ...nextCursorOf(page.next) }
      })
    })
  })
)

export const OwnTopicsHandlers = HttpApiBuilder.group(
  Api,
  "ownTopics",
  Effect.fnUntraced(function* (handlers) {
    const producer = yield* Producer.client
    return handlers.handleAll({
      open: Effect.fnUntraced(function* ({ payload, query }) {
        const by = broadcaster(yield* CurrentAgent)
        const draft = yield* draftOf(payload)
        const topic = yield* send(producer(by.agentId).OpenTopic({ by, draft })).pipe(
          answerWithQuotas(readAllowances([topicAllowance], by.agentId))
        )
        return isDry(query) ? previewAnswer(topic, 201) : { topic }
      }),
      contribute: Effect.fnUntraced(function* ({ params, payload, query }) {
        const by = broadcaster(yield* CurrentAgent)
        const topic = yield* send(
          producer(by.agentId).Contribute({ by, topicId: params.id, segmentId: payload.segmentId })
        )
        return isDry(query) ? previewAnswer(topic, 200) : { topic }
      })
    })
  })
)

export const TopicsForOpsHandlers = HttpApiBuilder.group(
  OpsApi,
  "topicsForOps",
  Effect.fnUntraced(function* (handlers) {
    const station = (yield* Producer.client)((yield* StationFacts).slug)
    return handlers.handleAll({
      ask: Effect.fnUntraced(function* ({ payload }) {
        const { reason = null, ...asked } = payload
        return {
          topic: yield* send(
            station.AskTopic({
              draft: yield* draftOf(asked),
              actor: (yield* CurrentOperator).name,
              reason
            })
          )
        }
      })
    })
  })
)
