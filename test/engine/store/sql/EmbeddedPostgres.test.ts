import { NodeServices } from "@effect/platform-node"
import { expect, it } from "@effect/vitest"
import { Effect, Exit, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { appendFile, chmod, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { databaseAt } from "../../../../engine/store/sql/Database.ts"
import { checkProgramIsReachable, embeddedPostgres } from "../../../../engine/store/sql/EmbeddedPostgres.ts"
import { runInFolder } from "../../../../bench/instruments/servers/Station.ts"
import { removeDisk, smallDisk } from "../../../support/runtime/SmallDisk.ts"
import { childrenOf } from "../../../support/station/WholeStation.ts"

/** Starts a server as a station does; returns its address. */
const program = `
import { Effect, Exit, Redacted } from "effect"
import { checkProgramIsReachable, embeddedPostgres } from "${new URL("../../../../engine/store/sql/EmbeddedPostgres.ts", import.meta.url).href}"
Effect.runPromise(Effect.scoped(Effect.flatMap(embeddedPostgres(process.argv[1]), (url) => Effect.andThen(Effect.sync(() => console.log(Redacted.value(url))), Effect.never))))
`

const mark = Effect.flatMap(SqlClient.SqlClient, (sql) => sql`SELECT value FROM mark`)

/** Starts a database with one row in a program, kills the program, and returns the pids of the database: its main process first. */
const abandonDatabase = async (folder: string): Promise<ReadonlyArray<number>> => {
  const earlier = spawn(process.execPath, ["--input-type=module", "-e", program, folder], {
    stdio: ["ignore", "pipe", "inherit"]
  })
  const [said] = (await once(earlier.stdout, "data")) as [Buffer]
  await Effect.runPromise(
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`CREATE TABLE mark (value text)`
      yield* sql`INSERT INTO mark VALUES ('acknowledged')`
    }).pipe(Effect.provide(databaseAt(Redacted.make(said.toString().trim()))), Effect.provide(NodeServices.layer))
  )
  const main = Number((await readFile(join(folder, "pg", "postmaster.pid"), "utf8")).split("\n")[0])
  const all = [main, ...childrenOf(main, /./)]
  earlier.kill("SIGKILL")
  await once(earlier, "exit")
  return all
}

/** Some processes of a database come and go; its main process must run. */
const signal = (pids: ReadonlyArray<number>, name: NodeJS.Signals) => {
  for (const [at, pid] of pids.entries()) {
    try {
      process.kill(pid, name)
    } catch {
      if (at === 0) throw new Error("The server ended with who had started it.")
    }
  }
}

for (const { left, prepare } of [
  { left: "a frozen old server", prepare: (all: ReadonlyArray<number>) => signal(all, "SIGSTOP") },
  {
    left: "frozen children of a killed server",
    prepare: ([main, ...children]: ReadonlyArray<number>) => {
      signal([main!, ...children], "SIGSTOP")
      signal([main!], "SIGKILL")
    }
  }
])
  it.live(
    `starts after a kill with ${left}, and has all acknowledged rows`,
    () =>
      Effect.promise(() =>
        runInFolder(async (folder) => {
          prepare(await abandonDatabase(folder))
          const rows = await Effect.runPromise(
            Effect.scoped(
              Effect.gen(function* () {
                const url = yield* embeddedPostgres(folder)
                const { port, searchParams } = new URL(Redacted.value(url))
                // Its own socket, and none of the killed server's.
                expect(searchParams.get("host")).toBe(join(folder, "pg"))
                const sockets = yield* Effect.promise(() => readdir(join(folder, "pg")))
                expect(sockets.filter((name) => /^\.s\.PGSQL\.\d+$/.test(name))).toEqual([`.s.PGSQL.${port}`])
                return yield* Effect.provide(mark, databaseAt(url))
              })
            ).pipe(Effect.provide(NodeServices.layer))
          )
          expect(rows).toEqual([{ value: "acknowledged" }])
        })
      ),
    300_000
  )

it.live("uses TCP where the path is too long for a socket", () =>
  Effect.promise(() =>
    runInFolder(async (folder) => {
      const found = await Effect.runPromise(
        Effect.scoped(
          Effect.gen(function* () {
            const url = yield* embeddedPostgres(join(folder, "a".repeat(100)), "off")
            const one = Effect.flatMap(SqlClient.SqlClient, (sql) => sql`SELECT 1 AS one`)
            return [new URL(Redacted.value(url)).search, yield* Effect.provide(one, databaseAt(url))]
          })
        ).pipe(Effect.provide(NodeServices.layer))
      )
      expect(found).toEqual(["", [{ one: 1 }]])
    })
  )
)

it.live("says what to do if the server's user can't reach the program", () =>
  Effect.promise(() =>
    runInFolder(async (folder) => {
      const program = join(folder, "private", "program.js")
      await mkdir(join(folder, "private"), { mode: 0o700 })
      await writeFile(program, "")
      expect((await Effect.runPromise(Effect.flip(checkProgramIsReachable(program)))).detail).toContain("/opt/longwave")
      await chmod(folder, 0o755)
      await chmod(join(folder, "private"), 0o711)
      await Effect.runPromise(checkProgramIsReachable(program))
    })
  )
)

it.live(
  "F7: fails commands while its disk is full, and has all acknowledged rows once there is room",
  (context) =>
    Effect.promise(() =>
      runInFolder(async (folder) => {
        if (!smallDisk(folder, 160)) return context.skip("no tmpfs can be mounted here")
        const ballast = join(folder, "ballast")
        /** // More than fits into the pages and logs that the server has already allocated. */
        const add = (n: number) =>
          Effect.flatMap(
            SqlClient.SqlClient,
            (sql) =>
              sql`INSERT INTO mark SELECT ${n}, string_agg(md5(random()::text), '') FROM generate_series(1, 20000)`
          )
        const kept = Effect.flatMap(
          SqlClient.SqlClient,
          (sql) => sql<{ readonly n: number }>`SELECT n FROM mark ORDER BY n`
        )
        const run = Effect.gen(function* () {
          const url = yield* embeddedPostgres(folder)
          yield* Effect.gen(function* () {
            const sql = yield* SqlClient.SqlClient
            yield* sql`CREATE TABLE mark (n int, value text)`
            yield* add(0)
            // The server reuses the space that it has freed.
            const filled = Effect.promise(async () => {
              for (let bytes = 1_048_576; bytes >= 1_024; bytes /= 2)
                while (
                  await appendFile(ballast, Buffer.alloc(bytes)).then(
                    () => true,
                    () => false
                  )
                );
            })
            let acknowledged = 0
            for (let refused = false; !refused;) {
              yield* filled
              refused = Exit.isFailure(yield* Effect.exit(add(acknowledged + 1)))
              if (!refused) acknowledged++
            }
            yield* Effect.promise(() => rm(ballast))
            const rows = yield* Effect.eventually(kept)
            expect(rows.map(({ n }) => n).slice(0, acknowledged + 1)).toEqual(
              Array.from({ length: acknowledged + 1 }, (_, n) => n)
            )
            yield* Effect.eventually(add(1_000))
            expect((yield* kept).at(-1)).toEqual({ n: 1_000 })
          }).pipe(Effect.provide(databaseAt(url)))
        })
        try {
          await Effect.runPromise(Effect.scoped(run).pipe(Effect.provide(NodeServices.layer)))
        } finally {
          removeDisk(folder)
        }
      })
    ),
  300_000
)
