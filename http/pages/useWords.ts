import { useEffect, useState } from "preact/hooks"
import { hereOf } from "./parts/Face.tsx"
import type { Heard } from "./Programme.ts"
import type { Stream } from "./Stream.ts"
import { linesOf, readAt } from "./Words.ts"
import type { Line } from "./Words.ts"

const lookMs = 50
const againMs = 3_000

/** The words of an item, fetched when it is announced and so before it is heard. They never change. */
export const useLines = (heard: Heard | null): ReadonlyArray<Line> => {
  const url = heard?.playing.captionsUrl ?? null
  const [known, setKnown] = useState<{ readonly url: string | null; readonly lines: ReadonlyArray<Line> }>({ url: null, lines: [] })
  useEffect(() => {
    if (url === null) return
    let timer: ReturnType<typeof setTimeout> | undefined
    let over = false
    const load = async (): Promise<void> => {
      const response = await fetch(hereOf(url)).catch(() => null)
      if (over) return
      if (response?.ok === true) setKnown({ url, lines: linesOf(await response.text()) })
      else if (response?.status !== 404) timer = setTimeout(() => void load(), againMs)
    }
    void load()
    return () => {
      over = true
      clearTimeout(timer)
    }
  }, [url])
  return known.url === url ? known.lines : []
}

export interface Reading {
  readonly line: Line | null
  /** How many words of the line have begun. */
  readonly said: number
}

const silent: Reading = { line: null, said: 0 }

/** The line in the listener's ear, word for word: by the date of the sound, as titles are. */
export const useReading = (lines: ReadonlyArray<Line>, heard: Heard | null, stream: Stream, skewMs: number): Reading => {
  const [reading, setReading] = useState<Reading>(silent)
  useEffect(() => {
    const look = (): void => {
      const atMs = stream.heardMs(skewMs)
      const found = heard === null || atMs === null || lines.length === 0 ? null : readAt(lines, atMs - heard.startMs)
      setReading((was) => {
        if (found === null) return silent
        const line = lines[found.at]!
        return was.line === line && was.said === found.said ? was : { line, said: found.said }
      })
    }
    look()
    const timer = setInterval(look, lookMs)
    return () => clearInterval(timer)
  }, [lines, heard, stream, skewMs])
  return reading
}
