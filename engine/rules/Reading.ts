/** A text as a reader takes it in: lower case, one alphabet, without what can't be seen; `at` leads back to the original. */
export interface Reading {
  readonly original: string
  readonly folded: string
  /** Index in `original` of each UTF-16 unit of `folded`, and its end as the last entry. */
  readonly at: ReadonlyArray<number>
}

/** Letters of other alphabets that look like Latin ones. */
const lookalikes = new Map<string, string>(Object.entries({
  а: "a", ɑ: "a", α: "a", в: "b", с: "c", ϲ: "c", ԁ: "d", е: "e", ё: "e", ε: "e", ɡ: "g", һ: "h", н: "h", і: "i", ι: "i", ı: "i", ї: "i",
  ј: "j", к: "k", κ: "k", ӏ: "l", м: "m", п: "n", ո: "n", о: "o", ο: "o", օ: "o", р: "p", ρ: "p", ѕ: "s", т: "t", τ: "t", υ: "u", ս: "u",
  ν: "v", ѵ: "v", ԝ: "w", ѡ: "w", х: "x", χ: "x", у: "y", γ: "y", "’": "'", "‘": "'", "“": "\"", "”": "\"", "–": "-", "—": "-", "‐": "-"
}))

/** Takes part in no word: zero width, direction, format and tag characters. */
export const invisible = /\p{Default_Ignorable_Code_Point}/u
const combining = /\p{Mn}/gu

/** Folds one code point at a time, so that every place keeps its address. */
export const read = (original: string): Reading => {
  let folded = ""
  const at: Array<number> = []
  let index = 0
  for (const point of original) {
    if (!invisible.test(point)) {
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

export const spanOf = (reading: Reading, start: number, end: number): Span => ({
  start: reading.at[start]!,
  end: reading.at[Math.min(end, reading.at.length - 1)]!
})

/** Every match of a pattern with the `g` flag, in the original's coordinates; at most `max`, so a flood is read once. */
export const matches = (reading: Reading, pattern: RegExp, max: number): ReadonlyArray<Span & { readonly text: string }> => {
  const found: Array<Span & { readonly text: string }> = []
  for (const match of reading.folded.matchAll(pattern)) {
    found.push({ ...spanOf(reading, match.index, match.index + match[0].length), text: match[0] })
    if (found.length === max) break
  }
  return found
}
