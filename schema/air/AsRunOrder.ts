interface Stretch {
  readonly firstSample: number
  readonly lastSample: number
}

/**
 * Stretches in the order of the log: that of their ends, and of their beginnings where they end together. One that ends while another
 * goes on that began before it says since when: the samples before it are that one's, whose row follows.
 */
export const byEnd = <A extends Stretch>(
  stretches: ReadonlyArray<A>
): ReadonlyArray<A & { readonly stillSoundingFromSample?: number }> => {
  const ordered = stretches.toSorted((a, b) => a.lastSample - b.lastSample || a.firstSample - b.firstSample)
  return ordered.map((each, i) => {
    const since = Math.min(...ordered.slice(i + 1).map(({ firstSample }) => firstSample))
    return since < each.firstSample ? { ...each, stillSoundingFromSample: since } : each
  })
}
