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
import { described } from "../Described.ts"
import { OnRepeat } from "../Idempotent.ts"
import { bodyOrNone, dry, dryRun, filledText, idText, text } from "../Inputs.ts"
import { Reading } from "../RequestErrors.ts"
import { idempotency } from "../segments/Segments.ts"

const listeners = OpenApi.annotations({
  title: "Listeners",
  description: "Listeners with and without an account."
})
const write = { headers: idempotency, query: dryRun } as const

/** How listeners come by a token. */
export const ListenerSessionsApi = HttpApiGroup.make("listenerSessions")
  .add(
    HttpApiEndpoint.post("session", "/api/listeners/session", {
      query: dryRun,
      payload: bodyOrNone({}),
      success: [ListenerSession, dry],
      error: [InvalidField, Busy]
    })
      .annotateMerge(
        described(
          "Open a listener's session",
          "Gives you a signed token, good for 180 days, in the answer and as an HttpOnly cookie. With a good one of your own you stay the listener you are, and get a new token once yours is a month old. With the session of an account the new listener belongs to it; one that was there before can be claimed by whom claimableBy names. An address may have 60 new listeners in an hour."
        )
      )
      .annotate(OnRepeat, "anew")
  )
  .middleware(Reading)
  .middleware(Mints)
  .annotateMerge(listeners)

/** How what they did becomes an account's. */
export const ListenerClaimsApi = HttpApiGroup.make("listenerClaims")
  .add(
    HttpApiEndpoint.post("claim", "/api/listeners/claim", {
      ...write,
      payload: Schema.Struct({
        listenerId: filledText(100),
        listenerToken: filledText(tokenCharsMax),
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
        described(
          "Claim a listener session",
          "What a listener did, votes, streaks and whom it follows, becomes part of your account: of two votes on one track the newer stands. You prove that it was you with its token, which ends; the answer holds another. Asked again, the answer is the same.",
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

/** What takes a token, and no account. */
export const ListenersApi = HttpApiGroup.make("listeners")
  .add(
    HttpApiEndpoint.get("streaks", "/api/listeners/me/streaks", { success: Streaks, error: [Busy] }).annotateMerge(
      described(
        "Read your streak",
        "How many days in a row you listened, and what you did in the last 90. A day is UTC's and counts from five minutes on; the streak lives until the end of the next day."
      )
    ),
    HttpApiEndpoint.post("engage", "/api/station/engage", {
      ...write,
      payload: Schema.Struct({
        kind: EngageKind,
        subject: Schema.optionalKey(Schema.NullOr(Schema.Struct({ type: filledText(40), id: idText }))),
        value: Schema.optionalKey(Schema.NullOr(text(140))),
        clientSentAt: Schema.optionalKey(Schema.NullOr(text(40)))
      }),
      success: [EngageAnswer, dry],
      error: [InvalidField, RateLimited, Busy]
    }).annotateMerge(
      described(
        "Report your presence",
        "listening is a sign of life: send it once a minute while sound is heard; more often is ignored, and recorded is false then. reaction takes a value (love, laugh, wow, sad, fire) for what is playing now, ten a minute; subject, where you name one, is an item, track or segment of GET /api/station/now-playing. tune_in, share and poll are counted among your actions. Your clock is ignored.",
        { kind: "listening" }
      )
    ),
    HttpApiEndpoint.post("vote", "/api/v1/tracks/:id/engagement", {
      ...write,
      params: { id: Schema.String },
      payload: Schema.Struct({ action: filledText(20), reasonCode: Schema.optionalKey(Schema.NullOr(filledText(40))) }),
      success: [
        Schema.Struct({ ...TrackEngagement.fields, action: Schema.Literals(["like", "dislike", "clear"]) }),
        dry
      ],
      error: [InvalidAction, InvalidReason, InvalidField, TrackNotFound, Busy]
    }).annotateMerge(
      described(
        "Vote on a track",
        "action is like, dislike or clear. You have one vote on a track, whatever you listen with once you have an account; the same again changes nothing. reasonCode is one of GET /api/v1/feedback/reasons?domain=track_music. Votes of 30 days make a track come up to half as much more or half as often. Of one address three guests count for a track.",
        { action: "like", reasonCode: "great_melody" }
      )
    )
  )
  .middleware(Reading)
  .middleware(ListenerAuth)
  .annotateMerge(listeners)

/** What everybody may see of it. */
export const TrackEngagementApi = HttpApiGroup.make("trackEngagement")
  .add(
    HttpApiEndpoint.get("engagement", "/api/v1/tracks/:id/engagement", {
      params: { id: Schema.String },
      query: { listenerId: Schema.optionalKey(Schema.String) },
      success: TrackEngagement,
      error: [InvalidField, TrackNotFound]
    }).annotateMerge(
      described(
        "Read the votes on a track",
        "All that counts of what listeners and agents think, and what it does: boosted, scheduled for somebody who asked for it, or none. mine needs your own listener token; a listenerId alone is no proof."
      )
    )
  )
  .middleware(Reading)
  .middleware(Audiences)
  .annotateMerge(listeners)
