import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { broadcastDisclosure } from "../../../schema/listeners/Consent.ts"
import { arrive } from "../http/AgentHttp.ts"
import { signInListener, song } from "../listeners/Listeners.ts"
import { call } from "../http/SegmentHttp.ts"
import { type Elsewhere, post, type Scenes, type Successes } from "./Scene.ts"
import { setRequests } from "../air/Airings.ts"

const request = "/api/v1/tracks/{id}/request"
const status = "/api/station/song-requests/status"
/** Somebody with an account asks for a song; `after` is what they have done before. */
const askForSong = <E, R>(
  body: unknown,
  after: (ask: ReturnType<typeof post>, listenerId: string) => Effect.Effect<unknown, E, R> = () =>
    Effect.void as Effect.Effect<never>
) =>
  Effect.gen(function* () {
    const { id, token } = yield* signInListener()
    const ask = post(`/api/v1/tracks/${yield* song()}/request`, body, undefined, { "x-listener-token": token })
    yield* after(ask, id)
    return yield* ask
  })
const endRequests = (listenerId: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => setRequests(sql`listener_id = ${listenerId}`, "aired"))
const agentsRequest = "/api/v1/agents/me/tracks/{id}/request"
const agentsStatus = "/api/v1/agents/me/song-requests/status"
const agentsVote = "/api/v1/agents/me/tracks/{id}/engagement"
/** An agent asks for a song; `after` is what it has done before. */
const askAsAgent = <E, R>(
  after: (ask: ReturnType<typeof post>, agentId: string) => Effect.Effect<unknown, E, R> = () =>
    Effect.void as Effect.Effect<never>
) =>
  Effect.gen(function* () {
    const { id, key } = yield* arrive()
    const ask = post(`/api/v1/agents/me/tracks/${yield* song()}/request`, undefined, key)
    yield* after(ask, id)
    return yield* ask
  })
const endAgentRequests = (agentId: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => setRequests(sql`agent_id = ${agentId}`, "aired"))
/** 4.7 and 4.10: song requests, and agents' votes on tracks. */
export const requests: Scenes = {
  [`POST ${request}`]: {
    BROADCAST_CONSENT_REQUIRED: askForSong({
      source: "web",
      consent: { disclosureVersion: broadcastDisclosure.version }
    }),
    TRACK_NOT_FOUND: post("/api/v1/tracks/trk_00000000000000000000000000/request", { source: "web" }),
    SONG_REQUEST_ALREADY_ACTIVE: askForSong({}, (ask) => ask),
    "429": askForSong({}, (ask, listenerId) => Effect.andThen(ask, endRequests(listenerId)))
  },
  [`GET ${status}`]: {},
  [`POST ${agentsRequest}`]: {
    TRACK_NOT_FOUND: Effect.flatMap(arrive(), ({ key }) =>
      post("/api/v1/agents/me/tracks/trk_00000000000000000000000000/request", undefined, key)
    ),
    SONG_REQUEST_ALREADY_ACTIVE: askAsAgent((ask) => ask),
    "429": askAsAgent((ask, agentId) => Effect.andThen(ask, endAgentRequests(agentId))),
    "401": post("/api/v1/agents/me/tracks/trk_00000000000000000000000000/request")
  },
  [`GET ${agentsStatus}`]: {},
  [`POST ${agentsVote}`]: {}
}
export const requestsElsewhere: Elsewhere = {}
const eta = [
  "expiresAt",
  "scheduledFor",
  "queueDisclaimer",
  "track.title",
  "estimatedPlayAt",
  "estimatedWaitSeconds",
  "etaLabel",
  "etaReason"
]
export const requestsSuccesses: Successes = {
  [`POST ${agentsRequest}`]: {
    ask: askAsAgent(),
    fields: ["requestId", "status", "expiresAt", "requestCount", "queueDisclaimer"]
  },
  [`GET ${agentsStatus}`]: {
    ask: Effect.gen(function* () {
      const { key } = yield* arrive()
      yield* post(`/api/v1/agents/me/tracks/${yield* song()}/request`, undefined, key)
      return yield* call("GET", agentsStatus, { key })
    }),
    fields: ["request.requestId", "request.status", "request.track.title", ...eta.map((field) => `request.${field}`)]
  },
  [`POST ${agentsVote}`]: {
    ask: Effect.gen(function* () {
      const { key } = yield* arrive()
      return yield* post(`/api/v1/agents/me/tracks/${yield* song()}/engagement`, { action: "upvote" }, key)
    }),
    fields: ["trackId", "mine.upvote", "mine.downvote", "mine.boost", "totals.upvotes", "rotationInfluence"]
  },
  [`POST ${request}`]: {
    ask: askForSong({
      source: "web",
      consent: { acknowledged: true, disclosureVersion: broadcastDisclosure.version },
      attribution: { useDisplayName: true }
    }),
    fields: [
      "success",
      "requestId",
      "trackId",
      "status",
      "requestCount",
      "track.id",
      "track.artist",
      "track.genre",
      "track.isInstrumental",
      "track.durationSec",
      "rotationInfluence",
      "requestDisclaimer",
      ...eta
    ]
  },
  [`GET ${status}`]: {
    ask: Effect.gen(function* () {
      const { id, token } = yield* signInListener()
      const headers = { "x-listener-token": token }
      yield* post(`/api/v1/tracks/${yield* song()}/request`, {}, undefined, headers)
      yield* endRequests(id)
      yield* (yield* SqlClient.SqlClient)`UPDATE song_requests SET created_at = created_at - interval '2 hours' WHERE listener_id = ${id}`
      yield* post(`/api/v1/tracks/${yield* song()}/request`, {}, undefined, headers)
      return yield* call("GET", `${status}?includeTerminal=1`, { headers })
    }),
    fields: [
      "request.requestId",
      "request.trackId",
      "request.status",
      "request.fulfilledAt",
      "request.createdAt",
      "recentTerminal.0.terminalAt",
      ...eta.map((field) => `request.${field}`)
    ]
  }
}
