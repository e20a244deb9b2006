import { useEffect } from "preact/hooks"

/** Calls a function again and again while the component is mounted. */
export const useEvery = (everyMs: number, run: () => void): void =>
  useEffect(() => {
    const timer = setInterval(run, everyMs)
    return () => clearInterval(timer)
  }, [everyMs, run])
