import { useCallback, useEffect, useRef, useState } from "preact/hooks"

const againMs = 2_000

/**
 * Events of a stream while the component is mounted. The browser reconnects with the last event id; refused connections are retried here.
 * `on` may change on each render. Returns a function that connects anew at once.
 */
export const useEvents = (
  path: string | null,
  names: ReadonlyArray<string>,
  on: (name: string, data: unknown, id: string) => void,
  stood?: (open: boolean) => void
): (() => void) => {
  const [turn, setTurn] = useState(0)
  const latest = useRef({ on, stood })
  latest.current = { on, stood }
  const wanted = names.join(" ")
  useEffect(() => {
    if (path === null) return
    let source: EventSource | null = null
    let timer: ReturnType<typeof setTimeout> | undefined
    const open = (): void => {
      source = new EventSource(path)
      source.addEventListener("open", () => latest.current.stood?.(true))
      for (const name of wanted.split(" ")) {
        source.addEventListener(name, ({ data, lastEventId }: MessageEvent<string>) =>
          latest.current.on(name, JSON.parse(data), lastEventId)
        )
      }
      source.addEventListener("error", () => {
        latest.current.stood?.(false)
        if (source?.readyState !== EventSource.CLOSED) return
        clearTimeout(timer)
        timer = setTimeout(open, againMs)
      })
    }
    open()
    return () => {
      clearTimeout(timer)
      source?.close()
    }
  }, [path, wanted, turn])
  return useCallback(() => setTurn((was) => was + 1), [])
}
