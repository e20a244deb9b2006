import { NodeServices } from "@effect/platform-node"
import { Effect, Exit, Layer, Redacted, Scope } from "effect"
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest"
import { databaseAt } from "../../../../engine/store/sql/Database.ts"
import { askUntil } from "../../../support/station/WholeStation.ts"
import {
  connect,
  dropDatabase,
  readKnown,
  restore,
  rowCounts,
  rowsOf,
  schemaOf
} from "../../../support/upgrade/Fixture.ts"

/** Former tables that a later migration removed, and the present place of their rows. */
const movedTo: Readonly<Record<string, string>> = {}
/** Rows that a migration removes, because the station makes them again in another form: fixed sentences and calls of the hours. */
const remadeCounts: Readonly<Record<string, number>> = { house_pieces: 7 }

/** Runs only the migrations on an old database with its rows. test/whole/Upgrade tests the meaning of the rows afterwards. */
describe("migrations of an older database", () => {
  const known = readKnown()
  const fresh = inject("postgresTemplate")
  let url: string

  beforeAll(async () => {
    url = await restore(fresh, null)
    await Effect.runPromise(
      Effect.scoped(Layer.build(databaseAt(Redacted.make(url)))).pipe(Effect.provide(NodeServices.layer))
    )
  })
  afterAll(() => dropDatabase(url))

  it("have higher numbers than all its applied ones, and are therefore run", async () => {
    const ids = await connect(fresh, (sql) =>
      rowsOf<{ readonly id: number }>(sql, "SELECT migration_id AS id FROM effect_sql_migrations ORDER BY 1")
    )
    const former = await connect(url, (sql) =>
      rowsOf<{ readonly id: number }>(
        sql,
        `SELECT migration_id AS id FROM effect_sql_migrations WHERE created_at <= '${known.stoppedAt}' ORDER BY 1`
      )
    )
    expect(former.at(-1)!.id).toBe(known.newestMigration)
    expect(ids.slice(0, former.length)).toEqual(former)
    expect(ids.slice(former.length).every(({ id }) => id > known.newestMigration)).toBe(true)
  })

  it("produce exactly the schema of a new database", async () => {
    const [upgraded, made] = await Promise.all([connect(url, schemaOf), connect(fresh, schemaOf)])
    expect(made.length).toBeGreaterThan(1_000)
    expect({
      missing: made.filter((line) => !upgraded.includes(line)),
      beyond: upgraded.filter((line) => !made.includes(line))
    }).toEqual({ missing: [], beyond: [] })
  })

  it("keep every row", async () => {
    const rows = await connect(url, rowCounts)
    const { effect_sql_migrations: _, ...kept } = known.rows
    expect(
      Object.entries(kept).filter(
        ([table, count]) => rows[movedTo[table] ?? table] !== count - (remadeCounts[table] ?? 0)
      )
    ).toEqual([])
  })

  it("name the sources of its topics as the contract does", async () => {
    const sources = await connect(url, (sql) =>
      rowsOf<{ readonly source: string }>(sql, "SELECT DISTINCT source FROM topics")
    )
    expect(sources).toEqual([{ source: "agent_suggested" }])
  })

  it("build indexes of large tables afterwards, without a time limit, and rebuild interrupted ones", async () => {
    const large = await restore(fresh, null)
    try {
      const index = (): Promise<boolean | undefined> =>
        connect(large, (sql) =>
          rowsOf<{ readonly isValid: boolean }>(
            sql,
            `SELECT indisvalid AS "isValid" FROM pg_index WHERE indexrelid = to_regclass('agents_pending_expiry')`
          )
        ).then(([found]) => found?.isValid)
      const started = () =>
        Effect.runPromise(
          Effect.gen(function* () {
            const scope = yield* Scope.make()
            yield* Layer.buildWithScope(databaseAt(Redacted.make(large)), scope)
            return Scope.close(scope, Exit.void)
          }).pipe(Effect.provide(NodeServices.layer))
        )
      await connect(large, (sql) =>
        rowsOf(
          sql,
          `UPDATE pg_index SET indisvalid = false WHERE indexrelid = to_regclass('agents_pending_expiry') RETURNING 1`
        )
      )
      await connect(large, (sql) =>
        rowsOf(sql, `UPDATE pg_class SET reltuples = 1e7 WHERE oid = to_regclass('agents') RETURNING 1`)
      )
      const stop = await started()
      await askUntil(async () => ((await index()) === true ? true : undefined))
      await Effect.runPromise(stop)
    } finally {
      await dropDatabase(large)
    }
  }, 300_000)

  it("stop the start if one has a lower number than the newest applied", async () => {
    const old = await restore(fresh, null)
    try {
      await connect(old, (sql) => rowsOf(sql, "DELETE FROM effect_sql_migrations WHERE migration_id = 50 RETURNING 1"))
      const started = await Effect.runPromise(
        Effect.flip(Effect.scoped(Layer.build(databaseAt(Redacted.make(old))))).pipe(Effect.provide(NodeServices.layer))
      )
      expect(started).toMatchObject({ _tag: "BadConfig" })
      expect(String(started)).toContain("not through 0050_gallery")
    } finally {
      await dropDatabase(old)
    }
  })
})
