import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { NowPlayingUnavailable, StationNotFound, InvalidField, Busy } from "../../schema/Problems.ts"
import { HistoryItem, NowPlaying, PlaybackSources, QueueHealth, StationView, StreamHealth } from "../../schema/StationView.ts"
import { Reading } from "./Reading.ts"
import { limit } from "./Segments.ts"

/** Which station is meant, where somebody wants to say it; there is one. */
export const selector = { stationSlug: Schema.optionalKey(Schema.String), stationId: Schema.optionalKey(Schema.String) }

const eventStream = Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/event-stream" }))
const nowPlayingQuery = { ...selector, format: Schema.optionalKey(Schema.Literals(["json", "sse"])), lastEventId: Schema.optionalKey(Schema.String) }

/** What everybody may know of the station. */
export const StationApi = HttpApiGroup.make("station")
  .add(
    HttpApiEndpoint.get("state", "/api/station", { query: selector, success: StationView, error: [StationNotFound, Busy] }),
    HttpApiEndpoint.get("stationNowPlaying", "/api/station/now-playing", { query: nowPlayingQuery, success: [NowPlaying, eventStream], error: [NowPlayingUnavailable, StationNotFound] }),
    HttpApiEndpoint.get("nowPlaying", "/api/now-playing", { query: nowPlayingQuery, success: [NowPlaying, eventStream], error: [NowPlayingUnavailable, StationNotFound] }),
    HttpApiEndpoint.get("history", "/api/station/history", {
      query: { ...selector, limit, before: Schema.optionalKey(Schema.String), types: Schema.optionalKey(Schema.String) },
      success: Schema.Struct({ items: Schema.Array(HistoryItem) }),
      error: [StationNotFound, InvalidField]
    }),
    HttpApiEndpoint.get("queue", "/api/station/queue", { query: selector, success: QueueHealth, error: [StationNotFound, Busy] }),
    HttpApiEndpoint.get("streamHealth", "/api/station/stream-health", { query: selector, success: StreamHealth, error: [StationNotFound, Busy] }),
    HttpApiEndpoint.get("listen", "/api/station/listen", { success: Schema.Uint8Array.pipe(HttpApiSchema.asUint8Array({ contentType: "audio/mpeg" })) }),
    HttpApiEndpoint.get("playbackSources", "/api/station/playback-sources", { query: selector, success: PlaybackSources, error: [StationNotFound] })
  )
  .middleware(Reading)
  .annotateMerge(OpenApi.annotations({ title: "Station", description: "State, what is heard, what was heard, and where to listen." }))
