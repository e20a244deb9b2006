import { Console, Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { flushCompileCache } from "node:module"
import { Live } from "../engine/ports/Live.ts"
import { BadConfig, StationConfig } from "../engine/runtime/Config.ts"
import { originsLayer } from "../engine/runtime/Origins.ts"
import { followLive } from "../media/origin/OriginLive.ts"
import { serveEdge } from "./edge/EdgeServer.ts"
import { runProgram } from "./server/Program.ts"

/** An address without a path that ends in a slash; null if it is none. */
const originOf = (text: string): string | null =>
  URL.canParse(text) && /^https?:$/.test(new URL(text).protocol) && new URL(text).search === ""
    ? text.replace(/\/+$/, "")
    : null

/** An edge of these origins, until it is interrupted. */
const edge = Effect.fnUntraced(function* (given: ReadonlyArray<string>) {
  const config = yield* StationConfig
  const urls = given.map(originOf)
  const wrong = given.find((_, index) => urls[index] === null)
  if (wrong !== undefined)
    return yield* new BadConfig({ problems: [`--origin is ${JSON.stringify(wrong)}. It must be an http(s) address.`] })
  if (config.edgeSecret === null)
    yield* Effect.logWarning(
      "EDGE_SECRET is not set: the origin takes this edge for one listener, and can't count its listeners."
    )
  yield* Effect.gen(function* () {
    const { figures, live } = yield* followLive(config.stationName)
    const { port } = yield* Effect.provideService(serveEdge(figures), Live, live)
    yield* Console.log(
      `An edge listens on port ${port}\n\n  HLS     ${config.publicUrl}/live/index.m3u8\n  MP3     ${config.publicUrl}/live.mp3\n  origin  ${urls.join(", ")}\n`
    )
    process.send?.(port)
    flushCompileCache()
    return yield* Effect.never
  }).pipe(Effect.scoped, Effect.provide(originsLayer(urls as ReadonlyArray<string>, config.edgeSecret)))
})

Command.make(
  "edge",
  {
    origin: Flag.String("origin").pipe(
      Flag.withDescription("address of a station or of another edge; several to fall over between them"),
      Flag.atLeast(1)
    )
  },
  ({ origin }) => edge(origin)
).pipe(
  Command.withDescription("Pass the stream of a station on to many listeners"),
  Command.run({ version: "0.1.0" }),
  runProgram
)
