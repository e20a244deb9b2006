import { NodeServices } from "@effect/platform-node"
import { PgClient } from "@effect/sql-pg"
import { Effect, Exit, Layer, Redacted, Scope } from "effect"
import { SqlClient } from "effect/sql"
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterAll, beforeAll, describe, expect, inject, it, vi } from "vitest"
import { readBackup, type BackupEntry, writeBackup } from "../../engine/runtime/BackupFile.ts"
import { StationConfig } from "../../engine/runtime/Config.ts"
import { snapshotOf } from "../../engine/store/sql/DatabaseCopy.ts"
import { databaseAt } from "../../engine/store/sql/Database.ts"
import { backup, progressOf } from "../../http/Backup.ts"
import { restore } from "../../http/Restore.ts"
import { verify } from "../../http/VerifyAsRun.ts"
import { emptyDatabase, runOnOwnDatabase } from "../support/sql/Postgres.ts"
import { dropDatabase, layFiles, readKnown, restore as restoreFixture, rowCounts } from "../support/upgrade/Fixture.ts"

const key = "a key of this test alone"
const folder = mkdtempSync(join(tmpdir(), "longwave-restore-"))
const dataDir = join(folder, "var")
const lay = (name: string, content: string, below = dataDir) => {
  mkdirSync(dirname(join(below, name)), { recursive: true })
  writeFileSync(join(below, name), content)
}
const url = (of: Redacted.Redacted) => ({ DATABASE_URL: Redacted.value(of) })
/** A command as the program runs it; "done", or the reason of its refusal. */
const run = <A, E, R>(command: (file: string) => Effect.Effect<A, E, R>, file: string, env: Record<string, string>) =>
  Effect.runPromise(
    command(file).pipe(
      Effect.as("done"),
      Effect.catch((refused) => Effect.succeed(refused instanceof Error ? refused.message : String(refused))),
      Effect.provide(
        Layer.merge(
          StationConfig.fromEnvironment({ DATA_DIR: dataDir, BACKUP_KEY: key, DISK_FREE_MIN_MIB: "0", ...env }),
          NodeServices.layer
        )
      )
    ) as Effect.Effect<string>
  )
/** What a command prints, line by line. */
const listen = async <A>(work: () => Promise<A>) => {
  const said: Array<string> = []
  // Not the log's lines: what an earlier test in this process has left running may still write some.
  const print = (text: unknown) => {
    const lines = String(text).trimEnd().split("\n")
    return said.push(...lines.filter((line) => !/^\[\d\d:\d\d:\d\d\.\d+\] /.test(line))) > 0
  }
  const spies = [
    vi.spyOn(process.stdout, "write").mockImplementation(print),
    vi.spyOn(console, "log").mockImplementation(print)
  ]
  try {
    return { answer: await work(), said }
  } finally {
    for (const spy of spies) spy.mockRestore()
  }
}
/** Tenths of the ways that these lines tell, each line in its form. */
const tenthsIn = (said: ReadonlyArray<string>): ReadonlyArray<number> =>
  said.flatMap((line) => {
    const [, tenth] = /^ {2}([1-9])0 % {2}\d+\.\d MB of \d+\.\d MB {2}\S+$/.exec(line) ?? []
    return tenth === undefined ? [] : [Number(tenth)]
  })
const sqlAt = <A>(of: Redacted.Redacted, use: (sql: SqlClient.SqlClient) => Effect.Effect<A, unknown>) =>
  Effect.runPromise(
    Effect.flatMap(SqlClient.SqlClient, use).pipe(
      Effect.provide(Layer.provide(PgClient.layer({ url: of, maxConnections: 1 }), NodeServices.layer))
    ) as Effect.Effect<A>
  )
const partsOf = async (file: string) => {
  const parts: Array<{ readonly name: string; readonly text: string }> = []
  for await (const { bytes, name } of readBackup(file, key)) {
    const blocks: Array<Uint8Array> = []
    for await (const block of bytes) blocks.push(block)
    parts.push({ name, text: Buffer.concat(blocks).toString("utf8") })
  }
  return parts
}
const written = (file: string, parts: ReadonlyArray<{ readonly name: string; readonly text: string }>) =>
  writeBackup(
    file,
    key,
    (async function* (): AsyncGenerator<BackupEntry> {
      for (const { name, text } of parts)
        yield {
          name,
          bytes: (async function* () {
            yield Buffer.from(text)
          })()
        }
    })(),
    () => undefined,
    new AbortController().signal
  )

it("prints each tenth of the way once, and 100 % only when all is done", async () => {
  const { said } = await listen(async () => {
    const report = progressOf(2_000_000)
    for (const [name, bytes] of [
      ["a", 150_000],
      ["b", 50_000],
      ["b", 100_000],
      ["c", 900_000],
      ["d", 5_000_000]
    ] as const)
      report(name, bytes)
  })
  expect(said).toEqual(["  10 %  0.2 MB of 2.0 MB  b", "  60 %  1.2 MB of 2.0 MB  c", "  90 %  6.2 MB of 2.0 MB  d"])
})

describe("backup and restore with DATABASE_URL", () => {
  const scope = Effect.runSync(Scope.make())
  const file = join(folder, "station.backup")
  const empty = () => Effect.runPromise(Scope.provide(emptyDatabase, scope))
  let parts: Awaited<ReturnType<typeof partsOf>>
  beforeAll(async () => {
    for (const name of ["keys/master", "keys/signing.pem", "spool/as-run.ndjson", "spool/as-run.ndjson.1"])
      lay(name, `content of ${name}`)
    for (const name of ["named.flac", "named.mp3", "other.flac", "calls/one.flac", ".work/x.flac", "avatars/.y.part"])
      lay(`media/${name}`, `content of ${name}`)
    lay("backup/media/left.flac", "of a killed backup")
    await runOnOwnDatabase(async (own) => {
      // Values with a meaning to COPY: null, the end mark, separators.
      const odd = "\\N \\. \t \r\n ü \\"
      await sqlAt(
        own,
        (sql) =>
          sql`INSERT INTO assets (id, kind, length_samples, pcm_sha256, body) VALUES ('named', 'speech', 48000, ${odd}, '{"cue":{"a":1}}'), ('lacking', 'speech', 1, '', '{}')`
      )
      expect(await run(backup, file, url(own))).toBe("done")
    })
    parts = await partsOf(file)
  }, 300_000)
  afterAll(async () => {
    await Effect.runPromise(Scope.close(scope, Exit.void))
    rmSync(folder, { recursive: true, force: true })
  })

  it("takes the media that the database names, keys and waiting facts, and leaves no temporary files", () => {
    expect(parts.map(({ name }) => name).filter((name) => !name.startsWith("database/"))).toEqual([
      "manifest.json",
      "keys/master",
      "keys/signing.pem",
      "spool/as-run.ndjson",
      "spool/as-run.ndjson.1",
      "media/named.flac",
      "media/named.mp3",
      "media/calls/one.flac"
    ])
    expect(readdirSync(dataDir).sort()).toEqual(["keys", "media", "spool"])
    expect(readdirSync(folder).sort()).toEqual(["station.backup", "var"])
  })

  it("restores the same station into an empty database, which the next start upgrades and the logs' triggers protect", async () => {
    const [target, restored] = [await empty(), join(folder, "restored")]
    lay("a-file", "of a killed restore", `${restored}.restore-0123456789abcdef`)
    mkdirSync(restored)
    expect(await run(restore, file, { DATA_DIR: restored, ...url(target) })).toBe("done")
    expect(readdirSync(folder).sort()).toEqual(["restored", "station.backup", "var"])
    expect(readFileSync(join(restored, "media/calls/one.flac"), "utf8")).toBe("content of calls/one.flac")
    const again = join(folder, "again.backup")
    expect(await run(backup, again, { DATA_DIR: restored, ...url(target) })).toBe("done")
    expect((await partsOf(again)).slice(1)).toEqual(parts.slice(1))
    await Effect.runPromise(
      Effect.scoped(Layer.build(databaseAt(target))).pipe(Effect.provide(NodeServices.layer)) as Effect.Effect<unknown>
    )
    expect(await sqlAt(target, (sql) => Effect.exit(sql`DELETE FROM as_run`))).toMatchObject({ _tag: "Failure" })
    rmSync(again)
    rmSync(restored, { recursive: true })
  }, 300_000)

  it("refuses with a reason before it writes anything", async () => {
    const restored = join(folder, "refused")
    const target = url(await empty())
    const refusals: ReadonlyArray<readonly [env: Record<string, string>, why: RegExp]> = [
      [{ DATA_DIR: dataDir }, /DATA_DIR is .*var: it isn't empty/],
      [{ BACKUP_KEY: "" }, /BACKUP_KEY is missing/],
      [{ BACKUP_KEY: "another key of this test" }, /BACKUP_KEY is not the key/]
    ]
    for (const [env, why] of refusals)
      expect(await run(restore, file, { DATA_DIR: restored, ...target, ...env })).toMatch(why)
    await runOnOwnDatabase(async (own) =>
      expect(await run(restore, file, { DATA_DIR: restored, ...url(own) })).toMatch(/has \d+ tables/)
    )
    const of = (name: string) => parts.find((part) => part.name === name)!
    const manifest = of("manifest.json")
    const [first] = parts.filter(({ name }) => name.startsWith("database/"))
    const newer = { ...manifest, text: manifest.text.replace('"migrations":[1,', '"migrations":[99999,1,') }
    const made: ReadonlyArray<readonly [name: string, of: typeof parts, why: RegExp]> = [
      ["newer", [newer, ...parts.slice(1)], /newer version.*migration 99999/],
      ["outside", [manifest, { name: "keys/../../evil", text: "" }], /holds keys\/\.\.\/\.\.\/evil/],
      ["elsewhere", [manifest, { name: "station.pid", text: "1" }], /holds station\.pid/],
      ["headless", parts.slice(1), /doesn't begin with its manifest/],
      ["keyless", parts.filter(({ name }) => name !== "keys/master"), /MASTER_KEY is missing/],
      ["tableless", parts.filter(({ name }) => name !== first!.name), /lacks the tables/]
    ]
    for (const [name, of, why] of made) {
      await written(join(folder, name), of)
      expect([name, await run(restore, join(folder, name), { DATA_DIR: restored, ...target })]).toEqual([
        name,
        expect.stringMatching(why)
      ])
      rmSync(join(folder, name))
    }
    writeFileSync(join(folder, "short"), readFileSync(file).subarray(0, -1))
    expect(await run(restore, join(folder, "short"), { DATA_DIR: restored, ...url(await empty()) })).toMatch(/cut off/)
    rmSync(join(folder, "short"))
    expect(readdirSync(folder).sort()).toEqual(["station.backup", "var"])
    expect(existsSync(join(folder, "..", "evil"))).toBe(false)
  }, 300_000)

  it("makes no backup without a station, its keys, the backup key, or room", async () => {
    const none = join(folder, "none")
    expect(await run(backup, none, { DATA_DIR: join(folder, "nowhere") })).toMatch(/no station is there/)
    await runOnOwnDatabase(async (own) => {
      expect(await run(backup, none, { DATA_DIR: join(folder, "nowhere"), ...url(own) })).toMatch(/holds no keys/)
      expect(await run(backup, none, { BACKUP_KEY: "", ...url(own) })).toMatch(/BACKUP_KEY is missing/)
      expect(await run(backup, none, { DISK_FREE_MIN_MIB: "10000000", ...url(own) })).toMatch(/has room for 0\.0 MB/)
      expect(await run(backup, join(folder, "no", "where"), url(own))).toMatch(/No backup was made: ENOENT/)
    })
    expect(await run(backup, none, url(await empty()))).toMatch(/holds no station/)
    rmSync(join(folder, "nowhere"), { recursive: true, force: true })
    expect(readdirSync(folder).sort()).toEqual(["station.backup", "var"])
    expect(readdirSync(dataDir).sort()).toEqual(["keys", "media", "spool"])
  }, 300_000)
})

it("restores a backup of an older version unchanged, and the next start upgrades it", async () => {
  const scope = Effect.runSync(Scope.make())
  const older = mkdtempSync(join(tmpdir(), "longwave-older-"))
  const [from, to] = [join(older, "from"), join(older, "to")]
  const source = await restoreFixture(inject("postgresTemplate"), null)
  try {
    layFiles(from)
    const target = await Effect.runPromise(Scope.provide(emptyDatabase, scope))
    const file = join(older, "backup")
    const made = await listen(() => run(backup, file, { DATA_DIR: from, DATABASE_URL: source }))
    expect(made.answer).toBe("done")
    expect(made.said[0]).toBe("Backup of the database that DATABASE_URL names")
    const tenths = tenthsIn(made.said)
    expect([tenths.length > 2, tenths]).toEqual([true, [...new Set(tenths)].toSorted()])
    expect(made.said.find((line) => line.startsWith("  100 %"))).toMatch(/^ {2}100 % {2}\d+\.\d MB {2}\/.*backup$/)
    const back = await listen(() => run(restore, file, { DATA_DIR: to, ...url(target) }))
    expect(back.answer).toBe("done")
    // The file is read once to its end, and then the database is filled.
    const filling = back.said.indexOf("  the file is complete and unchanged; filling the database")
    for (const ways of [back.said.slice(0, filling), back.said.slice(filling)].map(tenthsIn))
      expect([ways.length > 2, ways]).toEqual([true, [...new Set(ways)].toSorted()])
    expect(back.said.at(-1)).toBe("  Start the station: npm start")
    const { newestMigration, rows } = readKnown()
    const counted = await sqlAt(target, rowCounts)
    const ofMigrators = (name: string) => name.endsWith("_migrations")
    expect(Object.entries(counted).filter(([name]) => !ofMigrators(name))).toEqual(
      Object.entries(rows).filter(([name]) => !ofMigrators(name))
    )
    const newest = await sqlAt(target, (sql) => sql`SELECT max(migration_id) AS id FROM effect_sql_migrations`)
    expect(newest).toEqual([{ id: newestMigration }])
    await Effect.runPromise(
      Effect.scoped(Layer.build(databaseAt(target))).pipe(Effect.provide(NodeServices.layer)) as Effect.Effect<unknown>
    )
    const checked = await listen(() =>
      run(
        () => Effect.flatMap(verify(undefined), (isIntact) => (isIntact ? Effect.void : Effect.fail("faulty"))),
        file,
        { DATA_DIR: to, ...url(target) }
      )
    )
    expect(checked).toEqual({
      answer: "done",
      said: [
        "  90 of 100 %",
        `as-run log: ${rows["as_run"]} rows, each chained to the one before and signed, every sample accounted for`
      ]
    })
  } finally {
    await Effect.runPromise(Scope.close(scope, Exit.void))
    await dropDatabase(source)
    rmSync(older, { recursive: true })
  }
}, 300_000)

it("reads a snapshot of a database in use, each table after those it refers to", () =>
  runOnOwnDatabase(async (own) => {
    const insert = (id: string) =>
      sqlAt(
        own,
        (sql) =>
          sql`INSERT INTO assets (id, kind, length_samples, pcm_sha256, body) VALUES (${id}, 'speech', 1, 'x', '{}')`
      )
    await insert("before")
    await Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const snapshot = yield* snapshotOf(own)
          yield* Effect.promise(() => insert("after"))
          const { tables } = snapshot.contents
          const text = yield* Effect.promise(async () => {
            const blocks: Array<Uint8Array> = []
            for await (const block of snapshot.rows(tables.find(({ name }) => name === "assets")!)) blocks.push(block)
            return Buffer.concat(blocks).toString("utf8")
          })
          expect(text).toContain("before")
          expect(text).not.toContain("after")
          const names = tables.map(({ name }) => name)
          expect(names).not.toContain("effect_sql_migrations")
          expect(names.indexOf("assets")).toBeLessThan(names.indexOf("tracks"))
        })
      )
    )
  }))
