import { Layer } from "effect"
import { Headers } from "effect/http"

/** Headers whose values are in no log and no trace. */
export const SecretHeaders = Layer.succeed(Headers.CurrentRedactedNames, [
  "authorization",
  "cookie",
  "set-cookie",
  "x-app-key",
  "x-listener-token"
])
