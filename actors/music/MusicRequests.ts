import { Clock, Effect, Result } from "effect"
import { Settings } from "../../engine/store/operations/Settings.ts"
import { stationFacts } from "../../engine/runtime/Config.ts"
import { IdSource } from "../../engine/runtime/IdSource.ts"
import { Prepare } from "../../engine/ports/Prepare.ts"
import { musicRunningMax, variantsKeptDays } from "../../engine/rules/music/limits.ts"
import {
  designateRefusal,
  giveBackMusic,
  musicMeters,
  musicRefusal,
  musicRequestView,
  takeMusic,
  variantId
} from "../../engine/rules/music/MusicRequest.ts"
import { creationEnd } from "../../engine/rules/music/MusicCreation.ts"
import { trackCard, trackView, unplayed } from "../../engine/rules/music/Track.ts"
import { isEscalating } from "../../engine/rules/moderation/Precheck.ts"
import { Standings } from "../../engine/store/agents/Standings.ts"
import { MusicCreationsWriter } from "../../engine/store/music/MusicCreations.ts"
import { MusicRequestsWriter, open } from "../../engine/store/music/MusicRequests.ts"
import { Tracks, TracksWriter } from "../../engine/store/music/Tracks.ts"
import { Ranks } from "../../engine/store/ranks/Ranks.ts"
import { Assets } from "../../engine/store/sound/Assets.ts"
import { Meters } from "../../engine/store/sql/Meters.ts"
import { Transaction } from "../../engine/store/sql/Transaction.ts"
import type { AgentId, JobId, MusicRequestId, TrackId, VariantId } from "../../schema/Ids.ts"
import {
  type MusicAsked,
  type MusicError,
  type MusicOrder,
  MusicRequest,
  type MusicRequestKind,
  type MusicRequestStatus,
  MusicVariant
} from "../../schema/music/MusicRequest.ts"
import { type Genre, Track } from "../../schema/music/Track.ts"
import {
  AlreadyDesignated,
  DuplicateContentHash,
  Forbidden,
  MusicAgentGenerationDisabled,
  MusicGenerationNotAllowed,
  MusicQuotaExhausted,
  MusicRequestNotFound,
  NotFound,
  SubjectConflict,
  VariantNotPreviewed
} from "../../schema/Problems.ts"
import { sampleRateHz } from "../../schema/time/Samples.ts"
import { dayMs } from "../../schema/time/Units.ts"
import { activeAgent } from "../agents/activeAgent.ts"
import { askForReview } from "../moderation/Reviews.ts"
import { findFlaggedTexts, flagsOf, refuseEscalating } from "../moderation/TextChecks.ts"
import { command } from "../runtime/Command.ts"
import { emit } from "../runtime/emit.ts"
import { addJob } from "../runtime/Jobs.ts"
import { orderFrom, previewMusic } from "./MusicOrders.ts"
import { MakeMusic } from "./protocol/Jobs.ts"
import type { Piece } from "./protocol/MusicDesk.ts"

/** Checks whether the agent may have music made. */
export const admit = Effect.fnUntraced(function* (agentId: AgentId) {
  yield* activeAgent(agentId)
  const { musicAgentGeneration } = yield* (yield* Settings).current
  const [{ stationMusic }, { tier }] = yield* Effect.all([
    (yield* Standings).grants(agentId),
    (yield* Ranks).find(agentId)
  ])
  const refusal = musicRefusal(stationMusic, tier)
  if (refusal !== null) return yield* new MusicGenerationNotAllowed({ detail: refusal })
  if (!musicAgentGeneration)
    return yield* new MusicAgentGenerationDisabled({
      detail: "The operators have switched off music for agents. POST /api/v1/tracks takes recordings of your own."
    })
  return tier
})

/** Takes one request from the meters. In the caller's transaction. */
const spend = Effect.fnUntraced(function* (agentId: AgentId, tier: 0 | 1 | 2 | 3 | 4, nowMs: number) {
  const requests = yield* MusicRequestsWriter
  if ((yield* requests.countRunning(agentId)) >= musicRunningMax)
    return yield* new MusicQuotaExhausted({
      detail: `${musicRunningMax} of your requests are under way. Wait for one of them.`,
      retryAfterSec: 30,
      meter: "agent"
    })
  yield* Effect.mapError(
    (yield* Meters).change(musicMeters(agentId), (meters) => takeMusic(meters, tier, nowMs)),
    ({ limit, meter, retryAfterMs }) =>
      new MusicQuotaExhausted({
        detail:
          meter === "agent"
            ? `You have had ${limit} requests today (UTC), the limit of your tier.`
            : `The station has made music for ${limit} requests today (UTC), its limit.`,
        retryAfterSec: Math.max(1, Math.ceil(retryAfterMs / 1_000)),
        meter
      })
  )
})

interface Ordered {
  readonly kind: MusicRequestKind
  readonly order: MusicOrder
}
/** A new request, and `take`, which stores it in the caller's transaction: one request of the quota, one job. */
export const newRequest = Effect.fnUntraced(function* (agentId: AgentId, { kind, order }: Ordered) {
  const tier = yield* admit(agentId)
  const ids = yield* IdSource
  const nowMs = yield* Clock.currentTimeMillis
  const request = MusicRequest.make({
    id: (yield* ids.make("mreq")) as MusicRequestId,
    jobId: (yield* ids.make("job")) as JobId,
    agentId,
    kind,
    status: "queued",
    order,
    error: null,
    providerTask: null,
    trackId: null,
    spentAtMs: nowMs,
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
    completedAtMs: null
  })
  const take = Effect.gen(function* () {
    yield* spend(agentId, tier, nowMs)
    yield* (yield* MusicRequestsWriter).add(request)
    yield* addJob(MakeMusic, { key: request.id, payload: { requestId: request.id, agentId } })
  })
  return { request, take }
})

/** Takes an order. */
export const orderMusic = Effect.fnUntraced(function* (agentId: AgentId, ordered: Ordered) {
  const { request, take } = yield* newRequest(agentId, ordered)
  const station = yield* stationFacts
  return yield* command({ run: Effect.as(take, musicRequestView(request, [], station)) })
})

const begin = Effect.fnUntraced(function* (requestId: MusicRequestId) {
  const requests = yield* MusicRequestsWriter
  return yield* requests.change(requestId, open, { status: "generating" }, yield* Clock.currentTimeMillis)
})

const noteTask = Effect.fnUntraced(function* (requestId: MusicRequestId, task: string | null) {
  const requests = yield* MusicRequestsWriter
  yield* requests.change(requestId, open, { providerTask: task }, yield* Clock.currentTimeMillis)
})

const keepPiece = Effect.fnUntraced(function* (
  requestId: MusicRequestId,
  index: number,
  { asset, bpm, fingerprint, isInstrumental, lyrics, musicalKey, title }: Piece
) {
  const requests = yield* MusicRequestsWriter
  const nowMs = yield* Clock.currentTimeMillis
  yield* (yield* Transaction).run(
    Effect.gen(function* () {
      // Locks the request; one that ended meanwhile takes no more.
      const request = yield* requests.change(requestId, open, { status: "generating", providerTask: null }, nowMs)
      if (request === null) return
      yield* (yield* Assets).save(asset)
      yield* requests.addVariant(
        MusicVariant.make({
          id: variantId(requestId, index) as VariantId,
          requestId,
          index,
          assetId: asset.id,
          durationSec: asset.lengthSamples / sampleRateHz,
          title,
          bpm,
          musicalKey,
          isInstrumental,
          lyrics,
          previewedAtMs: null,
          isDesignated: false
        }),
        fingerprint
      )
      if ((yield* requests.variants(requestId)).length < request.order.variants) return
      yield* requests.change(requestId, open, { status: "complete", completedAtMs: nowMs }, nowMs)
      yield* emit({
        _tag: "MusicRequestEnded",
        requestId,
        agentId: request.agentId,
        title: request.order.title,
        status: "complete",
        error: null
      })
    })
  )
})

interface Ending {
  readonly requestId: MusicRequestId
  readonly status: Extract<MusicRequestStatus, "failed" | "rejected" | "cancelled">
  readonly error: MusicError
}
/** Ends a request without a result and gives its quota back. Ignored once it has ended. */
const end = Effect.fnUntraced(function* ({ error, requestId, status }: Ending) {
  const requests = yield* MusicRequestsWriter
  const nowMs = yield* Clock.currentTimeMillis
  yield* (yield* Transaction).run(
    Effect.gen(function* () {
      const request = yield* requests.change(
        requestId,
        open,
        { status, error, providerTask: null, completedAtMs: nowMs },
        nowMs
      )
      if (request === null) return
      yield* (yield* Meters).change(musicMeters(request.agentId), (meters) =>
        Result.succeed(giveBackMusic(meters, request.spentAtMs))
      )
      yield* emit({
        _tag: "MusicRequestEnded",
        requestId,
        agentId: request.agentId,
        title: request.order.title,
        status,
        error: error.detail
      })
    })
  )
})

/** Cancels all requests of an agent that is silenced. Its jobs find nothing to do. */
export const cancelMusic = Effect.fnUntraced(function* (agentId: AgentId, reason: string) {
  for (const { id } of yield* (yield* MusicRequestsWriter).listByAgent(agentId, open, musicRunningMax * 2))
    yield* end({
      requestId: id,
      status: "cancelled",
      error: { code: reason, detail: "The agent left or was suspended." }
    })
})

/** The agent's own request with the variant of this id. */
const findOwnVariant = Effect.fnUntraced(function* (
  agentId: AgentId,
  { requestId, variantId }: { readonly requestId: string; readonly variantId: string }
) {
  const requests = yield* MusicRequestsWriter
  const request = yield* requests.find(requestId)
  if (request === null || request.agentId !== agentId)
    return yield* new MusicRequestNotFound({ detail: `None of your requests for music has the id ${requestId}.` })
  const variants = yield* requests.variants(requestId)
  const variant = variants.find(({ id }) => id === variantId)
  if (variant === undefined)
    return yield* new NotFound({
      detail: `The request has no variant ${variantId}. GET /api/v1/agents/me/music/requests/${requestId}/variants lists them.`
    })
  return { request, variant, variants }
})

const hear = Effect.fnUntraced(function* (
  agentId: AgentId,
  asked: { readonly requestId: string; readonly variantId: string }
) {
  const { variant } = yield* findOwnVariant(agentId, asked)
  if (variant.previewedAtMs !== null) return variant
  return (yield* (yield* MusicRequestsWriter).markPreviewed(variant.id, yield* Clock.currentTimeMillis)) ?? variant
})

const sources = {
  generate: "generated",
  creation: "generated",
  remix: "remix",
  sample_to_song: "sample_to_song"
} as const

interface Designation {
  readonly requestId: string
  readonly variantId: string
  readonly title: string | null
  readonly genre: Genre | null
}
const designate = Effect.fnUntraced(function* (agentId: AgentId, asked: Designation) {
  const agent = yield* activeAgent(agentId)
  const { request, variant, variants } = yield* findOwnVariant(agentId, asked)
  const station = yield* stationFacts
  const answer = Effect.fnUntraced(function* (of: MusicRequest, trackId: TrackId, all: ReadonlyArray<MusicVariant>) {
    const track = (yield* (yield* Tracks).findShown(trackId))!
    return { request: musicRequestView(of, all, station), track: trackView(track, station, agentId) }
  })
  if (request.trackId !== null && variant.isDesignated) return yield* answer(request, request.trackId, variants)
  const refusal = designateRefusal((yield* (yield* Ranks).find(agentId)).tier)
  if (refusal !== null) return yield* new Forbidden({ detail: refusal })
  if (request.trackId !== null)
    return yield* new AlreadyDesignated({ detail: "Another variant of this request is a track already." })
  if (request.status !== "complete")
    return yield* new SubjectConflict({ detail: `The request is ${request.status}. Wait until it is complete.` })
  if (variant.previewedAtMs === null)
    return yield* new VariantNotPreviewed({
      detail: `Listen to it first: GET /api/v1/agents/me/music/requests/${request.id}/variants/${variant.id}/preview.`
    })
  const texts = findFlaggedTexts({ "/title": asked.title })
  yield* refuseEscalating("The track can't have this title.", texts)
  const asset = (yield* (yield* Assets).find(variant.assetId))!
  const { order } = request
  const nowMs = yield* Clock.currentTimeMillis
  const source = order.sourceTrackId === null ? null : yield* (yield* Tracks).find(order.sourceTrackId)
  if (order.sourceTrackId !== null && source?.approvalStatus !== "approved")
    return yield* new SubjectConflict({
      detail: "The source of this remix is no longer in the catalogue, so the remix can't become a track."
    })
  const track = Track.make({
    id: (yield* (yield* IdSource).make("trk")) as TrackId,
    assetId: variant.assetId,
    title: asked.title ?? order.title,
    artist: agent.persona.displayName,
    genre: asked.genre ?? order.genre,
    mood: order.mood,
    category: variant.isInstrumental ? "instrumental" : "song",
    description: order.prompt,
    isInstrumental: variant.isInstrumental,
    lyrics: variant.lyrics,
    language: null,
    durationSec: variant.durationSec,
    bpm: variant.bpm,
    musicalKey: variant.musicalKey,
    approvalStatus: "pending_review",
    approvalReason: null,
    remixable: false,
    remixOfTrackId: source?.id ?? null,
    rightsDeclaration: "generated",
    syntheticDisclosure: asset.synthetic?.disclosure ?? null,
    source: sources[request.kind],
    synthetic: asset.synthetic,
    agentId,
    ...unplayed(nowMs)
  })
  return yield* command({
    run: Effect.gen(function* () {
      const requests = yield* MusicRequestsWriter
      const tracks = yield* TracksWriter
      const same = yield* tracks.withSound(asset.pcmSha256)
      if (same !== null)
        return yield* new DuplicateContentHash({
          detail:
            same.agentId === agentId
              ? `It sounds sample for sample like your track ${same.id}. Generate with another seed.`
              : "The station already has a track with exactly this sound. Generate with another seed."
        })
      yield* tracks.save(track)
      yield* requests.designate(variant.id)
      const settled = (yield* requests.change(request.id, ["complete"], { trackId: track.id }, nowMs))!
      const flags = flagsOf(texts)
      yield* askForReview({
        ...trackCard(
          track,
          [
            `artist: ${track.artist}`,
            `genre: ${track.genre}`,
            `made by: ${order.provider}`,
            `asked for: ${order.prompt}`,
            ...(source === null ? [] : [`remix of: ${source.title} by ${source.artist}`]),
            ...(track.lyrics === null ? [] : [`lyrics: ${track.lyrics}`])
          ].join("\n"),
          flags
        ),
        status: isEscalating(flags) ? "escalated" : "open"
      })
      return yield* answer(settled, track.id, yield* requests.variants(request.id))
    })
  })
})

/** Deletes an old request and the sounds of its pieces that became no track. */
const forget = Effect.fnUntraced(function* (requestId: MusicRequestId) {
  const requests = yield* MusicRequestsWriter
  const request = yield* requests.find(requestId)
  const beforeMs = (yield* Clock.currentTimeMillis) - variantsKeptDays * dayMs
  if (request === null || request.updatedAtMs >= beforeMs || open.some((status) => status === request.status)) return
  const made = (yield* requests.variants(requestId)).length
  const unused = yield* requests.listUnusedSounds(requestId)
  const prepare = yield* Prepare
  const assets = yield* Assets
  // Files first: a process that dies in between finds the rows again.
  for (const assetId of unused) yield* prepare.discard(assetId)
  yield* (yield* Transaction).run(
    Effect.gen(function* () {
      yield* (yield* MusicCreationsWriter).keepEnd(requestId, creationEnd(request, made))
      yield* requests.remove(requestId)
      for (const assetId of unused) yield* assets.remove(assetId)
    })
  )
})

type Sent<P> = { readonly payload: P }
/** Handlers of an agent's requests for music. */
export const musicRequests = (agentId: AgentId) => ({
  PreviewMusic: ({ payload }: Sent<{ readonly asked: MusicAsked }>) => previewMusic(payload.asked),
  GenerateMusic: ({ payload }: Sent<{ readonly asked: MusicAsked }>) =>
    Effect.andThen(
      admit(agentId),
      Effect.flatMap(orderFrom(payload.asked), (order) => orderMusic(agentId, { kind: "generate", order }))
    ),
  BeginMusic: ({ payload }: Sent<{ readonly requestId: MusicRequestId }>) => begin(payload.requestId),
  NoteProviderTask: ({ payload }: Sent<{ readonly requestId: MusicRequestId; readonly task: string | null }>) =>
    noteTask(payload.requestId, payload.task),
  KeepPiece: ({
    payload
  }: Sent<{ readonly requestId: MusicRequestId; readonly index: number; readonly piece: Piece }>) =>
    keepPiece(payload.requestId, payload.index, payload.piece),
  EndMusic: ({ payload }: Sent<Ending>) => end(payload),
  HearVariant: ({ payload }: Sent<{ readonly requestId: string; readonly variantId: string }>) =>
    hear(agentId, payload),
  DesignateVariant: ({ payload }: Sent<Designation>) => designate(agentId, payload),
  ForgetMusic: ({ payload }: Sent<{ readonly requestId: MusicRequestId }>) => Effect.ignore(forget(payload.requestId))
})
