import { NodeServices } from "@effect/platform-node"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { execFileSync } from "node:child_process"
import { cpSync } from "node:fs"
import { mkdir, rename, rmdir, stat } from "node:fs/promises"
import { join } from "node:path"
import { inject } from "vitest"
import { waitMs } from "../../../bench/instruments/Patience.ts"
import { startStation } from "../../../bench/instruments/servers/Station.ts"
import { embeddedPostgres } from "../../../engine/store/sql/EmbeddedPostgres.ts"
import { databaseAt } from "../../../engine/store/sql/Database.ts"
import { inDatabaseOf } from "../sql/OwnDatabase.ts"

const copy = (from: string, to: string) => execFileSync("cp", ["-a", from, to])
const exists = (path: string) =>
  stat(path).then(
    () => true,
    () => false
  )
/** What a station has made of its own, in the order in which rows refer to each other. */
const made = ["assets", "tracks", "house_pieces"] as const

/** Lets a station make its ident and its bed, and puts both into a folder in which no station was on the air. */
const make = async (resting: string, folder: string, env: Record<string, string>) => {
  const maker = `${folder}.maker`
  copy(resting, maker)
  const station = await startStation({ dataDir: maker, env })
  const countPieces = (sql: SqlClient.SqlClient) => sql<{ n: number }>`SELECT count(*)::int AS n FROM house_pieces`
  const piecesCount = 2
  while ((await inDatabaseOf(maker, countPieces).catch(() => [])).every(({ n }) => n < piecesCount)) await waitMs(100)
  const rows = await inDatabaseOf(maker, (sql) =>
    Effect.forEach(made, (table) => sql<{ row: string }>`SELECT to_jsonb(t)::text AS row FROM ${sql(table)} t`)
  )
  await station.stop()
  const growing = `${folder}.growing`
  copy(resting, growing)
  const insert = Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    for (const [at, table] of made.entries()) {
      const [found] = yield* sql<{ names: string }>`SELECT string_agg(quote_ident(column_name), ', ') AS names
        FROM information_schema.columns WHERE table_name = ${table} AND is_generated = 'NEVER'`
      const columns = sql.literal(found!.names)
      for (const { row } of rows[at]!)
        yield* sql`INSERT INTO ${sql(table)} (${columns}) SELECT ${columns} FROM jsonb_populate_record(null::${sql(table)}, ${row}::text::jsonb)`
    }
  })
  await Effect.runPromise(
    embeddedPostgres(growing, "off").pipe(
      Effect.flatMap((url) => Effect.provide(insert, databaseAt(url))),
      Effect.scoped,
      Effect.provide(NodeServices.layer)
    )
  )
  for (const kept of ["media", "staged"]) cpSync(join(maker, kept), join(growing, kept), { recursive: true })
  await rename(growing, folder)
}

/**
 * The data folder of a station that was never on the air, with a migrated database, one ident and one bed: making them takes a new station ten seconds
 * of a core. The first test that asks for it makes it for the whole run.
 */
export const stationTemplate = async (env: Record<string, string>): Promise<string> => {
  const resting = inject("stationTemplate")
  const folder = `${resting}-with-pieces`
  const lock = `${folder}.lock`
  while (!(await exists(folder))) {
    const isMine = await mkdir(lock).then(
      () => true,
      () => false
    )
    if (!isMine) await waitMs(50)
    else await make(resting, folder, env).finally(() => rmdir(lock))
  }
  return folder
}
