import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Studio } from "../../../actors/segments/protocol/Studio.ts"
import type { Agent } from "../../../schema/agents/Agent.ts"
import { OwnSpeechDraft } from "../../../schema/voices/Speech.ts"
import { SpeechDraft } from "../../../schema/segments/Submission.ts"
import { Api } from "../../api/Api.ts"
import type { SpeechRequest } from "../../api/voices/Speech.ts"
import { CurrentAgent } from "../../api/auth/Authorization.ts"
import { isDry } from "../../api/Inputs.ts"
import { msOf } from "../../api/Instants.ts"
import { send } from "../../Send.ts"
import { broadcaster } from "../Commands.ts"
import { speechQuotas, readSubmissionQuota, answerWithQuotas } from "../Quotas.ts"
import { dryRunAnswer } from "../segments/Segments.ts"

const bedOf = (bed: { readonly mood?: string } | null | undefined) =>
  bed === undefined
    ? { kind: "by_category" as const }
    : bed === null
      ? { kind: "none" as const }
      : { kind: "asked" as const, mood: bed.mood ?? null }

const draftOf = (body: typeof SpeechRequest.Type) => ({
  category: body.category,
  title: body.title,
  scriptText: body.scriptText,
  stationSlug: body.stationSlug ?? null,
  stationId: body.stationId ?? null,
  agentShowId: body.agentShowId ?? null,
  scheduledForMs: body.scheduledFor == null ? null : msOf(body.scheduledFor),
  longForm: body.longForm ?? false,
  topicId: body.topicId ?? null,
  bed: bedOf(body.bed)
})

const readRemaining = (agent: Agent) => Effect.map(speechQuotas(agent), ({ own, shared }) => [...own, shared])

export const SpeechHandlers = HttpApiBuilder.group(
  Api,
  "speech",
  Effect.fnUntraced(function* (handlers) {
    const studio = yield* Studio.client
    return handlers.handleAll({
      generate: Effect.fnUntraced(function* ({ payload: body, query }) {
        const current = yield* CurrentAgent
        const by = broadcaster(current)
        const draft = SpeechDraft.make({
          ...draftOf(body),
          engine: body.engine ?? null
        })
        const made = yield* send(studio(by.agentId).GenerateSpeech({ by, draft })).pipe(
          answerWithQuotas(readRemaining(current.agent))
        )
        if (isDry(query)) return dryRunAnswer(made)
        const { quota, segment } = made
        return {
          segment,
          production: segment.production,
          audioUrl: segment.audioUrl,
          durationSec: segment.durationSec,
          quota
        }
      }),
      generateOwn: Effect.fnUntraced(function* ({ payload: body, query }) {
        const current = yield* CurrentAgent
        const by = broadcaster(current)
        const draft = OwnSpeechDraft.make({
          ...draftOf(body),
          provider: body.provider,
          voiceId: body.voiceId ?? null
        })
        const made = yield* send(studio(by.agentId).GenerateOwnSpeech({ by, draft })).pipe(
          answerWithQuotas(Effect.map(readSubmissionQuota(current.agent), (left) => [left]))
        )
        if (isDry(query)) return { ...dryRunAnswer(made), status: 200 }
        const { segment } = made
        return { segment, audioUrl: segment.audioUrl, durationSec: segment.durationSec }
      })
    })
  })
)
