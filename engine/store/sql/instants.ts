import { Statement } from "effect/sql"

/** An instant as a Postgres parameter; NULL for null. */
export const at = (ms: number | null): Statement.Fragment =>
  Statement.fragment(
    ms === null
      ? [Statement.literal("NULL")]
      : [Statement.literal("to_timestamp("), Statement.parameter(ms), Statement.literal("::float8 / 1000)")]
  )

/** SQL text that converts a timestamptz expression to whole ms. */
export const msText = (expression: string): string => `round(extract(epoch from ${expression}) * 1000)::float8`

/** The same as a fragment of a statement. */
export const ms = (expression: string): Statement.Fragment =>
  Statement.fragment([Statement.literal(msText(expression))])
