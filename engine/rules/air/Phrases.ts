import { type Sentence, slotsOf } from "../../../schema/air/Announcement.ts"
import { phraseWords } from "./limits.ts"

/** Words as they are heard: "twenty-three" is two. */
const wordsOf = (text: string): ReadonlyArray<string> =>
  text
    .toLowerCase()
    .replace(/['’]/g, "")
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "")

/** The words of a sentence in order; null stands for a name or title. */
const heardWords = ({ fact, pattern }: Sentence): ReadonlyArray<string | null> => {
  const slots = slotsOf(pattern)
  return pattern.split(/\{\w+\}/).flatMap((fixed, i) => {
    const value = slots[i] === undefined ? undefined : fact.values[slots[i]]
    return [...wordsOf(fixed), ...(value === undefined ? [] : value.isName ? [null] : wordsOf(value.text))]
  })
}

const runsIn = (words: ReadonlyArray<string>): ReadonlyArray<string> =>
  words.slice(phraseWords - 1).map((_, i) => words.slice(i, i + phraseWords).join(" "))

/**
 * Every phrase of five words in an announcement. Names and titles don't count as words. They end a phrase, but within a sentence its words are also
 * taken together without them, because a listener recognizes "that was … by … on your radio" too.
 */
export const phrasesOf = (sentences: ReadonlyArray<Sentence>): ReadonlySet<string> => {
  const found = new Set<string>()
  let run: Array<string> = []
  for (const sentence of sentences) {
    const words = heardWords(sentence)
    for (const phrase of runsIn(words.filter((word) => word !== null))) found.add(phrase)
    for (const word of words) {
      if (word === null) {
        run = []
        continue
      }
      run = [...run.slice(1 - phraseWords), word]
      if (run.length === phraseWords) found.add(run.join(" "))
    }
  }
  return found
}
