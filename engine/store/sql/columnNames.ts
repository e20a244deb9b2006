import { String } from "effect"

const names = new Map<string, string>()

/** Name of a column in TypeScript: `first_at_ms` becomes `firstAtMs`. Cached, because every result repeats the same few hundred names. */
export const nameOfColumn = (column: string): string => {
  let name = names.get(column)
  if (name === undefined) names.set(column, (name = String.snakeToCamel(column)))
  return name
}

/** Renames the columns of one result. All of its rows have the same columns, so the first row decides. */
export const renameColumns = <A extends object>(rows: ReadonlyArray<A>): ReadonlyArray<A> => {
  const [first] = rows as ReadonlyArray<Readonly<Record<string, unknown>>>
  if (first === undefined) return rows
  const columns = Object.keys(first).map((column) => [column, nameOfColumn(column)] as const)
  return (rows as ReadonlyArray<Readonly<Record<string, unknown>>>).map((row) => {
    const renamed: Record<string, unknown> = {}
    for (const [column, name] of columns) renamed[name] = row[column]
    return renamed as A
  })
}
