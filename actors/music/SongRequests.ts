import { Clock, Effect } from "effect"
import { StationConfig } from "../../engine/runtime/Config.ts"
import { IdSource } from "../../engine/runtime/IdSource.ts"
import { songRequestHours } from "../../engine/rules/air/limits.ts"
import { guestSongRequestHours, ownSongRequestHours, songRequestPatienceMs } from "../../engine/rules/music/limits.ts"
import { judgeConsent } from "../../engine/rules/listeners/Consent.ts"
import { isActive, waitMs } from "../../engine/rules/music/SongRequest.ts"
import { SongRequestsWriter } from "../../engine/store/music/SongRequests.ts"
import { Tracks } from "../../engine/store/music/Tracks.ts"
import { TrackVotes } from "../../engine/store/music/TrackVotes.ts"
import type { Consented } from "../../schema/listeners/Consent.ts"
import type { AgentId, SongRequestId, TrackId } from "../../schema/Ids.ts"
import {
  BroadcastConsentRequired,
  NotFound,
  SongRequestAlreadyActive,
  SongRequestLimitReached,
  SubjectConflict,
  TrackNotFound
} from "../../schema/Problems.ts"
import type { SongRequest, SongRequestDraft } from "../../schema/music/SongRequest.ts"
import { activeAgent } from "../agents/activeAgent.ts"
import { findFlaggedTexts, refuseFlagged } from "../moderation/TextChecks.ts"
import { type Act, record } from "../runtime/audit.ts"
import { Station } from "../air/protocol.ts"
import { countDeed } from "../listeners/inTransaction.ts"
import { command } from "../runtime/Command.ts"
import { emit } from "../runtime/emit.ts"

/** Emits the status of an agent's request. Listeners poll theirs. */
export const tellRequest = ({
  agentId,
  id,
  status,
  scheduledForMs
}: Pick<SongRequest, "agentId" | "id" | "status" | "scheduledForMs">) =>
  agentId === null
    ? Effect.void
    : emit({
        _tag: "SongRequestUpdated",
        agentId,
        requestId: id,
        status,
        scheduledFor: scheduledForMs === null ? null : new Date(scheduledForMs).toISOString()
      })
/**
 * Makes the station plan the request, so that the answer can say when the song comes. A lost or late message only delays that: the
 * scheduler also polls requests.
 */
const placeNow = Effect.gen(function* () {
  const { stationSlug } = yield* StationConfig
  yield* Effect.ignoreCause(Effect.timeout((yield* Station.client)(stationSlug).PlaceRequests(), songRequestPatienceMs))
})
const hourMs = 3_600_000
interface Ask<E> {
  readonly requester: string
  readonly agentId: AgentId | null
  readonly draft: Omit<SongRequestDraft, "consent" | "attribution" | "source">
  readonly note: string | null
  readonly consented: Effect.Effect<Consented, E>
  /** Address at which the requester reads its request. */
  readonly statusPath: string
}
const request = Effect.fnUntraced(function* <E>({ agentId, draft, note, requester, statusPath, ...ask }: Ask<E>) {
  const requests = yield* SongRequestsWriter
  const nowMs = yield* Clock.currentTimeMillis
  if ((yield* (yield* Tracks).findAirable(draft.trackId)) === null)
    return yield* new TrackNotFound({ detail: `There is no track ${draft.trackId} that can be requested.` })
  const restsUntilMs = yield* (yield* TrackVotes).restOf(draft.trackId)
  if (restsUntilMs !== null && restsUntilMs > nowMs)
    return yield* new TrackNotFound({
      detail: `Listeners have voted the track ${draft.trackId} off the air until ${new Date(restsUntilMs).toISOString()}. Ask for another one.`
    })
  const consented = yield* ask.consented
  const whose = { requester, listenerId: draft.listenerId }
  const windowMs = hourMs * (draft.account === null && agentId === null ? guestSongRequestHours : ownSongRequestHours)
  const id = (yield* (yield* IdSource).make("sreq")) as SongRequestId
  // An address is shared: don't reveal another listener's request.
  const isOwn = (active: SongRequest) =>
    active.listenerId === draft.listenerId || (active.humanId !== null && active.humanId === draft.account?.id)
  const alreadyActive = (active: SongRequest | null) =>
    new SongRequestAlreadyActive({
      detail:
        active !== null && isOwn(active)
          ? `Your request ${active.id} for ${active.track.title} already waits. GET ${statusPath} says when it airs.`
          : "A request from you or your address already waits. Request again when it has aired or expired."
    })
  return yield* command({
    run: Effect.gen(function* () {
      yield* requests.expire(whose, nowMs)
      const active = yield* requests.active(whose)
      if (active !== null) return yield* alreadyActive(active)
      const wait = waitMs(yield* requests.listTimesSince(requester, nowMs - windowMs), windowMs, nowMs)
      if (wait !== null) {
        return yield* new SongRequestLimitReached({
          detail: `One song in ${windowMs === hourMs ? "an hour" : "24 hours, without an account,"} is the limit.`,
          retryAfterSec: Math.max(1, Math.ceil(wait / 1_000))
        })
      }
      const added = yield* requests.add({
        id,
        trackId: draft.trackId as TrackId,
        requester,
        humanId: draft.account?.id ?? null,
        listenerId: draft.listenerId,
        agentId,
        listenerLabel: consented.listenerLabel,
        note,
        source: consented.source,
        acknowledged: consented.acknowledged,
        disclosureVersion: consented.disclosureVersion,
        createdAtMs: nowMs,
        expiresAtMs: nowMs + songRequestHours * hourMs
      })
      if (!added) return yield* alreadyActive(null)
      yield* countDeed(draft.listenerId, "requests")
      const made = (yield* requests.find(id))!
      yield* tellRequest(made)
      return made
    }),
    after: (request) =>
      Effect.andThen(
        placeNow,
        Effect.map(requests.find(id), (found) => found ?? request)
      )
  })
})
const requestSong = (requester: string, draft: SongRequestDraft) =>
  request({
    requester,
    agentId: null,
    draft,
    note: null,
    consented: Effect.mapError(
      Effect.fromResult(judgeConsent(draft)),
      (detail) => new BroadcastConsentRequired({ detail })
    ),
    statusPath: "/api/station/song-requests/status"
  })
const requestOfAgent = Effect.fnUntraced(function* (
  agentId: AgentId,
  { note, trackId }: { readonly trackId: string; readonly note: string | null }
) {
  const { persona } = yield* activeAgent(agentId)
  yield* refuseFlagged(
    "The note can't be sent like this. Leave out what is flagged.",
    findFlaggedTexts({ "/note": note })
  )
  return yield* request({
    requester: agentId,
    agentId,
    draft: { trackId, listenerId: null, account: null },
    note,
    // An agent is named in public with everything it does.
    consented: Effect.succeed({
      source: "api",
      acknowledged: true,
      disclosureVersion: null,
      recordingNoticeVersion: null,
      listenerLabel: `@${persona.handle}`
    }),
    statusPath: "/api/v1/agents/me/song-requests/status"
  })
})
const withdrawOfAgent = Effect.fnUntraced(function* (agentId: AgentId, reason: string) {
  const requests = yield* SongRequestsWriter
  yield* command({
    run: Effect.gen(function* () {
      const active = yield* requests.active({ requester: agentId, listenerId: null })
      const withdrawn =
        active === null ? null : yield* requests.cancel(active.id, reason, yield* Clock.currentTimeMillis)
      if (withdrawn !== null) yield* tellRequest(withdrawn)
    })
  })
})
const cancelSongRequest = Effect.fnUntraced(function* (requestId: string, act: Act) {
  const requests = yield* SongRequestsWriter
  const before = yield* requests.find(requestId)
  if (before === null) return yield* new NotFound({ detail: `There is no song request ${requestId}.` })
  if (before.status === "cancelled") return before
  return yield* command({
    run: Effect.gen(function* () {
      const after = yield* requests.cancel(requestId, "OPERATOR", yield* Clock.currentTimeMillis)
      if (after === null) {
        const { status } = (yield* requests.find(requestId)) ?? before
        return yield* new SubjectConflict({
          detail: isActive(status)
            ? "It changed meanwhile. Read it again."
            : `The request is ${status}: there is nothing left to cancel.`
        })
      }
      yield* record(
        act,
        "song_request.cancel",
        { type: "song_request", id: requestId },
        { status: before.status },
        { status: after.status }
      )
      yield* tellRequest(after)
      return after
    }),
    after: (cancelled) => Effect.as(placeNow, cancelled)
  })
})
/** Handlers of agents' song requests. */
export const agentRequests = (agentId: AgentId) => ({
  RequestTrack: ({ payload }: { readonly payload: { readonly trackId: string; readonly note: string | null } }) =>
    requestOfAgent(agentId, payload),
  WithdrawRequests: ({ payload }: { readonly payload: { readonly reason: string } }) =>
    withdrawOfAgent(agentId, payload.reason)
})
/** Handlers of listeners' song requests. */
export const audienceRequests = (requester: string) => ({
  RequestSong: ({ payload }: { readonly payload: { readonly draft: SongRequestDraft } }) =>
    requestSong(requester, payload.draft),
  CancelSongRequest: ({ payload }: { readonly payload: Act & { readonly requestId: string } }) =>
    cancelSongRequest(payload.requestId, payload)
})
