import { Context } from "effect"
import type { HttpServerRequest } from "effect/http"
import type { Sink } from "./EventFanout.ts"
import { nodeSink } from "./NodeSink.ts"

/** Raw output to the sender of a request, past the router; depends on the server. */
export const SinkOf = Context.Reference<(request: HttpServerRequest.HttpServerRequest, ended: () => void) => Sink>(
  "longwave/http/handlers/SinkOf",
  { defaultValue: () => nodeSink }
)
