import { Context } from "effect"
import type { HttpServerRequest } from "effect/http"
import type { Sink } from "./EventFanout.ts"
import { nodeSink } from "./NodeSink.ts"

/** How to write to whoever sent a request, past the router: it depends on the server that holds the connection. */
export const SinkOf = Context.Reference<(request: HttpServerRequest.HttpServerRequest, ended: () => void) => Sink>(
  "longwave/http/handlers/SinkOf",
  { defaultValue: () => nodeSink }
)
