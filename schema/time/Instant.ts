/** The instants written last: the forty quotas of an agent end at three or four different ones. */
const written = new Map<number, string>()
const writtenMax = 64

/** An instant in milliseconds as RFC 3339 writes it, in UTC: `2026-01-01T00:00:00.000Z`. */
export const iso = (ms: number): string => {
  const known = written.get(ms)
  if (known !== undefined) return known
  const text = new Date(ms).toISOString()
  if (written.size === writtenMax) written.clear()
  written.set(ms, text)
  return text
}

export const isoOrNull = (ms: number | null): string | null => (ms === null ? null : iso(ms))
