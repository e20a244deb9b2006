import { Effect, Redacted, Schema } from "effect"
import { SqlMessageStorage } from "effect/cluster"
import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import { Client, escapeIdentifier as quoted } from "pg"
import { from, to } from "pg-copy-streams"
import { databaseConnectTimeoutMs } from "../../rules/runtime/limits.ts"
import { migrateTo, schemaClientAt } from "./Database.ts"
import { migrations } from "./Migrations.ts"

/** A copy of a database that can't be made or filled in. */
export class CopyRefused extends Schema.TaggedError<CopyRefused>()("CopyRefused", { detail: Schema.String }) {
  override get message(): string {
    return this.detail
  }
}

/** A database's tables, so that each comes after those that it refers to, and what isn't in their rows. */
export const Contents = Schema.Struct({
  migrations: Schema.Array(Schema.Int),
  tables: Schema.Array(Schema.Struct({ name: Schema.String, columns: Schema.Array(Schema.String) })),
  sequences: Schema.Array(Schema.Struct({ name: Schema.String, value: Schema.String }))
})
export type Contents = typeof Contents.Type

/** The rows of one table, as COPY writes them. */
export interface TableRows {
  readonly table: string
  readonly bytes: AsyncIterable<Uint8Array>
}

const attempt = <A>(what: string, run: () => Promise<A>) =>
  Effect.tryPromise({
    try: run,
    catch: (cause) =>
      cause instanceof CopyRefused
        ? cause
        : new CopyRefused({ detail: `${what}: ${cause instanceof Error ? cause.message : String(cause)}` })
  })

/** The driver warns about modes that it takes for the last one, as the station's own client does. */
const addressOf = (url: Redacted.Redacted): string =>
  Redacted.value(url).replace(/([?&]sslmode=)(require|verify-ca)(?=&|$)/, "$1verify-full")

/** Effect's client has no COPY. A statement may take as long as its table is large. */
const connection = (url: Redacted.Redacted) =>
  Effect.acquireRelease(
    attempt("The database can't be used", async () => {
      const client = new Client({
        connectionString: addressOf(url),
        application_name: "longwave backup",
        connectionTimeoutMillis: databaseConnectTimeoutMs
      })
      // A connection that breaks fails the statement under way, which is enough.
      client.on("error", () => undefined)
      await client.connect()
      for (const setting of [
        "statement_timeout = 0",
        "idle_in_transaction_session_timeout = 0",
        "client_encoding = 'UTF8'",
        "datestyle = 'ISO'",
        "intervalstyle = 'postgres'",
        "timezone = 'UTC'",
        // Makes two copies of the same rows identical.
        "synchronize_seqscans = off"
      ])
        await client.query(`SET ${setting}`)
      return client
    }),
    (client) => Effect.promise(() => client.end().catch(() => undefined))
  )

const query = async <Row extends Schema.Codec<unknown, unknown>>(
  client: Client,
  row: Row,
  statement: string
): Promise<ReadonlyArray<Row["Type"]>> =>
  Schema.decodeUnknownSync(Schema.Array(row) as unknown as Schema.Codec<ReadonlyArray<Row["Type"]>>)(
    (await client.query(statement)).rows
  )

const Named = Schema.Struct({ name: Schema.String })
const ofSchema = "relnamespace = current_schema()::regnamespace"
/** The migrators keep their own tables. */
const tablesOf = (client: Client) =>
  query(
    client,
    Schema.Struct({ name: Schema.String, columns: Schema.Array(Schema.String) }),
    `SELECT r.relname AS name, array_agg(a.attname::text ORDER BY a.attnum) AS columns
      FROM pg_class r JOIN pg_attribute a ON a.attrelid = r.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
      WHERE r.${ofSchema} AND r.relkind = 'r' AND r.relname !~ '_migrations$' GROUP BY r.oid ORDER BY r.relname COLLATE "C"`
  )

/** Tables in such an order that none refers to a later one. */
const sortByReference = <Table extends { readonly name: string }>(
  tables: ReadonlyArray<Table>,
  references: ReadonlyArray<{ readonly name: string; readonly to: string }>
): ReadonlyArray<Table> => {
  const left = new Map(tables.map((table) => [table.name, table]))
  const ordered: Array<Table> = []
  while (left.size > 0) {
    const free = [...left.values()].filter(
      (table) => !references.some(({ name, to }) => name === table.name && to !== name && left.has(to))
    )
    if (free.length === 0)
      throw new CopyRefused({ detail: `These tables refer to each other in a circle: ${[...left.keys()].join(", ")}.` })
    for (const table of free) {
      ordered.push(table)
      left.delete(table.name)
    }
  }
  return ordered
}

/**
 * The database as it is at this instant, while the scope lasts: one read-only transaction, so a station may go on writing. `bytes` is the size
 * of the tables on their disk, about that of their rows.
 */
export const snapshotOf = Effect.fnUntraced(function* (url: Redacted.Redacted) {
  const client = yield* connection(url)
  const { assets, bytes, contents } = yield* attempt("The database can't be read", async () => {
    await client.query("BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
    const [migrated] = await query(
      client,
      Schema.Struct({ isThere: Schema.Boolean }),
      `SELECT to_regclass('effect_sql_migrations') IS NOT NULL AS "isThere"`
    )
    if (migrated?.isThere !== true) throw new CopyRefused({ detail: "The database holds no station." })
    const applied = await query(
      client,
      Schema.Struct({ id: Schema.Int }),
      "SELECT migration_id AS id FROM effect_sql_migrations ORDER BY migration_id"
    )
    const references = await query(
      client,
      Schema.Struct({ name: Schema.String, to: Schema.String }),
      `SELECT r.relname AS name, t.relname AS to FROM pg_constraint c JOIN pg_class r ON r.oid = c.conrelid JOIN pg_class t ON t.oid = c.confrelid
        WHERE c.contype = 'f' AND r.${ofSchema}`
    )
    const sequences = await query(
      client,
      Schema.Struct({ name: Schema.String, value: Schema.String }),
      "SELECT sequencename AS name, last_value::text AS value FROM pg_sequences WHERE schemaname = current_schema() AND last_value IS NOT NULL ORDER BY 1"
    )
    const [size] = await query(
      client,
      Schema.Struct({ bytes: Schema.Finite }),
      `SELECT coalesce(sum(pg_table_size(oid)), 0)::float8 AS bytes FROM pg_class WHERE ${ofSchema} AND relkind = 'r'`
    )
    const contents: Contents = {
      migrations: applied.map(({ id }) => id),
      tables: sortByReference(await tablesOf(client), references),
      sequences
    }
    return {
      assets: (await query(client, Named, "SELECT id AS name FROM assets")).map(({ name }) => name),
      bytes: size!.bytes,
      contents
    }
  })
  return {
    contents,
    bytes,
    /** Ids of all prepared sounds. */
    assets: new Set(assets),
    rows: ({ columns, name }: Contents["tables"][number]): AsyncIterable<Uint8Array> =>
      client.query(to(`COPY ${quoted(name)} (${columns.map(quoted).join(", ")}) TO STDOUT`)),
    /** Lets the database clean up again. */
    end: () => client.query("COMMIT")
  }
})

/** Fails if this program is older than the one that made the contents. */
export const refuseNewer = (contents: Contents) => {
  const known = new Set(Object.keys(migrations).map((name) => Number.parseInt(name, 10)))
  const unknown = contents.migrations.filter((id) => !known.has(id))
  return unknown.length === 0
    ? Effect.void
    : Effect.fail(
        new CopyRefused({
          detail: `The backup was made by a newer version: its database has been through migration ${Math.max(...unknown)}, and this version knows ${Math.max(...known)}. Restore it with that version or a later one.`
        })
      )
}

/** Fails if the database has any table. */
export const refuseFilled = Effect.fnUntraced(function* (url: Redacted.Redacted) {
  const client = yield* connection(url)
  const tables = yield* attempt("The database can't be read", () =>
    query(
      client,
      Named,
      "SELECT tablename AS name FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema') ORDER BY 1"
    )
  )
  if (tables.length > 0)
    return yield* new CopyRefused({
      detail: `The database of DATABASE_URL has ${tables.length} tables, such as ${tables[0]!.name}. Name an empty one.`
    })
}, Effect.scoped)

/**
 * Brings an empty database to the schema of the contents, and fills in the rows, in one transaction. Later migrations and the indexes of large
 * tables follow at the station's next start.
 */
export const fillDatabase = Effect.fnUntraced(function* (
  url: Redacted.Redacted,
  contents: Contents,
  copied: AsyncIterable<TableRows>
) {
  yield* refuseNewer(contents)
  yield* migrateTo(url, new Set(contents.migrations))
  // The actors' mailboxes: their own migrator makes them.
  if (contents.tables.some(({ name }) => name.startsWith("cluster_")))
    yield* Effect.scoped(Effect.provide(Effect.void, SqlMessageStorage.layerMigrations({}))).pipe(
      Effect.provide(schemaClientAt(url))
    )
  const client = yield* connection(url)
  yield* attempt("The database can't be filled", async () => {
    await client.query("BEGIN")
    const present = (await tablesOf(client)).map(({ name }) => quoted(name))
    // Some tables refuse to be emptied, and migrations fill some.
    for (const table of present) await client.query(`ALTER TABLE ${table} DISABLE TRIGGER USER`)
    await client.query(`TRUNCATE ${present.join(", ")}`)
    const left = new Map(contents.tables.map((table) => [table.name, table]))
    for await (const { bytes, table } of copied) {
      const found = left.get(table)
      if (found === undefined) throw new CopyRefused({ detail: `The backup doesn't announce the table ${table}.` })
      left.delete(table)
      const columns = found.columns.map(quoted).join(", ")
      await pipeline(Readable.from(bytes), client.query(from(`COPY ${quoted(table)} (${columns}) FROM STDIN`)))
    }
    if (left.size > 0) throw new CopyRefused({ detail: `The backup lacks the tables ${[...left.keys()].join(", ")}.` })
    for (const { name, value } of contents.sequences)
      await client.query("SELECT setval(quote_ident($1)::regclass, $2)", [name, value])
    for (const table of present) await client.query(`ALTER TABLE ${table} ENABLE TRIGGER USER`)
    await client.query("COMMIT")
    await client.query("ANALYZE")
  })
}, Effect.scoped)
