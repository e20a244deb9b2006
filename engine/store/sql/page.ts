/** One page of a list, newest first; `next` is the cursor of the following page. */
export interface Page<R> {
  readonly records: ReadonlyArray<R>
  readonly next: string | null
}
export interface Paging {
  readonly limit: number
  /** Id of the previous page's last row. */
  readonly cursor: string | null
}
/** The page from a read of `limit + 1` rows. */
export const pageOf = <R extends { readonly id: string }>(rows: ReadonlyArray<R>, limit: number): Page<R> => {
  const records = rows.slice(0, limit)
  return { records, next: rows.length > limit ? records[records.length - 1]!.id : null }
}
