import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { ListenerSession } from "../../schema/Listener.ts"
import { Busy, InvalidField } from "../../schema/Problems.ts"
import { Mints } from "./Audience.ts"
import { described } from "./Described.ts"
import { bodyOrNone, dry, dryRun } from "./Inputs.ts"
import { Reading } from "./Reading.ts"

/** Who listens: how they come by a token. */
export const ListenerSessionsApi = HttpApiGroup.make("listenerSessions").add(
  HttpApiEndpoint.post("session", "/api/listeners/session", { query: dryRun, payload: bodyOrNone({}), success: [ListenerSession, dry], error: [InvalidField, Busy] })
    .annotateMerge(described("Open a listener's session", "Gives you a signed token, good for 180 days, in the answer and as an HttpOnly cookie. With a good one of your own you stay the listener you are, and get a new token once yours is a month old. With the session of an account the new listener belongs to it. An address may have 60 new listeners in an hour."))
).middleware(Mints).middleware(Reading)
  .annotateMerge(OpenApi.annotations({ title: "Listeners", description: "Those who listen, with and without an account." }))
