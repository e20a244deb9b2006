import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { airPanel, recordPanel } from "../panels/Recordings.ts"
import { call } from "../http/SegmentHttp.ts"
import type { Elsewhere, Scenes, Successes } from "./Scene.ts"

/** 4.6: recordings of panels and clips of them. Their rows name no refusals. */
export const replays: Scenes = { "GET /api/clips": {}, "GET /api/replays": {}, "GET /api/replays/{id}": {} }

export const replaysElsewhere: Elsewhere = {}

const published = Effect.tap(recordPanel<never, never>(), airPanel)
const recording = [
  "id",
  "sessionId",
  "showSlug",
  "title",
  "topic",
  "audioUrl",
  "hlsUrl",
  "durationSec",
  "airedAt",
  "participants.0.handle",
  "participants.0.displayName",
  "participants.0.role",
  "chapters.0.startSec",
  "synthetic",
  "publishedAt"
]

export const replaysSuccesses: Successes = {
  "GET /api/clips": {
    // Its sound is no matter here.
    ask: Effect.andThen(
      published,
      Effect.andThen(
        Effect.flatMap(SqlClient.SqlClient, (sql) => sql`UPDATE clips SET published_at = now()`),
        call("GET", "/api/clips")
      )
    ),
    fields: [
      "id",
      "title",
      "showSlug",
      "segmentId",
      "sessionId",
      "startSec",
      "durationSec",
      "audioUrl",
      "transcript",
      "coverUrl",
      "participants.0.handle",
      "synthetic",
      "publishedAt"
    ].map((field) => `clips.0.${field}`)
  },
  "GET /api/replays": {
    ask: Effect.andThen(published, call("GET", "/api/replays")),
    fields: recording.map((field) => `replays.0.${field}`)
  },
  "GET /api/replays/{id}": {
    ask: Effect.flatMap(published, ({ replayId }) => call("GET", `/api/replays/${replayId}`)),
    fields: [
      ...recording,
      ...["turnIndex", "handle", "scriptText", "startSec", "durationSec"].map((field) => `turns.0.${field}`)
    ].map((field) => `replay.${field}`)
  }
}
