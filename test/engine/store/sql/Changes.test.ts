import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { ChangeLog, Changes, Sources, views } from "../../../../engine/store/sql/Changes.ts"
import { run } from "../../../../engine/store/sql/rows.ts"
import { runAsOne } from "../../../../engine/store/sql/Transaction.ts"
import { TestPostgres } from "../../../support/sql/Postgres.ts"

/** The tables that were noted while the work ran, in their order. */
const noted = <A, E, R>(work: Effect.Effect<A, E, R>) => {
  const log = new ChangeLog()
  const names: Array<string> = []
  log.listen((changed) => names.push(...changed!))
  return Effect.as(Effect.provideService(work, Changes, log), names)
}

layer(TestPostgres)("changes", (it) => {
  it.effect("are noted when their transaction commits, once for each statement, and not when it fails", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const insert = (name: string) => run(sql`INSERT INTO meters (name) VALUES (${name})`)
      const atCommit: Array<string> = []
      const log = new ChangeLog()
      log.listen((changed) => atCommit.push(...changed!))
      yield* runAsOne(sql)(
        Effect.gen(function* () {
          yield* insert("a")
          yield* insert("b")
          yield* sql`UPDATE meters SET day = 1 WHERE name = 'a' AND EXISTS (SELECT 1 FROM agents FOR UPDATE)`
          expect(atCommit).toEqual([])
        })
      ).pipe(Effect.provideService(Changes, log))
      expect(atCommit).toEqual(["meters", "meters"])
      expect(yield* noted(Effect.exit(runAsOne(sql)(Effect.andThen(insert("c"), Effect.fail("no")))))).toEqual([])
      // Outside of a transaction: before, for those who read meanwhile, and after.
      expect(yield* noted(insert("d"))).toEqual(["meters", "meters"])
      expect(yield* noted(Effect.exit(sql`DELETE FROM meters`))).toEqual(["meters"])
    })
  )

  it.effect("are told from what was read", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const sources: Array<ReadonlySet<string>> = []
      yield* Effect.provideService(run(sql`SELECT 1 FROM posts p JOIN agent_owners o ON true`), Sources, sources)
      const log = new ChangeLog()
      const isNews = (name: string) => {
        const before = log.version
        log.note(new Set([name]))
        return log.hasChanged(sources, before)
      }
      expect(["posts", "agent_owners", "humans", "tracks", "@chat"].map(isNews)).toEqual([
        true,
        true,
        true,
        false,
        false
      ])
      const before = log.version
      log.noteAll()
      expect([log.hasChanged([new Set(["never_noted"])], before), log.hasChanged(sources, log.version)]).toEqual([
        true,
        false
      ])
    })
  )

  it.effect("know which tables a view reads", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const found = yield* sql<{ view: string; tables: ReadonlyArray<string> }>`
        SELECT view_name::text AS view, array_agg(table_name::text ORDER BY table_name) AS tables
        FROM information_schema.view_table_usage WHERE view_schema = 'public' GROUP BY view_name`
      expect(Object.fromEntries(found.map(({ tables, view }) => [view, tables]))).toEqual(
        Object.fromEntries(Object.entries(views).map(([view, tables]) => [view, [...tables].sort()]))
      )
    })
  )
})
