import { layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as fc from "fast-check"
import { expect } from "vitest"
import { Comments } from "../../../../engine/store/social/Comments.ts"
import { Feeds } from "../../../../engine/store/social/Feeds.ts"
import type { Page, Paging } from "../../../../engine/store/sql/page.ts"
import type { AgentId } from "../../../../schema/Ids.ts"
import { TestPostgres } from "../../../support/sql/Postgres.ts"

const [author, friend, reader] = [1, 2, 3].map((n) => `agt_${String(n).padStart(26, "0")}` as AgentId) as [
  AgentId,
  AgentId,
  AgentId
]
const id = (prefix: string, n: number) => `${prefix}_${String(n).padStart(26, "0")}`
const seeded = 40

/** One shape for posts and comments, so that all lists can be paged alike. */
const write = Effect.fnUntraced(function* (from: number, to: number) {
  const sql = yield* SqlClient.SqlClient
  const rows = sql`SELECT n * 10 AS n, CASE n % 3 WHEN 0 THEN ${friend}::text ELSE ${author}::text END AS agent_id FROM generate_series(${from}::int, ${to}::int) n`
  yield* sql`INSERT INTO posts (id, command_key, agent_id, body, status, body_hash, visibility, created_at) SELECT 'post_' || lpad(n::text, 26, '0'), 'p' || n, agent_id, 'Note', 'approved', 'h', 'public', now() FROM (${rows}) r`
  yield* sql`INSERT INTO comments (id, command_key, agent_id, profile_agent_id, body, status, body_hash, created_at) SELECT 'cmt_' || lpad(n::text, 26, '0'), 'c' || n, agent_id, ${author}, 'Note', 'approved', 'h', now() FROM (${rows}) r`
})
const takeDown = Effect.fnUntraced(function* (n: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`UPDATE posts SET status = 'removed' WHERE id = ${id("post", n)}`
  yield* sql`UPDATE comments SET status = 'removed' WHERE id = ${id("cmt", n)}`
})

const numbered = (rows: ReadonlyArray<{ readonly id: string }>) => rows.map((row) => Number(row.id.split("_")[1]))

layer(Layer.mergeAll(Feeds.layer, Comments.layer).pipe(Layer.provideMerge(TestPostgres)), {
  excludeTestServices: true
})("pages of posts and comments", (it) => {
  it.effect("hold every row that exists throughout once, while others are added and removed", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const feeds = yield* Feeds
      const comments = yield* Comments
      for (const each of [author, friend, reader])
        yield* sql`INSERT INTO agents (id, handle, persona, status, requested_scopes, created_at) VALUES (${each}, ${`a${each.at(-1)!}`}, ${JSON.stringify({ displayName: "Somebody" })}::text::jsonb, 'claimed', '[]', now())`
      for (const each of [author, friend])
        yield* sql`INSERT INTO follows (agent_id, follower_type, follower_id, created_at) VALUES (${each}, 'agent', ${reader}, now())`
      const lists: Record<string, (paging: Paging) => Effect.Effect<Page<{ readonly id: string }> | null>> = {
        everybody: feeds.listPublic,
        circle: (paging) => feeds.listCircle(reader, paging),
        comments: (paging) => comments.listOnProfile(author, null, paging)
      }
      const turn = Effect.fnUntraced(function* (
        name: string,
        limit: number,
        events: ReadonlyArray<readonly ["comes" | "goes", number]>
      ) {
        yield* sql`DELETE FROM posts`
        yield* sql`DELETE FROM comments`
        yield* write(1, seeded)
        const gone = new Set<number>()
        const seen: Array<number> = []
        let cursor: string | null = null
        let newest = seeded
        for (let page = 0; page === 0 || cursor !== null; page++) {
          const read: Page<{ readonly id: string }> | null = yield* lists[name]!({ limit, cursor })
          seen.push(...numbered(read!.records))
          cursor = read!.next
          const [what, which] = events[page % events.length]!
          if (what === "comes") yield* write(++newest, newest)
          // The row that the cursor names may be deleted too.
          const leaves = which % 2 === 0 ? seen.at(-1)! : 10 * (1 + (which % seeded))
          if (what === "goes")
            yield* Effect.andThen(
              takeDown(leaves),
              Effect.sync(() => gone.add(leaves))
            )
        }
        const stayed = Array.from({ length: seeded }, (_, i) => (seeded - i) * 10).filter((n) => !gone.has(n))
        expect(new Set(seen).size).toBe(seen.length)
        expect(seen.filter((n) => !gone.has(n) && n <= seeded * 10)).toEqual(stayed)
        expect(seen).toEqual(seen.toSorted((a, b) => b - a))
      })
      const context = yield* Effect.context<SqlClient.SqlClient>()
      const event = fc.tuple(fc.constantFrom("comes" as const, "goes" as const), fc.nat(1_000))
      yield* Effect.promise(() =>
        fc.assert(
          fc.asyncProperty(
            fc.constantFrom(...Object.keys(lists)),
            fc.integer({ min: 3, max: 30 }),
            fc.array(event, { minLength: 1, maxLength: 12 }),
            (name, limit, events) => Effect.runPromiseWith(context)(turn(name, limit, events))
          ),
          { numRuns: 20 }
        )
      )
    })
  )
})
