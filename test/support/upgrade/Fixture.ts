import { NodeServices } from "@effect/platform-node"
import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { randomBytes } from "node:crypto"
import { cpSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { gunzipSync } from "node:zlib"

const folder = new URL("../../fixtures/upgrade/", import.meta.url)

/** Files of the fixture: the database, the facts about it, and the files of DATA_DIR that its rows need. */
export const fixturePaths = {
  database: fileURLToPath(new URL("station-6b171c5.sql.gz", folder)),
  known: fileURLToPath(new URL("station-6b171c5.json", folder)),
  dataDir: fileURLToPath(new URL("station-6b171c5/", folder))
}

/** An agent of the fixture; its key is valid only there. */
export interface KnownAgent {
  readonly agentId: string
  readonly handle: string
  readonly key: string
}

/** Facts that the maker knows about the filled station. */
export interface Known {
  readonly commit: string
  readonly stoppedAt: string
  /** The station's address, as its tokens and addresses contain it. */
  readonly publicUrl: string
  /** The station's environment, except its port and folder. */
  readonly env: Record<string, string>
  readonly newestMigration: number
  /** Number of rows of each table. */
  readonly rows: Record<string, number>
  readonly agents: Record<"host" | "guest" | "rotated" | "newcomer" | "refused" | "suspended", KnownAgent>
  /** The former key of `rotated`, and the key of `suspended`: both are refused. */
  readonly formerKey: string
  readonly unclaimed: { readonly handle: string; readonly claimCode: string }
  /** Refusals of the key of `suspended` and of the key before the rotation: status and code. */
  readonly refusals: Record<"suspended" | "former", readonly [status: number, code: string]>
  readonly operatorToken: string
  readonly readerToken: string
  readonly operatorSession: string
  readonly appKey: string
  readonly audience: string
  readonly accounts: Record<"owner" | "listener", { readonly cookie: string }>
  readonly listenerTokens: Record<"listener" | "guest", string>
  readonly ids: Record<string, string>
  /** Answer of each read, without values that change by themselves. */
  readonly answers: Record<string, unknown>
}

export const readKnown = (): Known => JSON.parse(readFileSync(fixturePaths.known, "utf8")) as Known

export type Sql = SqlClient.SqlClient

/** Queries a database directly, over one connection. */
export const connect = <A>(url: string, use: (sql: Sql) => Effect.Effect<A, unknown>): Promise<A> =>
  Effect.runPromise(
    Effect.flatMap(SqlClient.SqlClient, use).pipe(
      Effect.provide(
        Layer.provide(
          PgClient.layer({ url: Redacted.make(url), maxConnections: 1, startupParameters: { timezone: "UTC" } }),
          NodeServices.layer
        )
      )
    )
  )

export const rowsOf = <Row>(sql: Sql, statement: string): Effect.Effect<ReadonlyArray<Row>, unknown> =>
  sql.unsafe(statement) as unknown as Effect.Effect<ReadonlyArray<Row>, unknown>

/** A line between two statements of a dump. */
export const divider = "\n-- next\n"

const databaseUrl = (server: string, name: string): string => {
  const url = new URL(server)
  url.pathname = `/${name}`
  return url.href
}

/**
 * Restores the fixture into a new database on a server, and returns its address. With `behindMs`, SQL's own now() is that much
 * earlier there, like the station's clock: it is found before the server's, since `public` comes before the catalog.
 */
export const restore = async (server: string, behindMs: number | null): Promise<string> => {
  const name = `upgrade_${randomBytes(8).toString("hex")}`
  await connect(databaseUrl(server, "template1"), (sql) => sql.unsafe(`CREATE DATABASE ${name} TEMPLATE template0`))
  const url = databaseUrl(server, name)
  if (behindMs !== null)
    await connect(url, (sql) =>
      Effect.andThen(
        sql.unsafe(
          `CREATE FUNCTION public.now() RETURNS timestamptz LANGUAGE sql STABLE AS $$ SELECT pg_catalog.now() - interval '${behindMs} milliseconds' $$`
        ),
        sql.unsafe(`ALTER DATABASE ${name} SET search_path = public, pg_catalog`)
      )
    )
  const statements = gunzipSync(readFileSync(fixturePaths.database)).toString().split(divider)
  await connect(url, (sql) =>
    sql.withTransaction(Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true }))
  )
  return url
}

export const dropDatabase = (url: string): Promise<unknown> =>
  connect(databaseUrl(url, "template1"), (sql) =>
    sql.unsafe(`DROP DATABASE ${new URL(url).pathname.slice(1)} WITH (FORCE)`)
  )

/** Copies the files that the rows need into a DATA_DIR. */
export const layFiles = (dataDir: string): void => cpSync(fixturePaths.dataDir, dataDir, { recursive: true })

/**
 * All definitions of a database's schema, one line each, in a fixed order. The cluster's own tables are left out: it creates and
 * migrates them itself.
 */
export const schemaOf = (sql: Sql): Effect.Effect<ReadonlyArray<string>, unknown> =>
  Effect.map(
    rowsOf<{ readonly line: string }>(
      sql,
      `
  SELECT line FROM (
    SELECT concat_ws(' ', 'column', c.table_name || '.' || c.column_name, c.data_type, c.udt_name, 'null ' || c.is_nullable, 'default ' || c.column_default, 'identity ' || c.identity_generation, 'generated ' || c.generation_expression) AS line
      FROM information_schema.columns c WHERE c.table_schema = 'public'
    UNION ALL SELECT concat_ws(' ', 'constraint', r.relname, o.conname, pg_get_constraintdef(o.oid)) FROM pg_constraint o JOIN pg_class r ON r.oid = o.conrelid WHERE r.relnamespace = 'public'::regnamespace
    UNION ALL SELECT concat_ws(' ', 'index', tablename, indexname, indexdef) FROM pg_indexes WHERE schemaname = 'public'
    UNION ALL SELECT concat_ws(' ', 'trigger', r.relname, pg_get_triggerdef(t.oid)) FROM pg_trigger t JOIN pg_class r ON r.oid = t.tgrelid WHERE NOT t.tgisinternal AND r.relnamespace = 'public'::regnamespace
    UNION ALL SELECT concat_ws(' ', 'function', p.proname, pg_get_functiondef(p.oid)) FROM pg_proc p WHERE p.pronamespace = 'public'::regnamespace AND p.proname <> 'now'
    UNION ALL SELECT concat_ws(' ', 'view', viewname, definition) FROM pg_views WHERE schemaname = 'public'
    UNION ALL SELECT concat_ws(' ', 'sequence', sequencename, data_type::text, start_value, increment_by) FROM pg_sequences WHERE schemaname = 'public'
    UNION ALL SELECT concat_ws(' ', 'migration', migration_id, name) FROM effect_sql_migrations
  ) AS all_of_it WHERE line !~ '^[a-z]+ cluster_' ORDER BY line COLLATE "C"`
    ),
    (rows) => rows.map(({ line }) => line)
  )

/** Number of rows of each table. */
export const rowCounts = (sql: Sql): Effect.Effect<Record<string, number>, unknown> =>
  Effect.gen(function* () {
    const tables = yield* rowsOf<{ readonly name: string }>(
      sql,
      `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' ORDER BY tablename COLLATE "C"`
    )
    const counted = yield* Effect.forEach(tables, ({ name }) =>
      Effect.map(
        rowsOf<{ readonly n: number }>(sql, `SELECT count(*)::int AS n FROM "${name}"`),
        ([row]) => [name, row!.n] as const
      )
    )
    return Object.fromEntries(counted)
  })
