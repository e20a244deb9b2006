import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { createServer } from "node:http"
import { Intake } from "../../../http/server/Intake.ts"
import { awaitTrue, client } from "../../support/http/ListenServer.ts"

it.effect("keeps nothing of a body that was refused half read, once its connection is gone", () =>
  Effect.gen(function* () {
    const intake = new Intake()
    const server = createServer((request, response) => {
      intake.begin(request, 0, () => undefined)
      request.once("data", () => {
        request.pause()
        response.writeHead(429, { "content-length": 0 }).end()
      })
    })
    yield* Effect.acquireRelease(
      Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
      () =>
        Effect.sync(() => {
          server.closeAllConnections()
          server.close()
        })
    )
    const { port } = server.address() as { readonly port: number }
    const post = `POST / HTTP/1.1\r\nhost: station\r\nconnection: close\r\ncontent-length: 300000\r\n\r\n${"a".repeat(200_000)}`
    for (let turn = 0; turn < 3; turn++) {
      const { head } = yield* client(port, post)
      expect(yield* head).toContain("429")
      yield* awaitTrue(() => intake.arrivingCount === 0)
    }
  })
)
