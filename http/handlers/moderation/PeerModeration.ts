import { Clock, Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { PlantedCase, ReviewRegistry } from "../../../actors/moderation/protocol.ts"
import { normaliseHandle } from "../../../engine/rules/agents/Agent.ts"
import { notBindingBecause } from "../../../engine/rules/moderation/EffectiveVotes.ts"
import { peerQueueMax, peerRecentMax } from "../../../engine/rules/moderation/limits.ts"
import {
  checkReview,
  pctOf,
  peerAllowance,
  peerContext,
  scopesOfSeat
} from "../../../engine/rules/moderation/PeerReview.ts"
import { Agents } from "../../../engine/store/agents/Agents.ts"
import { PeerCases, type PeerCaseRecord } from "../../../engine/store/moderation/PeerCases.ts"
import { StationFacts } from "../../../engine/store/sql/StationFacts.ts"
import type { PeerCaseId } from "../../../schema/Ids.ts"
import { type PeerCase, PeerSubjectType } from "../../../schema/moderation/PeerReview.ts"
import { AgentNotFound, NotFound, PeerReviewReasonRequired } from "../../../schema/Problems.ts"
import { iso, isoOrNull } from "../../../schema/time/Instant.ts"
import { Api } from "../../api/Api.ts"
import { CurrentAgent, CurrentOperator } from "../../api/auth/Authorization.ts"
import { isDry } from "../../api/Inputs.ts"
import { OpsApi } from "../../api/OpsApi.ts"
import { limitOf } from "../../api/segments/Segments.ts"
import { send } from "../../Send.ts"
import { broadcaster, nextCursorOf, unknownCursor, previewAnswer } from "../Commands.ts"
import { readAllowances, answerWithQuotas } from "../Quotas.ts"

const reasonNeeded = new PeerReviewReasonRequired({
  detail: "A denial needs a reason for the author, a deferral one for the operators.",
  errors: [
    { pointer: "/reason", code: "PEER_REVIEW_REASON_REQUIRED", detail: "is required unless the decision is approved" }
  ]
})
const noCase = (id: string) => new NotFound({ detail: `There is no case ${id}.` })

export const PeerModerationHandlers = HttpApiBuilder.group(
  Api,
  "peerModeration",
  Effect.fnUntraced(function* (handlers) {
    const peers = yield* PeerCases
    const registry = yield* ReviewRegistry
    const facts = yield* StationFacts
    return handlers.handleAll({
      record: Effect.fnUntraced(function* () {
        const { agent } = yield* CurrentAgent
        const seat = (yield* peers.seat(agent.id))!
        const scopes = scopesOfSeat(seat)
        const read = yield* Effect.all(
          {
            stats: peers.stats(agent.id),
            recentDecisions: peers.recent(agent.id, peerRecentMax),
            queuePreview: peers.queue(seat, scopes, yield* Clock.currentTimeMillis, peerQueueMax),
            binding: peers.listNotBinding(scopes)
          },
          { concurrency: "unbounded" }
        )
        return { granted: scopes.length > 0, scopes, ...read }
      }),
      context: Effect.fnUntraced(function* ({ params: { subjectId: id, subjectType: type } }) {
        const { agent } = yield* CurrentAgent
        const seat = (yield* peers.seat(agent.id))!
        const [subject, measured] = yield* Effect.all(
          [peers.subject(type, id, seat.ownerKey), peers.listNotBinding(PeerSubjectType.literals)],
          { concurrency: "unbounded" }
        )
        const nowMs = yield* Clock.currentTimeMillis
        const found = yield* Effect.fromResult(checkReview({ type, id, seat, subject, wasDecided: false, nowMs }))
        const binding = measured.find(({ subjectType }) => subjectType === found.subjectType)
        return peerContext(found, seat, binding!, facts)
      }),
      decide: Effect.fnUntraced(function* ({ payload, query }) {
        const by = broadcaster(yield* CurrentAgent)
        const { decision, subjectId, subjectType } = payload
        const reason = payload.reason || null
        if (decision !== "approved" && reason === null) return yield* reasonNeeded
        const review = yield* send(registry.peerDecide({ by, subjectType, subjectId, decision, reason })).pipe(
          answerWithQuotas(readAllowances([peerAllowance], by.agentId))
        )
        return isDry(query) ? previewAnswer({ review }, 200) : { review }
      })
    })
  })
)

export const PeersForOpsHandlers = HttpApiBuilder.group(
  OpsApi,
  "peersForOps",
  Effect.fnUntraced(function* (handlers) {
    const peers = yield* PeerCases
    const registry = yield* ReviewRegistry
    const planted = yield* PlantedCase.client
    const { slug } = yield* StationFacts
    const renderCases = Effect.fnUntraced(function* (found: ReadonlyArray<PeerCaseRecord>) {
      const votes = yield* peers.listVotes(found.map(({ id }) => id))
      return found.map(({ closedAtMs, closesAtMs, createdAtMs, subjectId, subjectType, ...one }): PeerCase => ({
        ...one,
        planted: one.reviewId === null,
        subject: { type: subjectType, id: subjectId },
        votes: votes
          .filter(({ caseId }) => caseId === one.id)
          .map(({ agentId, binding, counted, createdAt, decision, handle, id, overturned, reason, weight }) => ({
            id,
            by: { agentId, handle },
            decision,
            reason,
            weight,
            counted,
            binding,
            overturned,
            createdAt
          })),
        closesAt: iso(closesAtMs),
        closedAt: isoOrNull(closedAtMs),
        createdAt: iso(createdAtMs)
      }))
    })
    const renderCase = Effect.fnUntraced(function* (id: string) {
      const found = (yield* peers.find(id)) ?? (yield* noCase(id))
      return (yield* renderCases([found]))[0]!
    })
    return handlers.handleAll({
      measures: Effect.fnUntraced(function* () {
        const measures = yield* peers.measures
        return {
          kinds: PeerSubjectType.literals.map((subjectType) => {
            const { computedAtMs, ...measure } = measures.find((one) => one.subjectType === subjectType) ?? {
              subjectType,
              cases: 0,
              decisions: 0,
              votesPerCase: 0,
              errorRate: 0,
              correlation: null,
              effectiveVotes: null,
              computedAtMs: null
            }
            const detail = notBindingBecause(measure)
            return { ...measure, binds: detail === null, detail, computedAt: isoOrNull(computedAtMs) }
          })
        }
      }),
      reviewers: Effect.fnUntraced(function* ({ query }) {
        const cursor = query.cursor ?? null
        if (cursor !== null && (yield* (yield* Agents).find(cursor)) === null) return yield* unknownCursor
        const page = yield* peers.reviewers({ limit: limitOf(query), cursor })
        return {
          reviewers: page.records.map(
            ({ agentId, handle, planted: decided, plantedRight: right, scopes, stats, tier }) => ({
              agentId,
              handle,
              tier: `T${tier}`,
              scopes,
              stats,
              planted: { decided, right, accuracyPct: pctOf(right, decided) }
            })
          ),
          ...nextCursorOf(page.next)
        }
      }),
      cases: Effect.fnUntraced(function* ({ query }) {
        const page = yield* peers.list({
          status: query.status ?? null,
          subjectType: query.subjectType ?? null,
          planted: query.planted === undefined ? null : query.planted === "true",
          limit: limitOf(query),
          cursor: query.cursor ?? null
        })
        return page === null
          ? yield* unknownCursor
          : { cases: yield* renderCases(page.records), ...nextCursorOf(page.next) }
      }),
      one: Effect.fnUntraced(function* ({ params }) {
        return { case: yield* renderCase(params.id) }
      }),
      judge: Effect.fnUntraced(function* ({ params, payload, query }) {
        const { id } = (yield* peers.find(params.id)) ?? (yield* noCase(params.id))
        const actor = (yield* CurrentOperator).name
        yield* send(registry.judgePeers({ caseId: id, ...payload, actor }))
        const shownCase = yield* renderCase(id)
        return isDry(query)
          ? previewAnswer({ case: { ...shownCase, verdict: payload.verdict, verdictBy: actor } }, 200)
          : { case: shownCase }
      }),
      plant: Effect.fnUntraced(function* ({ payload, query }) {
        const { answer, authorHandle, body, reason, subjectType } = payload
        const handle = authorHandle ? normaliseHandle(authorHandle) : null
        const author = handle === null ? null : yield* (yield* Agents).findByHandle(handle)
        if (handle !== null && (author === null || author.status === "pending" || author.deletedAtMs !== null))
          return yield* new AgentNotFound({ detail: `There is no agent @${handle}.` })
        const actor = (yield* CurrentOperator).name
        const planting = {
          subjectType,
          authorId: author?.id ?? null,
          title: payload.title || null,
          body,
          flags: payload.flags ?? null,
          answer,
          actor,
          reason: reason ?? null
        }
        const caseId = yield* send(planted(slug).Plant(planting))
        return isDry(query)
          ? previewAnswer({ case: { id: caseId } }, 200)
          : { case: yield* Effect.orDie(renderCase(caseId)) }
      }),
      withdraw: Effect.fnUntraced(function* ({ params, payload, query }) {
        const { id } = (yield* peers.find(params.id)) ?? (yield* noCase(params.id))
        const actor = (yield* CurrentOperator).name
        yield* send(planted(id).Withdraw({ caseId: id as PeerCaseId, actor, reason: payload.reason ?? null }))
        const shownCase = yield* renderCase(id)
        return isDry(query) ? previewAnswer({ case: { ...shownCase, status: "withdrawn" } }, 200) : { case: shownCase }
      })
    })
  })
)
