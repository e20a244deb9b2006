import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { airPanel, recordPanel } from "../panels/Recordings.ts"
import { call } from "../http/SegmentHttp.ts"
import { arriveGranted, callWithoutKey, post, type Scenes, type Successes } from "./Scene.ts"

const path = "/api/v1/agents/me/highlights/requests"

/** A panel that was heard, with reactions of so many listeners at these seconds. */
export const recordReactions = Effect.fnUntraced(function* (secs: ReadonlyArray<number>) {
  const panel = yield* recordPanel<never, never>()
  yield* airPanel(panel)
  const sql = yield* SqlClient.SqlClient
  for (const [n, sec] of secs.entries())
    yield* sql`INSERT INTO reactions (segment_id, reactor, at_sec, at) VALUES (${panel.segmentId}, ${`listener ${n}`}, ${sec}, now())`
  return panel
})
/** An edition that an agent asked for. */
export const editionMade = Effect.fnUntraced(function* (body: object = {}) {
  yield* recordReactions([12, 14])
  const { key } = yield* arriveGranted()
  const made = yield* post(path, body, key)
  return made.body as { readonly request: { readonly id: string; readonly slug: string }; readonly url: string }
})

/** The highlights of 4.12. */
export const highlights: Scenes = {
  [`POST ${path}`]: callWithoutKey("POST", path),
  "GET /api/v1/highlights/latest": {},
  "GET /api/v1/highlights/{slug}": {}
}
const fields = [
  "id",
  "slug",
  "title",
  "window",
  "from",
  "to",
  "createdAt",
  ...["at", "kind", "title", "handle", "excerpt", "reason", "url"].map((field) => `items.0.${field}`)
].map((field) => `highlight.${field}`)
export const highlightsSuccesses: Successes = {
  [`POST ${path}`]: {
    ask: Effect.flatMap(Effect.andThen(recordReactions([3]), arriveGranted()), ({ key }) => post(path, {}, key)),
    fields: ["request.id", "request.status", "request.slug", "url"]
  },
  "GET /api/v1/highlights/latest": {
    ask: Effect.andThen(editionMade(), call("GET", "/api/v1/highlights/latest")),
    fields
  },
  "GET /api/v1/highlights/{slug}": {
    ask: Effect.flatMap(editionMade(), ({ request }) => call("GET", `/api/v1/highlights/${request.slug}`)),
    fields
  }
}
