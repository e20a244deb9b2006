import { type AnnouncementKind, type Fact, type Sentence, slotsOf } from "../../../schema/air/Announcement.ts"
import { dayMs } from "../../../schema/time/Units.ts"
import { factKey, isOfClock } from "./Facts.ts"
import { phrasesOf } from "./Phrases.ts"

/** An announcement as it was heard. */
export interface HeardAnnouncement {
  readonly kind: AnnouncementKind
  readonly atMs: number
  readonly lengthMs: number
  readonly sentences: ReadonlyArray<Sentence>
}
export interface AnnouncementFigures {
  readonly announcements: number
  readonly sentences: number
  readonly distinctSentences: number
  readonly distinctPatterns: number
  readonly phrases: number
  /** Phrases of five words that were heard again within 24 hours. */
  readonly repeated: ReadonlyArray<{ readonly phrase: string; readonly atMs: number; readonly againMs: number }>
  /** Sentences that say what no approved fact says at that instant. */
  readonly ungrounded: ReadonlyArray<{ readonly text: string; readonly atMs: number; readonly why: string }>
  /** The most often one pattern was heard within any 24 hours, and the most often one whole sentence. */
  readonly patternTimesMax: number
  readonly sentenceTimesMax: number
  readonly minutesPerWeek: Readonly<Partial<Record<AnnouncementKind, number>>>
  readonly minutesPerWeekMax: number
}

/** Most occurrences of one key within 24 hours; the instants rise. */
const mostInADay = (times: ReadonlyMap<string, ReadonlyArray<number>>): number => {
  let most = 0
  for (const instants of times.values()) {
    for (let from = 0, to = 0; to < instants.length; to++) {
      while (instants[to]! - instants[from]! >= dayMs) from++
      most = Math.max(most, to - from + 1)
    }
  }
  return most
}

/**
 * Checks what was heard, by other means than those that chose it. `approved` answers what is known of a fact at an instant: null if it was withdrawn. `isTime`
 * answers whether a clock's fact is right at an instant. `patterns` is the station's whole grammar.
 */
export const auditOf = (
  heard: ReadonlyArray<HeardAnnouncement>,
  {
    approved,
    clockAt,
    patterns
  }: {
    readonly approved: (key: string, atMs: number) => Fact | null
    /** The fact of the clock in the minute of an instant. */
    readonly clockAt: (atMs: number) => Fact
    readonly patterns: ReadonlySet<string>
  }
): AnnouncementFigures => {
  const lastHeard = new Map<string, number>()
  const repeated: Array<AnnouncementFigures["repeated"][number]> = []
  const ungrounded: Array<AnnouncementFigures["ungrounded"][number]> = []
  const texts = new Map<string, Array<number>>()
  const used = new Map<string, Array<number>>()
  const spoken: Partial<Record<AnnouncementKind, number>> = {}
  let phrases = 0
  let sentences = 0
  const note = (times: Map<string, Array<number>>, key: string, atMs: number) => {
    const known = times.get(key)
    if (known === undefined) times.set(key, [atMs])
    else known.push(atMs)
  }
  const whyUngrounded = ({ fact, pattern, text }: Sentence, atMs: number, endMs: number): string | null => {
    if (!patterns.has(pattern)) return "its pattern isn't in the grammar"
    const slots = slotsOf(pattern)
    if (slots.length === 0) return "it states no fact"
    const known = isOfClock(fact) ? [clockAt(atMs), clockAt(endMs)] : [approved(factKey(fact), atMs)]
    for (const now of known) {
      if (now === null) return `${factKey(fact)} is not approved`
      if (factKey(now) !== factKey(fact)) return `it is ${factKey(now)}`
      for (const slot of slots) {
        const value = now.values[slot]
        if (value === undefined || fact.values[slot]?.text !== value.text) return `${factKey(fact)} doesn't say ${slot}`
        if (!text.toLowerCase().includes(value.text.toLowerCase())) return `its text leaves out ${slot}`
      }
    }
    return null
  }
  for (const one of heard) {
    spoken[one.kind] = (spoken[one.kind] ?? 0) + one.lengthMs
    for (const phrase of phrasesOf(one.sentences)) {
      phrases++
      const before = lastHeard.get(phrase)
      if (before !== undefined && one.atMs - before < dayMs) repeated.push({ phrase, atMs: before, againMs: one.atMs })
      lastHeard.set(phrase, one.atMs)
    }
    for (const sentence of one.sentences) {
      sentences++
      note(texts, sentence.text, one.atMs)
      note(used, sentence.pattern, one.atMs)
      const why = whyUngrounded(sentence, one.atMs, one.atMs + one.lengthMs)
      if (why !== null) ungrounded.push({ text: sentence.text, atMs: one.atMs, why })
    }
  }
  const weeks = Math.max(1, ((heard.at(-1)?.atMs ?? 0) - (heard[0]?.atMs ?? 0)) / (7 * dayMs))
  // The fullest seven days.
  let fullest = 0
  for (let from = 0, to = 0, sum = 0; to < heard.length; to++) {
    sum += heard[to]!.lengthMs
    while (heard[to]!.atMs - heard[from]!.atMs >= 7 * dayMs) sum -= heard[from++]!.lengthMs
    fullest = Math.max(fullest, sum)
  }
  return {
    announcements: heard.length,
    sentences,
    distinctSentences: texts.size,
    distinctPatterns: used.size,
    phrases,
    repeated,
    ungrounded,
    patternTimesMax: mostInADay(used),
    sentenceTimesMax: mostInADay(texts),
    minutesPerWeek: Object.fromEntries(
      Object.entries(spoken).map(([kind, ms]) => [kind, Math.round((ms / 60_000 / weeks) * 10) / 10])
    ),
    minutesPerWeekMax: Math.round((fullest / 60_000) * 10) / 10
  }
}
