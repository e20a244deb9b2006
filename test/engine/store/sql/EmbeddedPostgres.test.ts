import { NodeServices } from "@effect/platform-node"
import { expect, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { databaseAt } from "../../../../engine/store/sql/Database.ts"
import { embeddedPostgres } from "../../../../engine/store/sql/EmbeddedPostgres.ts"
import { inFolder } from "../../../../bench/instruments/Station.ts"
import { childrenOf } from "../../../support/station/WholeStation.ts"

/** Starts a server as a station does, and says where it can be reached. */
const program = `
import { Effect, Redacted } from "effect"
import { embeddedPostgres } from "${new URL("../../../../engine/store/sql/EmbeddedPostgres.ts", import.meta.url).href}"
Effect.runPromise(Effect.scoped(Effect.flatMap(embeddedPostgres(process.argv[1]), (url) => Effect.andThen(Effect.sync(() => console.log(Redacted.value(url))), Effect.never))))
`

const mark = Effect.flatMap(SqlClient.SqlClient, (sql) => sql`SELECT value FROM mark`)

it.live(
  "starts although an earlier run was killed and its server is frozen, and has what was acknowledged",
  () =>
    Effect.promise(() =>
      inFolder(async (folder) => {
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
        const postmaster = Number((await readFile(join(folder, "pg", "postmaster.pid"), "utf8")).split("\n")[0])
        const left = [postmaster, ...childrenOf(postmaster, /./)]
        earlier.kill("SIGKILL")
        await once(earlier, "exit")
        for (const pid of left) {
          try {
            process.kill(pid, "SIGSTOP")
          } catch {
            // Some of them come and go by themselves; the postmaster has to be there.
            if (pid === postmaster) throw new Error("The server ended with who had started it.")
          }
        }
        const rows = await Effect.runPromise(
          Effect.scoped(Effect.flatMap(embeddedPostgres(folder), (url) => Effect.provide(mark, databaseAt(url)))).pipe(
            Effect.provide(NodeServices.layer)
          )
        )
        expect(rows).toEqual([{ value: "acknowledged" }])
      })
    ),
  300_000
)
