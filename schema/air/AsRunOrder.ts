interface Stretch {
  readonly firstSample: number
  readonly lastSample: number
}

/**
 * Compares spans in log order: by end, then by start. A span that ends while an older one continues names that one's
 * start, because the samples before it belong to that one, whose row follows.
 */
export const sortByEnd = <A extends Stretch>(
  stretches: ReadonlyArray<A>
): ReadonlyArray<A & { readonly stillSoundingFromSample?: number }> => {
  const ordered = stretches.toSorted((a, b) => a.lastSample - b.lastSample || a.firstSample - b.firstSample)
  return ordered.map((each, i) => {
    const since = Math.min(...ordered.slice(i + 1).map(({ firstSample }) => firstSample))
    return since < each.firstSample ? { ...each, stillSoundingFromSample: since } : each
  })
}
