import { Clock, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { IdSource } from "../../../engine/runtime/IdSource.ts"
import { LoreWriter, type NewLore } from "../../../engine/store/lore/Lore.ts"
import type { AgentId, LoreId } from "../../../schema/Ids.ts"
import { airPanel, recordPanel } from "../panels/Recordings.ts"
import { call, operator } from "../http/SegmentHttp.ts"
import { arriveGranted, callWithoutKey, post, type Scenes, type Successes } from "./Scene.ts"

/** An entry as a panel that was heard leaves it. */
export const propose = Effect.fnUntraced(function* (over: Partial<NewLore> = {}) {
  const panel = yield* recordPanel<never, never>()
  const id = (yield* (yield* IdSource).make("lore")) as LoreId
  yield* (yield* LoreWriter).propose(
    {
      id,
      commandKey: id,
      category: "recurring_bit",
      title: `The Copper Kettle ${id}`,
      summary: "Somebody always brings it up.",
      references: [{ kind: "session", id: panel.sessionId, note: null }],
      topics: ["harbour"],
      proposedBy: panel.host.id as AgentId,
      mentions: [{ segmentId: panel.segmentId, excerpt: "Who has seen the Copper Kettle?" }],
      ...over
    },
    yield* Clock.currentTimeMillis
  )
  yield* airPanel(panel)
  return { id, ...panel }
})

const fields = [
  "id",
  "category",
  "title",
  "summary",
  "references.0.kind",
  "references.0.id",
  "references.0.note",
  "status",
  "mentionCount",
  "referenceCount",
  "mergedIntoId",
  "topics.0",
  "proposedBy.handle",
  "canonicalSince",
  "createdAt",
  "updatedAt"
]

export const kettle = {
  category: "recurring_bit",
  title: "The Copper Kettle",
  summary: "A café at the harbour that nobody has found."
}
/** An agent's proposal, as it was answered. */
export const proposal = Effect.fnUntraced(function* (over: object = {}) {
  const agent = yield* arriveGranted()
  const { body } = yield* post("/api/lore", { ...kettle, ...over }, agent.key)
  return { ...agent, entry: body.entry as { readonly id: LoreId; readonly status: string } }
})
/** A card of the library, as an operator adds it. */
export const addCard = Effect.fnUntraced(function* (over: object = {}) {
  return yield* post(
    "/api/ops/library-cards",
    { title: "The quay at night", text: "Fog, one lamp, and the sound of rope.", topics: ["Harbour"], ...over },
    yield* operator("reviewer")
  )
})
const nowhere = "lore_01j8zq4v7c3n5m2k9x6t0r1w8e"
const postAsAgent = (path: string, body: unknown) => Effect.flatMap(arriveGranted(), ({ key }) => post(path, body, key))

/** Lore of 4.9. */
export const lore: Scenes = {
  "GET /api/lore": {
    INVALID_FIELD: call("GET", "/api/lore?category=gossip"),
    STATION_NOT_FOUND: call("GET", "/api/lore?stationSlug=elsewhere")
  },
  "POST /api/lore": {
    INVALID_JSON: postAsAgent("/api/lore", []),
    INVALID_FIELD: postAsAgent("/api/lore", { category: "moment", title: "The night of the fog" }),
    STATION_NOT_FOUND: postAsAgent("/api/lore", { ...kettle, stationSlug: "elsewhere" }),
    ...callWithoutKey("POST", "/api/lore")
  },
  "GET /api/lore/query": { STATION_NOT_FOUND: call("GET", "/api/lore/query?stationSlug=elsewhere") },
  "GET /api/lore/library": {},
  "GET /api/lore/{id}": { NOT_FOUND: call("GET", `/api/lore/${nowhere}`) },
  "POST /api/lore/entries/{id}/reference": {
    LORE_ENTRY_NOT_REFERENCEABLE: Effect.gen(function* () {
      const { entry, key } = yield* proposal({ title: "A slander" })
      yield* (yield* SqlClient.SqlClient)`UPDATE lore_entries SET status = 'rejected' WHERE id = ${entry.id}`
      return yield* post(`/api/lore/entries/${entry.id}/reference`, {}, key)
    }),
    LORE_ENTRY_NOT_FOUND: postAsAgent(`/api/lore/entries/${nowhere}/reference`, {}),
    ...callWithoutKey("POST", `/api/lore/entries/${nowhere}/reference`)
  }
}

export const loreSuccesses: Successes = {
  "GET /api/lore": {
    ask: Effect.andThen(propose(), call("GET", "/api/lore")),
    fields: fields.map((field) => `entries.0.${field}`)
  },
  "POST /api/lore": {
    ask: Effect.gen(function* () {
      const { sessionId } = yield* propose()
      return yield* postAsAgent("/api/lore", {
        ...kettle,
        title: "The Tin Kettle",
        references: [{ kind: "session", id: sessionId, note: "brought up here" }],
        topics: ["harbour"]
      })
    }),
    fields: fields.map((field) => `entry.${field}`)
  },
  "GET /api/lore/query": {
    ask: Effect.andThen(proposal({ title: "The Iron Kettle" }), call("GET", "/api/lore/query?q=iron%20kettle")),
    fields: ["entryId", "title", "summary", "score", "excerpt"].map((field) => `results.0.${field}`)
  },
  "GET /api/lore/library": {
    ask: Effect.gen(function* () {
      const { entry } = yield* proposal({ title: "The Brass Kettle" })
      yield* addCard({ sourceEntryIds: [entry.id] })
      return yield* call("GET", "/api/lore/library?topic=harbour")
    }),
    fields: ["id", "title", "text", "topics.0", "sourceEntryIds.0", "reviewedAt"].map((field) => `cards.0.${field}`)
  },
  "POST /api/lore/entries/{id}/reference": {
    ask: Effect.flatMap(proposal({ title: "The Glass Kettle" }), ({ entry, key }) =>
      post(`/api/lore/entries/${entry.id}/reference`, { context: "It came up again." }, key)
    ),
    fields: ["entryId", "referenceCount", "mentionCount"]
  },
  "GET /api/lore/{id}": {
    ask: Effect.gen(function* () {
      const [into, from] = [yield* propose(), yield* propose()]
      yield* (yield* SqlClient.SqlClient)`UPDATE lore_entries SET status = 'merged', merged_into_id = ${into.id}, merged_at = now() WHERE id = ${from.id}`
      return yield* call("GET", `/api/lore/${into.id}`)
    }),
    fields: [
      ...fields,
      "mentions.0.segmentId",
      "mentions.0.airedAt",
      "mentions.0.excerpt",
      "mentions.0.heard.at",
      "mentions.0.heard.replayUrl",
      "mentions.0.heard.streamUrl",
      "mentions.0.heard.audioUrl",
      "versions.0.version",
      "versions.0.title",
      "versions.0.summary",
      "versions.0.editedBy",
      "versions.0.editedAt",
      "mergeLinks.0.fromId",
      "mergeLinks.0.toId",
      "mergeLinks.0.at"
    ].map((field) => `entry.${field}`)
  }
}
