import { useCallback, useEffect, useRef, useState } from "preact/hooks"
import { ask } from "./Ask.ts"

export interface Asked<A> {
  /** The last answer; kept during a reload. */
  readonly value: A | null
  readonly wrong: string | null
  readonly askAgain: () => void
}

/**
 * Loads an address, again when it or `at` changes; null loads nothing. A change during a load is loaded after it: frequent changes would otherwise
 * break off every answer.
 */
export const useAsk = <A>(path: string | null, at: unknown = null): Asked<A> => {
  const [state, setState] = useState<{
    readonly path: string | null
    readonly value: A | null
    readonly wrong: string | null
  }>({ path, value: null, wrong: null })
  const [turn, setTurn] = useState(0)
  const load = useRef<() => void>(() => undefined)
  useEffect(() => {
    if (path === null) return
    const over = new AbortController()
    let [isLoading, isStale] = [false, false]
    const run = async (): Promise<void> => {
      if (isLoading) {
        isStale = true
        return
      }
      isLoading = true
      do {
        isStale = false
        await ask<A>(path, { signal: over.signal }).then(
          (value) => setState({ path, value, wrong: null }),
          (fault: Error) =>
            over.signal.aborted ||
            setState((was) => ({ path, value: was.path === path ? was.value : null, wrong: fault.message }))
        )
      } while (isStale && !over.signal.aborted)
      isLoading = false
    }
    load.current = () => void run()
    return () => {
      over.abort()
      load.current = () => undefined
    }
  }, [path])
  useEffect(() => load.current(), [path, at, turn])
  const again = useCallback(() => {
    setState((was) => ({ ...was, wrong: null }))
    setTurn((was) => was + 1)
  }, [])
  return state.path === path
    ? { value: state.value, wrong: state.wrong, askAgain: again }
    : { value: null, wrong: null, askAgain: again }
}
