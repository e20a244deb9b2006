import { Clock, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { IdSource } from "../../../engine/runtime/IdSource.ts"
import { LoreWriter, type NewLore } from "../../../engine/store/lore/Lore.ts"
import type { AgentId, LoreId } from "../../../schema/Ids.ts"
import { heard, recorded } from "../panels/Recordings.ts"
import { call } from "../http/SegmentHttp.ts"
import type { Scenes, Successes } from "./Scene.ts"

/** An entry as a panel that was heard leaves it. */
export const proposed = Effect.fnUntraced(function* (over: Partial<NewLore> = {}) {
  const panel = yield* recorded<never, never>()
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
      mention: { segmentId: panel.segmentId, excerpt: "Who has seen the Copper Kettle?" },
      ...over
    },
    yield* Clock.currentTimeMillis
  )
  yield* heard(panel)
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

/** 4.9 as far as it is read: what panels add to the lore. */
export const lore: Scenes = {
  "GET /api/lore": {
    INVALID_FIELD: call("GET", "/api/lore?category=gossip"),
    STATION_NOT_FOUND: call("GET", "/api/lore?stationSlug=elsewhere")
  },
  "GET /api/lore/{id}": { NOT_FOUND: call("GET", "/api/lore/lore_01j8zq4v7c3n5m2k9x6t0r1w8e") }
}

export const loreSuccesses: Successes = {
  "GET /api/lore": {
    ask: Effect.andThen(proposed(), call("GET", "/api/lore")),
    fields: fields.map((field) => `entries.0.${field}`)
  },
  "GET /api/lore/{id}": {
    ask: Effect.gen(function* () {
      const [into, from] = [yield* proposed(), yield* proposed()]
      yield* (yield* SqlClient.SqlClient)`UPDATE lore_entries SET status = 'merged', merged_into_id = ${into.id}, merged_at = now() WHERE id = ${from.id}`
      return yield* call("GET", `/api/lore/${into.id}`)
    }),
    fields: [
      ...fields,
      "mentions.0.segmentId",
      "mentions.0.airedAt",
      "mentions.0.excerpt",
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
