import { elementScroll, observeElementOffset, observeElementRect, Virtualizer } from "@tanstack/virtual-core"
import type { ComponentChildren } from "preact"
import { useEffect, useLayoutEffect, useReducer, useRef } from "preact/hooks"

const overscan = 8
/** Rows before the end at which the next page is loaded. */
const aheadRows = 30

/** What can be done with a row is below its words on the smallest phones, whose rows are this much higher. */
const actsPx = 56
const narrow = "(max-width: 30rem)"

/** A list of any length: only the rows in view are drawn. Rows have one height. */
export const LongList = <Row,>({
  hasActs = false,
  heightPx: plainPx,
  label,
  loadMore,
  row,
  rows,
  shown
}: {
  readonly label: string
  readonly rows: ReadonlyArray<Row>
  readonly heightPx: number
  /** Rows have buttons. */
  readonly hasActs?: boolean
  readonly row: (row: Row, at: number) => ComponentChildren
  /** Loads more rows; null at the end. */
  readonly loadMore?: (() => void) | null
  /** Row to keep in view. */
  readonly shown?: number | null
}) => {
  const frame = useRef<HTMLDivElement>(null)
  const heightPx = hasActs && matchMedia(narrow).matches ? plainPx + actsPx : plainPx
  const [, draw] = useReducer((count: number) => count + 1, 0)
  const options = {
    count: rows.length,
    getScrollElement: () => frame.current,
    estimateSize: () => heightPx,
    overscan,
    scrollToFn: elementScroll,
    observeElementRect,
    observeElementOffset,
    onChange: () => draw(undefined)
  }
  const virtual = useRef<Virtualizer<HTMLDivElement, HTMLElement> | null>(null)
  const list = (virtual.current ??= new Virtualizer<HTMLDivElement, HTMLElement>(options))
  list.setOptions(options)
  useLayoutEffect(() => list._didMount(), [])
  useLayoutEffect(() => list._willUpdate())
  const seen = list.getVirtualItems()
  const last = seen.at(-1)?.index ?? 0
  useEffect(() => {
    if (last > rows.length - aheadRows) loadMore?.()
  }, [last, rows.length, loadMore])
  useEffect(() => {
    if (shown != null && shown >= 0) list.scrollToIndex(shown, { align: "auto" })
  }, [shown])
  return (
    <div class={hasActs ? "long long-acts" : "long"} ref={frame}>
      <ul class="long-rows" aria-label={label} style={{ height: `${list.getTotalSize()}px` }}>
        {seen.map(({ index, start }) => (
          <li
            key={index}
            class="long-row"
            aria-setsize={loadMore == null ? rows.length : -1}
            aria-posinset={index + 1}
            style={{ height: `${heightPx}px`, transform: `translateY(${start}px)` }}
          >
            {row(rows[index]!, index)}
          </li>
        ))}
      </ul>
    </div>
  )
}
