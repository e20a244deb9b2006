import { Clock, Context, Effect, Layer, type Scope, Stream } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { EventBus, type Logs } from "../../../actors/runtime/EventBus.ts"
import { sseTickSec } from "../../../engine/rules/http/limits.ts"
import type { Busy } from "../../../schema/Problems.ts"
import { ClientAddress } from "../../api/Client.ts"
import type { Reader, Snapshot } from "./EventFanout.ts"
import { repeatEvery, serveLog } from "./EventRounds.ts"
import { ReaderPlaces } from "./ReaderPlaces.ts"
import type { OperatorRole } from "../../../schema/operations/Operator.ts"
import { SinkOf } from "./SinkOf.ts"

export type StreamName = keyof Logs

/** Event streams: admission and content, for any server. */
export class EventStreams extends Context.Service<
  EventStreams,
  {
    /** A place while the scope is open. New streams are refused at the limit; existing ones stay. */
    readonly place: (address: string) => Effect.Effect<void, Busy, Scope.Scope>
    /** Resumes after the last received event, or starts with a snapshot. Ends the answer. */
    readonly join: (stream: StreamName, reader: Reader, lastEventId: string | null, nowMs: number) => () => void
  }
>()("longwave/http/handlers/EventStreams") {
  static readonly layer = Layer.effect(
    EventStreams,
    Effect.gen(function* () {
      const bus = yield* EventBus
      const snapshots = yield* makeSnapshots
      const places = new ReaderPlaces()
      const fanouts = {
        nowPlaying: yield* serveLog(bus.logs.nowPlaying, snapshots.nowPlaying),
        chat: yield* serveLog(bus.logs.chat, snapshots.chat),
        ops: yield* serveLog(bus.logs.ops, snapshots.ops),
        meters: yield* serveLog(bus.logs.meters, () => null),
        lines: yield* serveLog(bus.logs.lines, () => null)
      }
      const tick = Effect.gen(function* () {
        if (fanouts.nowPlaying.size === 0) return
        const nowPlaying = yield* bus.get("nowPlaying")
        const listeners = yield* bus.get("listeners")
        fanouts.nowPlaying.beat("tick", {
          itemId: nowPlaying?.item.id ?? null,
          positionSec: nowPlaying?.item.positionSec ?? 0,
          listenerCount: listeners?.total ?? 0
        })
      })
      yield* repeatEvery(sseTickSec, tick)
      return EventStreams.of({
        place: (address) =>
          Effect.asVoid(
            Effect.acquireRelease(
              Effect.suspend(() => Effect.flip(Effect.fromNullishOr(places.enter(address)))),
              () => Effect.sync(() => places.leave(address))
            )
          ),
        join: (stream, reader, lastEventId, nowMs) => fanouts[stream].join(reader, lastEventId, nowMs)
      })
    })
  )
}

/** The snapshot of a stream, the same object until something changes, so that it is encoded once. */
const makeSnapshots = Effect.gen(function* () {
  const bus = yield* EventBus
  const { nowPlaying: log } = bus.logs
  const clock = yield* Clock.Clock
  let now: Snapshot | null = null
  let said: Snapshot | null = null
  return {
    /** The last published state at the current position; a change not yet published follows as an event. */
    nowPlaying: (): Snapshot | null => {
      const told = log.last?.data as { readonly item: { readonly id: string | null } } | undefined
      const current = Effect.runSync(bus.get("nowPlaying"))
      const data = told === undefined || told.item.id === current?.item.id ? current : told
      if (data === null) return null
      return now?.data === data ? now : (now = { name: "now-playing", data })
    },
    chat: (viewer: string | null): Snapshot | null => {
      const page = Effect.runSync(bus.get("chatBoard"))?.page(viewer, clock.currentTimeMillisUnsafe()) ?? null
      if (page === null || said?.data === page) return page === null ? null : said
      const snapshot = { name: "snapshot", data: page }
      // An author's own pending messages are not shared with other readers.
      if (viewer === null) said = snapshot
      return snapshot
    },
    /** By role: what a role may not read isn't in it. */
    ops: (role: string | null): Snapshot | null => {
      const data = Effect.runSync(bus.get("opsBoard"))?.(role as OperatorRole) ?? null
      return data === null ? null : { name: "snapshot", data }
    }
  }
})

/**
 * A stream as a router answer: the router checks the request, then bytes bypass it. `viewer` is the author who also
 * gets its own pending messages. With `until` the stream ends when that effect does.
 */
export const eventStream = Effect.fnUntraced(function* (
  stream: StreamName,
  lastEventId: string | undefined,
  viewer: string | null,
  {
    audiences,
    until = Effect.never
  }: { readonly audiences?: ReadonlyArray<string>; readonly until?: Effect.Effect<void> } = {}
) {
  const request = yield* HttpServerRequest.HttpServerRequest
  const headers = { "cache-control": "no-store", "x-accel-buffering": "no" }
  if (request.method === "HEAD")
    return HttpServerResponse.empty({ status: 200, headers: { ...headers, "content-type": "text/event-stream" } })
  const { join, place } = yield* EventStreams
  yield* place(yield* ClientAddress)
  const sinkOf = yield* SinkOf
  const nowMs = yield* Clock.currentTimeMillis
  const last = request.headers["last-event-id"] ?? lastEventId ?? null
  // Not a stream for the router: it begins after the head, and ends when either side closes.
  const written = Stream.fromEffectDrain(
    Effect.raceFirst(
      Effect.callback<void>((resume) => {
        const sink = sinkOf(request, () => resume(Effect.void))
        const leave = join(stream, { sink, viewer, ...(audiences === undefined ? {} : { audiences }) }, last, nowMs)
        return Effect.sync(leave)
      }),
      until
    )
  )
  return HttpServerResponse.stream(written, { contentType: "text/event-stream", headers })
})
