import { expect, it, layer } from "@effect/vitest"
import { Effect, Exit, Fiber, Layer, Scope, Stream } from "effect"
import { HttpServer } from "effect/http"
import { FrameChecker, frameBytes, numberedFrames } from "../../../bench/instruments/sounds/NumberedFrames.ts"
import { StationConfig } from "../../../engine/runtime/Config.ts"
import { mp3PerAddressMax } from "../../../engine/rules/air/limits.ts"
import { Live } from "../../../engine/ports/Live.ts"
import { Relay } from "../../../http/api/air/Relay.ts"
import { Listen } from "../../../http/stream/Listen.ts"
import { RelayLive } from "../../../http/stream/ListenRelay.ts"
import { AgentHttp } from "../../support/http/AgentHttp.ts"
import { makeLiveDouble } from "../../../bench/instruments/servers/LiveDouble.ts"
import { call } from "../../support/http/SegmentHttp.ts"

it.effect("relays the stream from its burst, in whole frames, and counts its listeners", () =>
  Effect.gen(function* () {
    const { live, send, setBurst } = makeLiveDouble()
    setBurst([numberedFrames(0, 5), numberedFrames(5, 5)])
    const context = yield* Layer.build(
      RelayLive.pipe(
        Layer.provideMerge(Listen.layer),
        Layer.provide(Layer.mergeAll(Layer.succeed(Live, live), StationConfig.fromEnvironment({})))
      )
    )
    const { join } = yield* Relay.pipe(Effect.provideContext(context))
    const { listeners } = yield* Listen.pipe(Effect.provideContext(context))
    const scope = yield* Scope.make()
    const sound = yield* Scope.provide(join("192.0.2.1"), scope)
    expect(listeners.count(0)).toEqual({ hls: 0, mp3: 1, total: 1 })
    const heard = yield* Effect.forkChild(Stream.runCollect(Stream.take(sound, 4)))
    yield* Effect.yieldNow
    yield* Effect.yieldNow
    for (const from of [10, 13]) send({ _tag: "Frames", bytes: numberedFrames(from, 3), firstSample: 0 })
    const checker = new FrameChecker()
    checker.take(Buffer.concat([...(yield* Fiber.join(heard))]))
    expect([checker.frames, checker.faults]).toEqual([16, 0])
    yield* Scope.close(scope, Exit.void)
    expect(listeners.count(0).mp3).toBe(0)
    const places = yield* Scope.make()
    yield* Effect.forEach(Array.from({ length: mp3PerAddressMax }), () => Scope.provide(join("192.0.2.1"), places))
    expect((yield* Effect.flip(Scope.provide(join("192.0.2.1"), places))).retryAfterSec).toBe(30)
    yield* Scope.close(places, Exit.void)
    expect(listeners.count(0).mp3).toBe(0)
  }).pipe(Effect.scoped)
)

layer(AgentHttp(), { excludeTestServices: true })("GET /api/station/listen", (it) => {
  it.effect("is the sound itself, on any server", () =>
    Effect.gen(function* () {
      const { address } = yield* HttpServer.HttpServer
      const head = yield* call("HEAD", "/api/station/listen")
      expect([head.status, head.headers.get("content-type"), head.headers.get("cache-control")]).toEqual([
        200,
        "audio/mpeg",
        "no-store"
      ])
      const got = yield* Effect.promise(async () => {
        const ends = new AbortController()
        const response = await fetch(
          `http://127.0.0.1:${(address as { readonly port: number }).port}/api/station/listen`,
          { signal: ends.signal, redirect: "error" }
        )
        const reader = response.body!.getReader()
        let bytes = 0
        while (bytes < 20 * frameBytes) bytes += (await reader.read()).value!.length
        ends.abort()
        return {
          status: response.status,
          type: response.headers.get("content-type"),
          origin: response.headers.get("access-control-allow-origin"),
          bytes
        }
      })
      expect(got).toEqual({ status: 200, type: "audio/mpeg", origin: "*", bytes: 20 * frameBytes })
    })
  )
})
