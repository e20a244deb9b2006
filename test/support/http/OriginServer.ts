import { Effect, Exit, Layer, Scope } from "effect"
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import { numberedFrames } from "../../../bench/instruments/sounds/NumberedFrames.ts"
import { aacFrameSamples, partFrames, segmentFrames } from "../../../engine/rules/air/limits.ts"
import { type AirOwnership, CurrentAirOwnership, LeasedAir } from "../../../engine/ports/AirOwnership.ts"
import { CurrentMark } from "../../../engine/ports/CurrentMark.ts"
import { Live } from "../../../engine/ports/Live.ts"
import { StationConfig } from "../../../engine/runtime/Config.ts"
import { fenceProofsOf } from "../../../engine/runtime/FenceProof.ts"
import { originsLayer } from "../../../engine/runtime/Origins.ts"
import { serveEdge } from "../../../http/edge/EdgeServer.ts"
import type { Answer } from "../../../http/fastpath/Exchange.ts"
import { makeServer } from "../../../http/server/Server.ts"
import { Listen } from "../../../http/stream/Listen.ts"
import { AirHost } from "../../../media/chain/AirHost.ts"
import { msAt } from "../../../media/clock/StationClock.ts"
import { PartPacker } from "../../../media/encode/PartPacker.ts"
import { broadcastStart } from "../../../media/live/BroadcastStart.ts"
import { Arrivals, makeLive } from "../../../media/live/LiveService.ts"
import { nothingKept } from "../../../media/live/TimeShift.ts"
import { followLive } from "../../../media/origin/OriginLive.ts"
import { AirPlan, AirPlanApplied } from "../../../schema/air/Air.ts"

export const edgeSecret = "a secret of edges"
/** The air under this token, of a process that can't learn from its store that it has lost it. */
export const airOfCutOff = (fence: number): LeasedAir => {
  const ownership = new LeasedAir(60_000, () => 0, fenceProofsOf("a secret of stations"))
  ownership.note(true, fence)
  return ownership
}
const firstMsn = 6_834_083
const variants = ["aac128", "aac64"] as const
const frameOf = (variant: string, index: number) => Buffer.from(`${variant} ${index} `.repeat(20))

/** A station's live window and server, without encoders: each call of `feed` makes the next part and its MP3. It ends with `kill` or its scope. */
export const originServer = Effect.fnUntraced(function* (
  fence: number | null = null,
  ownership: AirOwnership = CurrentAirOwnership.defaultValue()
) {
  const arrivals = new Arrivals()
  const host = new AirHost(
    broadcastStart(null, { wallMs: () => msAt((firstMsn + 1) * segmentFrames * aacFrameSamples), monoMs: () => 0 }),
    "Longwave",
    { event: () => {}, part: () => arrivals.announce(), onCut: () => {}, onMp3: () => {}, onJournal: () => {} },
    ownership
  )
  let next = firstMsn * segmentFrames
  let mp3 = 0
  const firstMp3 = host.mp3.nextFrame
  const packers = variants.map((variant) => ({
    variant,
    packer: new PartPacker(variant, next, (part) => host.receive({ _tag: "Part", part }))
  }))
  const feed = (parts = 1) => {
    for (let part = 0; part < parts; part++) {
      for (const { packer, variant } of packers)
        packer.feed(
          next,
          Array.from({ length: partFrames }, (_, index) => frameOf(variant, next + index))
        )
      next += partFrames
      host.receive({
        _tag: "Mp3",
        firstFrame: firstMp3 + mp3,
        frames: 14,
        bytes: Uint8Array.from(numberedFrames(mp3, 14))
      })
      mp3 += 14
    }
  }
  const setFence = (fence: number) =>
    host.setPlan(
      new AirPlan({ fence, revision: 1, entry: "boundary", items: [] }),
      new AirPlanApplied({ revision: 1, shiftSamples: 0, renderedTo: 0 })
    )
  if (fence !== null) setFence(fence)
  feed(3 * (segmentFrames / partFrames))
  const asked: Array<string> = []
  const answered: Array<string> = []
  const sockets = new Set<Socket>()
  const passed: Array<IncomingMessage> = []
  const readers = new Set<ServerResponse>()
  const scope = yield* Scope.make()
  const context = yield* Layer.build(
    Listen.layer.pipe(
      Layer.provide(Layer.succeed(Live, makeLive(host, arrivals, nothingKept))),
      Layer.provide(Layer.succeed(CurrentMark, () => host.mark)),
      Layer.provide(StationConfig.fromEnvironment({ EDGE_SECRET: edgeSecret }))
    )
  ).pipe(Scope.provide(scope))
  const { handle, listeners, players } = yield* Listen.pipe(Effect.provideContext(context))
  const api = (request: IncomingMessage, response: ServerResponse): boolean => {
    passed.push(request)
    if (!/format=sse|chat\/events/.test(request.url!)) {
      response.writeHead(200, { "content-type": "application/json", "set-cookie": ["a=1", "b=2"] })
      request.pipe(response)
      return true
    }
    response.writeHead(200, { "content-type": "text/event-stream" })
    response.flushHeaders()
    readers.add(response)
    return true
  }
  const { port } = yield* makeServer({
    host: "127.0.0.1",
    port: 0,
    publicUrl: "http://station.test",
    listen: (request, response) => handle(request, response) || api(request, response),
    players: (exchange) => {
      asked.push(exchange.query === "" ? exchange.path : `${exchange.path}?${exchange.query}`)
      sockets.add(exchange.socket)
      const send = exchange.send.bind(exchange)
      players(
        Object.assign(exchange, {
          send: (answer: Answer) => {
            if (answer.status === 200 && !exchange.isOver) answered.push(exchange.path)
            send(answer)
          }
        })
      )
    }
  }).pipe(Scope.provide(scope))
  const kill = Effect.andThen(
    Effect.sync(() => {
      for (const socket of sockets) socket.destroy()
    }),
    Scope.close(scope, Exit.void)
  )
  yield* Effect.addFinalizer(() => kill)
  return {
    asked,
    passed,
    /** Parts and segments that were sent more than once. */
    sentTwice: () => answered.filter((path, at) => path.endsWith(".m4s") && answered.indexOf(path) !== at),
    feed,
    setFence,
    disclose: (station: string) => host.disclose({ station, emergency: station }),
    kill,
    listeners,
    url: `http://127.0.0.1:${port}`,
    /** Place of the next part. */
    next: () => host.windows.get("aac128")!.next!,
    /** Sends an event to all readers of event streams. */
    tell: (name: string, data: unknown, id: string | null) => {
      for (const reader of readers)
        reader.write(`${id === null ? "" : `id: ${id}\n`}event: ${name}\ndata: ${JSON.stringify(data)}\n\n`)
    },
    readers
  }
})

/** An edge of these origins, in this process. */
export const edgeServer = Effect.fnUntraced(function* (
  urls: ReadonlyArray<string>,
  settings: Record<string, string> = {}
) {
  const context = yield* Layer.build(
    Layer.merge(
      originsLayer(urls, edgeSecret),
      StationConfig.fromEnvironment({ HOST: "127.0.0.1", EDGE_SECRET: edgeSecret, ...settings })
    )
  )
  return yield* Effect.gen(function* () {
    const config = yield* StationConfig
    const { figures, live } = yield* followLive("Longwave")
    const { port } = yield* serveEdge(figures).pipe(
      Effect.provideService(Live, live),
      Effect.provideService(StationConfig, { ...config, port: 0 })
    )
    const url = `http://127.0.0.1:${port}`
    // Not until `/readyz` says so: an origin that nobody feeds counts as silent on a machine that takes seconds for this.
    yield* Effect.promise(async () => {
      while ((await fetch(`${url}/live/aac128/init.mp4`)).status !== 200)
        await new Promise((resolve) => setTimeout(resolve, 5))
    })
    return { port, url }
  }).pipe(Effect.provideContext(context))
})
