import { useCallback, useEffect, useState } from "preact/hooks"
import { ask } from "./Ask.ts"

export interface Asked<A> {
  /** The last answer; kept during a reload. */
  readonly value: A | null
  readonly wrong: string | null
  readonly askAgain: () => void
}

/** Loads an address, again when it or `at` changes; null loads nothing. */
export const useAsk = <A>(path: string | null, at: unknown = null): Asked<A> => {
  const [state, setState] = useState<{
    readonly path: string | null
    readonly value: A | null
    readonly wrong: string | null
  }>({ path, value: null, wrong: null })
  const [turn, setTurn] = useState(0)
  useEffect(() => {
    if (path === null) return
    const over = new AbortController()
    ask<A>(path, { signal: over.signal }).then(
      (value) => setState({ path, value, wrong: null }),
      (fault: Error) =>
        over.signal.aborted ||
        setState((was) => ({ path, value: was.path === path ? was.value : null, wrong: fault.message }))
    )
    return () => over.abort()
  }, [path, at, turn])
  const again = useCallback(() => {
    setState((was) => ({ ...was, wrong: null }))
    setTurn((was) => was + 1)
  }, [])
  return state.path === path
    ? { value: state.value, wrong: state.wrong, askAgain: again }
    : { value: null, wrong: null, askAgain: again }
}
