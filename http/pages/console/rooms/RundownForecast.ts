import type { Line, Rundown } from "../desk/AirState.ts"

/** The same order in other times: each item begins when the one before it ends. Held items have no place. */
const retime = (now: Rundown, lines: ReadonlyArray<Line>): Rundown => {
  let atMs = now.items.find(({ held }) => !held)?.expectedAtMs ?? Date.now()
  return {
    ...now,
    items: lines.map((line) => {
      if (line.held) return line
      const placed = { ...line, expectedAtMs: atMs }
      atMs += line.durationMs
      return placed
    })
  }
}

/** The rundown with one item before another. */
export const withMoved = (now: Rundown, id: string, before: string): Rundown => {
  const moved = now.items.find((line) => line.id === id)
  if (moved === undefined) return now
  return retime(
    now,
    now.items.flatMap((line) => (line.id === before ? [moved, line] : line.id === id ? [] : [line]))
  )
}

/** The rundown without an item. */
export const without = (now: Rundown, id: string): Rundown =>
  retime(
    now,
    now.items.filter((line) => line.id !== id)
  )

/** The rundown with a new item before another. */
export const withInserted = (now: Rundown, title: string, durationMs: number, before: string): Rundown => {
  const next = now.items.find((line) => line.id === before)
  if (next === undefined) return now
  const line = { ...next, id: `new ${title}` as Line["id"], title, durationMs }
  return retime(
    now,
    now.items.flatMap((one) => (one.id === before ? [line, one] : [one]))
  )
}
