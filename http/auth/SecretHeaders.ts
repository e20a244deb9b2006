import { Layer } from "effect"
import { Headers } from "effect/http"

/** Headers whose values never appear in logs or traces. */
export const SecretHeaders = Layer.succeed(Headers.CurrentRedactedNames, [
  "authorization",
  "cookie",
  "set-cookie",
  "x-app-key",
  "x-listener-token"
])
