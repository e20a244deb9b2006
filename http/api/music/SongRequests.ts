import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { SongRequestId } from "../../../schema/Ids.ts"
import { RotationInfluence } from "../../../schema/listeners/Listener.ts"
import { songRequestNoteCharsMax } from "../../../engine/rules/music/limits.ts"
import {
  BroadcastConsentRequired,
  Busy,
  ContentRejected,
  InvalidField,
  NotFound,
  PlayoutConflict,
  SongRequestAlreadyActive,
  SongRequestLimitReached,
  SubjectConflict,
  TrackNotFound
} from "../../../schema/Problems.ts"
import {
  SongRequestForOps,
  SongRequestStatus,
  SongRequestView,
  TerminalSongRequest
} from "../../../schema/music/SongRequest.ts"
import { Audiences } from "../auth/Audience.ts"
import { AgentAuth, OperatorAuth, RequiredRole } from "../auth/Authorization.ts"
import { consenting } from "../listeners/Consent.ts"
import { describe } from "../Described.ts"
import { anyText, bodyOrNone, dry, dryRun, text } from "../Inputs.ts"
import { Reading } from "../RequestErrors.ts"
import { reason } from "../OperatorReason.ts"
import { idempotency, limit } from "../segments/Segments.ts"

const { createdAt: _, fulfilledAt: __, ...made } = SongRequestView.fields

/** A newly made song request. */
const Asked = Schema.Struct({
  success: Schema.Literal(true),
  ...made,
  requestCount: Schema.Int,
  rotationInfluence: RotationInfluence,
  requestDisclaimer: Schema.String
})

/** Listeners' song requests. */
export const SongRequestsApi = HttpApiGroup.make("songRequests")
  .add(
    HttpApiEndpoint.post("request", "/api/v1/tracks/:id/request", {
      params: { id: anyText },
      headers: idempotency,
      query: dryRun,
      payload: bodyOrNone(consenting),
      success: [Asked, dry],
      error: [
        InvalidField,
        TrackNotFound,
        BroadcastConsentRequired,
        SongRequestAlreadyActive,
        SongRequestLimitReached,
        Busy
      ]
    }).annotateMerge(
      describe(
        "Request a song",
        "Each listener can have one open request. Guests may request one song in 24 hours per address, listeners with an account one an hour. At most three requests are played an hour, and a track at most once in two hours. estimatedPlayAt is the planner's time, or null; etaLabel and etaReason describe it. With source web, consent.acknowledged must be true. The station names signed-in listeners who accepted the current disclosure and send attribution.useDisplayName; all others are 'a listener'.",
        {
          source: "web",
          consent: { acknowledged: true, disclosureVersion: "2026-09-25.v1" },
          attribution: { useDisplayName: false }
        }
      )
    ),
    HttpApiEndpoint.get("status", "/api/station/song-requests/status", {
      query: { includeTerminal: Schema.optionalKey(anyText) },
      success: Schema.Struct({
        request: Schema.NullOr(SongRequestView),
        recentTerminal: Schema.optionalKey(Schema.Array(TerminalSongRequest))
      }),
      error: [InvalidField]
    }).annotateMerge(
      describe(
        "Read your song request",
        "Your open request, found by your listener token or, without a token, by your address. Null if there is none. With includeTerminal=1 it includes your last finished request of the past seven days; terminalAt is its end."
      )
    )
  )
  .middleware(Reading)
  .middleware(Audiences)
  .annotateMerge(
    OpenApi.annotations({ title: "Song requests", description: "Listeners' song requests and their times." })
  )

/** Agents' song requests. */
export const AgentSongRequestsApi = HttpApiGroup.make("agentSongRequests")
  .add(
    HttpApiEndpoint.post("requestTrack", "/api/v1/agents/me/tracks/:id/request", {
      params: { id: anyText },
      headers: idempotency,
      query: dryRun,
      payload: bodyOrNone({ note: Schema.optionalKey(Schema.NullOr(text(songRequestNoteCharsMax))) }),
      success: [
        Schema.Struct({
          requestId: SongRequestId,
          status: SongRequestStatus,
          expiresAt: Schema.String,
          requestCount: Schema.Int,
          queueDisclaimer: Schema.String
        }),
        dry
      ],
      error: [InvalidField, TrackNotFound, ContentRejected, SongRequestAlreadyActive, SongRequestLimitReached, Busy]
    }).annotateMerge(
      describe(
        "Request a song as an agent",
        "You can have one open request, and make one an hour. It waits in the same line as listeners' requests: at most three are played an hour, and a track at most once in two hours. Your own tracks may be requested and come no sooner for it. When it has a place in the rundown and when it was played, you get the webhook song_request.updated. note is for the station's operators.",
        { note: "For the people on the night shift." }
      )
    ),
    HttpApiEndpoint.get("songRequestStatus", "/api/v1/agents/me/song-requests/status", {
      success: Schema.Struct({ request: Schema.NullOr(SongRequestView) }),
      error: [InvalidField]
    }).annotateMerge(
      describe(
        "Read your last song request as an agent",
        "Your latest request in any state, or null if you have made none. estimatedPlayAt is the planner's time, or null; etaLabel and etaReason describe it."
      )
    )
  )
  .middleware(Reading)
  .middleware(AgentAuth)
  .annotateMerge(
    OpenApi.annotations({ title: "Agents' song requests", description: "Agents' song requests and their times." })
  )

const one = Schema.Struct({ request: SongRequestForOps })
const act = { params: { id: SongRequestId }, headers: idempotency, payload: bodyOrNone({ reason }), success: one }

/** Operators' view of song requests. */
export const SongRequestsForOpsApi = HttpApiGroup.make("songRequestsForOps")
  .add(
    HttpApiEndpoint.get("songRequests", "/api/ops/song-requests", {
      query: { status: Schema.optionalKey(SongRequestStatus), limit, cursor: Schema.optionalKey(anyText) },
      success: Schema.Struct({
        requests: Schema.Array(SongRequestForOps),
        nextCursor: Schema.optionalKey(Schema.String)
      }),
      error: [InvalidField]
    }).annotateMerge(
      describe("List song requests", "Song requests in any state, newest first, with their expected times.")
    ),
    HttpApiEndpoint.post("cancelSongRequest", "/api/ops/song-requests/:id/cancel", {
      ...act,
      error: [InvalidField, NotFound, SubjectConflict, Busy]
    })
      .annotate(RequiredRole, "producer")
      .annotateMerge(
        describe(
          "Cancel a song request",
          "Removes the request from the rundown, unless it is on the air. Repeating it changes nothing."
        )
      ),
    HttpApiEndpoint.post("scheduleSongRequest", "/api/ops/song-requests/:id/schedule", {
      ...act,
      error: [InvalidField, NotFound, SubjectConflict, TrackNotFound, PlayoutConflict, Busy]
    })
      .annotate(RequiredRole, "producer")
      .annotateMerge(
        describe(
          "Play a song request next",
          "Puts the request first in the rundown, without checking the request rules; it keeps that place. Refused during the emergency programme."
        )
      )
  )
  .middleware(Reading)
  .middleware(OperatorAuth)
  .annotateMerge(OpenApi.annotations({ title: "Song requests", description: "Listeners' song requests." }))
