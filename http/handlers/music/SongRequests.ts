import { Clock, Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { EventBus } from "../../../actors/runtime/EventBus.ts"
import { Audience } from "../../../actors/listeners/protocol/Audience.ts"
import { MusicDesk } from "../../../actors/music/protocol/MusicDesk.ts"
import { Station } from "../../../actors/air/protocol.ts"
import { songRequestLookbackDays } from "../../../engine/rules/music/limits.ts"
import { rotationInfluence } from "../../../engine/rules/music/TrackInfluence.ts"
import { isActive, requestDisclaimer } from "../../../engine/rules/music/SongRequest.ts"
import { type Published, requestView, terminalView } from "../../../engine/rules/music/SongRequestEta.ts"
import { type Caller, SongRequests } from "../../../engine/store/music/SongRequests.ts"
import { StationFacts } from "../../../engine/store/sql/StationFacts.ts"
import { TrackVotes } from "../../../engine/store/music/TrackVotes.ts"
import { NotFound, SubjectConflict } from "../../../schema/Problems.ts"
import type { SongRequest, SongRequestDraft } from "../../../schema/music/SongRequest.ts"
import { Api } from "../../api/Api.ts"
import { CurrentAudience } from "../../api/auth/Audience.ts"
import { CurrentAgent, CurrentOperator } from "../../api/auth/Authorization.ts"
import { consentAsk } from "../../api/listeners/Consent.ts"
import { isDry } from "../../api/Inputs.ts"
import { OpsApi } from "../../api/OpsApi.ts"
import { limitOf } from "../../api/segments/Segments.ts"
import { send } from "../../Send.ts"
import { nextCursorOf, unknownCursor, previewAnswer } from "../Commands.ts"

const notPublished: Published = { rundown: null, emergency: false, forecast: null }

/** Requests with their expected times. */
const viewing = Effect.gen(function* () {
  const bus = yield* EventBus
  const rundown = yield* bus.get("rundown")
  const forecasts = yield* bus.get("songForecasts")
  const emergency = rundown?.emergency === true || (yield* bus.get("airStatus"))?.emergency === true
  const nowMs = yield* Clock.currentTimeMillis
  return (request: SongRequest) =>
    requestView(request, { ...notPublished, rundown, emergency, forecast: forecasts?.get(request.id) ?? null }, nowMs)
})

export const SongRequestsHandlers = HttpApiBuilder.group(
  Api,
  "songRequests",
  Effect.fnUntraced(function* (handlers) {
    const audience = yield* Audience.client
    return handlers.handleAll({
      request: Effect.fnUntraced(function* ({ params, payload, query }) {
        const { audience: whose, human, listenerId } = yield* CurrentAudience
        const account = human === null ? null : { id: human.id, displayName: human.displayName }
        const draft: SongRequestDraft = {
          trackId: params.id,
          listenerId,
          ...consentAsk(payload, null),
          account
        }
        const request = yield* send(audience(whose).RequestSong({ draft }))
        const standing = yield* (yield* TrackVotes).findStanding(params.id)
        const { createdAt: _, fulfilledAt: __, ...made } = (yield* viewing)(request)
        const asked = {
          success: true as const,
          ...made,
          requestCount: (yield* (yield* SongRequests).countOf(params.id)) + Number(isDry(query)),
          rotationInfluence: rotationInfluence(standing?.voteWeight ?? 1, standing?.isScheduled ?? false),
          requestDisclaimer
        }
        return isDry(query) ? previewAnswer(asked, 200) : asked
      }),
      status: Effect.fnUntraced(function* ({ query }) {
        const { audience: requester, human, listenerId } = yield* CurrentAudience
        const requests = yield* SongRequests
        const nowMs = yield* Clock.currentTimeMillis
        const caller: Caller =
          listenerId === null
            ? { _tag: "Guest", requester }
            : human === null
              ? { _tag: "Listener", listenerId }
              : { _tag: "Account", humanId: human.id, listenerId }
        const view = yield* viewing
        const isAskedForEnded = query.includeTerminal === "1"
        const [active, ended] = yield* Effect.all(
          [
            requests.findOwnActive(caller),
            isAskedForEnded
              ? requests.findOwnEnded(caller, nowMs - songRequestLookbackDays * 86_400_000)
              : Effect.succeed(null)
          ],
          { concurrency: "unbounded" }
        )
        const isOver = active !== null && view(active).status === "expired"
        const last = isOver ? active : ended
        return {
          request: active === null || isOver ? null : view(active),
          ...(isAskedForEnded ? { recentTerminal: last === null ? [] : [terminalView(last, nowMs)] } : {})
        }
      })
    })
  })
)

export const AgentSongRequestsHandlers = HttpApiBuilder.group(
  Api,
  "agentSongRequests",
  Effect.fnUntraced(function* (handlers) {
    const musicDesk = yield* MusicDesk.client
    return handlers.handleAll({
      requestTrack: Effect.fnUntraced(function* ({ params, payload, query }) {
        const { agent } = yield* CurrentAgent
        const request = yield* send(
          musicDesk(agent.id).RequestTrack({ trackId: params.id, note: payload.note ?? null })
        )
        const { expiresAt, queueDisclaimer, requestId, status } = (yield* viewing)(request)
        const requestCount = (yield* (yield* SongRequests).countOf(params.id)) + Number(isDry(query))
        const asked = { requestId, status, expiresAt, requestCount, queueDisclaimer }
        return isDry(query) ? previewAnswer(asked, 200) : asked
      }),
      songRequestStatus: Effect.fnUntraced(function* () {
        const { agent } = yield* CurrentAgent
        const latest = yield* (yield* SongRequests).findLatest(agent.id)
        return { request: latest === null ? null : (yield* viewing)(latest) }
      })
    })
  })
)

const requesterKindOf = ({ agentId, humanId, requester }: SongRequest) =>
  agentId !== null
    ? ("agent" as const)
    : humanId !== null
      ? ("account" as const)
      : requester === null
        ? ("erased" as const)
        : ("guest" as const)

const viewingForOps = Effect.map(viewing, (view) => (request: SongRequest) => {
  const { agentId, displacements, itemId, listenerLabel, note, source, statusReason } = request
  return {
    ...view(request),
    requestedBy: requesterKindOf(request),
    agentId,
    listenerLabel,
    note,
    source,
    statusReason,
    displacements,
    itemId
  }
})

const requireRequest = Effect.fnUntraced(function* (id: string) {
  const found = yield* (yield* SongRequests).find(id)
  return found ?? (yield* new NotFound({ detail: `There is no song request ${id}.` }))
})

export const SongRequestsForOpsHandlers = HttpApiBuilder.group(
  OpsApi,
  "songRequestsForOps",
  Effect.fnUntraced(function* (handlers) {
    const audience = yield* Audience.client
    const { slug } = yield* StationFacts
    const station = (yield* Station.client)(slug)
    const actOf = Effect.fnUntraced(function* (reason: string | null | undefined) {
      return { actor: (yield* CurrentOperator).name, reason: reason ?? null }
    })
    return handlers.handleAll({
      songRequests: Effect.fnUntraced(function* ({ query }) {
        const page = yield* (yield* SongRequests).list({
          status: query.status === undefined ? null : [query.status],
          limit: limitOf(query),
          cursor: query.cursor ?? null
        })
        if (page === null) return yield* unknownCursor
        return { requests: page.requests.map(yield* viewingForOps), ...nextCursorOf(page.next) }
      }),
      cancelSongRequest: Effect.fnUntraced(function* ({ params, payload }) {
        const found = yield* requireRequest(params.id)
        const request = yield* send(
          audience(found.requester ?? found.id).CancelSongRequest({
            requestId: found.id,
            ...(yield* actOf(payload.reason))
          })
        )
        return { request: (yield* viewingForOps)(request) }
      }),
      scheduleSongRequest: Effect.fnUntraced(function* ({ params, payload }) {
        const { displacements, id, status, track } = yield* requireRequest(params.id)
        if (!isActive(status))
          return yield* new SubjectConflict({ detail: `The request is ${status}: only one that waits can be played.` })
        // It is a track, and its rundown item is new.
        yield* Effect.catchTags(
          send(
            station.PromoteRequest({
              requestId: id,
              displacements,
              trackId: track.id,
              ...(yield* actOf(payload.reason))
            })
          ),
          { NotInRundown: Effect.die, SegmentNotFound: Effect.die }
        )
        return { request: (yield* viewingForOps)(yield* requireRequest(id)) }
      })
    })
  })
)
