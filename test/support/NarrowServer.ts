import { Effect } from "effect"
import { readFile } from "node:fs/promises"
import { makeServer } from "../../http/Server.ts"

/** The server in a process of its own that may open few files: says its port, and answers with what it can still read. */
Effect.gen(function*() {
  const { port } = yield* makeServer({
    host: "127.0.0.1", port: 0, publicUrl: "http://station.test",
    listen: (_request, response) => {
      readFile(import.meta.filename).then((bytes) => response.end(`read ${bytes.length}`), (error: unknown) => response.writeHead(500).end(String(error)))
      return true
    }
  })
  process.stdout.write(`${port}\n`)
  return yield* Effect.never
}).pipe(Effect.scoped, Effect.runFork)
