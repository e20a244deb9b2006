import { Effect } from "effect"
import { person } from "../people/Humans.ts"
import { listener, song } from "../listeners/Listeners.ts"
import { call } from "../http/SegmentHttp.ts"
import { type Elsewhere, post, type Scenes, type Successes } from "./Scene.ts"

const session = "/api/listeners/session"
const claim = "/api/listeners/claim"
const streaks = "/api/listeners/me/streaks"
const engage = "/api/station/engage"
const reasons = "/api/v1/feedback/reasons"
const votePath = (id: string) => `/api/v1/tracks/${id}/engagement`
const nowhere = votePath("trk_00000000000000000000000000")

const vote = (body: object) =>
  Effect.flatMap(Effect.all([song(), listener()]), ([id, { token }]) => post(votePath(id), body, token))

/** 4.10: sessions, claims, streaks, engagement, votes and their reasons. */
export const listeners: Scenes = {
  [`POST ${session}`]: {},
  [`POST ${claim}`]: {},
  [`GET ${streaks}`]: {},
  [`POST ${engage}`]: {},
  [`POST ${votePath("{id}")}`]: {
    INVALID_ACTION: vote({ action: "adore" }),
    INVALID_REASON: vote({ action: "like", reasonCode: "too_loud" }),
    TRACK_NOT_FOUND: Effect.flatMap(listener(), ({ token }) => post(nowhere, { action: "like" }, token)),
    "401": post(nowhere, { action: "like" })
  },
  [`GET ${votePath("{id}")}`]: { "404": call("GET", nowhere) },
  [`GET ${reasons}`]: { INVALID_DOMAIN: call("GET", `${reasons}?domain=weather`) }
}

export const listenersElsewhere: Elsewhere = {}

const totals = ["likes", "dislikes", "upvotes", "downvotes", "boosts"].map((name) => `totals.${name}`)

export const listenersSuccesses: Successes = {
  [`POST ${session}`]: {
    ask: post(session),
    fields: ["listenerId", "listenerToken", "expiresAt", "signedIn", "displayName"]
  },
  [`POST ${claim}`]: {
    ask: Effect.flatMap(Effect.all([person(), listener()]), ([{ headers }, { id, token }]) =>
      post(claim, { listenerId: id, listenerToken: token, consentGiven: true }, undefined, headers)
    ),
    fields: ["listenerId", "linked", "displayName", "listenerToken"]
  },
  [`GET ${streaks}`]: {
    ask: Effect.flatMap(listener(), ({ token }) =>
      Effect.andThen(post(engage, { kind: "listening" }, token), call("GET", streaks, { key: token }))
    ),
    fields: [
      "listenerId",
      "streak.current",
      "streak.longest",
      "streak.lastDay",
      "streak.todayMinutes",
      "history.0.day",
      "history.0.minutes",
      "history.0.actions",
      ...["minutes", "votes", "requests", "writeIns", "callIns", "reactions"].map((name) => `totals.${name}`)
    ]
  },
  [`POST ${engage}`]: {
    ask: Effect.flatMap(listener(), ({ token }) => post(engage, { kind: "listening" }, token)),
    fields: ["recorded", "streak.current", "streak.longest", "streak.todayMinutes"]
  },
  [`POST ${votePath("{id}")}`]: {
    ask: vote({ action: "like", reasonCode: "fresh" }),
    fields: ["trackId", "action", "mine.like", "rotationInfluence", ...totals]
  },
  [`GET ${votePath("{id}")}`]: {
    ask: Effect.flatMap(song(), (id) => call("GET", votePath(id))),
    fields: ["trackId", "rotationInfluence", "mine", ...totals]
  },
  [`GET ${reasons}`]: {
    ask: call("GET", `${reasons}?domain=track_music`),
    fields: ["version", "domain", "positive.0.code", "positive.0.label", "negative.0.code"]
  }
}
