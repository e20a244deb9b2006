/** How a claim differs from a canonical entry: by a figure, by a denial, or altogether. */
export type Difference = "number" | "negation" | "claim"

interface Claim {
  readonly title: string
  readonly text: string
}

const idle = new Set(
  "a an the of in on at to for from by with and or but as is was are were be been being it its this that these those there then than so he she they we you i his her their our your had has have do does did will would can could who which what when where while about into over under again ever also just".split(
    " "
  )
)
const denials = new Set("not no never none nobody nothing neither nor without cannot".split(" "))
const figures = new Map(
  "zero one two three four five six seven eight nine ten eleven twelve".split(" ").map((word, n) => [word, String(n)])
)

/** Words that share a stem count as the same word. */
const stem = (word: string): string =>
  word.length <= 4 ? word.replace(/s$/u, "") : word.replace(/(?:ings?|edly|ed|es|s|ly)$/u, "")

const wordsOf = (text: string): ReadonlyArray<string> =>
  (
    text
      .normalize("NFKD")
      .replace(/\p{M}+/gu, "")
      .toLowerCase()
      .replace(/n['’]t\b/gu, " not")
      .replace(/['’]s\b/gu, "")
      // 1,987 and 19:30 are one figure each.
      .match(/\d+(?:[.,:]\d+)*|\p{L}+/gu) ?? []
  ).map((word) => figures.get(word) ?? (/^\d/u.test(word) ? word.replaceAll(",", "") : word))

/** The words that name a subject, in any order. */
export const subjectOf = (title: string): string =>
  [
    ...new Set(
      wordsOf(title)
        .filter((word) => !idle.has(word))
        .map(stem)
    )
  ]
    .toSorted()
    .join(" ")

interface Sentence {
  readonly content: ReadonlySet<string>
  readonly numbers: ReadonlySet<string>
  readonly isDenied: boolean
}

const sentencesOf = ({ text, title }: Claim): ReadonlyArray<Sentence> => {
  const subject = new Set(wordsOf(title).map(stem))
  return text
    .split(/(?<=[.!?…])["”’)]*\s+|\n+/u)
    .map((sentence) => {
      const words = wordsOf(sentence)
      return {
        content: new Set(
          words
            .filter((word) => !idle.has(word) && !denials.has(word) && !/^\d/u.test(word))
            .map(stem)
            .filter((word) => !subject.has(word))
        ),
        numbers: new Set(words.filter((word) => /^\d/u.test(word))),
        isDenied: words.filter((word) => denials.has(word)).length % 2 === 1
      }
    })
    .filter(({ content, numbers }) => content.size + numbers.size > 0)
}

/** Part of the smaller set that is in both. */
const overlap = (a: ReadonlySet<string>, b: ReadonlySet<string>): number =>
  a.size === 0 || b.size === 0 ? 0 : [...a].filter((word) => b.has(word)).length / Math.min(a.size, b.size)
const isWithin = (a: ReadonlySet<string>, b: ReadonlySet<string>) => [...a].every((one) => b.has(one))
const collectWords = (all: ReadonlyArray<Sentence>, of: "content" | "numbers") =>
  new Set(all.flatMap((one) => [...one[of]]))

/** Two sentences about the same thing with other figures, or one that denies the other. */
const conflict = (a: Sentence, b: Sentence): Difference | null => {
  const same = overlap(a.content, b.content)
  if (same >= 0.5 && a.isDenied !== b.isDenied) return "negation"
  return same >= 1 / 3 &&
    a.numbers.size > 0 &&
    b.numbers.size > 0 &&
    !isWithin(a.numbers, b.numbers) &&
    !isWithin(b.numbers, a.numbers)
    ? "number"
    : null
}

/** A sentence that conflicts with a canonical text about the same subject; null if none does. */
export const conflictOf = (canon: Claim, said: Claim): Difference | null => {
  const [known, claimed] = [sentencesOf(canon), sentencesOf({ ...said, title: `${said.title} ${canon.title}` })]
  for (const a of known)
    for (const b of claimed) {
      const found = conflict(a, b)
      if (found !== null) return found
    }
  return null
}

/** How a claim about the same subject differs from the canonical one; null if it says the same. */
export const differenceOf = (canon: Claim, claim: Claim): Difference | null => {
  const found = conflictOf(canon, claim)
  if (found !== null) return found
  const [a, b] = [sentencesOf(canon), sentencesOf(claim)]
  return overlap(collectWords(a, "content"), collectWords(b, "content")) < 1 / 3 ? "claim" : null
}
