import { useCallback, useEffect, useRef, useState } from "preact/hooks"
import type { HistoryItem } from "../../../schema/air/Station.ts"
import { ask } from "../station/Ask.ts"
import { addAnnounced, addPast } from "./Programme.ts"
import type { Heard, Playing } from "./Programme.ts"
import type { Stream } from "../stream/Stream.ts"
import { useEvents } from "../station/useEvents.ts"

const lookMs = 1_000
const pageItems = 20

export interface Programme {
  readonly known: ReadonlyArray<Heard>
  readonly listeners: number | null
  /** Offset from this machine's clock to the station's. */
  readonly skewMs: number
  /** Whether programme updates arrive. */
  readonly isTold: boolean
}

/** Announced items, extended by the log for listeners behind live. */
export const useProgramme = (stream: Stream): Programme => {
  const [programme, setProgramme] = useState<Programme>({ known: [], listeners: null, skewMs: 0, isTold: true })
  const isFirst = useRef(true)
  useEvents(
    "/api/now-playing?format=sse",
    ["now-playing", "tick"],
    (name, data) => {
      if (name === "tick") {
        const { listenerCount } = data as { readonly listenerCount: number }
        setProgramme((now) => (now.listeners === listenerCount ? now : { ...now, listeners: listenerCount }))
        return
      }
      const playing = data as Playing
      // The first event is a snapshot; later ones arrive when they happen.
      const measured = Date.parse(playing.updatedAt) - Date.now()
      setProgramme((now) => ({
        ...now,
        known: addAnnounced(now.known, playing),
        skewMs: isFirst.current || Math.abs(measured - now.skewMs) > 500 ? measured : now.skewMs
      }))
      isFirst.current = false
    },
    (isTold) => setProgramme((now) => (now.isTold === isTold ? now : { ...now, isTold }))
  )

  const first = programme.known[0]?.startMs ?? null
  const asking = useRef<number | null>(null)
  const recall = useCallback(async (beforeMs: number) => {
    asking.current = beforeMs
    const { items } = await ask<{ readonly items: ReadonlyArray<HistoryItem> }>(
      `/api/station/history?limit=${pageItems}&before=${encodeURIComponent(new Date(beforeMs).toISOString())}`
    )
    setProgramme((now) => ({ ...now, known: addPast(now.known, items) }))
  }, [])
  // Loads recent items at once, older ones on demand.
  const isTold = first !== null
  useEffect(() => {
    if (isTold) recall(first).catch(() => undefined)
  }, [isTold, recall])
  useEffect(() => {
    const timer = setInterval(() => {
      const atMs = stream.findHeardMs(0)
      if (first === null || atMs === null || atMs >= first || asking.current === first) return
      recall(first).catch(() => {
        asking.current = null
      })
    }, lookMs)
    return () => clearInterval(timer)
  }, [stream, first, recall])
  return programme
}
