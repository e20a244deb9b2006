import { NodeServices } from "@effect/platform-node"
import { Effect, type Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { migrateTo, schemaClientAt } from "../../../../engine/store/sql/Database.ts"
import { migrations } from "../../../../engine/store/sql/Migrations.ts"
import { contractions, expandOnlyAfter } from "../../../support/sql/Contractions.ts"
import { emptyDatabase } from "../../../support/sql/Postgres.ts"
import { contractionsBetween, readSchema } from "../../../support/sql/SchemaChanges.ts"

const numbers = Object.keys(migrations).map((name) => Number.parseInt(name, 10))
const runOnEmpty = <A>(use: (url: Redacted.Redacted) => Effect.Effect<A, unknown, NodeServices.NodeServices>) =>
  Effect.runPromise(Effect.scoped(Effect.flatMap(emptyDatabase, use)).pipe(Effect.provide(NodeServices.layer)))
const schemaAt = (url: Redacted.Redacted) =>
  Effect.provide(Effect.flatMap(SqlClient.SqlClient, readSchema), schemaClientAt(url))

/** What each of these steps, by itself, takes away from a table of a version before. */
const findTaken = (steps: ReadonlyArray<string>) =>
  runOnEmpty((url) =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      for (const statement of [
        "CREATE TABLE parents (id text PRIMARY KEY)",
        `CREATE TABLE songs (id text PRIMARY KEY, title text NOT NULL, state text NOT NULL DEFAULT 'new' CHECK (state IN ('new', 'aired')),
          note text, plays int NOT NULL DEFAULT 0, length int CHECK (length > 0))`,
        "CREATE VIEW titles AS SELECT title FROM songs",
        "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$"
      ])
        yield* sql.unsafe(statement)
      const before = yield* readSchema(sql)
      const taken: Array<ReadonlyArray<string>> = []
      for (const step of steps) {
        const isUndone = yield* Effect.gen(function* () {
          for (const statement of step.split(";")) yield* sql.unsafe(statement)
          taken.push(contractionsBetween(before, yield* readSchema(sql)))
          return yield* Effect.fail("undone")
        }).pipe(sql.withTransaction, Effect.flip)
        if (isUndone !== "undone") return yield* Effect.fail(isUndone)
      }
      return taken
    }).pipe(Effect.provide(schemaClientAt(url)))
  )

describe("a migration", () => {
  it("only expands what the version before uses, or is listed as a contraction of something unused for a release", async () => {
    const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { readonly version: string }
    const released = [...readFileSync("CHANGELOG.md", "utf8").matchAll(/^## (\d+\.\d+\.\d+) \(\d{4}-/gm)].map(
      ([, one]) => one!
    )
    const steps = numbers.filter((id) => id > expandOnlyAfter)
    const taken = await runOnEmpty((url) =>
      Effect.gen(function* () {
        const all: Record<number, ReadonlyArray<string>> = {}
        yield* migrateTo(url, new Set(numbers.filter((id) => id <= expandOnlyAfter)))
        let before = yield* schemaAt(url)
        for (const id of steps) {
          yield* migrateTo(url, new Set([id]))
          const after = yield* schemaAt(url)
          const what = contractionsBetween(before, after)
          if (what.length > 0) all[id] = what
          before = after
        }
        return all
      })
    )
    expect(taken).toEqual(Object.fromEntries(Object.entries(contractions).map(([id, { what }]) => [id, what] as const)))
    for (const { unusedSince } of Object.values(contractions)) {
      expect(released).toContain(unusedSince)
      expect(unusedSince).not.toBe(version)
    }
  })

  it("expands by tables, columns that need no value, and conditions that allow more", async () => {
    const steps = [
      "CREATE TABLE more (id text PRIMARY KEY, name text NOT NULL UNIQUE, song text REFERENCES songs)",
      "ALTER TABLE songs ADD COLUMN mood text",
      "ALTER TABLE songs ADD COLUMN mood text NOT NULL DEFAULT 'calm' CHECK (mood IN ('calm', 'wild'))",
      "ALTER TABLE songs ADD COLUMN parent text UNIQUE REFERENCES parents",
      "ALTER TABLE songs ALTER COLUMN title DROP NOT NULL",
      "ALTER TABLE songs DROP CONSTRAINT songs_state_check",
      "ALTER TABLE songs DROP CONSTRAINT songs_state_check; ALTER TABLE songs ADD CONSTRAINT songs_state_check CHECK (state IN ('new', 'aired', 'gone'))",
      "CREATE INDEX songs_by_title ON songs (title)",
      "CREATE UNIQUE INDEX songs_by_mood ON parents (id) WHERE id <> ''"
    ]
    expect(await findTaken(steps)).toEqual([
      ...steps.slice(0, -1).map(() => []),
      [expect.stringContaining("parents must keep to songs_by_mood")]
    ])
  })

  it("contracts by everything that a statement of the version before could trip over", async () => {
    const cases: Record<string, string> = {
      "DROP TABLE songs CASCADE": "table songs is gone",
      "ALTER TABLE parents RENAME TO elders": "table parents is gone",
      "ALTER TABLE songs DROP COLUMN note": "column songs.note is gone",
      "ALTER TABLE songs RENAME COLUMN note TO remark": "column songs.note is gone",
      "ALTER TABLE songs ALTER COLUMN plays TYPE bigint": "column songs.plays was integer and is bigint",
      "ALTER TABLE songs ALTER COLUMN note SET NOT NULL": "column songs.note must not be null any more",
      "ALTER TABLE songs ALTER COLUMN plays DROP DEFAULT": "column songs.plays has no default any more",
      "ALTER TABLE songs ADD COLUMN mood text NOT NULL": "new column songs.mood must be named by each insertion",
      "ALTER TABLE songs ADD CHECK (plays < 10)": "songs must keep to songs_plays_check",
      "ALTER TABLE songs DROP CONSTRAINT songs_state_check; ALTER TABLE songs ADD CHECK (state IN ('new', 'gone'))":
        "songs must keep to songs_state_check",
      "ALTER TABLE songs DROP CONSTRAINT songs_length_check; ALTER TABLE songs ADD CHECK (length > 5)":
        "songs must keep to songs_length_check",
      "ALTER TABLE songs ADD COLUMN mood text; ALTER TABLE songs ADD CHECK (mood IS NOT NULL OR plays > 3)":
        "songs must keep to songs_check",
      "ALTER TABLE songs ADD UNIQUE (title)": "songs must keep to songs_title_key",
      "ALTER TABLE songs ADD FOREIGN KEY (note) REFERENCES parents": "songs must keep to songs_note_fkey",
      "CREATE TRIGGER quiet BEFORE INSERT ON songs FOR EACH ROW EXECUTE FUNCTION refuse()":
        "a trigger on a table that the version before writes",
      "DROP VIEW titles": "titles is gone"
    }
    const taken = await findTaken(Object.keys(cases))
    expect(Object.keys(cases).map((step, n) => [step, taken[n]])).toEqual(
      Object.entries(cases).map(([step, what]) => [
        step,
        expect.arrayContaining([expect.stringContaining(what)]) as ReadonlyArray<string>
      ])
    )
  })
})
