import { useCallback, useEffect, useState } from "preact/hooks"
import { ask } from "../../station/Ask.ts"
import type { Asked } from "../../station/useAsk.ts"
import { type Topic, useChanges } from "./Live.ts"

interface Tagged<A> {
  readonly value: A
  /** Version of what was answered, for commands that must not come from a stale view. */
  readonly tag: string | null
}

/** Loads an address with its version, and again when a topic changes. */
export const useTagged = <A>(path: string, ...topics: ReadonlyArray<Topic>): Asked<Tagged<A>> => {
  const changes = useChanges(...topics)
  const [turn, setTurn] = useState(0)
  const [state, setState] = useState<{ readonly value: Tagged<A> | null; readonly wrong: string | null }>({
    value: null,
    wrong: null
  })
  useEffect(() => {
    const over = new AbortController()
    let tag: string | null = null
    const noteHeaders = (headers: Headers): void => {
      tag = headers.get("etag")
    }
    ask<A>(path, { signal: over.signal, onHeaders: noteHeaders }).then(
      (value) => setState({ value: { value, tag }, wrong: null }),
      (fault: Error) => over.signal.aborted || setState((was) => ({ ...was, wrong: fault.message }))
    )
    return () => over.abort()
  }, [path, changes, turn])
  const again = useCallback(() => setTurn((was) => was + 1), [])
  return { ...state, askAgain: again }
}
