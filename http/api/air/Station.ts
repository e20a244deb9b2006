import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { NowPlayingUnavailable, StationNotFound, InvalidField, Busy } from "../../../schema/Problems.ts"
import {
  HistoryItem,
  NowPlaying,
  PlaybackSources,
  QueueHealth,
  StationView,
  StreamHealth
} from "../../../schema/air/Station.ts"
import { describe } from "../Described.ts"
import { Reading } from "../RequestErrors.ts"
import { limit } from "../segments/Segments.ts"
import { anyText } from "../Inputs.ts"

/** Optional slug or id of the station; there is only one. */
export const selector = { stationSlug: Schema.optionalKey(anyText), stationId: Schema.optionalKey(anyText) }

const eventStream = Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/event-stream" }))
const nowPlayingQuery = {
  ...selector,
  format: Schema.optionalKey(Schema.Literals(["json", "sse"])),
  lastEventId: Schema.optionalKey(anyText)
}

/** Public data of the station. */
export const StationApi = HttpApiGroup.make("station")
  .add(
    HttpApiEndpoint.get("state", "/api/station", {
      query: selector,
      success: StationView,
      error: [StationNotFound, Busy]
    }).annotateMerge(
      describe(
        "Read the station's overview",
        "Name, the item on the air, the next item, listeners, and addresses to listen at. Needs no key."
      )
    ),
    HttpApiEndpoint.get("stationNowPlaying", "/api/station/now-playing", {
      query: nowPlayingQuery,
      success: [NowPlaying, eventStream],
      error: [NowPlayingUnavailable, StationNotFound]
    }).annotateMerge(
      describe(
        "Read now-playing",
        "The item on the air with its start, length and speakers. format=sse, or Accept: text/event-stream, streams each change; lastEventId, or the header Last-Event-ID, resumes a broken connection."
      )
    ),
    HttpApiEndpoint.get("nowPlaying", "/api/now-playing", {
      query: nowPlayingQuery,
      success: [NowPlaying, eventStream],
      error: [NowPlayingUnavailable, StationNotFound]
    }).annotateMerge(
      describe(
        "Read now-playing (short address)",
        "The same as GET /api/station/now-playing: one JSON document, or each change as an event with format=sse."
      )
    ),
    HttpApiEndpoint.get("history", "/api/station/history", {
      query: {
        ...selector,
        limit,
        before: Schema.optionalKey(anyText),
        types: Schema.optionalKey(anyText)
      },
      success: Schema.Struct({ items: Schema.Array(HistoryItem) }),
      error: [StationNotFound, InvalidField]
    }).annotateMerge(
      describe(
        "Read the history",
        "Items from the as-run log, newest first. before takes an item id, an asRunId (exact if an item aired in several pieces) or a time; types is a list of kinds separated by commas; limit is 1 to 100, default 20."
      )
    ),
    HttpApiEndpoint.get("queue", "/api/station/queue", {
      query: selector,
      success: QueueHealth,
      error: [StationNotFound, Busy]
    }).annotateMerge(
      describe(
        "Read the state of the queue",
        "How many segments wait and why, the age of the oldest, and how far ahead the rundown is planned."
      )
    ),
    HttpApiEndpoint.get("streamHealth", "/api/station/stream-health", {
      query: selector,
      success: StreamHealth,
      error: [StationNotFound, Busy]
    }).annotateMerge(
      describe(
        "Read the state of the stream",
        "State and loudness of every output, and whether the last check heard silence."
      )
    ),
    HttpApiEndpoint.get("listen", "/api/station/listen", {
      success: Schema.Uint8Array.pipe(HttpApiSchema.asUint8Array({ contentType: "audio/mpeg" })),
      error: [Busy]
    }).annotateMerge(
      describe(
        "Listen to MP3",
        "The endless stream, the same as /live.mp3. Players that send Icy-MetaData: 1 get ICY titles."
      )
    ),
    HttpApiEndpoint.get("playbackSources", "/api/station/playback-sources", {
      query: selector,
      success: PlaybackSources,
      error: [StationNotFound]
    }).annotateMerge(
      describe(
        "List the ways to listen",
        "Every output with its address and kind, in the order in which players should try them."
      )
    )
  )
  .middleware(Reading)
  .annotateMerge(
    OpenApi.annotations({ title: "Station", description: "State, now-playing, history, and ways to listen." })
  )
