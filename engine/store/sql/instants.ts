import { Statement } from "effect/sql"

/** An instant as Postgres takes it; NULL for none. */
export const at = (ms: number | null): Statement.Fragment =>
  Statement.fragment(
    ms === null
      ? [Statement.literal("NULL")]
      : [Statement.literal("to_timestamp("), Statement.parameter(ms), Statement.literal("::float8 / 1000)")]
  )

/** SQL text that reads a column, or any expression of the type timestamptz, as whole milliseconds. */
export const msText = (expression: string): string => `round(extract(epoch from ${expression}) * 1000)::float8`

/** The same within a statement. */
export const ms = (expression: string): Statement.Fragment =>
  Statement.fragment([Statement.literal(msText(expression))])
