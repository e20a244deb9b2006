import type { LoreCategory } from "../../../schema/lore/Lore.ts"
import { loreExcerptCharsMax, loreSummaryCharsMax, loreTitleCharsMax, panelLoreMax } from "./limits.ts"
import { displayText } from "../segments/Script.ts"

/** One speaker's words; a list is in order of speech. */
export interface Said {
  readonly speaker: string
  readonly text: string
}

/** A candidate for the station's lore. An operator or the agents decide on it. */
export interface Find {
  readonly category: LoreCategory
  readonly title: string
  readonly summary: string
  /** The sentence of its first mention. */
  readonly excerpt: string
}

interface Phrase {
  readonly words: ReadonlyArray<string>
  /** The phrase opens a sentence. The first word is capitalized anyway, so the start of a name is unknown. */
  readonly opens: boolean
  readonly speaker: string
  readonly sentence: string
}

const joining = new Set(["of", "the", "de", "la", "le", "du", "von", "van", "der"])
const phraseWordsMax = 6

const isLarge = (word: string) => /^\p{Lu}/u.test(word)
const isShouted = (word: string) => word.length > 1 && word === word.toUpperCase() && /\p{Lu}/u.test(word)
const keyOf = (words: ReadonlyArray<string>) => words.join(" ").toLowerCase()
const stripWord = (word: string) => word.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, "").replace(/['’]s$/u, "")

/** "I'm" and "I" are capitalized everywhere. */
const isPronoun = (word: string) => /^I(['’]\p{L}+)?$/u.test(word)

const sentencesOf = (text: string): ReadonlyArray<string> =>
  displayText(text)
    .split(/(?<=[.!?…][”"’)]*)\s+|\n+/u)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== "")

/** Runs of capitalized words with the lower-case words that join names. Commas, dashes, colons and quotes end a run. */
const phrasesOf = (speaker: string, sentence: string): ReadonlyArray<Phrase> => {
  const found: Array<Phrase> = []
  let run: Array<string> = []
  let opens = true
  let atStart = true
  const close = () => {
    while (run.length > 0 && joining.has(run.at(-1)!)) run.pop()
    if (run.length > 0) found.push({ words: run, opens, speaker, sentence })
    run = []
  }
  for (const raw of sentence.split(/\s+/u)) {
    const breaksBefore = /^[“"‘(–—-]/u.test(raw)
    if (breaksBefore) {
      close()
      atStart = true
    }
    const word = stripWord(raw)
    const large = isLarge(word) && !isPronoun(word)
    if (large) {
      if (run.length === 0) opens = atStart
      run.push(word)
    } else if (run.length > 0 && joining.has(word)) run.push(word)
    else close()
    if (word !== "") atStart = false
    if (/[,;:)”"’–—]$/u.test(raw) || /['’]s[^\p{L}]*$/u.test(raw)) close()
    if (/[:–—]$/u.test(raw)) atStart = true
  }
  close()
  return found.filter(({ words }) => words.length <= phraseWordsMax && !words.every(isShouted))
}

const clipText = (text: string, charsMax: number) =>
  Array.from(text).length <= charsMax
    ? text
    : `${Array.from(text)
        .slice(0, charsMax - 1)
        .join("")
        .trimEnd()}…`

/** Two capitalized words are a name; one may be a month, a town or emphasis. */
const isName = (words: ReadonlyArray<string>) => words.filter((word) => !joining.has(word)).length >= 2

const endsWith = (words: ReadonlyArray<string>, name: ReadonlyArray<string>) =>
  keyOf(words.slice(-name.length)) === keyOf(name)
const isContaining = (longer: string, shorter: string) => longer !== shorter && ` ${longer} `.includes(` ${shorter} `)

interface Bit {
  readonly key: string
  readonly name: string
  readonly speakers: ReadonlyArray<string>
  readonly times: number
  readonly sentence: string
  readonly first: number
}

/**
 * Names of things that recur in a conversation: said by two speakers, or three times. Only a capitalized phrase inside a sentence introduces a name;
 * one that opens a sentence counts as a repeat. `known` are excluded names: speakers, show, station.
 */
export const findNamedBits = (said: ReadonlyArray<Said>, known: ReadonlyArray<string>): ReadonlyArray<Bit> => {
  const phrases = said.flatMap(({ speaker, text }) =>
    sentencesOf(text).flatMap((sentence) => phrasesOf(speaker, sentence))
  )
  const without = new Set(known.map((name) => name.toLowerCase().trim()))
  const names = new Map(
    phrases.filter(({ opens, words }) => !opens && isName(words)).map(({ words }) => [keyOf(words), words])
  )
  const bits = Array.from(names, ([key, words], first): Bit => {
    const where = phrases.filter(
      (phrase) => keyOf(phrase.words) === key || (phrase.opens && endsWith(phrase.words, words))
    )
    return {
      key,
      name: words.join(" "),
      speakers: [...new Set(where.map(({ speaker }) => speaker))],
      times: where.length,
      sentence: where[0]!.sentence,
      first
    }
  }).filter(
    ({ key, speakers, times }) =>
      (speakers.length >= 2 || times >= 3) && !without.has(key) && ![...without].some((name) => isContaining(name, key))
  )
  return bits
    .filter((bit) => !bits.some((other) => isContaining(other.key, bit.key) && other.times >= bit.times))
    .toSorted((a, b) => b.speakers.length - a.speakers.length || b.times - a.times || a.first - b.first)
}

const joinNames = (names: ReadonlyArray<string>) =>
  names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`

/** Lore candidates of a panel: that it was held, and the names that recurred in it. */
export const harvestPanel = (panel: {
  readonly title: string
  readonly topic: string
  readonly showTitle: string
  readonly stationName: string
  readonly said: ReadonlyArray<Said>
}): ReadonlyArray<Find> => {
  const { said, showTitle, stationName, title, topic } = panel
  const speakers = [...new Set(said.map(({ speaker }) => speaker))]
  if (speakers.length === 0) return []
  const about = topic === title ? "" : ` It was about ${/[.!?…]$/u.test(topic) ? topic : `${topic}.`}`
  const held: Find = {
    category: "moment",
    title: clipText(title, loreTitleCharsMax),
    summary: clipText(`A panel of ${showTitle} with ${joinNames(speakers)}.${about}`, loreSummaryCharsMax),
    excerpt: clipText(sentencesOf(said[0]!.text)[0] ?? "", loreExcerptCharsMax)
  }
  const bits = findNamedBits(said, [...speakers, title, showTitle, stationName]).slice(0, panelLoreMax - 1)
  return [
    held,
    ...bits.map(({ name, sentence, speakers, times }): Find => ({
      category: "recurring_bit",
      title: clipText(name, loreTitleCharsMax),
      summary: clipText(
        `${joinNames(speakers)} ${speakers.length > 1 ? "came" : `came ${times} times`} back to it in ${title}: “${sentence}”`,
        loreSummaryCharsMax
      ),
      excerpt: clipText(sentence, loreExcerptCharsMax)
    }))
  ]
}
