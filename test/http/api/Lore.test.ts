import { layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { expect } from "vitest"
import { AgentHttp } from "../../support/http/AgentHttp.ts"
import { proposed } from "../../support/scenes/Lore.ts"
import { call } from "../../support/http/SegmentHttp.ts"

const ids = (path: string) =>
  Effect.map(call("GET", `/api/lore${path}`), ({ body }) =>
    (body.entries as ReadonlyArray<{ id: string }>).map(({ id }) => id)
  )

layer(AgentHttp(), { excludeTestServices: true })("the lore", (it) => {
  it.effect(
    "is searched by category, topic, words and state, newest first, and hides rejected and internal entries",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const [moment, canon, rejected, merged, fact] = [
          yield* proposed({
            category: "moment",
            title: "The night of the fog",
            summary: "It was 100% fog.",
            topics: ["Fog"]
          }),
          yield* proposed({ title: "Old Tom" }),
          yield* proposed({ title: "Slander" }),
          yield* proposed({ title: "Old Tommy" }),
          yield* proposed({ category: "fact", title: "The switch" })
        ]
        yield* sql`UPDATE lore_entries SET status = 'canonical', canonical_since = now() WHERE id = ${canon.id}`
        yield* sql`UPDATE lore_entries SET status = 'rejected' WHERE id = ${rejected.id}`
        yield* sql`UPDATE lore_entries SET status = 'merged', merged_into_id = ${canon.id} WHERE id = ${merged.id}`
        yield* sql`UPDATE lore_entries SET operational = true WHERE id = ${fact.id}`
        expect(yield* ids("")).toEqual([canon.id, moment.id])
        expect(yield* ids("?includeOperationalFacts=true")).toEqual([fact.id, canon.id, moment.id])
        expect([
          yield* ids("?status=rejected"),
          yield* ids("?status=merged"),
          yield* ids("?status=proposed"),
          yield* ids("?canonicalOnly=true"),
          yield* ids("?canonicalOnly=1&status=proposed")
        ]).toEqual([[], [], [moment.id], [canon.id], []])
        expect([
          yield* ids("?category=moment"),
          yield* ids("?topic=fog"),
          yield* ids("?q=FOG%20night"),
          yield* ids("?q=100%25"),
          yield* ids("?q=1_0"),
          yield* ids("?q=tom&category=recurring_bit")
        ]).toEqual([[moment.id], [moment.id], [moment.id], [moment.id], [], [canon.id]])
        const first = yield* call("GET", "/api/lore?limit=1")
        expect([
          first.body.entries.length,
          yield* ids(`?limit=1&cursor=${first.body.nextCursor}`),
          first.headers.get("cache-control")
        ]).toEqual([1, [moment.id], "public, max-age=5"])
        for (const bad of [
          "limit=0",
          "limit=101",
          "limit=x",
          "category=gossip",
          "status=gone",
          "cursor=lore_x",
          "canonicalOnly=maybe",
          `q=${"x".repeat(121)}`
        ])
          expect([bad, (yield* call("GET", `/api/lore?${bad}`)).body.code]).toEqual([bad, "INVALID_FIELD"])
        for (const hidden of [rejected.id, merged.id, fact.id, "lore_x", "query"])
          expect((yield* call("GET", `/api/lore/${hidden}`)).status).toBe(404)
        const { body } = yield* call("GET", `/api/lore/${canon.id}`)
        expect(body.entry).toMatchObject({
          status: "canonical",
          mentionCount: 1,
          proposedBy: { handle: canon.host.handle },
          mergeLinks: [{ fromId: merged.id, toId: canon.id }]
        })
        // What is taken down is no mention any more.
        yield* sql`UPDATE segments SET rerun_hold = true WHERE id = ${canon.segmentId}`
        expect((yield* call("GET", `/api/lore/${canon.id}`)).body.entry).toMatchObject({
          mentionCount: 0,
          mentions: []
        })
      })
  )
})
