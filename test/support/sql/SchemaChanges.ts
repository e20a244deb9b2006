import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"

const Columns = Schema.Array(
  Schema.Struct({
    table: Schema.String,
    name: Schema.String,
    type: Schema.String,
    isNullable: Schema.Boolean,
    /** The database fills it in when a statement doesn't name it. */
    isFilled: Schema.Boolean,
    /** The database makes its value: no statement may give one. */
    isMade: Schema.Boolean
  })
)
const Constraints = Schema.Array(
  Schema.Struct({
    table: Schema.String,
    name: Schema.String,
    definition: Schema.String,
    columns: Schema.Array(Schema.String)
  })
)
const Others = Schema.Array(Schema.Struct({ table: Schema.String, line: Schema.String }))
const decode = <A>(schema: Schema.Codec<A, unknown>, found: ReadonlyArray<unknown>): A =>
  Schema.decodeUnknownSync(schema)(found)

/** Everything of a schema that a statement can meet. */
export interface SchemaFacts {
  readonly columns: typeof Columns.Type
  /** CHECK, UNIQUE, FOREIGN KEY and EXCLUDE constraints, and unique indexes. */
  readonly constraints: typeof Constraints.Type
  /** Triggers. */
  readonly triggers: typeof Others.Type
  /** Views and functions, with their definitions. */
  readonly programs: typeof Others.Type
}

export const readSchema = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  const facts: SchemaFacts = {
    columns: decode(
      Columns,
      yield* sql.unsafe(`
        SELECT r.relname AS "table", a.attname AS name, format_type(a.atttypid, a.atttypmod) AS type, NOT a.attnotnull AS "isNullable",
          a.atthasdef OR a.attidentity <> '' AS "isFilled", a.attidentity = 'a' OR a.attgenerated <> '' AS "isMade"
        FROM pg_attribute a JOIN pg_class r ON r.oid = a.attrelid
        WHERE r.relnamespace = 'public'::regnamespace AND r.relkind IN ('r', 'p') AND a.attnum > 0 AND NOT a.attisdropped ORDER BY 1, a.attnum`)
    ),
    constraints: decode(
      Constraints,
      yield* sql.unsafe(`
        SELECT r.relname AS "table", o.conname AS name, pg_get_constraintdef(o.oid) AS definition,
          (SELECT array_agg(a.attname::text ORDER BY a.attnum) FROM pg_attribute a WHERE a.attrelid = r.oid AND a.attnum = ANY (o.conkey)) AS columns
        FROM pg_constraint o JOIN pg_class r ON r.oid = o.conrelid
        WHERE r.relnamespace = 'public'::regnamespace AND o.contype IN ('c', 'u', 'p', 'f', 'x')
        UNION ALL
        SELECT r.relname, i.relname, pg_get_indexdef(i.oid),
          (SELECT coalesce(array_agg(a.attname::text ORDER BY a.attnum), '{}') FROM pg_attribute a WHERE a.attrelid = r.oid AND a.attnum = ANY (x.indkey::int2[]))
        FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid JOIN pg_class r ON r.oid = x.indrelid
        WHERE r.relnamespace = 'public'::regnamespace AND x.indisunique AND NOT EXISTS (SELECT FROM pg_constraint o WHERE o.conindid = i.oid)
        ORDER BY 1, 2`)
    ),
    triggers: decode(
      Others,
      yield* sql.unsafe(`
        SELECT r.relname AS "table", pg_get_triggerdef(t.oid) AS line FROM pg_trigger t JOIN pg_class r ON r.oid = t.tgrelid
        WHERE r.relnamespace = 'public'::regnamespace AND NOT t.tgisinternal ORDER BY 1, 2`)
    ),
    programs: decode(
      Others,
      yield* sql.unsafe(`
        SELECT viewname::text AS "table", definition AS line FROM pg_views WHERE schemaname = 'public'
        UNION ALL SELECT proname::text, pg_get_functiondef(oid) FROM pg_proc WHERE pronamespace = 'public'::regnamespace ORDER BY 1, 2`)
    )
  }
  return facts
})

/** The values that a CHECK of the form `column IN (…)` allows; null for any other condition. */
const allowedOf = (definition: string): ReadonlySet<string> | null => {
  const list = /^CHECK \(\(\w+ = ANY \(+ARRAY\[([^\]]*)\]\)?(?:::text\[\])?\)+$/.exec(definition)?.[1]
  const single = /^CHECK \(\(\w+ = ('(?:[^']|'')*')::text\)\)$/.exec(definition)?.[1]
  const text = list ?? single
  return text === undefined ? null : new Set([...text.matchAll(/'((?:[^']|'')*)'/g)].map(([, value]) => value!))
}

/**
 * What a step of the schema takes away from the version before, whose statements go on beside the new version for the minutes of an upgrade: empty if
 * the step only expands.
 */
export const contractionsBetween = (before: SchemaFacts, after: SchemaFacts): ReadonlyArray<string> => {
  const tables = new Set(before.columns.map(({ table }) => table))
  const find = (facts: SchemaFacts, table: string, name: string) =>
    facts.columns.find((column) => column.table === table && column.name === name)
  const isGone = (table: string) => !after.columns.some((column) => column.table === table)
  const goneTables = [...tables].filter(isGone).map((table) => `table ${table} is gone`)
  const changed = before.columns
    .filter(({ table }) => !isGone(table))
    .flatMap((column) => {
      const { isFilled, isMade, isNullable, name, table, type } = column
      const now = find(after, table, name)
      if (now === undefined) return [`column ${table}.${name} is gone`]
      return [
        ...(now.type === type ? [] : [`column ${table}.${name} was ${type} and is ${now.type}`]),
        ...(isNullable && !now.isNullable ? [`column ${table}.${name} must not be null any more`] : []),
        ...(isFilled && !now.isFilled && !now.isNullable ? [`column ${table}.${name} has no default any more`] : []),
        ...(!isMade && now.isMade ? [`column ${table}.${name} can't be written any more`] : [])
      ]
    })
  const demanded = after.columns
    .filter(
      ({ isFilled, isNullable, name, table }) =>
        tables.has(table) && find(before, table, name) === undefined && !isNullable && !isFilled
    )
    .map(({ name, table }) => `new column ${table}.${name} must be named by each insertion`)
  const narrowed = after.constraints
    .filter(
      ({ columns, definition, table }) =>
        tables.has(table) &&
        !before.constraints.some((other) => other.table === table && other.definition === definition) &&
        // The version before never gives a value to a new column, which is null or has its default.
        !(columns.length > 0 && columns.every((name) => find(before, table, name) === undefined))
    )
    .filter(({ columns, definition, table }) => {
      const allowed = allowedOf(definition)
      if (allowed === null) return true
      const former = before.constraints
        .filter((other) => other.table === table && other.columns.join() === columns.join())
        .map((other) => allowedOf(other.definition))
        .find((one) => one !== null)
      return former == null || [...former].some((value) => !allowed.has(value))
    })
    .map(({ definition, name, table }) => `${table} must keep to ${name}: ${definition}`)
  const triggered = after.triggers
    .filter(({ line, table }) => tables.has(table) && !before.triggers.some((other) => other.line === line))
    .map(({ line }) => `a trigger on a table that the version before writes: ${line}`)
  const programs = before.programs
    .filter(({ line, table }) => !after.programs.some((other) => other.table === table && other.line === line))
    .map(({ table }) => `${table} is gone or does something else`)
  return [...goneTables, ...changed, ...demanded, ...narrowed, ...triggered, ...programs]
}
