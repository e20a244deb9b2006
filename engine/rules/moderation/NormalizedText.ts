/** A text for matching: lower case, one alphabet, without invisible characters. `at` maps back to the original. */
export interface NormalizedText {
  readonly original: string
  readonly folded: string
  /** Index in `original` of each UTF-16 unit of `folded`, and its end as the last entry. */
  readonly at: ReadonlyArray<number>
}

/** Letters of other alphabets that look like Latin letters. */
const lookalikes = new Map<string, string>(
  Object.entries({
    а: "a",
    ɑ: "a",
    α: "a",
    в: "b",
    с: "c",
    ϲ: "c",
    ԁ: "d",
    е: "e",
    ё: "e",
    ε: "e",
    ɡ: "g",
    һ: "h",
    н: "h",
    і: "i",
    ι: "i",
    ı: "i",
    ї: "i",
    ј: "j",
    к: "k",
    κ: "k",
    ӏ: "l",
    м: "m",
    п: "n",
    ո: "n",
    о: "o",
    ο: "o",
    օ: "o",
    р: "p",
    ρ: "p",
    ѕ: "s",
    т: "t",
    τ: "t",
    υ: "u",
    ս: "u",
    ν: "v",
    ѵ: "v",
    ԝ: "w",
    ѡ: "w",
    х: "x",
    χ: "x",
    у: "y",
    γ: "y",
    "’": "'",
    "‘": "'",
    "“": '"',
    "”": '"',
    "–": "-",
    "—": "-",
    "‐": "-"
  })
)

/** Characters that are never part of a word: zero width, direction, format and tag characters. */
export const invisible = /\p{Default_Ignorable_Code_Point}/u
const combining = /\p{Mn}/gu

/** Folds one code point at a time, so that every index maps back to the original. */
export const normalizeText = (original: string): NormalizedText => {
  let folded = ""
  const at: Array<number> = []
  let index = 0
  for (const point of original) {
    // ASCII has no accents, lookalikes or invisible characters, and most texts are ASCII.
    if (point < "\x80") {
      at.push(index)
      folded += point.toLowerCase()
    } else if (!invisible.test(point)) {
      const plain = point.normalize("NFKD").replace(combining, "").toLowerCase()
      for (const unit of plain) {
        const letter = lookalikes.get(unit) ?? unit
        for (let i = 0; i < letter.length; i++) at.push(index)
        folded += letter
      }
    }
    index += point.length
  }
  at.push(index)
  return { original, folded, at }
}

/** A place in the original text. */
export interface Span {
  readonly start: number
  readonly end: number
}

export const spanOf = (reading: NormalizedText, start: number, end: number): Span => ({
  start: reading.at[start]!,
  end: reading.at[Math.min(end, reading.at.length - 1)]!
})

/**
 * Every match of a pattern with the `g` flag, with positions in the original; at most `max`, which bounds the work on a flood. `matchAll` would copy
 * each of the hundred patterns for each text.
 */
export const findMatches = (
  reading: NormalizedText,
  pattern: RegExp,
  max: number
): ReadonlyArray<Span & { readonly text: string }> => {
  const { folded } = reading
  const found: Array<Span & { readonly text: string }> = []
  if (folded === "") return found
  pattern.lastIndex = 0
  for (let match = pattern.exec(folded); match !== null && found.length < max; match = pattern.exec(folded)) {
    found.push({ ...spanOf(reading, match.index, match.index + match[0].length), text: match[0] })
    if (match[0] === "") pattern.lastIndex++
  }
  pattern.lastIndex = 0
  return found
}

/** The original text, for patterns that depend on case or alphabet. */
export const verbatim = ({ original }: NormalizedText): NormalizedText => ({
  original,
  folded: original,
  at: Array.from({ length: original.length + 1 }, (_, i) => i)
})

const digits: Readonly<Record<string, string>> = { 0: "o", 1: "i", 3: "e", 4: "a", 5: "s", 7: "t", "@": "a", $: "s" }

/** Digits replaced by the letters they stand for, in words that mix both. */
export const replaceDigits = (reading: NormalizedText): NormalizedText => ({
  ...reading,
  folded: reading.folded.replace(/[013457@$]/gu, (sign) => digits[sign]!)
})

/** Hyphens and underscores between words replaced by spaces, as in handles and slugs. Empty if there are none. */
export const separateWords = (reading: NormalizedText): NormalizedText => {
  let folded = ""
  const at: Array<number> = []
  if (/[-_]/u.test(reading.folded)) {
    for (const { 0: run, index } of reading.folded.matchAll(/[-_]+|[^-_]+/gu)) {
      const plain = /[-_]/u.test(run) ? " " : run
      for (let i = 0; i < plain.length; i++) at.push(reading.at[index + i]!)
      folded += plain
    }
  }
  at.push(reading.original.length)
  return { original: reading.original, folded, at }
}

/** Words spelled out letter by letter, without the separators between letters; two spaces separate words. The rest of the text is left out. */
export const joinSpelledWords = (reading: NormalizedText): NormalizedText => {
  let folded = ""
  const at: Array<number> = []
  for (const { 0: run, index } of reading.folded.matchAll(
    /(?<![a-z0-9])(?:[a-z0-9](?: {1,3}|[.\-_*])){3,400}[a-z0-9](?![a-z0-9])/gu
  )) {
    for (const { 0: part, index: within } of run.matchAll(/[a-z0-9]| {2,3}/gu)) {
      folded += part[0]!
      at.push(reading.at[index + within]!)
    }
    folded += "\n"
    at.push(reading.at[index + run.length]!)
  }
  at.push(reading.original.length)
  return { original: reading.original, folded, at }
}
