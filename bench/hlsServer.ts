import { Effect, Layer } from "effect"
import { createHash } from "node:crypto"
import { type AddressInfo, createServer } from "node:net"
import { StationConfig } from "../engine/runtime/Config.ts"
import { aacFrameSamples, partFrames, segmentFrames, windowSegments } from "../engine/rules/air/limits.ts"
import { listenBacklog } from "../engine/rules/http/limits.ts"
import { sampleRateHz } from "../schema/time/Samples.ts"
import { type HlsVariant, Live, type LiveAnswer } from "../engine/ports/Live.ts"
import { Listen } from "../http/stream/Listen.ts"
import { makeServer } from "../http/server/Server.ts"
import { loadUws } from "../http/fastpath/Uws.ts"
import { makeUwsServer } from "../http/fastpath/UwsServer.ts"
import { AirHost } from "../media/chain/AirHost.ts"
import { broadcastStart } from "../media/live/BroadcastStart.ts"
import { Arrivals, makeLive } from "../media/live/LiveService.ts"
import { PartPacker } from "../media/encode/PartPacker.ts"
import { msAt } from "../media/clock/StationClock.ts"
import { nothingKept } from "../media/live/TimeShift.ts"

const firstMsn = 6_834_083
const partMs = ((partFrames * aacFrameSamples) / sampleRateHz) * 1_000
/** Bytes of a frame, by the bit rate of each variant. */
const frameBytes = { aac128: 341, aac64: 171 } as const

/** Frames with distinct bytes, equal in every run, so that answers can be checked. */
const frame = (variant: HlsVariant, index: number): Uint8Array => {
  const out = Buffer.alloc(frameBytes[variant])
  for (let at = 0; at < out.length; at += 32)
    createHash("sha256").update(`${variant} ${index} ${at}`).digest().copy(out, at)
  return out
}

/** Minimum cost in Node: the same bytes over bare sockets, without parsing the request. */
const floor = (live: Live["Service"]): void => {
  const wireOf = (answer: LiveAnswer): Buffer => {
    const body = answer._tag === "Found" ? answer.object.body : Buffer.alloc(0)
    return Buffer.concat([Buffer.from(`HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n`), body])
  }
  const playlist = wireOf(Effect.runSync(live.playlist("aac128", { msn: null, part: null, skip: false })))
  const segment = wireOf(Effect.runSync(live.segment("aac128", firstMsn + windowSegments)))
  const bare = createServer({ noDelay: true }, (socket) => {
    socket
      .on("data", (asked) => socket.write(asked.includes(".m4s") ? segment : playlist))
      .on("error", () => socket.destroy())
  })
  bare.listen({ port: 0, host: "127.0.0.1", backlog: listenBacklog }, () =>
    process.send?.((bare.address() as AddressInfo).port)
  )
}

/** The station's live window without encoders. After the order to go on the air, parts arrive in real time. */
const server = Effect.gen(function* () {
  const arrivals = new Arrivals()
  let made: { readonly msn: number; readonly part: number } = { msn: firstMsn, part: 0 }
  const host = new AirHost(
    broadcastStart(null, { wallMs: () => msAt((firstMsn + 1) * segmentFrames * aacFrameSamples), monoMs: () => 0 }),
    "Longwave",
    {
      event: () => {},
      part: (part) => void (made = part),
      onCut: () => {},
      onMp3: () => {},
      onJournal: () => {}
    }
  )
  let next = firstMsn * segmentFrames
  const packers = (["aac128", "aac64"] as const).map((variant) => ({
    variant,
    packer: new PartPacker(variant, next, (part) => host.receive({ _tag: "Part", part }))
  }))
  const feed = (frames: number) => {
    for (const { packer, variant } of packers)
      packer.feed(
        next,
        Array.from({ length: frames }, (_, index) => frame(variant, next + index))
      )
    next += frames
  }
  feed((windowSegments + 1) * segmentFrames)
  const live = makeLive(host, arrivals, nothingKept)
  if (process.argv[2] === "floor") {
    floor(live)
    return yield* Effect.never
  }
  const { answers, handle, hls, players } = yield* Listen.pipe(
    Effect.provide(
      yield* Layer.build(
        Listen.layer.pipe(Layer.provide(Layer.succeed(Live, live)), Layer.provide(StationConfig.fromEnvironment({})))
      )
    )
  )
  const { port } =
    process.argv[2] === "uws"
      ? yield* makeUwsServer({
          uws: yield* loadUws(),
          host: "127.0.0.1",
          port: 0,
          connectionsMax: Infinity,
          hls,
          answers
        })
      : yield* makeServer({
          host: "127.0.0.1",
          port: 0,
          publicUrl: "http://127.0.0.1",
          listen: handle,
          players
        })
  process.on("message", (message) => {
    if (message !== "air") return
    setInterval(() => {
      feed(partFrames)
      const atMs = performance.timeOrigin + performance.now()
      arrivals.announce()
      const announcedMs = performance.timeOrigin + performance.now()
      setImmediate(() => process.send?.({ msn: made.msn, part: made.part, atMs, announcedMs }))
    }, partMs)
  })
  process.send?.(port)
  return yield* Effect.never
}).pipe(Effect.scoped)

process.on("disconnect", () => process.exit())
Effect.runFork(server)
