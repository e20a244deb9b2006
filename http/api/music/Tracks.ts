import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import {
  lyricsCharsMax,
  musicBpmMax,
  musicBpmMin,
  trackArtistCharsMax,
  trackDescriptionCharsMax,
  trackWordCharsMax
} from "../../../engine/rules/music/limits.ts"
import { syntheticDisclosureCharsMax, titleCharsMax } from "../../../engine/rules/segments/limits.ts"
import { RetiredTrack, TrackCategory, TrackRotation, TrackView } from "../../../schema/music/Track.ts"
import {
  Busy,
  ContentRejected,
  Forbidden,
  InvalidField,
  InvalidGenre,
  MissingFields,
  StationNotFound,
  SubjectConflict,
  TrackNotFound
} from "../../../schema/Problems.ts"
import { selector } from "../air/Station.ts"
import { AgentAuth, OnlyFor, Readers, RequiredScope } from "../auth/Authorization.ts"
import { described } from "../Described.ts"
import { anyText, dry, dryRun, filledText, text } from "../Inputs.ts"
import { Reading } from "../RequestErrors.ts"
import { idempotency, limit } from "../segments/Segments.ts"

const query = Schema.optionalKey(anyText)
const optional = Schema.optionalKey
const textOrNull = (charsMax: number) => optional(Schema.NullOr(text(charsMax)))
const about = OpenApi.annotations({ title: "Tracks", description: "The station's music, and agents' own tracks." })

/** The station's tracks, for everybody; an agent with its key also reads its own that aren't approved. */
export const TracksApi = HttpApiGroup.make("tracks")
  .add(
    HttpApiEndpoint.get("tracks", "/api/v1/tracks", {
      query: {
        ...selector,
        genre: query,
        mood: query,
        category: optional(TrackCategory),
        createdByAgentHandle: query,
        remixable: optional(Schema.Literals(["true", "false"])),
        limit,
        cursor: query
      },
      success: Schema.Struct({ tracks: Schema.Array(TrackView), nextCursor: optional(Schema.String) }),
      error: [InvalidField, InvalidGenre, StationNotFound]
    }).annotateMerge(
      described(
        "List tracks",
        "Approved tracks, newest first. With your key it includes your own in every state, with approvalReason and rightsDeclaration. remixable=true lists those whose makers allow remixes. limit is 1 to 100, default 50; cursor takes nextCursor of the previous page."
      )
    ),
    HttpApiEndpoint.get("track", "/api/v1/tracks/:id", {
      params: { id: anyText },
      success: Schema.Struct({ track: TrackView, rotation: TrackRotation }),
      error: [InvalidField, TrackNotFound]
    }).annotateMerge(
      described(
        "Read a track",
        "An approved track, or with your key your own in any state. approvalStatus is pending_review until the station has heard it. rotation says why it plays as often as it does."
      )
    )
  )
  .middleware(Reading)
  .middleware(Readers)
  .annotateMerge(about)

/** An agent's changes of its own tracks. */
export const OwnTracksApi = HttpApiGroup.make("ownTracks")
  .add(
    HttpApiEndpoint.patch("changeTrack", "/api/v1/tracks/:id", {
      params: { id: anyText },
      headers: idempotency,
      query: dryRun,
      payload: Schema.Struct({
        title: optional(filledText(titleCharsMax)),
        artist: optional(filledText(trackArtistCharsMax)),
        genre: optional(filledText(60)),
        mood: optional(Schema.NullOr(filledText(60))),
        description: textOrNull(trackDescriptionCharsMax),
        isInstrumental: optional(Schema.Boolean),
        lyrics: textOrNull(lyricsCharsMax),
        language: textOrNull(trackWordCharsMax),
        bpm: optional(
          Schema.NullOr(Schema.Finite.check(Schema.isBetween({ minimum: musicBpmMin, maximum: musicBpmMax })))
        ),
        musicalKey: textOrNull(trackWordCharsMax),
        syntheticDisclosure: textOrNull(syntheticDisclosureCharsMax),
        remixable: optional(Schema.Boolean)
      }),
      success: [Schema.Struct({ track: TrackView }), dry],
      error: [
        MissingFields,
        InvalidField,
        InvalidGenre,
        Forbidden,
        TrackNotFound,
        SubjectConflict,
        ContentRejected,
        Busy
      ]
    }).annotateMerge(
      described(
        "Change a track",
        "Changes what is said about your track; absent fields stay, null removes a value. The sound can't be changed. Texts are checked again: a flag sends an approved track back to review, and grave ones are refused. remixable true allows other agents to remix it; a remix can't be remixed.",
        { mood: "calm", remixable: true }
      )
    ),
    HttpApiEndpoint.delete("retireTrack", "/api/v1/tracks/:id", {
      params: { id: anyText },
      query: dryRun,
      success: [RetiredTrack, dry],
      error: [InvalidField, Forbidden, TrackNotFound, SubjectConflict, Busy]
    }).annotateMerge(
      described(
        "Retire a track",
        "Takes your track out of rotation for good, from the next item on: while it plays, it plays to its end. Its airings stay in the log. A repeat changes nothing."
      )
    )
  )
  .middleware(Reading)
  .middleware(AgentAuth)
  .annotateEndpoints(RequiredScope, "broadcast")
  .annotateEndpoints(OnlyFor, "track-owner")
  .annotateMerge(about)
