import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { call } from "../http/SegmentHttp.ts"
import { arriveGranted, callWithoutKey, post, type Scenes, type Successes } from "./Scene.ts"

const catalog = "/api/v1/catalog"
const topics = `${catalog}/topics`
const contributions = `${topics}/{id}/contributions`
const topic = { title: "What the tide brings", category: "local" }

/** Somebody who may broadcast sends it. */
const askAsAgent = (path: string, body?: unknown) => Effect.flatMap(arriveGranted(), ({ key }) => post(path, body, key))
const submitWords = (key: string) =>
  Effect.map(
    post(
      "/api/segments",
      { stationSlug: "longwave", category: "story", title: "Found", scriptText: "A bottle lay there, and a shoe." },
      key
    ),
    ({ body }) => body.segment.id as string
  )
const openTopic = (over: object = {}) =>
  Effect.map(askAsAgent(topics, { ...topic, ...over }), ({ body }) => body.topic.id as string)
const contribute = (id: string, segmentId: string, key: string) =>
  post(`${topics}/${id}/contributions`, { segmentId }, key)
/** Somebody contributes to a topic; `before` is what else has happened to that. */
const contributeTo = <E, R>(
  before: (id: string, key: string) => Effect.Effect<unknown, E, R> = () => Effect.void as Effect.Effect<never>,
  over: object = {}
) =>
  Effect.gen(function* () {
    const id = yield* openTopic(over)
    const { key } = yield* arriveGranted()
    yield* before(id, key)
    return yield* contribute(id, yield* submitWords(key), key)
  })

/** 4.6: what there is to make shows with, and topics. */
export const catalogScenes: Scenes = {
  [`GET ${catalog}/slots`]: { STATION_NOT_FOUND: call("GET", `${catalog}/slots?stationSlug=elsewhere`) },
  [`GET ${catalog}/formats`]: {},
  [`GET ${catalog}/audiences`]: {},
  [`GET ${catalog}/genres`]: {},
  [`GET ${topics}`]: {},
  [`POST ${topics}`]: {
    ...callWithoutKey("POST", topics),
    INVALID_JSON: askAsAgent(topics, "{"),
    MISSING_FIELDS: askAsAgent(topics, { title: "" }),
    INVALID_AGENTS_NEEDED: askAsAgent(topics, { ...topic, agentsNeeded: 9 }),
    INVALID_TTL_HOURS: askAsAgent(topics, { ...topic, ttlHours: 5 }),
    TOPIC_ACTIVE_LIMIT_REACHED: Effect.gen(function* () {
      const { key } = yield* arriveGranted()
      for (let n = 0; n < 3; n++) yield* post(topics, topic, key)
      return yield* post(topics, topic, key)
    }),
    TOPIC_DAILY_LIMIT_REACHED: Effect.gen(function* () {
      const { id, key } = yield* arriveGranted()
      const sql = yield* SqlClient.SqlClient
      for (let n = 0; n < 5; n++)
        yield* Effect.andThen(post(topics, topic, key), sql`UPDATE topics SET status = 'closed' WHERE agent_id = ${id}`)
      return yield* post(topics, topic, key)
    })
  },
  [`POST ${contributions}`]: {
    ...callWithoutKey("POST", contributions.replace("{id}", "top_00000000000000000000000000")),
    "400": askAsAgent(`${topics}/top_00000000000000000000000000/contributions`, { segmentId: 7 }),
    TOPIC_NOT_FOUND: askAsAgent(`${topics}/top_00000000000000000000000000/contributions`, {
      segmentId: "seg_00000000000000000000000000"
    }),
    SEGMENT_NOT_FOUND: Effect.flatMap(openTopic(), (id) =>
      askAsAgent(`${topics}/${id}/contributions`, { segmentId: "seg_00000000000000000000000000" })
    ),
    TOPIC_CLOSED: contributeTo(
      (id) =>
        Effect.flatMap(arriveGranted(), ({ key }) =>
          Effect.flatMap(submitWords(key), (segmentId) => contribute(id, segmentId, key))
        ),
      { agentsNeeded: 1 }
    ),
    TOPIC_EXPIRED: contributeTo((id) =>
      Effect.flatMap(
        SqlClient.SqlClient,
        (sql) => sql`UPDATE topics SET expires_at = now() - interval '1 second' WHERE id = ${id}`
      )
    ),
    DUPLICATE_TOPIC_CONTRIBUTION: contributeTo((id, key) =>
      Effect.flatMap(submitWords(key), (segmentId) => contribute(id, segmentId, key))
    )
  }
}

const fields = [
  "id",
  "title",
  "description",
  "category",
  "status",
  "agentsNeeded",
  "contributors.0.handle",
  "contributors.0.segmentId",
  "createdBy.handle",
  "createdAt",
  "expiresAt",
  "metadata.source"
]

export const catalogSuccesses: Successes = {
  [`GET ${catalog}/slots`]: {
    ask: call("GET", `${catalog}/slots`),
    fields: [
      "blockId",
      "title",
      "weekday",
      "startLocal",
      "durationMin",
      "timezone",
      "format",
      "audience",
      "open",
      "suggestedOccurrences.3.occurrenceStart",
      "suggestedOccurrences.3.occurrenceEnd",
      "suggestedOccurrences.3.open"
    ].map((field) => `slots.0.${field}`)
  },
  [`GET ${catalog}/formats`]: {
    ask: call("GET", `${catalog}/formats`),
    fields: ["id", "label", "description", "defaultDurationMin", "itemKinds.0", "minAgents"].map(
      (field) => `formats.9.${field}`
    )
  },
  [`GET ${catalog}/audiences`]: {
    ask: call("GET", `${catalog}/audiences`),
    fields: ["id", "label", "description"].map((field) => `audiences.8.${field}`)
  },
  [`GET ${catalog}/genres`]: {
    ask: call("GET", `${catalog}/genres`),
    fields: ["id", "label", "trackCount"].map((field) => `genres.31.${field}`)
  },
  [`GET ${topics}`]: {
    ask: Effect.andThen(contributeTo(), call("GET", topics)),
    fields: fields.map((field) => `topics.0.${field}`)
  },
  [`POST ${topics}`]: {
    ask: askAsAgent(topics, { ...topic, description: "Things found on the beach.", agentsNeeded: 2, ttlHours: 6 }),
    fields: fields.filter((field) => !field.startsWith("contributors")).map((field) => `topic.${field}`)
  },
  [`POST ${contributions}`]: { ask: contributeTo(), fields: fields.map((field) => `topic.${field}`) }
}
