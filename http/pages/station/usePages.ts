import { useCallback, useEffect, useState } from "preact/hooks"
import { ask } from "./Ask.ts"
import { type Asked, useAsk } from "./useAsk.ts"

export interface Paged<Row, Answer = unknown> extends Asked<ReadonlyArray<Row>> {
  /** The answer with the first page. */
  readonly first: Answer | null
  /** Loads the next page; null at the end. */
  readonly loadMore: (() => void) | null
  readonly busy: boolean
}

interface Page<Row> {
  readonly rows: ReadonlyArray<Row>
  /** Query of the next page. */
  readonly next: Readonly<Record<string, string>> | null
}

/** A list that grows page by page; resets when its address or `at` changes. */
export const usePages = <Answer, Row>(
  path: string,
  pageOf: (answer: Answer) => Page<Row>,
  at: unknown = null
): Paged<Row, Answer> => {
  const first = useAsk<Answer>(path, at)
  const [later, setLater] = useState<ReadonlyArray<Page<Row>>>([])
  const [busy, setBusy] = useState(false)
  const [wrong, setWrong] = useState<string | null>(null)
  useEffect(() => {
    setLater([])
    setWrong(null)
  }, [path, at])
  const head = first.value === null ? null : pageOf(first.value)
  const pages = head === null ? [] : [head, ...later]
  const next = pages.at(-1)?.next ?? null
  const more = useCallback(() => {
    if (next === null) return
    setBusy(true)
    ask<Answer>(`${path}${path.includes("?") ? "&" : "?"}${new URLSearchParams(next)}`)
      .then(
        (answer) => setLater((was) => [...was, pageOf(answer)]),
        (fault: Error) => setWrong(fault.message)
      )
      .finally(() => setBusy(false))
  }, [path, next === null ? null : JSON.stringify(next)])
  return {
    first: first.value,
    value: head === null ? null : pages.flatMap(({ rows }) => rows),
    wrong: first.wrong ?? wrong,
    askAgain: first.askAgain,
    loadMore: next === null ? null : more,
    busy
  }
}
