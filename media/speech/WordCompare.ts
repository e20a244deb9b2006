/** Letters and digits of a word, without case and accents. */
const stripWord = (word: string): string =>
  word
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, "")

/** Letters that have to change to make one word of the other. */
const editsOf = (one: string, other: string): number => {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (let i = 1; i <= one.length; i++) {
    const next = [i]
    for (let j = 1; j <= other.length; j++)
      next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (one[i - 1] === other[j - 1] ? 0 : 1)))
    row = next
  }
  return row[other.length]!
}

/** Whether a recogniser may have written one for the other: names and rare words come out misspelt, numbers in digits. */
const isAlike = (one: string, other: string): boolean =>
  one === other ||
  (/\d/.test(one) !== /\d/.test(other) && one.length > 0) ||
  editsOf(one, other) <= Math.max(one.length, other.length) * 0.5

/** Shortest word whose loss counts by itself; recognisers drop and add shorter ones. */
const clearChars = 4
/** Share of words that may differ in all. */
const differingMax = 0.25

/**
 * What a recognised text lacks of a script, or has besides; null if a recogniser's usual mistakes explain the difference. Words that it wrote
 * in two, or two in one, count as alike.
 */
export const wordsFault = (script: ReadonlyArray<string>, heard: string): string | null => {
  const wanted = script.flatMap((word) => word.split(/\s+/).map(stripWord)).filter((word) => word !== "")
  const found = heard
    .split(/\s+/)
    .map(stripWord)
    .filter((word) => word !== "")
  if (wanted.length === 0) return null
  const [n, m] = [wanted.length, found.length]
  const hasDigit = (word: string) => /\d/.test(word)
  /** Fewest edits up to each pair of a script word and a heard word, and the last edit: how many words it takes from each side. */
  const edits = Array.from({ length: n + 1 }, () =>
    Array.from({ length: m + 1 }, () => ({ cost: Infinity, i: 0, j: 0 }))
  )
  edits[0]![0] = { cost: 0, i: 0, j: 0 }
  const reach = (i: number, j: number, takenI: number, takenJ: number, price: number) => {
    if (i + takenI > n || j + takenJ > m) return
    const cost = edits[i]![j]!.cost + price
    if (cost < edits[i + takenI]![j + takenJ]!.cost) edits[i + takenI]![j + takenJ] = { cost, i: takenI, j: takenJ }
  }
  for (let i = 0; i <= n; i++)
    for (let j = 0; j <= m; j++) {
      const [one, other] = [wanted[i], found[j]]
      reach(i, j, 1, 0, 1)
      reach(i, j, 0, 1, 1)
      if (one === undefined || other === undefined) continue
      reach(i, j, 1, 1, one === other ? 0 : isAlike(one, other) ? 0.6 : 1.4)
      if (one + (wanted[i + 1] ?? "") === other) reach(i, j, 2, 1, 0.1)
      if (other + (found[j + 1] ?? "") === one) reach(i, j, 1, 2, 0.1)
      // A number is written in digits by one, and in up to five words by the other.
      for (let words = 2; words <= 5; words++) {
        if (hasDigit(one) && !found.slice(j, j + words).some(hasDigit)) reach(i, j, 1, words, 0.3 * words)
        if (hasDigit(other) && !wanted.slice(i, i + words).some(hasDigit)) reach(i, j, words, 1, 0.3 * words)
      }
    }
  const missing: Array<string> = []
  const added: Array<string> = []
  let others = 0
  let [run, longest] = [0, 0]
  for (let i = n, j = m; i > 0 || j > 0;) {
    const edit = edits[i]![j]!
    ;[i, j] = [i - edit.i, j - edit.j]
    if (edit.i === 0) added.unshift(found[j]!)
    else if (edit.j === 0) missing.unshift(wanted[i]!)
    else if (edit.i === 1 && edit.j === 1 && wanted[i] !== found[j] && !isAlike(wanted[i]!, found[j]!)) others++
    run = edit.i === 0 || edit.j === 0 ? run + 1 : 0
    longest = Math.max(longest, run)
  }
  const clear = (words: ReadonlyArray<string>) => words.filter((word) => word.length >= clearChars)
  const differing = (missing.length + added.length + others) / n
  if (clear(missing).length === 0 && clear(added).length === 0 && longest < 2 && differing <= differingMax) return null
  return [
    ...(missing.length > 0 ? [`it leaves out ${missing.join(" ").slice(0, 100)}`] : []),
    ...(added.length > 0 ? [`it adds ${added.join(" ").slice(0, 100)}`] : []),
    ...(others > 0 ? [`${others} of ${n} words are others`] : [])
  ].join("; ")
}
