/** An instant in milliseconds as RFC 3339 writes it, in UTC: `2026-01-01T00:00:00.000Z`. */
export const iso = (ms: number): string => new Date(ms).toISOString()

export const isoOrNull = (ms: number | null): string | null => (ms === null ? null : iso(ms))
