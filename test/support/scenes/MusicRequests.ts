import { Effect } from "effect"
import { arrive } from "../http/AgentHttp.ts"
import { call } from "../http/SegmentHttp.ts"
import {
  aPrompt,
  create,
  designate,
  awaitEnd,
  generate,
  completeAndPreview,
  music,
  musician,
  requestOf
} from "../music/MusicScene.ts"
import { type Elsewhere, callWithoutKey, post, type Scenes, type Successes } from "./Scene.ts"

const shared = [
  "providers.0.id",
  "providers.0.wired",
  "keyPatterns.0",
  "promptTips.0",
  "trustBar.tier",
  "stationEnabled"
]
const unknown = "mreq_00000000000000000000000000"
const request = `${music}/requests/{id}`

/** 4.7: music that the station makes for agents. */
export const musicRequests: Scenes = {
  [`GET ${music}/capabilities`]: callWithoutKey("GET", `${music}/capabilities`),
  "GET /api/music/capabilities": {},
  "POST /api/music/generate/preview": {},
  [`POST ${music}/generate`]: {
    MUSIC_GENERATION_NOT_ALLOWED: Effect.flatMap(arrive(), ({ key }) => generate(key)),
    "422": Effect.flatMap(musician(), ({ key }) => generate(key, { prompt: "A ballad like one by Taylor Swift" })),
    "429": Effect.gen(function* () {
      const { key } = yield* musician({ stationMusic: true })
      for (let n = 0; n < 3; n++) yield* awaitEnd(key, (yield* generate(key)).body.requestId)
      return yield* generate(key)
    })
  },
  [`POST ${music}/creations`]: {
    "409": Effect.gen(function* () {
      const { key } = yield* musician()
      yield* create(key, "night")
      return yield* create(key, "night", { title: "Another" })
    })
  },
  [`GET ${music}/creations/{id}`]: {},
  [`GET ${request}`]: {
    MUSIC_REQUEST_NOT_FOUND: Effect.flatMap(arrive(), ({ key }) => requestOf(key, unknown))
  },
  [`GET ${request}/variants`]: {},
  [`GET ${request}/variants/{variantId}/preview`]: {},
  [`POST ${request}/variants/designate`]: {}
}
export const musicRequestsElsewhere: Elsewhere = {
  [`POST ${music}/generate MUSIC_AGENT_GENERATION_DISABLED`]:
    "the operators switch it off by configuration: test/http/music/MusicRequests.test.ts"
}
export const musicRequestsSuccesses: Successes = {
  [`GET ${music}/capabilities`]: {
    ask: Effect.flatMap(arrive(), ({ key }) => call("GET", `${music}/capabilities`, { key })),
    fields: ["canUseStationMusic", "reason", "quota.0.remaining", ...shared]
  },
  "GET /api/music/capabilities": {
    ask: Effect.flatMap(arrive(), ({ key }) => call("GET", "/api/music/capabilities", { key })),
    fields: ["policy.0", ...shared]
  },
  "POST /api/music/generate/preview": {
    ask: Effect.flatMap(arrive(), ({ key }) => post("/api/music/generate/preview", { prompt: aPrompt }, key)),
    fields: ["accepted", "normalizedPrompt", "structure.0.section", "estimatedDurationSec", "wouldUseQuota", "warnings"]
  },
  [`POST ${music}/generate`]: {
    ask: Effect.flatMap(musician(), ({ key }) => generate(key)),
    fields: ["requestId", "jobId", "status", "variantCount", "pollUrl", "recommendedCadenceSeconds"]
  },
  [`POST ${music}/creations`]: {
    ask: Effect.flatMap(musician(), ({ key }) => create(key, "night")),
    fields: ["jobId", "status", "progressUrl"]
  },
  [`GET ${music}/creations/{id}`]: {
    ask: Effect.gen(function* () {
      const { key } = yield* musician()
      return yield* call("GET", `${music}/creations/${(yield* create(key, "night")).body.jobId}`, { key })
    }),
    fields: [
      "jobId",
      "status",
      "progress",
      "steps.0.step",
      "requestId",
      "musicAssetId",
      "audioUrl",
      "trackId",
      "disclaimer",
      "updatedAt"
    ]
  },
  [`GET ${request}`]: {
    ask: Effect.gen(function* () {
      const { key } = yield* musician()
      return yield* awaitEnd(key, (yield* generate(key)).body.requestId)
    }),
    fields: ["requestId", "status", "kind", "progress", "variants.0.id", "musicAssetId", "audioUrl", "createdAt"]
  },
  [`GET ${request}/variants`]: {
    ask: Effect.gen(function* () {
      const { key } = yield* musician()
      const { requestId } = yield* completeAndPreview(key)
      return yield* call("GET", `${music}/requests/${requestId}/variants`, { key })
    }),
    fields: ["variants.0.index", "variants.0.durationSec", "variants.0.previewed", "canDesignate", "reason"]
  },
  [`GET ${request}/variants/{variantId}/preview`]: {
    ask: Effect.gen(function* () {
      const { key } = yield* musician()
      const { requestId, variantId } = yield* completeAndPreview(key)
      return yield* call("GET", `${music}/requests/${requestId}/variants/${variantId}/preview`, { key })
    }),
    fields: []
  },
  [`POST ${request}/variants/designate`]: {
    ask: Effect.gen(function* () {
      const { key } = yield* musician()
      const { requestId, variantId } = yield* completeAndPreview(key)
      return yield* designate(key, requestId, { variantId })
    }),
    fields: ["request.trackId", "request.variants.0.designated", "track.id", "track.approvalStatus", "track.source"]
  }
}
