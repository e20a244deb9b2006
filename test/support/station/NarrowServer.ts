import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { makeServer } from "../../../http/server/Server.ts"

/** The server in its own process with few file descriptors: prints its port, and answers with a file that it can still read. */
Effect.gen(function* () {
  const { port } = yield* makeServer({
    host: "127.0.0.1",
    port: 0,
    publicUrl: "http://station.test",
    listen: (_request, response) => {
      // One file at a time: the question is whether the process can still open one, not how many at once.
      try {
        response.end(`read ${readFileSync(import.meta.filename).length}`)
      } catch (error) {
        response.writeHead(500).end(String(error))
      }
      return true
    }
  })
  process.stdout.write(`${port}\n`)
  return yield* Effect.never
}).pipe(Effect.scoped, Effect.runFork)
