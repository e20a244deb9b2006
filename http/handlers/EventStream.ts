import { Clock, Effect, Stream } from "effect"
import { HttpServerResponse } from "effect/http"
import { Bus, type Published } from "../../actors/Bus.ts"
import { sseHeartbeatSec, sseLifeHours, sseTickSec } from "../../engine/Limits.ts"
import type { NowPlaying } from "../../schema/StationView.ts"

const encoder = new TextEncoder()

const event = (name: string, data: unknown, id?: string): Uint8Array =>
  encoder.encode(`${id === undefined ? "" : `id: ${id}\n`}event: ${name}\ndata: ${JSON.stringify(data)}\n\n`)

const changed = (published: Published): ReadonlyArray<Uint8Array> =>
  published.event._tag === "NowPlayingChanged" ? [event("now-playing", published.event.nowPlaying, published.id)] : []

/**
 * What is heard, as it changes. Begins with what was missed since `lastEventId`, or with how things stand; a tick every few
 * seconds tells the position, a heartbeat keeps proxies from hanging up.
 */
export const nowPlayingEvents = Effect.fnUntraced(function*(current: NowPlaying, lastEventId: string | undefined) {
  const bus = yield* Bus
  const replay = lastEventId === undefined ? null : yield* bus.since(lastEventId)
  const begin = replay === null || replay.tooOld ? [event("now-playing", current)] : replay.missed.flatMap(changed)
  const tick = Effect.gen(function*() {
    const nowPlaying = yield* bus.get("nowPlaying")
    const listeners = yield* bus.get("listeners")
    return event("tick", { itemId: nowPlaying?.item.id ?? null, positionSec: nowPlaying?.item.positionSec ?? 0, listenerCount: listeners?.total ?? 0 })
  })
  const body = Stream.concat(
    Stream.fromIterable([encoder.encode("retry: 3000\n\n"), ...begin]),
    Stream.mergeAll([
      Stream.flatMap(bus.events, (published) => Stream.fromIterable(changed(published))),
      Stream.mapEffect(Stream.tick(`${sseTickSec} seconds`), () => tick),
      Stream.mapEffect(Stream.drop(Stream.tick(`${sseHeartbeatSec} seconds`), 1), () =>
        Effect.map(Clock.currentTimeMillis, (nowMs) => event("heartbeat", { at: new Date(nowMs).toISOString() })))
    ], { concurrency: "unbounded" })
  ).pipe(Stream.interruptWhen(Effect.sleep(`${sseLifeHours} hours`)))
  return HttpServerResponse.stream(body, {
    contentType: "text/event-stream",
    headers: { "cache-control": "no-store", "x-accel-buffering": "no" }
  })
})
