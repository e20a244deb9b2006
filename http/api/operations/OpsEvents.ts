import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Busy } from "../../../schema/Problems.ts"
import { OperatorAuth } from "../auth/Authorization.ts"
import { describe } from "../Described.ts"
import { anyText } from "../Inputs.ts"
import { Reading } from "../RequestErrors.ts"

/** What happens at the station, for operators. */
export const OpsEventsApi = HttpApiGroup.make("opsEvents")
  .add(
    HttpApiEndpoint.get("follow", "/api/ops/events", {
      query: { lastEventId: Schema.optionalKey(anyText) },
      success: Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/event-stream" })),
      error: [Busy]
    }).annotateMerge(
      describe(
        "Stream what happens",
        "Server-sent events. snapshot: `{onAir, rundown, playout, listeners, actors, jobs, alerts, reviews}`. on-air: the answer of GET /api/now-playing. rundown: `{version, items, held, emergency, changes}`, where version is the ETag of GET /api/ops/rundown and each change is `{id, change, detail}` with change one of added, removed, moved, retimed, locked, unlocked, held, released, on_air, emergency. playout: `{emergency, held, fallback, silent, live}`. actor: an actor that failed or was restarted. job: `{id, kind, about, tries, error, givenUp}`, a try of a background job that failed. alert: `{change, alert}`, with change raised, seen, acknowledged or closed. listeners: `{total}`. reviews, for reviewers and above: `{total, counts, arrived, decided, more}`; arrived and decided list up to 100 each, more counts the rest. heartbeat each 15 s. Last-Event-ID or lastEventId resumes a broken connection, within one hour and a thousand events; otherwise it begins with a snapshot. The stream ends when the credential does; a role gets only what it may read."
      )
    )
  )
  .middleware(Reading)
  .middleware(OperatorAuth)
  .annotateMerge(OpenApi.annotations({ title: "Events", description: "One stream of what happens at the station." }))
