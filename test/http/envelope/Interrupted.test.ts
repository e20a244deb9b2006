import { NodeHttpServer } from "@effect/platform-node"
import { layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { HttpRouter } from "effect/http"
import { createServer } from "node:http"
import { expect } from "vitest"
import { IdSource } from "../../../engine/runtime/IdSource.ts"
import { envelope } from "../../../http/envelope/Envelope.ts"
import { Flood } from "../../../http/envelope/Flood.ts"
import { TestConfig } from "../../support/agents/OnboardingWorld.ts"
import { call } from "../../support/http/SegmentHttp.ts"

const routes = Layer.mergeAll(
  // As when the actor that works on a request ends first.
  HttpRouter.add("GET", "/interrupted", Effect.interrupt),
  envelope(() => ["GET"])
)
const World = HttpRouter.serve(routes, { disableLogger: true, disableListenLog: true }).pipe(
  Layer.provideMerge(NodeHttpServer.layer(() => createServer(), { port: 0, host: "127.0.0.1" })),
  Layer.provideMerge(Flood.layer),
  Layer.provideMerge(IdSource.layer),
  Layer.provideMerge(TestConfig({}))
)

layer(World, { excludeTestServices: true })("a request that the station breaks off", (it) => {
  it.effect("is answered as one that may be sent again: its client is still there", () =>
    Effect.gen(function* () {
      const { body, headers, status } = yield* call("GET", "/interrupted")
      expect([status, body.code, headers.get("retry-after")]).toEqual([503, "BUSY", "2"])
    })
  )
})
