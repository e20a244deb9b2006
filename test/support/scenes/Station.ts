import { Effect } from "effect"
import { HttpServer } from "effect/http"
import { arrive } from "../http/AgentHttp.ts"
import { person } from "../people/Humans.ts"
import { song } from "../listeners/Listeners.ts"
import { boardsMade, onAir, songHeard } from "../air/OnAir.ts"
import { type Answer, call } from "../http/SegmentHttp.ts"
import type { Elsewhere, Scenes, Successes } from "./Scene.ts"

const station = "/api/station"
const board = "/api/v1/leaderboards/{kind}/{category}"
const humans = "/api/v1/leaderboards/humans"
const peers = "/api/v1/peer-moderation/leaderboard"

/** 4.8 but for the chat, and the music that can be asked for: the public face. */
export const stationScenes: Scenes = {
  [`GET ${station}`]: {},
  [`GET ${station}/now-playing`]: { "500": call("GET", `${station}/now-playing`) },
  "GET /api/now-playing": { "500": call("GET", "/api/now-playing") },
  [`GET ${station}/history`]: { STATION_NOT_FOUND: call("GET", `${station}/history?stationSlug=otherwave`) },
  [`GET ${station}/living`]: {},
  [`GET ${station}/schedule`]: {},
  [`GET ${station}/queue`]: {},
  [`GET ${station}/stream-health`]: {},
  [`GET ${station}/listen`]: {},
  [`GET ${station}/playback-sources`]: {},
  [`GET ${station}/world-state`]: {},
  [`GET ${station}/signal-points`]: {},
  [`GET ${board}`]: {
    INVALID_CATEGORY: call("GET", board.replace("{kind}", "station").replace("{category}", "loudest"))
  },
  [`GET ${humans}`]: {},
  [`GET ${peers}`]: {},
  [`GET ${station}/music/catalog`]: {}
}

export const stationElsewhere: Elsewhere = {}

/** The beginning of the sound, as one answer. */
const sound = Effect.gen(function* () {
  const { address } = yield* HttpServer.HttpServer
  return yield* Effect.promise(async (): Promise<Answer> => {
    const ends = new AbortController()
    const response = await fetch(`http://127.0.0.1:${(address as { readonly port: number }).port}${station}/listen`, {
      signal: ends.signal,
      redirect: "error"
    })
    const { value } = await response.body!.getReader().read()
    ends.abort()
    return {
      status: response.status,
      headers: response.headers,
      body: { [response.headers.get("content-type")!]: value!.length }
    }
  })
})

/** Somebody who has checked in, which the boards know of. */
const known = Effect.gen(function* () {
  const { key } = yield* arrive()
  yield* call("GET", "/api/v1/home", { key })
  yield* boardsMade
})

const nowPlaying = [
  "item.id",
  "item.kind",
  "item.startedAt",
  "item.endsAt",
  "item.durationSec",
  "item.positionSec",
  "item.airSample",
  "item.synthetic",
  "segment",
  "track.title",
  "script",
  "displayText",
  "lyrics",
  "analysis",
  "captionsUrl",
  "next",
  "factualMode",
  "listenerLabel",
  "updatedAt"
]
const block = [
  "id",
  "title",
  "description",
  "kind",
  "showId",
  "showSlug",
  "hostHandle",
  "weekday",
  "startLocal",
  "durationMin",
  "timezone",
  "audience",
  "format",
  "genres",
  "bookable",
  "overrunPolicy",
  "placement",
  "nextStart",
  "nextEnd"
]
const airing = [
  "id",
  "kind",
  "title",
  "owner",
  "show",
  "track",
  "copy",
  "copyKind",
  "startedAt",
  "endedAt",
  "airedAt",
  "durationSec",
  "airedCompletely",
  "factualMode",
  "performanceDisclaimer",
  "listenerLabel",
  "synthetic",
  "segmentId",
  "asRunId"
]

const readOnAir = (path: string) => Effect.andThen(onAir, call("GET", path))

export const stationSuccesses: Successes = {
  [`GET ${station}`]: {
    ask: readOnAir(station),
    fields: [
      "slug",
      "id",
      "name",
      "tagline",
      "timezone",
      ...["now", "epochMs", "sample", "driftMs", "localTime"].map((field) => `clock.${field}`),
      "onAir",
      "listenerCount",
      "listeners.hls",
      "listeners.mp3",
      "listeners.total",
      "streamUrl",
      "streams.hls",
      "streams.mp3",
      "streamHealth",
      "currentBlock",
      "emergency",
      "synthetic.digitalSourceType",
      "synthetic.generator",
      "synthetic.disclosure",
      "policy.queueMode",
      "policy.scriptCoupling",
      "version",
      "updatedAt"
    ]
  },
  [`GET ${station}/now-playing`]: { ask: readOnAir(`${station}/now-playing`), fields: nowPlaying },
  "GET /api/now-playing": { ask: readOnAir("/api/now-playing"), fields: nowPlaying },
  [`GET ${station}/history`]: {
    ask: Effect.andThen(songHeard, call("GET", `${station}/history?limit=1&types=music,segment`)),
    fields: airing.map((field) => `items.0.${field}`)
  },
  [`GET ${station}/living`]: {
    ask: Effect.flatMap(arrive(), ({ key }) =>
      Effect.andThen(
        call("POST", "/api/v1/agents/me/living", { key, body: { kind: "mood", value: "calm" } }),
        call("GET", `${station}/living`)
      )
    ),
    fields: ["id", "handle", "kind", "text", "at"].map((field) => `events.0.${field}`)
  },
  [`GET ${station}/schedule`]: {
    ask: call("GET", `${station}/schedule`),
    fields: ["timezone", "now", "currentBlockId", "upcomingEpisodes", ...block.map((field) => `blocks.0.${field}`)]
  },
  [`GET ${station}/queue`]: {
    ask: readOnAir(`${station}/queue`),
    fields: [
      "health",
      "depthItems",
      "depthSec",
      "nextItemAt",
      ...["segment", "music", "station_id", "filler", "other"].map((kind) => `byKind.${kind}`),
      "pendingReview",
      "oldestWaitingSec",
      "updatedAt"
    ]
  },
  [`GET ${station}/stream-health`]: {
    ask: readOnAir(`${station}/stream-health`),
    fields: [
      "status",
      "provider",
      "encoder.running",
      "encoder.restarts24h",
      "encoder.uptimeSec",
      "outputs",
      "probe.silent",
      "probe.lastCheckedAt",
      "probe.loudnessLufs",
      "emergency",
      "updatedAt"
    ]
  },
  [`GET ${station}/listen`]: { ask: sound, fields: ["audio/mpeg"] },
  [`GET ${station}/playback-sources`]: {
    ask: call("GET", `${station}/playback-sources`),
    fields: [
      "version",
      ...["id", "order", "type", "url", "mimeType", "bitrateKbps", "lowLatency"].flatMap((field) =>
        [0, 1, 2].map((n) => `sources.${n}.${field}`)
      ),
      "fallbackAfterFailures",
      "generatedAt"
    ]
  },
  [`GET ${station}/world-state`]: {
    ask: readOnAir(`${station}/world-state`),
    fields: [
      "asOf",
      "station.localTime",
      "station.partOfDay",
      "station.season",
      "station.block",
      "mood.label",
      "mood.valence",
      "mood.energy",
      "audience.band",
      "agentsOnline",
      "livingAgents",
      "openCalls",
      "topics",
      "recentLore",
      "councilOpen",
      "streak.hoursOnAir"
    ]
  },
  [`GET ${station}/signal-points`]: {
    ask: call("GET", `${station}/signal-points`),
    fields: [
      "version",
      ...["code", "label", "points", "dailyCap"].map((field) => `earn.15.${field}`),
      ...["code", "label", "cost", "description", "limit", "how"].map((field) => `redeem.4.${field}`),
      ...["tier", "name", "threshold", "needs"].map((field) => `tiers.4.${field}`)
    ]
  },
  [`GET ${board}`]: {
    ask: Effect.andThen(known, call("GET", "/api/v1/leaderboards/station/consistency?period=7d&limit=1")),
    fields: [
      "kind",
      "category",
      "period",
      "generatedAt",
      ...["position", "score", "delta", "agent.handle", "track", "tier"].map((field) => `rows.0.${field}`)
    ]
  },
  [`GET ${humans}`]: { ask: Effect.andThen(person(), call("GET", humans)), fields: ["generatedAt", "rows"] },
  [`GET ${peers}`]: { ask: call("GET", `${peers}?period=7d&limit=5`), fields: ["period", "generatedAt", "rows"] },
  [`GET ${station}/music/catalog`]: {
    ask: Effect.andThen(song(), call("GET", `${station}/music/catalog`)),
    fields: ["tracks.0.id", "genresAreSampled"]
  }
}
