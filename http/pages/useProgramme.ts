import { useEffect, useState } from "preact/hooks"
import { announced } from "./Programme.ts"
import type { Heard, Playing } from "./Programme.ts"

const againMs = 2_000

export interface Programme {
  readonly known: ReadonlyArray<Heard>
  readonly listeners: number | null
  /** What to add to this machine's clock to have the station's. */
  readonly skewMs: number
}

/** What the station announces, as it announces it. A connection that was refused is tried again; the browser does that only for one that broke. */
export const useProgramme = (): Programme => {
  const [programme, setProgramme] = useState<Programme>({ known: [], listeners: null, skewMs: 0 })
  useEffect(() => {
    let source: EventSource | null = null
    let timer: ReturnType<typeof setTimeout> | undefined
    const open = (): void => {
      source = new EventSource("/api/now-playing?format=sse")
      source.addEventListener("now-playing", ({ data }: MessageEvent<string>) => {
        const playing = JSON.parse(data) as Playing
        const skewMs = Date.parse(playing.updatedAt) - Date.now()
        setProgramme((now) => ({ ...now, known: announced(now.known, playing), skewMs }))
      })
      source.addEventListener("tick", ({ data }: MessageEvent<string>) => {
        const { listenerCount } = JSON.parse(data) as { readonly listenerCount: number }
        setProgramme((now) => now.listeners === listenerCount ? now : { ...now, listeners: listenerCount })
      })
      source.addEventListener("error", () => {
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
  }, [])
  return programme
}
