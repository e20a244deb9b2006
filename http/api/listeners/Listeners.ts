import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { tokenCharsMax } from "../../../engine/rules/agents/limits.ts"
import { ListenerId } from "../../../schema/Ids.ts"
import {
  EngageAnswer,
  EngageKind,
  ListenerSession,
  Streaks,
  TrackEngagement
} from "../../../schema/listeners/Listener.ts"
import {
  Busy,
  Forbidden,
  InvalidAction,
  InvalidField,
  InvalidReason,
  ListenerAlreadyClaimed,
  ListenerTokenRequired,
  MissingFields,
  RateLimited,
  TrackNotFound
} from "../../../schema/Problems.ts"
import { Audiences, HumanAuth, ListenerAuth, Mints } from "../auth/Audience.ts"
import { describe } from "../Described.ts"
import { OnRepeat } from "../Idempotent.ts"
import { anyText, bodyOrNone, dry, dryRun, requiredText, idText, text } from "../Inputs.ts"
import { Reading } from "../RequestErrors.ts"
import { idempotency } from "../segments/Segments.ts"

const listeners = OpenApi.annotations({
  title: "Listeners",
  description: "Listeners with and without an account."
})
const write = { headers: idempotency, query: dryRun } as const

/** Listener sessions. */
export const ListenerSessionsApi = HttpApiGroup.make("listenerSessions")
  .add(
    HttpApiEndpoint.post("session", "/api/listeners/session", {
      query: dryRun,
      payload: bodyOrNone({}),
      success: [ListenerSession, dry],
      error: [InvalidField, Busy]
    })
      .annotateMerge(
        describe(
          "Open a listener's session",
          "Returns a signed token, valid for 180 days, in the answer and as an HttpOnly cookie. If you send a valid token, you keep your identity and get a new token once yours is a month old. If you are signed in, a new listener belongs to your account; claimableBy names the account that can claim an existing one. One address may open 60 new sessions an hour."
        )
      )
      .annotate(OnRepeat, "anew")
  )
  .middleware(Reading)
  .middleware(Mints)
  .annotateMerge(listeners)

/** Claiming a listener for an account. */
export const ListenerClaimsApi = HttpApiGroup.make("listenerClaims")
  .add(
    HttpApiEndpoint.post("claim", "/api/listeners/claim", {
      ...write,
      payload: Schema.Struct({
        listenerId: requiredText(100),
        listenerToken: requiredText(tokenCharsMax),
        consentGiven: Schema.NullOr(Schema.Boolean)
      }),
      success: [
        Schema.Struct({
          listenerId: ListenerId,
          linked: Schema.Literal(true),
          displayName: Schema.String,
          listenerToken: Schema.String
        }),
        dry
      ],
      error: [MissingFields, InvalidField, ListenerTokenRequired, Forbidden, ListenerAlreadyClaimed, Busy]
    })
      .annotateMerge(
        describe(
          "Claim a listener session",
          "Adds the listener's votes, streaks and follows to your account. If both voted on a track, the newer vote counts. Prove your identity with the listener's token: the station voids it and returns a new one. Repeating the request returns the same answer.",
          {
            listenerId: "lsn_01jd0000000000000000000000",
            listenerToken: "eyJhbGciOiJFZERTQSJ9.e30.x",
            consentGiven: true
          }
        )
      )
      .annotate(OnRepeat, "secret")
  )
  .middleware(Reading)
  .middleware(HumanAuth)
  .annotateMerge(listeners)

/** Operations that need a token but no account. */
export const ListenersApi = HttpApiGroup.make("listeners")
  .add(
    HttpApiEndpoint.get("streaks", "/api/listeners/me/streaks", { success: Streaks, error: [Busy] }).annotateMerge(
      describe(
        "Read your streak",
        "Your consecutive days of listening, and your actions in the last 90 days. A day is a UTC day with at least five minutes of listening. The streak ends when a whole day passes without listening."
      )
    ),
    HttpApiEndpoint.post("engage", "/api/station/engage", {
      ...write,
      payload: Schema.Struct({
        kind: EngageKind,
        subject: Schema.optionalKey(Schema.NullOr(Schema.Struct({ type: requiredText(40), id: idText }))),
        value: Schema.optionalKey(Schema.NullOr(text(140))),
        clientSentAt: Schema.optionalKey(Schema.NullOr(text(40)))
      }),
      success: [EngageAnswer, dry],
      error: [InvalidField, RateLimited, Busy]
    }).annotateMerge(
      describe(
        "Report your presence",
        "Send listening once a minute while sound plays; more frequent reports are ignored and return recorded false. reaction takes a value (love, laugh, wow, sad, fire) for the item on the air, at most ten a minute; the optional subject is an item, track or segment from GET /api/station/now-playing. tune_in, share and poll are counted among your actions. The server ignores your clock.",
        { kind: "listening" }
      )
    ),
    HttpApiEndpoint.post("vote", "/api/v1/tracks/:id/engagement", {
      ...write,
      params: { id: anyText },
      payload: Schema.Struct({
        action: requiredText(20),
        reasonCode: Schema.optionalKey(Schema.NullOr(requiredText(40)))
      }),
      success: [
        Schema.Struct({ ...TrackEngagement.fields, action: Schema.Literals(["like", "dislike", "clear"]) }),
        dry
      ],
      error: [InvalidAction, InvalidReason, InvalidField, TrackNotFound, Busy]
    }).annotateMerge(
      describe(
        "Vote on a track",
        "action is like, dislike or clear. You have one vote per track, on all devices once you have an account; repeating a vote changes nothing. reasonCode is one of GET /api/v1/feedback/reasons?domain=track_music. Votes of the last 30 days make a track play up to 50 % more or 50 % less often. At most three guests per address count for a track.",
        { action: "like", reasonCode: "great_melody" }
      )
    )
  )
  .middleware(Reading)
  .middleware(ListenerAuth)
  .annotateMerge(listeners)

/** Public totals of votes. */
export const TrackEngagementApi = HttpApiGroup.make("trackEngagement")
  .add(
    HttpApiEndpoint.get("engagement", "/api/v1/tracks/:id/engagement", {
      params: { id: anyText },
      query: { listenerId: Schema.optionalKey(anyText) },
      success: TrackEngagement,
      error: [InvalidField, TrackNotFound]
    }).annotateMerge(
      describe(
        "Read the votes on a track",
        "Totals of the votes by listeners and agents, and their influence on rotation: boosted, scheduled (for a song request) or none. mine needs your own listener token; a listenerId is not enough."
      )
    )
  )
  .middleware(Reading)
  .middleware(Audiences)
  .annotateMerge(listeners)
