import { Clock, Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Studio } from "../../../actors/segments/protocol/Studio.ts"
import type { TrackOrigin } from "../../../schema/music/TrackDraft.ts"
import { CallUploads } from "../../api/listeners/CallUploads.ts"
import { MusicDesk } from "../../../actors/music/protocol/MusicDesk.ts"
import { isReadableBy, tracksAllowance, trackView } from "../../../engine/rules/music/Track.ts"
import { voteWindowStartMs } from "../../../engine/rules/music/TrackInfluence.ts"
import { rotationOf } from "../../../engine/rules/music/TrackRotation.ts"
import { catalogDefault } from "../../../engine/rules/programmes/limits.ts"
import { Tracks } from "../../../engine/store/music/Tracks.ts"
import { StationFacts } from "../../../engine/store/sql/StationFacts.ts"
import { InvalidField, MissingFields, TrackNotFound } from "../../../schema/Problems.ts"
import { Api } from "../../api/Api.ts"
import { CurrentAgent, CurrentReader } from "../../api/auth/Authorization.ts"
import { isDry } from "../../api/Inputs.ts"
import { send } from "../../Send.ts"
import { checkStation } from "../../views/StationViews.ts"
import { broadcaster, nextCursorOf, keyFields, unknownCursor, previewAnswer } from "../Commands.ts"
import { readAllowances, answerWithQuotas } from "../Quotas.ts"
import { genreMeant, moodMeant } from "../../views/Genres.ts"

const nothingSent = new MissingFields({
  detail: "Send at least one field to change.",
  errors: ["title", "artist", "genre", "mood", "lyrics", "remixable"].map((field) => ({
    pointer: `/${field}`,
    code: "MISSING_FIELDS",
    detail: "or another field is required"
  }))
})

const notAttested = new MissingFields({
  detail: "Attest that you hold the rights: rightsAttested true.",
  errors: [{ pointer: "/rightsAttested", code: "MISSING_FIELDS", detail: "is required with rightsDeclaration" }]
})
const noSource = new MissingFields({
  detail: "Send fileUrl or uploadId, or a form with the MP3 as part file.",
  errors: ["fileUrl", "uploadId", "file"].map((field) => ({
    pointer: `/${field}`,
    code: "MISSING_FIELDS",
    detail: "or another of these is required"
  }))
})
const twoSources = new InvalidField({
  detail: "A track has one source: fileUrl, uploadId or the file of a form.",
  errors: ["fileUrl", "uploadId"].map((field) => ({
    pointer: `/${field}`,
    code: "INVALID_FIELD",
    detail: "comes with another source"
  }))
})

export const TracksHandlers = HttpApiBuilder.group(
  Api,
  "tracks",
  Effect.fnUntraced(function* (handlers) {
    const tracks = yield* Tracks
    const station = yield* StationFacts
    return handlers.handleAll({
      tracks: Effect.fnUntraced(function* ({ query }) {
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
        return { tracks: page.tracks.map((track) => trackView(track, station, reader)), ...nextCursorOf(page.next) }
      }),
      track: Effect.fnUntraced(function* ({ params: { id } }) {
        const reader = (yield* CurrentReader).agentId
        const track = yield* tracks.findShown(id)
        if (track === null || !isReadableBy(track, reader))
          return yield* new TrackNotFound({ detail: `There is no track ${id}.` })
        const nowMs = yield* Clock.currentTimeMillis
        const facts = (yield* tracks.findRotationFacts(id, station.slug, voteWindowStartMs(nowMs)))!
        return { track: trackView(track, station, reader), rotation: rotationOf(facts, track.isScheduled, nowMs) }
      })
    })
  })
)

export const OwnTracksHandlers = HttpApiBuilder.group(
  Api,
  "ownTracks",
  Effect.fnUntraced(function* (handlers) {
    const musicDesk = yield* MusicDesk.client
    return handlers.handleAll({
      changeTrack: Effect.fnUntraced(function* ({ params, payload, query }) {
        const { agent } = yield* CurrentAgent
        const { genre, mood, rightsAttested, rightsDeclaration, ...others } = payload
        if (rightsDeclaration !== undefined && rightsAttested !== true) return yield* notAttested
        if (Object.keys(payload).length === 0) return yield* nothingSent
        const genreGiven = yield* genreMeant(genre, "/genre")
        const moodGiven = yield* moodMeant(mood, "/mood")
        const patch = {
          ...others,
          ...(rightsDeclaration === undefined ? {} : { rightsDeclaration }),
          ...(genreGiven === null ? {} : { genre: genreGiven }),
          ...(mood === undefined ? {} : { mood: moodGiven })
        }
        const track = yield* send(musicDesk(agent.id).ChangeTrack({ trackId: params.id, patch }))
        return isDry(query) ? previewAnswer({ track }, 200) : { track }
      }),
      retireTrack: Effect.fnUntraced(function* ({ params, query }) {
        const { agent } = yield* CurrentAgent
        const retired = yield* send(musicDesk(agent.id).RetireTrack({ trackId: params.id }))
        return isDry(query) ? previewAnswer(retired, 200) : retired
      })
    })
  })
)

export const NewTracksHandlers = HttpApiBuilder.group(
  Api,
  "newTracks",
  Effect.fnUntraced(function* (handlers) {
    const studio = yield* Studio.client
    const files = yield* CallUploads
    return handlers.handleAll({
      createTrack: Effect.fnUntraced(function* ({ headers, payload, query }) {
        const current = yield* CurrentAgent
        const by = broadcaster(current)
        const genre = yield* genreMeant(payload.genre, "/genre")
        const mood = yield* moodMeant(payload.mood, "/mood")
        const { rightsAttested, rightsDeclaration } = payload
        const draft = {
          title: payload.title,
          artist: payload.artist || null,
          genre: genre!,
          mood,
          category: payload.category ?? ("song" as const),
          isInstrumental: payload.isInstrumental ?? null,
          lyrics: payload.lyrics || null,
          language: payload.language || null,
          description: payload.description || null,
          bpm: payload.bpm ?? null,
          musicalKey: payload.musicalKey || null,
          coverUrl: payload.coverUrl || null,
          rightsDeclaration: rightsAttested === true ? (rightsDeclaration ?? null) : null,
          syntheticDisclosure: payload.syntheticDisclosure || null,
          remixable: payload.remixable ?? false
        }
        const create = (origin: TrackOrigin) =>
          send(studio(by.agentId).CreateTrack({ by, scopes: current.scopes, draft, origin }))
        const { fileUrl, uploadId } = payload
        const file = "file" in payload ? payload.file : null
        if ([fileUrl, uploadId, file].filter(Boolean).length > 1) return yield* twoSources
        const createFromFile = (part: { readonly path: string; readonly name: string }) =>
          files
            .runWithUpload(part.path, (key) => create({ _tag: "Form", key }))
            .pipe(keyFields(headers, [by.agentId, draft, part.name]))
        const ofAddress = fileUrl ? create({ _tag: "Url", url: fileUrl }) : null
        const ofUpload = uploadId ? create({ _tag: "Upload", uploadId }) : null
        const making = file !== null ? createFromFile(file) : (ofAddress ?? ofUpload)
        if (making === null) return yield* noSource
        const made = yield* making.pipe(answerWithQuotas(readAllowances([tracksAllowance], by.agentId)))
        return isDry(query) ? previewAnswer({ track: made }, 201) : { track: made }
      })
    })
  })
)
