/** One page of a list, newest first; `next` is the cursor of the page after it. */
export interface Page<R> {
  readonly records: ReadonlyArray<R>
  readonly next: string | null
}
export interface Paging {
  readonly limit: number
  /** Id of the last row of the page before. */
  readonly cursor: string | null
}
/** Cuts what was read with one row more than the page holds. */
export const pageOf = <R extends { readonly id: string }>(rows: ReadonlyArray<R>, limit: number): Page<R> => {
  const records = rows.slice(0, limit)
  return { records, next: rows.length > limit ? records[records.length - 1]!.id : null }
}
