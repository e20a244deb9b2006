import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { makeServer } from "../../../http/server/Server.ts"

/** So many numbers are half a MiB of heap. */
const numbers = 65_536
const kept: Array<ReadonlyArray<number>> = []
const made = () => Array.from({ length: numbers }, (_, n) => n + 0.5)

/**
 * The server in a process of its own with a small heap. Each request for its API keeps a piece of it until the signal
 * SIGUSR2; each one for its stream makes a piece and forgets it.
 */
Effect.gen(function* () {
  process.on("SIGUSR2", () => void kept.splice(0))
  const { open, port } = yield* makeServer({
    host: "127.0.0.1",
    port: 0,
    publicUrl: "http://station.test",
    listen: ({ url }, response) => {
      if (url !== "/live/sound") return false
      response.end(`sound ${made().length}`)
      return true
    }
  })
  yield* open(
    Effect.sync(() => {
      kept.push(made())
      return HttpServerResponse.text("kept")
    })
  )
  process.stdout.write(`${port}\n`)
  return yield* Effect.never
}).pipe(Effect.scoped, Effect.runFork)
