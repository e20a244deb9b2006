import { Effect, Layer } from "effect"
import { createServer, type Socket } from "node:net"
import { StationConfig } from "../engine/runtime/Config.ts"
import { mp3BatchMs, mp3BurstMs, mp3GroupsCount, mp3SettledBatches } from "../engine/rules/air/limits.ts"
import { listenBacklog } from "../engine/rules/http/limits.ts"
import { Live } from "../engine/ports/Live.ts"
import { Listen } from "../http/stream/Listen.ts"
import { makeServer } from "../http/server/Server.ts"
import { makeLiveDouble } from "./instruments/servers/LiveDouble.ts"
import { frameMs, numberedFrame, numberedFrames } from "./instruments/sounds/NumberedFrames.ts"

/** Frames in one write of the encoder. */
const chunkFrames = 4

/** Calls `next` with numbered frames in real time, independent of timer delays. */
const emit = (next: (bytes: Buffer, first: number) => void): void => {
  const startedMs = performance.now()
  let sent = 0
  setInterval(
    () => {
      for (const due = (performance.now() - startedMs) / frameMs; sent + chunkFrames <= due; sent += chunkFrames)
        next(numberedFrames(sent, chunkFrames), sent)
    },
    (chunkFrames * frameMs) / 2
  )
}

const ours = Effect.gen(function* () {
  const double = makeLiveDouble()
  const burst: Array<Buffer> = []
  emit((bytes, firstSample) => {
    for (let at = 0; at < bytes.length; at += bytes.length / chunkFrames)
      burst.push(bytes.subarray(at, at + bytes.length / chunkFrames))
    burst.splice(0, burst.length - mp3BurstMs / frameMs)
    double.setBurst(burst)
    double.send({ _tag: "Frames", bytes, firstSample })
  })
  const { handle, players } = yield* Listen.pipe(
    Effect.provide(
      yield* Layer.build(
        Listen.layer.pipe(
          Layer.provide(Layer.succeed(Live, double.live)),
          Layer.provide(StationConfig.fromEnvironment({}))
        )
      )
    )
  )
  const server = yield* makeServer({
    host: "127.0.0.1",
    port: 0,
    publicUrl: "http://127.0.0.1",
    listen: handle,
    players
  })
  process.send?.(server.port)
  return yield* Effect.never
}).pipe(Effect.scoped)

/** Minimum cost in Node: batches for settled listeners, written in groups, without any other work. */
const floor = (): void => {
  const groupsCount = mp3GroupsCount * mp3SettledBatches
  const groups: ReadonlyArray<Set<Socket>> = Array.from({ length: groupsCount }, () => new Set())
  const served = groups.map(() => 0)
  const frames: Array<Buffer> = []
  let joined = 0
  let turn = 0
  emit((_bytes, first) => {
    for (let index = 0; index < chunkFrames; index++) frames.push(numberedFrame(first + index))
  })
  setInterval(() => {
    const batch = Buffer.concat(frames.slice(served[turn]))
    if (batch.length > 0) for (const socket of groups[turn]!) socket.write(batch)
    served[turn] = frames.length
    turn = (turn + 1) % groupsCount
  }, mp3BatchMs / mp3GroupsCount)
  const server = createServer((socket) => {
    const mine = joined++ % groupsCount
    socket.setNoDelay(true)
    socket.on("error", () => socket.destroy())
    socket.on("close", () => groups[mine]!.delete(socket))
    socket.once("data", () => {
      const burst = frames.slice(Math.max(0, served[mine]! - mp3BurstMs / frameMs), served[mine])
      socket.write(Buffer.concat([Buffer.from("HTTP/1.1 200 OK\r\ncontent-type: audio/mpeg\r\n\r\n"), ...burst]))
      groups[mine]!.add(socket)
    })
  })
  server.listen({ port: 0, host: "127.0.0.1", backlog: listenBacklog }, () => {
    const address = server.address()
    process.send?.(typeof address === "object" && address !== null ? address.port : 0)
  })
}

process.on("disconnect", () => process.exit())
if (process.argv[2] === "floor") floor()
else Effect.runFork(ours)
