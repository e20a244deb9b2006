import type { ComponentChildren } from "preact"
import { Loaded } from "../../parts/Loaded.tsx"
import { type Paged, usePages } from "../../station/usePages.ts"
import { LongList } from "./LongList.tsx"

/** A list of the station that has pages; the field `rows` of its answer is the list. */
export const useList = <Row,>(path: string, rows: string, at: unknown = null): Paged<Row> =>
  usePages<Readonly<Record<string, unknown>>, Row>(
    path,
    (answer) => ({
      rows: answer[rows] as ReadonlyArray<Row>,
      next: answer["nextCursor"] === undefined ? null : { cursor: String(answer["nextCursor"]) }
    }),
    at
  )

/** A paged list of any length, drawn as far as it is seen. */
export const Pages = <Row,>({
  empty,
  hasActs = false,
  heightPx = 60,
  label,
  of,
  row
}: {
  readonly of: Paged<Row>
  readonly label: string
  readonly empty: string
  readonly heightPx?: number
  /** Rows have buttons. */
  readonly hasActs?: boolean
  readonly row: (row: Row, at: number) => ComponentChildren
}) => (
  <Loaded asked={of} isEmpty={(rows) => rows.length === 0} empty={empty}>
    {(rows) => (
      <LongList label={label} rows={rows} heightPx={heightPx} hasActs={hasActs} loadMore={of.loadMore} row={row} />
    )}
  </Loaded>
)
