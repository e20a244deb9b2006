import { Clock, Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { MusicDesk } from "../../../actors/music/protocol/MusicDesk.ts"
import { isReadableBy, trackView } from "../../../engine/rules/music/Track.ts"
import { countedFromMs } from "../../../engine/rules/music/TrackInfluence.ts"
import { rotationOf } from "../../../engine/rules/music/TrackRotation.ts"
import { catalogDefault } from "../../../engine/rules/programmes/limits.ts"
import { Tracks } from "../../../engine/store/music/Tracks.ts"
import { StationFacts } from "../../../engine/store/sql/StationFacts.ts"
import { MissingFields, TrackNotFound } from "../../../schema/Problems.ts"
import { Api } from "../../api/Api.ts"
import { CurrentAgent, CurrentReader } from "../../api/auth/Authorization.ts"
import { isDry } from "../../api/Inputs.ts"
import { send } from "../../Send.ts"
import { checkStation } from "../../views/StationViews.ts"
import { following, unknownCursor, wouldBe } from "../Commands.ts"
import { genreMeant, moodMeant } from "./MusicCatalog.ts"

const nothingSent = new MissingFields({
  detail: "Send at least one field to change.",
  errors: ["title", "artist", "genre", "mood", "lyrics", "remixable"].map((field) => ({
    pointer: `/${field}`,
    code: "MISSING_FIELDS",
    detail: "or another field is required"
  }))
})

export const TracksHandlers = HttpApiBuilder.group(
  Api,
  "tracks",
  Effect.fn(function* (handlers) {
    const tracks = yield* Tracks
    const station = yield* StationFacts
    return handlers.handleAll({
      tracks: Effect.fn("tracks")(function* ({ query }) {
        yield* checkStation(query)
        const reader = (yield* CurrentReader).agentId
        const page = yield* tracks.page({
          genre: yield* genreMeant(query.genre, "/query/genre"),
          mood: yield* moodMeant(query.mood, "/query/mood"),
          category: query.category ?? null,
          createdByAgentHandle: query.createdByAgentHandle?.toLowerCase() ?? null,
          remixable: query.remixable === "true",
          reader,
          limit: query.limit ?? catalogDefault,
          cursor: query.cursor ?? null
        })
        if (page === null) return yield* unknownCursor
        return { tracks: page.tracks.map((track) => trackView(track, station, reader)), ...following(page.next) }
      }),
      track: Effect.fn("track")(function* ({ params: { id } }) {
        const reader = (yield* CurrentReader).agentId
        const track = yield* tracks.shown(id)
        if (track === null || !isReadableBy(track, reader))
          return yield* new TrackNotFound({ detail: `There is no track ${id}.` })
        const nowMs = yield* Clock.currentTimeMillis
        const facts = (yield* tracks.rotationFacts(id, station.slug, countedFromMs(nowMs)))!
        return { track: trackView(track, station, reader), rotation: rotationOf(facts, track.isScheduled, nowMs) }
      })
    })
  })
)

export const OwnTracksHandlers = HttpApiBuilder.group(
  Api,
  "ownTracks",
  Effect.fn(function* (handlers) {
    const musicDesk = yield* MusicDesk.client
    return handlers.handleAll({
      changeTrack: Effect.fn(function* ({ params, payload, query }) {
        const { agent } = yield* CurrentAgent
        const { genre, mood, ...others } = payload
        if (Object.keys(payload).length === 0) return yield* nothingSent
        const genreGiven = yield* genreMeant(genre, "/genre")
        const moodGiven = yield* moodMeant(mood, "/mood")
        const patch = {
          ...others,
          ...(genreGiven === null ? {} : { genre: genreGiven }),
          ...(mood === undefined ? {} : { mood: moodGiven })
        }
        const track = yield* send(musicDesk(agent.id).ChangeTrack({ trackId: params.id, patch }))
        return isDry(query) ? wouldBe({ track }, 200) : { track }
      }),
      retireTrack: Effect.fn(function* ({ params, query }) {
        const { agent } = yield* CurrentAgent
        const retired = yield* send(musicDesk(agent.id).RetireTrack({ trackId: params.id }))
        return isDry(query) ? wouldBe(retired, 200) : retired
      })
    })
  })
)
