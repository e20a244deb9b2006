import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { makeServer } from "../../../http/server/Server.ts"

/** This many numbers are half a MiB of heap. */
const numbers = 65_536
const kept: Array<ReadonlyArray<number>> = []
const makeNumbers = () => Array.from({ length: numbers }, (_, n) => n + 0.5)

/**
 * The server in its own process with a small heap. Each API request retains a piece of it until the signal SIGUSR2; each stream
 * request makes a piece and drops it.
 */
Effect.gen(function* () {
  process.on("SIGUSR2", () => void kept.splice(0))
  const { open, port } = yield* makeServer({
    host: "127.0.0.1",
    port: 0,
    publicUrl: "http://station.test",
    listen: ({ url }, response) => {
      if (url !== "/live/sound") return false
      response.end(`sound ${makeNumbers().length}`)
      return true
    }
  })
  yield* open(
    Effect.sync(() => {
      kept.push(makeNumbers())
      return HttpServerResponse.text("kept")
    })
  )
  process.stdout.write(`${port}\n`)
  return yield* Effect.never
}).pipe(Effect.scoped, Effect.runFork)
