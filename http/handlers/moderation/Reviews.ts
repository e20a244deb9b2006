import { Clock, Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { RpcClient } from "effect/rpc"
import { Desk } from "../../../actors/agents/protocol/Desk.ts"
import { ReviewRegistry } from "../../../actors/moderation/protocol.ts"
import { commandHeaders } from "../../../actors/runtime/protocol.ts"
import { Studio } from "../../../actors/segments/protocol/Studio.ts"
import { findings } from "../../../engine/rules/moderation/Precheck.ts"
import { undecided } from "../../../engine/rules/moderation/Review.ts"
import { Agents } from "../../../engine/store/agents/Agents.ts"
import { Audit } from "../../../engine/store/sql/Audit.ts"
import { Reviews } from "../../../engine/store/moderation/Reviews.ts"
import { Segments } from "../../../engine/store/segments/Segments.ts"
import { StationFacts } from "../../../engine/store/sql/StationFacts.ts"
import type { ReviewId } from "../../../schema/Ids.ts"
import { AgentNotFound, InvalidField, NotFound } from "../../../schema/Problems.ts"
import { OpsApi } from "../../api/OpsApi.ts"
import { CurrentOperator } from "../../api/auth/Authorization.ts"
import { msOf } from "../../api/Instants.ts"
import { limitOf } from "../../api/segments/Segments.ts"
import { OwnerMask } from "../../api/auth/OwnerMask.ts"
import { send } from "../../Send.ts"
import { makeDecideReview } from "./DecideReview.ts"
import { agentsForOps } from "../agents/AgentsForOps.ts"
import { nextCursorOf, unknownCursor } from "../Commands.ts"
import { readSeenVersion, withVersion } from "../IfMatch.ts"
import { ownerView } from "../../../engine/rules/segments/SegmentView.ts"
import { reviewView } from "../../../engine/rules/moderation/ReviewView.ts"

const untilPast = new InvalidField({
  detail: "A suspension ends in the future.",
  errors: [{ pointer: "/until", code: "INVALID_FIELD", detail: "has passed" }]
})
const requireReview = Effect.fnUntraced(function* (id: string) {
  const review = yield* (yield* Reviews).find(id)
  return review ?? (yield* new NotFound({ detail: `There is no review ${id}.` }))
})
const requireAgent = Effect.fnUntraced(function* (id: string) {
  const agent = yield* (yield* Agents).find(id)
  return agent ?? (yield* new AgentNotFound({ detail: `There is no agent ${id}.` }))
})
export const ReviewsHandlers = HttpApiBuilder.group(
  OpsApi,
  "reviews",
  Effect.fnUntraced(function* (handlers) {
    const agents = agentsForOps(yield* OwnerMask)
    const studio = yield* Studio.client
    const registry = yield* ReviewRegistry
    const desk = yield* Desk.client
    const decide = yield* makeDecideReview
    return handlers.handleAll({
      list: Effect.fnUntraced(function* ({ query }) {
        const facts = yield* StationFacts
        const reviews = yield* Reviews
        const [page, counts] = yield* Effect.all(
          [
            reviews.list({
              kind: query.kind ?? null,
              status: query.status === undefined ? undecided : [query.status],
              limit: limitOf(query),
              cursor: query.cursor ?? null
            }),
            reviews.counts
          ],
          { concurrency: "unbounded" }
        )
        if (page === null) return yield* unknownCursor
        return {
          items: page.records.map((record) => reviewView(record, facts)),
          counts,
          ...nextCursorOf(page.next)
        }
      }),
      one: Effect.fnUntraced(function* ({ params }) {
        const facts = yield* StationFacts
        const review = yield* requireReview(params.id)
        const segment = review.subjectType === "segment" ? yield* (yield* Segments).find(review.subjectId) : null
        const history = yield* (yield* Audit).list({
          actor: null,
          subject: review.subjectId,
          fromMs: null,
          toMs: null,
          limit: limitOf({}),
          cursor: null
        })
        const view = reviewView(review, facts)
        return yield* withVersion(
          {
            review: view,
            segment: segment === null ? null : ownerView(segment, facts),
            findings: findings(review.scriptText ?? ""),
            history: history?.rows ?? []
          },
          view.version
        )
      }),
      decide: Effect.fnUntraced(function* ({ headers, params, payload }) {
        const review = yield* decide(params.id, payload, yield* readSeenVersion(headers))
        return yield* withVersion({ review }, review.version)
      }),
      decideMany: ({ payload }) =>
        Effect.map(
          Effect.forEach(payload.decisions, (each, part) =>
            Effect.match(
              RpcClient.withHeaders(decide(each.reviewId, each, each.version ?? null), commandHeaders({ part })),
              {
                onSuccess: (review) => ({ reviewId: each.reviewId, status: 200, review, code: null, detail: null }),
                onFailure: ({ code, detail, status, ...more }) => ({
                  reviewId: each.reviewId,
                  status,
                  review: null,
                  code,
                  detail: detail ?? null,
                  ...("differences" in more && more.differences !== undefined ? { differences: more.differences } : {})
                })
              }
            )
          ),
          (results) => ({ results })
        ),
      undo: Effect.fnUntraced(function* ({ headers, params, payload }) {
        const { name } = yield* CurrentOperator
        const review = yield* send(
          registry.undo({
            reviewId: params.id as ReviewId,
            actor: name,
            reason: payload.reason ?? null,
            seen: yield* readSeenVersion(headers)
          })
        )
        return yield* withVersion({ review }, review.version)
      }),
      agents: Effect.fnUntraced(function* ({ query }) {
        if (query.cursor !== undefined && (yield* (yield* Agents).find(query.cursor)) === null)
          return yield* unknownCursor
        const found = yield* (yield* Agents).list(limitOf(query) + 1, query.cursor ?? null)
        const page = found.slice(0, limitOf(query))
        return {
          agents: yield* agents.renderMany(page),
          ...nextCursorOf(found.length > page.length ? page[page.length - 1]!.id : null)
        }
      }),
      agent: Effect.fnUntraced(function* ({ params }) {
        const facts = yield* StationFacts
        const agent = yield* requireAgent(params.id)
        const segments = yield* (yield* Segments).list({
          agentId: agent.id,
          status: null,
          sinceMs: null,
          limit: limitOf({}),
          cursor: null
        })
        return {
          agent: yield* agents.render(agent),
          segments: segments!.records.map((record) => ownerView(record, facts))
        }
      }),
      grant: Effect.fnUntraced(function* ({ params, payload }) {
        const { reason, ...patch } = payload
        const { id } = yield* requireAgent(params.id)
        return {
          grants: yield* send(studio(id).Grant({ patch, actor: (yield* CurrentOperator).name, reason: reason ?? null }))
        }
      }),
      suspend: Effect.fnUntraced(function* ({ params, payload: { reason, until } }) {
        const untilMs = until == null ? null : msOf(until)
        if (untilMs !== null && untilMs <= (yield* Clock.currentTimeMillis)) return yield* untilPast
        const { id } = yield* requireAgent(params.id)
        yield* send(desk(id).Suspend({ untilMs, reason, actor: (yield* CurrentOperator).name }))
        return { agent: yield* agents.render(yield* requireAgent(id)) }
      }),
      reinstate: Effect.fnUntraced(function* ({ params, payload }) {
        const { id } = yield* requireAgent(params.id)
        yield* send(desk(id).Reinstate({ actor: (yield* CurrentOperator).name, reason: payload.reason ?? null }))
        return { agent: yield* agents.render(yield* requireAgent(id)) }
      }),
      revokeKeys: Effect.fnUntraced(function* ({ params, payload }) {
        const { id } = yield* requireAgent(params.id)
        return {
          revokedKeyIds: yield* send(
            desk(id).RevokeKeys({ actor: (yield* CurrentOperator).name, reason: payload.reason })
          )
        }
      })
    })
  })
)
