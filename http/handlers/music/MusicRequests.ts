import { Settings } from "../../../engine/store/operations/Settings.ts"
import { Clock, Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { MusicDesk } from "../../../actors/music/protocol/MusicDesk.ts"
import { musicPollSec } from "../../../engine/rules/music/limits.ts"
import { creationProgress } from "../../../engine/rules/music/MusicCreation.ts"
import { musicPolicy, promptTips } from "../../../engine/rules/music/MusicPrompt.ts"
import {
  designateRefusal,
  musicMeters,
  musicQuota,
  musicRefusal,
  musicRequestView,
  variantView
} from "../../../engine/rules/music/MusicRequest.ts"
import { keyPrefixOf } from "../../../engine/rules/segments/Upload.ts"
import { Standings } from "../../../engine/store/agents/Standings.ts"
import { MusicCreations } from "../../../engine/store/music/MusicCreations.ts"
import { MusicRequests } from "../../../engine/store/music/MusicRequests.ts"
import { Ranks } from "../../../engine/store/ranks/Ranks.ts"
import { Meters } from "../../../engine/store/sql/Meters.ts"
import { StationFacts } from "../../../engine/store/sql/StationFacts.ts"
import type { Agent } from "../../../schema/agents/Agent.ts"
import { MissingFields, MusicRequestNotFound, NotFound } from "../../../schema/Problems.ts"
import { Api } from "../../api/Api.ts"
import { CurrentAgent } from "../../api/auth/Authorization.ts"
import { isDry } from "../../api/Inputs.ts"
import type { MusicAskedBody } from "../../api/music/MusicRequests.ts"
import { MediaFiles } from "../../api/segments/UploadFiles.ts"
import { send } from "../../Send.ts"
import { previewAnswer } from "../Commands.ts"
import { answerWithQuotas } from "../Quotas.ts"
import { genreMeant, moodMeant } from "../../views/Genres.ts"

const trustBar = { tier: "T2" }

/** An agent's tier and its remaining requests for music. */
const readMusicStanding = Effect.fnUntraced(function* ({ id }: Agent) {
  const [{ tier }, meters] = yield* Effect.all([(yield* Ranks).find(id), (yield* Meters).read(musicMeters(id))], {
    concurrency: "unbounded"
  })
  return { tier, quota: musicQuota(meters, tier, yield* Clock.currentTimeMillis) }
})

/** Remaining requests for music of an agent. */
export const readMusicQuota = (agent: Agent) => Effect.map(readMusicStanding(agent), ({ quota }) => quota)

/** The body with genre and mood resolved; null where the station chooses. */
const askOf = Effect.fnUntraced(function* (body: MusicAskedBody) {
  return {
    prompt: body.prompt,
    title: body.title ?? null,
    genre: yield* genreMeant(body.genre, "/genre"),
    mood: yield* moodMeant(body.mood, "/mood"),
    durationSec: body.durationSec ?? null,
    instrumental: body.instrumental ?? null,
    lyrics: body.lyrics ?? null,
    bpm: body.bpm ?? null,
    musicalKey: body.musicalKey ?? null,
    seed: body.seed ?? null,
    provider: body.provider ?? null,
    variants: body.variants ?? null
  }
})

export const MusicCapabilitiesHandlers = HttpApiBuilder.group(
  Api,
  "musicCapabilities",
  Effect.fnUntraced(function* (handlers) {
    const station = yield* StationFacts
    const musicDesk = yield* MusicDesk.client
    const settings = yield* Settings
    return handlers.handleAll({
      own: Effect.fnUntraced(function* () {
        const { agent } = yield* CurrentAgent
        const [{ stationMusic }, { quota, tier }] = yield* Effect.all(
          [(yield* Standings).grants(agent.id), readMusicStanding(agent)],
          { concurrency: "unbounded" }
        )
        const reason = musicRefusal(stationMusic, tier)
        return {
          canUseStationMusic: reason === null,
          reason,
          quota,
          providers: station.musicProviders,
          keyPatterns: [keyPrefixOf(agent.persona.handle)],
          promptTips,
          trustBar,
          stationEnabled: (yield* settings.current).musicAgentGeneration
        }
      }),
      station: Effect.fnUntraced(function* () {
        return {
          providers: station.musicProviders,
          keyPatterns: [keyPrefixOf("{handle}")],
          promptTips,
          trustBar,
          stationEnabled: (yield* settings.current).musicAgentGeneration,
          policy: musicPolicy
        }
      }),
      preview: Effect.fnUntraced(function* ({ payload }) {
        const { agent } = yield* CurrentAgent
        return yield* send(musicDesk(agent.id).PreviewMusic({ asked: yield* askOf(payload) }))
      })
    })
  })
)

export const MusicRequestsHandlers = HttpApiBuilder.group(
  Api,
  "musicRequests",
  Effect.fnUntraced(function* (handlers) {
    const requests = yield* MusicRequests
    const station = yield* StationFacts
    const musicDesk = yield* MusicDesk.client
    const files = yield* MediaFiles
    const findOwn = Effect.fnUntraced(function* (id: string) {
      const found = yield* requests.find(id)
      return found?.agentId === (yield* CurrentAgent).agent.id
        ? found
        : yield* new MusicRequestNotFound({ detail: `None of your requests for music has the id ${id}.` })
    })
    return handlers
      .handle(
        "generate",
        Effect.fnUntraced(function* ({ payload, query }) {
          const { agent } = yield* CurrentAgent
          const asked = yield* askOf(payload)
          const request = yield* send(musicDesk(agent.id).GenerateMusic({ asked })).pipe(
            answerWithQuotas(readMusicQuota(agent))
          )
          const answer = {
            requestId: request.requestId,
            jobId: request.jobId,
            status: request.status,
            variantCount: request.variantCount,
            pollUrl: `${station.publicUrl}/api/v1/agents/me/music/requests/${request.requestId}`,
            recommendedCadenceSeconds: musicPollSec
          }
          return isDry(query) ? previewAnswer(answer, 202) : answer
        })
      )
      .handle(
        "create",
        Effect.fnUntraced(function* ({ headers, payload, query }) {
          const { agent } = yield* CurrentAgent
          const commandKey = headers["idempotency-key"]
          if (commandKey === undefined)
            return yield* new MissingFields({
              detail: "Idempotency-Key names the job. Send one of your own with each new creation.",
              errors: [{ pointer: "/headers/idempotency-key", code: "MISSING_FIELDS", detail: "is required" }]
            })
          const asked = yield* askOf(payload)
          const { jobId } = yield* send(musicDesk(agent.id).CreateMusic({ asked, commandKey })).pipe(
            answerWithQuotas(readMusicQuota(agent))
          )
          const answer = {
            jobId,
            status: "admitted" as const,
            progressUrl: `${station.publicUrl}/api/v1/agents/me/music/creations/${jobId}`
          }
          return isDry(query) ? previewAnswer(answer, 202) : answer
        })
      )
      .handle(
        "creation",
        Effect.fnUntraced(function* ({ params }) {
          const { agent } = yield* CurrentAgent
          const found = yield* (yield* MusicCreations).find(params.id)
          if (found?.agentId !== agent.id)
            return yield* new NotFound({ detail: `None of your creations has the job ${params.id}.` })
          const [request, variants] = yield* Effect.all(
            [requests.find(found.requestId), requests.variants(found.requestId)],
            { concurrency: "unbounded" }
          )
          return creationProgress(found, request === null ? null : { request, variants }, station)
        })
      )
      .handle(
        "request",
        Effect.fnUntraced(function* ({ params }) {
          const found = yield* findOwn(params.id)
          return musicRequestView(found, yield* requests.variants(found.id), station)
        })
      )
      .handle(
        "variants",
        Effect.fnUntraced(function* ({ params }) {
          const found = yield* findOwn(params.id)
          const [variants, { tier }] = yield* Effect.all(
            [requests.variants(found.id), (yield* Ranks).find(found.agentId)],
            { concurrency: "unbounded" }
          )
          const reason =
            designateRefusal(tier) ??
            (found.trackId !== null
              ? "A variant of this request is a track already."
              : found.status === "complete"
                ? null
                : `The request is ${found.status}.`)
          return {
            variants: variants.map((variant) => variantView(variant, station)),
            canDesignate: reason === null,
            reason
          }
        })
      )
      .handleRaw(
        "hear",
        Effect.fnUntraced(function* ({ params, request }) {
          const { agent } = yield* CurrentAgent
          const { assetId } = yield* send(
            musicDesk(agent.id).HearVariant({ requestId: params.id, variantId: params.variantId })
          )
          return yield* files.copyOf(assetId, request)
        })
      )
      .handle(
        "designate",
        Effect.fnUntraced(function* ({ params, payload, query }) {
          const { agent } = yield* CurrentAgent
          const designated = yield* send(
            musicDesk(agent.id).DesignateVariant({
              requestId: params.id,
              variantId: payload.variantId,
              title: payload.title ?? null,
              genre: yield* genreMeant(payload.genre, "/genre")
            })
          )
          return isDry(query) ? previewAnswer(designated, 200) : designated
        })
      )
  })
)
