import { String } from "effect"

const names = new Map<string, string>()

/** The name in our code of a column: `first_at_ms` is `firstAtMs`. Remembered, for the same few hundred come with every row. */
export const nameOfColumn = (column: string): string => {
  let name = names.get(column)
  if (name === undefined) names.set(column, (name = String.snakeToCamel(column)))
  return name
}

/** Rows of one statement, which all have the same columns, with the names in our code. */
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
