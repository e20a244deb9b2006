import { useEffect, useState } from "preact/hooks"
import { hereOf } from "../parts/Face.tsx"
import type { Heard } from "./Programme.ts"
import type { Stream } from "../stream/Stream.ts"
import { linesOf, readAt } from "./Words.ts"
import type { Line } from "./Words.ts"

const lookMs = 50
const againMs = 3_000
const none: ReadonlyArray<Line> = []

const keptMax = 12

/** Loads caption lines, and retries failures until it is stopped. */
const load = (url: string, loaded: (lines: ReadonlyArray<Line>) => void): (() => void) => {
  let timer: ReturnType<typeof setTimeout> | undefined
  let over = false
  const ask = async (): Promise<void> => {
    const response = await fetch(hereOf(url)).catch(() => null)
    if (over) return
    if (response?.ok === true) loaded(linesOf(await response.text()))
    else if (response?.status !== 404) timer = setTimeout(() => void ask(), againMs)
  }
  void ask()
  return () => {
    over = true
    clearTimeout(timer)
  }
}

/** Captions of known items, loaded when an item is announced. They never change. */
export const useLines = (heard: Heard | null, known: ReadonlyArray<Heard>): ReadonlyArray<Line> => {
  const [lines, setLines] = useState<ReadonlyMap<string, ReadonlyArray<Line>>>(new Map())
  const url = heard?.playing.captionsUrl ?? null
  const announced = known.at(-1)?.playing.captionsUrl ?? null
  for (const wanted of [url, announced === url ? null : announced]) {
    const missing = wanted !== null && !lines.has(wanted)
    useEffect(
      () =>
        missing
          ? load(wanted, (found) => setLines((was) => new Map([...was, [wanted, found] as const].slice(-keptMax))))
          : undefined,
      [wanted, missing]
    )
  }
  return url === null ? none : (lines.get(url) ?? none)
}

export interface Reading {
  readonly line: Line | null
  /** Number of spoken words of the line. */
  readonly said: number
}

const silent: Reading = { line: null, said: 0 }

/** The current caption line, timed by the date of the sound. */
export const useReading = (
  lines: ReadonlyArray<Line>,
  heard: Heard | null,
  stream: Stream,
  skewMs: number
): Reading => {
  const [reading, setReading] = useState<Reading>(silent)
  useEffect(() => {
    const look = (): void => {
      const atMs = stream.findHeardMs(skewMs)
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
