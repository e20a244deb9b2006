import { Effect, Layer } from "effect"
import type { AiringEvent } from "../../engine/rules/air/Airing.ts"
import { requestStatus } from "../../engine/rules/music/SongRequest.ts"
import type { IdSource } from "../../engine/runtime/IdSource.ts"
import { AiringsWriter, type Moved } from "../../engine/store/air/Airings.ts"
import { ListenerCreditsWriter } from "../../engine/store/air/ListenerCredits.ts"
import { AsRunWriter } from "../../engine/store/air/AsRun.ts"
import type { TracksWriter } from "../../engine/store/music/Tracks.ts"
import { SongRequests, type SongRequestsWriter } from "../../engine/store/music/SongRequests.ts"
import type { RanksWriter } from "../../engine/store/ranks/Ranks.ts"
import type { InteractionsWriter } from "../../engine/store/listeners/Messages.ts"
import { Segments, type SegmentsWriter } from "../../engine/store/segments/Segments.ts"
import type { Jobs } from "../../engine/store/sql/Jobs.ts"
import type { Outbox } from "../../engine/store/sql/Outbox.ts"
import { Transaction } from "../../engine/store/sql/Transaction.ts"
import type { Airing } from "../../schema/air/Airing.ts"
import type { AsRunBody } from "../../schema/air/AsRun.ts"
import { iso } from "../../schema/time/Instant.ts"
import { msOf } from "../../schema/time/Samples.ts"
import { markCallAired } from "../listeners/inTransaction.ts"
import { endSongRequest, markTrackPlayed } from "../music/inTransaction.ts"
import { endSegmentWithAiring } from "../segments/inTransaction.ts"
import { aListener } from "../../schema/listeners/Message.ts"
import { tellRequest } from "../music/SongRequests.ts"
import type { EventBus } from "../runtime/EventBus.ts"
import { emit, emitSegment } from "../runtime/emit.ts"

type Subjects = InteractionsWriter | SegmentsWriter | SongRequestsWriter
type House = EventBus | IdSource | Jobs | Outbox | RanksWriter | Subjects | Transaction

/** Ends the airing in its subject: a segment, a call or a song request keeps its own state. */
export const endSubject = ({
  changedAtMs: atMs,
  id,
  reason,
  state,
  subject
}: Airing): Effect.Effect<void, never, Subjects> => {
  if (subject === "call") return state === "aired" ? markCallAired(id) : Effect.void
  if (subject === "segment")
    return state === "aired" || state === "failed" ? endSegmentWithAiring(id, { state, reason, atMs }) : Effect.void
  const status = requestStatus[state]
  return subject !== "song_request" || status === "scheduled" || status === "pending"
    ? Effect.void
    : endSongRequest(id, status)
}

/** AiringsWriter that emits the events of each change in the same transaction. */
export const announcedAirings = Layer.effect(
  AiringsWriter,
  Effect.gen(function* () {
    const airings = yield* AiringsWriter
    const credits = yield* ListenerCreditsWriter
    const requests = yield* SongRequests
    const segments = yield* Segments
    const transaction = yield* Transaction
    const context = yield* Effect.context<House>()

    /** The start is reported by ItemStarted. A restart of the station is not reported. */
    const tellSegment = Effect.fnUntraced(function* ({ after, before }: Moved, cause: AiringEvent["_tag"]) {
      if (before.state === after.state || cause === "Begin" || cause === "Reclaim") return
      const segment = yield* segments.find(after.id)
      if (segment === null) return
      yield* emitSegment(segment)
      if (after.state === "failed")
        yield* emit({
          _tag: "OpsAlerted",
          what: "segment_unairable",
          detail: `${segment.id} by @${segment.handle}: its audio is unavailable (${segment.statusReason ?? "no reason given"}).`
        })
    })
    /** Credits the first requester who agreed to be named. */
    const tellRequests = Effect.fnUntraced(function* (moved: ReadonlyArray<Moved>, ids: ReadonlyArray<string>) {
      let named = false
      for (const id of ids) {
        const change = moved.find(({ after }) => after.id === id)
        if (change === undefined) continue
        const { after, before } = change
        const isNews = requestStatus[before.state] !== requestStatus[after.state]
        const isMoved = after.state === "placed" && before.placement !== after.placement
        const request = isNews || isMoved ? yield* requests.find(id) : null
        if (request === null) continue
        if (isMoved && !named && request.listenerLabel !== aListener) {
          named = true
          const { humanId, listenerLabel: label } = request
          yield* credits.give({ subjectId: after.placement!, label, sourceId: id, humanId })
        }
        if (isNews) yield* tellRequest(request)
      }
    })
    const emitMoves = (cause: AiringEvent["_tag"], ids: ReadonlyArray<string>, move: ReturnType<typeof airings.move>) =>
      transaction
        .run(
          Effect.gen(function* () {
            const moved = yield* move
            for (const one of moved) {
              yield* endSubject(one.after)
              if (one.after.subject === "segment") yield* tellSegment(one, cause)
            }
            const asked = moved.filter(({ after }) => after.subject === "song_request")
            yield* tellRequests(asked, ids.length > 0 ? ids : asked.map(({ after }) => after.id))
            return moved
          })
        )
        .pipe(Effect.provideContext(context))
    return AiringsWriter.of({
      ...airings,
      move: (ids, event, fence) => emitMoves(event._tag, ids, airings.move(ids, event, fence)),
      reclaim: (...asked) => emitMoves("Reclaim", [], airings.reclaim(...asked))
    })
  })
)

/**
 * AsRunWriter that also counts the plays of logged tracks, in the same transaction, and tells their agents. An item that is logged in several stretches
 * is one airing.
 */
export const countedAsRun = Layer.effect(
  AsRunWriter,
  Effect.gen(function* () {
    const asRun = yield* AsRunWriter
    const transaction = yield* Transaction
    const context = yield* Effect.context<House | TracksWriter>()
    const recordPlay = Effect.fnUntraced(function* ({ firstSample, outcome, trackId }: AsRunBody, isFirst: boolean) {
      const track = trackId === null ? null : yield* markTrackPlayed(trackId, msOf(firstSample))
      if (!isFirst || track === null || track.agentId === null) return
      yield* emit({
        _tag: "TrackAired",
        trackId: track.id,
        agentId: track.agentId,
        title: track.title,
        airedAt: iso(msOf(firstSample)),
        airedCompletely: outcome === "complete",
        playCount: track.playCount
      })
    })
    return AsRunWriter.of({
      ...asRun,
      append: (stationId, entries, by) =>
        transaction
          .run(
            Effect.gen(function* () {
              const items = entries.flatMap(({ itemId, trackId }) =>
                itemId === null || trackId === null ? [] : [itemId]
              )
              const told = new Set(yield* asRun.findLogged(stationId, items))
              const added = yield* asRun.append(stationId, entries, by)
              for (const body of added) {
                yield* recordPlay(body, body.itemId !== null && !told.has(body.itemId))
                if (body.itemId !== null) told.add(body.itemId)
              }
              return added
            })
          )
          .pipe(Effect.provideContext(context))
    })
  })
)
