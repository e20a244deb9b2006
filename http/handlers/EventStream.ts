import { type Cause, Clock, Context, Effect, Layer, Queue, Schedule, type Scope, Stream } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { Bus, type Published } from "../../actors/Bus.ts"
import { listenersMax, sseBacklogMaxBytes, sseHeartbeatSec, sseLifeHours, ssePerAddressMax, sseTickSec } from "../../engine/Limits.ts"
import { Busy } from "../../schema/Problems.ts"
import { ClientAddress } from "../api/Client.ts"

/** How many streams of events there are, for each address and in all. */
export class EventStreams extends Context.Service<EventStreams, {
  /** A place for as long as the scope is open; the newest is refused, nobody is sent away for it. */
  readonly join: Effect.Effect<void, Busy, Scope.Scope>
}>()("longwave/http/handlers/EventStreams") {
  static readonly layer = Layer.sync(EventStreams, () => {
    const byAddress = new Map<string, number>()
    let total = 0
    const move = (address: string, by: 1 | -1) => Effect.sync(() => {
      const now = (byAddress.get(address) ?? 0) + by
      total += by
      if (now === 0) byAddress.delete(address)
      else byAddress.set(address, now)
    })
    return EventStreams.of({
      join: Effect.gen(function*() {
        const address = yield* ClientAddress
        if (total >= listenersMax) return yield* new Busy({ detail: "The station tells as many as it can. Try again in a moment.", retryAfterSec: 10 })
        if ((byAddress.get(address) ?? 0) >= ssePerAddressMax) return yield* new Busy({ detail: `Your address holds ${ssePerAddressMax} streams of events already.`, retryAfterSec: 30 })
        yield* Effect.acquireRelease(move(address, 1), () => move(address, -1))
      })
    })
  })
}

const encoder = new TextEncoder()

export const sseEvent = (name: string, data: unknown, id?: string): Uint8Array =>
  encoder.encode(`${id === undefined ? "" : `id: ${id}\n`}event: ${name}\ndata: ${JSON.stringify(data)}\n\n`)

/** Read on behalf of somebody who may be slow: what waits for them is bounded in bytes, and beyond that they are let go. */
const letGoWhenSlow = <R>(source: Stream.Stream<Uint8Array, never, R>) => Stream.unwrap(Effect.gen(function*() {
  const queue = yield* Queue.make<Uint8Array, Cause.Done>()
  let waiting = 0
  yield* Stream.runForEachWhile(source, (bytes) => Effect.suspend(() => {
    waiting += bytes.length
    return waiting > sseBacklogMaxBytes ? Effect.succeed(false) : Queue.offer(queue, bytes)
  })).pipe(Effect.ensuring(Queue.end(queue)), Effect.forkScoped)
  return Stream.tap(Stream.fromQueue(queue), (bytes) => Effect.sync(() => {
    waiting -= bytes.length
  }))
}))

/**
 * The station's news as server-sent events: what was missed since the last one that was received, or how things stand, then what
 * happens, and a heartbeat that keeps proxies from hanging up. `now` is asked after the subscription: nothing falls between.
 */
export const eventStream = Effect.fnUntraced(function*(options: {
  readonly lastEventId: string | undefined
  readonly now: (id: string) => Effect.Effect<ReadonlyArray<Uint8Array>>
  readonly told: (published: Published) => ReadonlyArray<Uint8Array>
  readonly ticks?: Stream.Stream<Uint8Array>
}) {
  const bus = yield* Bus
  const request = yield* HttpServerRequest.HttpServerRequest
  const headers = { "cache-control": "no-store", "x-accel-buffering": "no" }
  if (request.method === "HEAD") return HttpServerResponse.empty({ status: 200, headers: { ...headers, "content-type": "text/event-stream" } })
  yield* (yield* EventStreams).join
  const lastEventId = request.headers["last-event-id"] ?? options.lastEventId
  const heartbeat = Effect.map(Clock.currentTimeMillis, (nowMs) => sseEvent("heartbeat", { at: new Date(nowMs).toISOString() }))
  const body = Stream.unwrap(Effect.gen(function*() {
    const { id, live, replay } = yield* bus.follow(lastEventId ?? null)
    const begin = replay === null || replay.tooOld ? yield* options.now(id) : replay.missed.flatMap(options.told)
    return Stream.concat(
      Stream.fromIterable([encoder.encode("retry: 3000\n\n"), ...begin]),
      Stream.mergeAll([
        Stream.flatMap(live, (published) => Stream.fromIterable(options.told(published))),
        ...options.ticks === undefined ? [] : [options.ticks],
        Stream.mapEffect(Stream.fromSchedule(Schedule.spaced(`${sseHeartbeatSec} seconds`)), () => heartbeat)
      ], { concurrency: "unbounded" })
    )
  })).pipe(Stream.interruptWhen(Effect.sleep(`${sseLifeHours} hours`)))
  return HttpServerResponse.stream(letGoWhenSlow(body), { contentType: "text/event-stream", headers })
})

const changed = ({ event, id }: Published): ReadonlyArray<Uint8Array> => event._tag === "NowPlayingChanged" ? [sseEvent("now-playing", event.nowPlaying, id)] : []

/** What is heard, as it changes; a tick every few seconds tells the position. */
export const nowPlayingEvents = Effect.fnUntraced(function*(lastEventId: string | undefined) {
  const bus = yield* Bus
  const tick = Effect.gen(function*() {
    const nowPlaying = yield* bus.get("nowPlaying")
    const listeners = yield* bus.get("listeners")
    return sseEvent("tick", { itemId: nowPlaying?.item.id ?? null, positionSec: nowPlaying?.item.positionSec ?? 0, listenerCount: listeners?.total ?? 0 })
  })
  return yield* eventStream({
    lastEventId,
    now: (id) => Effect.map(bus.get("nowPlaying"), (current) => current === null ? [] : [sseEvent("now-playing", current, id)]),
    told: changed,
    ticks: Stream.mapEffect(Stream.tick(`${sseTickSec} seconds`), () => tick)
  })
})
