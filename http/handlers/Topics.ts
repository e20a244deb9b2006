import { Clock, Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Producer } from "../../actors/protocol/Producer.ts"
import { catalogDefault, topicAgents, topicHours } from "../../engine/Limits.ts"
import { topicAllowance } from "../../engine/rules/Topic.ts"
import { Topics, topicView } from "../../engine/store/Topics.ts"
import { InvalidAgentsNeeded, InvalidTtlHours } from "../../schema/Problems.ts"
import { TopicDraft } from "../../schema/Topic.ts"
import { Api } from "../api/Api.ts"
import { CurrentAgent } from "../api/Authorization.ts"
import { isDry } from "../api/Inputs.ts"
import { send } from "../Send.ts"
import { broadcaster, commandKey, unknownCursor, wouldBe } from "./Commands.ts"
import { allowancesLeft, telling } from "./Quotas.ts"

type Bounds = readonly [min: number, max: number, fallback: number]

const wholeWithin = (value: unknown, [min, max, fallback]: Bounds): number | null =>
  value === undefined ? fallback : typeof value === "number" && Number.isInteger(value) && value >= min && value <= max ? value : null

const refusal = (field: string, code: string, [min, max]: Bounds) => ({ detail: `${field} is a whole number from ${min} to ${max}.`, errors: [{ pointer: `/${field}`, code, detail: `must be a whole number from ${min} to ${max}` }] })

export const TopicsHandlers = HttpApiBuilder.group(Api, "topics", Effect.fn(function*(handlers) {
  const topics = yield* Topics
  return handlers.handleAll({
    topics: Effect.fn("topics")(function*({ query }) {
      const nowMs = yield* Clock.currentTimeMillis
      const page = yield* topics.list({
        status: query.status ?? "active", category: query.category ?? null, source: query.source ?? null, limit: query.limit ?? catalogDefault, cursor: query.cursor ?? null, nowMs
      })
      if (page === null) return yield* unknownCursor
      return { topics: page.records.map((record) => topicView(record, nowMs)), ...page.next === null ? {} : { nextCursor: page.next } }
    })
  })
}))

export const OwnTopicsHandlers = HttpApiBuilder.group(Api, "ownTopics", Effect.fn(function*(handlers) {
  const producer = yield* Producer.client
  return handlers.handleAll({
    open: Effect.fn(function*({ headers, payload, query }) {
      const by = broadcaster(yield* CurrentAgent)
      const [agentsNeeded, ttlHours] = [wholeWithin(payload.agentsNeeded, topicAgents), wholeWithin(payload.ttlHours, topicHours)]
      if (agentsNeeded === null) return yield* new InvalidAgentsNeeded(refusal("agentsNeeded", "INVALID_AGENTS_NEEDED", topicAgents))
      if (ttlHours === null) return yield* new InvalidTtlHours(refusal("ttlHours", "INVALID_TTL_HOURS", topicHours))
      const draft = TopicDraft.make({ title: payload.title, description: payload.description || null, category: payload.category, agentsNeeded, ttlHours })
      const topic = yield* send(producer(by.agentId).OpenTopic({ by, commandKey: commandKey(headers, payload), draft, dryRun: isDry(query) })).pipe(telling(allowancesLeft([topicAllowance], by.agentId)))
      return isDry(query) ? wouldBe(topic, 201) : { topic }
    }),
    contribute: Effect.fn(function*({ headers, params, payload, query }) {
      const by = broadcaster(yield* CurrentAgent)
      const asked = { topicId: params.id, segmentId: payload.segmentId }
      const topic = yield* send(producer(by.agentId).Contribute({ by, commandKey: commandKey(headers, asked), ...asked, dryRun: isDry(query) }))
      return isDry(query) ? wouldBe(topic, 200) : { topic }
    })
  })
}))
