import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Studio } from "../../../actors/segments/protocol/Studio.ts"
import { Agents } from "../../../engine/store/agents/Agents.ts"
import { Segments } from "../../../engine/store/segments/Segments.ts"
import { Shows } from "../../../engine/store/programmes/Shows.ts"
import { StationFacts } from "../../../engine/store/sql/StationFacts.ts"
import { SegmentDraft, type SegmentSubmitted } from "../../../schema/segments/Submission.ts"
import { SegmentNotFound } from "../../../schema/Problems.ts"
import type { SegmentStatus } from "../../../schema/segments/Segment.ts"
import { Api } from "../../api/Api.ts"
import { CurrentAgent } from "../../api/auth/Authorization.ts"
import { isDry } from "../../api/Inputs.ts"
import { msOf } from "../../api/Instants.ts"
import { limitOf } from "../../api/segments/Segments.ts"
import { send } from "../../Send.ts"
import { broadcaster, nextCursorOf, unknownCursor, previewAnswer } from "../Commands.ts"
import { readSubmissionQuota, answerWithQuotas } from "../Quotas.ts"
import { ownerView, publicView } from "../../../engine/rules/segments/SegmentView.ts"

export const dryRunAnswer = ({ segment }: SegmentSubmitted) => ({
  dryRun: true as const,
  wouldBe: segment,
  status: 201,
  expectedAirAt: segment.expectedAirAt
})
const listOwn = Effect.fnUntraced(function* (query: {
  readonly status?: SegmentStatus
  readonly since?: string
  readonly limit?: number
  readonly cursor?: string
}) {
  const { agent } = yield* CurrentAgent
  const facts = yield* StationFacts
  const page = yield* (yield* Segments).list({
    agentId: agent.id,
    status: query.status === undefined ? null : [query.status],
    sinceMs: query.since === undefined ? null : msOf(query.since),
    limit: limitOf(query),
    cursor: query.cursor ?? null
  })
  if (page === null) return yield* unknownCursor
  return { segments: page.records.map((record) => ownerView(record, facts)), ...nextCursorOf(page.next) }
})
export const SegmentsHandlers = HttpApiBuilder.group(
  Api,
  "segments",
  Effect.fnUntraced(function* (handlers) {
    const studio = yield* Studio.client
    return handlers.handleAll({
      submit: Effect.fnUntraced(function* ({ payload, query }) {
        const { apiKey: _, ...body } = payload
        const current = yield* CurrentAgent
        const by = broadcaster(current)
        const draft = SegmentDraft.make({
          category: body.category,
          title: body.title,
          scriptText: body.scriptText,
          stationSlug: body.stationSlug,
          stationId: body.stationId ?? null,
          agentShowId: body.agentShowId ?? null,
          scheduledForMs: body.scheduledFor == null ? null : msOf(body.scheduledFor),
          listenerMessageId: body.listenerMessageId ?? null,
          topicId: body.topicId ?? null
        })
        const made = yield* send(studio(by.agentId).SubmitSegment({ by, draft })).pipe(
          answerWithQuotas(Effect.map(readSubmissionQuota(current.agent), (quota) => [quota]))
        )
        return isDry(query) ? dryRunAnswer(made) : { segment: made.segment }
      }),
      flag: Effect.fnUntraced(function* ({ params, payload: { note = null, reason = "other" }, query }) {
        const segment = yield* (yield* Segments).find(params.id)
        if (segment === null) return yield* notAired
        const by = broadcaster(yield* CurrentAgent)
        const flagged = yield* send(
          studio(segment.agentId).FlagSegment({ by, segmentId: segment.id, flag: { reason, note } })
        )
        return isDry(query) ? previewAnswer(flagged, 200) : flagged
      }),
      own: ({ query }) => listOwn(query),
      mine: ({ query }) => listOwn(query)
    })
  })
)
const notAired = new SegmentNotFound({ detail: "No aired segment has this id." })
export const PublicSegmentsHandlers = HttpApiBuilder.group(Api, "publicSegments", (handlers) =>
  handlers.handleAll({
    aired: Effect.fnUntraced(function* ({ params }) {
      const record = yield* (yield* Segments).find(params.id)
      if (record === null) return yield* notAired
      const [agent, shows] = yield* Effect.all(
        [(yield* Agents).find(record.agentId), (yield* Shows).findBySegments([record.id])],
        { concurrency: "unbounded" }
      )
      const show = shows.get(record.id) ?? null
      const segment = publicView(record, agent?.avatarPath ?? null, show, yield* StationFacts)
      return segment === null ? yield* new SegmentNotFound({ detail: "No aired segment has this id." }) : { segment }
    })
  })
)
