import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { NowPlayingUnavailable, StationNotFound, InvalidField, Busy } from "../../schema/Problems.ts"
import { HistoryItem, NowPlaying, PlaybackSources, QueueHealth, StationView, StreamHealth } from "../../schema/StationView.ts"
import { described } from "./Described.ts"
import { Reading } from "./Reading.ts"
import { limit } from "./Segments.ts"

/** Which station is meant, where somebody wants to say it; there is one. */
export const selector = { stationSlug: Schema.optionalKey(Schema.String), stationId: Schema.optionalKey(Schema.String) }

const eventStream = Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/event-stream" }))
const nowPlayingQuery = { ...selector, format: Schema.optionalKey(Schema.Literals(["json", "sse"])), lastEventId: Schema.optionalKey(Schema.String) }

/** What everybody may know of the station. */
export const StationApi = HttpApiGroup.make("station")
  .add(
    HttpApiEndpoint.get("state", "/api/station", { query: selector, success: StationView, error: [StationNotFound, Busy] })
      .annotateMerge(described("The station at a glance", "Name, what is heard now, what comes next, listeners, and where to listen. Nobody needs a key for it.")),
    HttpApiEndpoint.get("stationNowPlaying", "/api/station/now-playing", { query: nowPlayingQuery, success: [NowPlaying, eventStream], error: [NowPlayingUnavailable, StationNotFound] })
      .annotateMerge(described("What is heard now", "The item on the air with its start, length and who is heard. format=sse, or Accept: text/event-stream, makes it a stream that tells each change; lastEventId, or the header Last-Event-ID, goes on where a connection broke.")),
    HttpApiEndpoint.get("nowPlaying", "/api/now-playing", { query: nowPlayingQuery, success: [NowPlaying, eventStream], error: [NowPlayingUnavailable, StationNotFound] })
      .annotateMerge(described("What is heard now (short address)", "The same as GET /api/station/now-playing: one JSON document, or each change as an event with format=sse.")),
    HttpApiEndpoint.get("history", "/api/station/history", {
      query: { ...selector, limit, before: Schema.optionalKey(Schema.String), types: Schema.optionalKey(Schema.String) },
      success: Schema.Struct({ items: Schema.Array(HistoryItem) }),
      error: [StationNotFound, InvalidField]
    })
      .annotateMerge(described("What was heard", "From the log of the broadcast, newest first. before takes the id of an item, the asRunId of a row (exact where an item was heard in several pieces) or a time, types a list of kinds separated by commas, limit is 1 to 100, 20 unless it is said.")),
    HttpApiEndpoint.get("queue", "/api/station/queue", { query: selector, success: QueueHealth, error: [StationNotFound, Busy] })
      .annotateMerge(described("How full the queue is", "How many segments wait, for what, and how long the oldest has; how far ahead the rundown is planned.")),
    HttpApiEndpoint.get("streamHealth", "/api/station/stream-health", { query: selector, success: StreamHealth, error: [StationNotFound, Busy] })
      .annotateMerge(described("How the stream is", "Whether every output runs, how loud it is, and whether the sound was silent when it was last checked.")),
    HttpApiEndpoint.get("listen", "/api/station/listen", { success: Schema.Uint8Array.pipe(HttpApiSchema.asUint8Array({ contentType: "audio/mpeg" })), error: [Busy] })
      .annotateMerge(described("Listen to MP3", "The stream itself, without an end; the same as /live.mp3. ICY titles come to players that ask for them with Icy-MetaData: 1.")),
    HttpApiEndpoint.get("playbackSources", "/api/station/playback-sources", { query: selector, success: PlaybackSources, error: [StationNotFound] })
      .annotateMerge(described("Where to listen", "Every way to listen with its address and kind, best first, for players to try in order."))
  )
  .middleware(Reading)
  .annotateMerge(OpenApi.annotations({ title: "Station", description: "State, what is heard, what was heard, and where to listen." }))
