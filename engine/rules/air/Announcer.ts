import { type AnnouncementKind, type Fact, Sentence, slotsOf, textOf } from "../../../schema/air/Announcement.ts"
import type { ItemId } from "../../../schema/Ids.ts"
import { type Grammar, grammar as wholeGrammar } from "./AnnouncementGrammar.ts"
import { clockFact, factKey, instantIn, localDay } from "./Facts.ts"
import { phrasesOf } from "./Phrases.ts"
import { draw } from "./Rotation.ts"
import {
  announcementMinutesPerWeek,
  announcementValidMs,
  dailySummaryHour,
  listenerDelayMs,
  phraseRestMs,
  programmePreviewEveryMs,
  programmePreviewMaxMs,
  programmePreviewMinMs,
  stationNewsEveryMs,
  stationNewsFacts,
  timeCheckEveryMs,
  timeCheckTalkMs
} from "./limits.ts"

/** A boundary after music where an announcement is due and none is planned. */
export interface Break {
  readonly atMs: number
  /** The last song before it, and the item after it. */
  readonly afterItemId: ItemId
  readonly beforeItemId: ItemId | null
}
/** The facts that may be stated at a break. Every list is bounded by its reader. */
export interface BreakFacts {
  readonly played: Fact | null
  /** The song before that one; null unless it aired completely. */
  readonly playedBefore: Fact | null
  readonly next: Fact | null
  readonly requests: ReadonlyArray<Fact>
  /** Approved messages of listeners who agreed to be named, oldest first. */
  readonly messages: ReadonlyArray<Fact>
  readonly programmes: ReadonlyArray<Fact>
  /** Newest first. */
  readonly news: ReadonlyArray<Fact>
  readonly day: Fact | null
}
/** An earlier announcement that aired or still may. */
export interface Said {
  readonly kind: AnnouncementKind
  readonly atMs: number
  readonly sentences: ReadonlyArray<Sentence>
}
export interface AnnouncementAsk {
  readonly break: Break
  readonly facts: BreakFacts
  /** Of the last `phraseRestMs`. */
  readonly said: ReadonlyArray<Said>
  readonly spokenMs: Readonly<Partial<Record<AnnouncementKind, number>>>
  readonly on: ReadonlySet<AnnouncementKind>
  readonly zone: string
  readonly seed: number
  /** For tests of the audit. */
  readonly grammar?: Grammar
}
/** An announcement before it has a sound. */
export interface AnnouncementDraft {
  readonly kind: AnnouncementKind
  readonly title: string
  readonly sentences: ReadonlyArray<Sentence>
  readonly afterItemId: ItemId | null
  readonly beforeItemId: ItemId | null
  readonly validFromMs: number
  /** Latest start of a time check: it must end within its minute, also for listeners who hear it later. Set again when its length is known. */
  readonly validUntilMs: number
}

/** What listeners read while an announcement is heard. */
const titles: Readonly<Record<AnnouncementKind, string>> = {
  time_check: "Time check",
  preview: "Coming up",
  back_announcement: "Just played",
  shout_out: "For a listener",
  daily_summary: "The day so far",
  station_news: "Station news"
}

/** Latest start of a time check of this length. */
export const timeCheckUntilMs = (minuteMs: number, lengthMs: number): number =>
  minuteMs + 60_000 - listenerDelayMs - lengthMs

/** What has been said, for the choice of the next words. */
const memoryOf = (said: ReadonlyArray<Said>, atMs: number) => {
  const patterns = new Map<string, number>()
  const phrases = new Set<string>()
  const facts = new Map<string, number>()
  const kinds = new Map<AnnouncementKind, number>()
  for (const one of said) {
    kinds.set(one.kind, Math.max(kinds.get(one.kind) ?? Number.NEGATIVE_INFINITY, one.atMs))
    for (const { fact, pattern } of one.sentences) {
      patterns.set(pattern, Math.max(patterns.get(pattern) ?? Number.NEGATIVE_INFINITY, one.atMs))
      facts.set(factKey(fact), (facts.get(factKey(fact)) ?? 0) + 1)
    }
    if (atMs - one.atMs < phraseRestMs) for (const phrase of phrasesOf(one.sentences)) phrases.add(phrase)
  }
  return {
    patterns,
    phrases,
    facts,
    sinceMs: (kind: AnnouncementKind) => atMs - (kinds.get(kind) ?? Number.NEGATIVE_INFINITY)
  }
}

/**
 * What the station says at a break; null if nothing is due. The rarest kind that is due comes first. Each sentence takes the pattern that was said
 * longest ago and brings back no phrase of the last day.
 */
export const announce = (ask: AnnouncementAsk): AnnouncementDraft | null => {
  const { facts, on, seed, zone } = ask
  const { afterItemId, atMs, beforeItemId } = ask.break
  const grammar = ask.grammar ?? wholeGrammar
  const memory = memoryOf(ask.said, atMs)
  const mayStill = (kind: AnnouncementKind): boolean =>
    on.has(kind) && (ask.spokenMs[kind] ?? 0) < announcementMinutesPerWeek[kind] * 60_000

  /** The sentences with one more about this fact; null if every fitting pattern would bring a phrase back. */
  const withOne = (
    sentences: ReadonlyArray<Sentence>,
    patterns: ReadonlyArray<string>,
    fact: Fact
  ): ReadonlyArray<Sentence> | null => {
    const fitting = patterns
      .filter((pattern) => slotsOf(pattern).every((slot) => fact.values[slot] !== undefined))
      .map((pattern) => ({
        pattern,
        lastMs: memory.patterns.get(pattern) ?? Number.NEGATIVE_INFINITY,
        chance: draw(seed, Math.floor(atMs / 1_000), pattern)
      }))
      .sort((a, b) => (a.lastMs === b.lastMs ? a.chance - b.chance : a.lastMs - b.lastMs))
    for (const { pattern } of fitting) {
      if (sentences.some((other) => other.pattern === pattern)) continue
      const all = [...sentences, new Sentence({ pattern, fact })]
      if (![...phrasesOf(all)].some((phrase) => memory.phrases.has(phrase))) return all
    }
    return null
  }
  const also = (sentences: ReadonlyArray<Sentence>, patterns: ReadonlyArray<string>, fact: Fact | null) =>
    fact === null ? sentences : (withOne(sentences, patterns, fact) ?? sentences)
  const chance = (what: string, of: number): boolean => draw(seed, Math.floor(atMs / 1_000), what) % of === 0

  const drafts: { readonly [Kind in AnnouncementKind]: () => Omit<AnnouncementDraft, "kind" | "title"> | null } = {
    daily_summary: () => {
      const { hour } = localDay(zone, atMs)
      const { day } = facts
      if (day === null || hour < dailySummaryHour || hour > dailySummaryHour + 2 || memory.facts.has(factKey(day)))
        return null
      const begun = withOne([], grammar.daySongs, day)
      return begun === null ? null : freely(also(also(begun, grammar.dayTalks, day), grammar.dayRequests, day))
    },
    station_news: () => {
      if (memory.sinceMs("station_news") < stationNewsEveryMs) return null
      const fresh = facts.news.filter((fact) => !memory.facts.has(factKey(fact))).slice(0, stationNewsFacts)
      const sentences = fresh.reduce(
        (before, fact) => also(before, grammar[fact.kind as "lore" | "council" | "highlight"] ?? [], fact),
        [] as ReadonlyArray<Sentence>
      )
      return sentences.length === 0 ? null : freely(sentences)
    },
    shout_out: () => {
      const isNew = (fact: Fact): boolean => !memory.facts.has(factKey(fact))
      const request = facts.requests.find(isNew)
      const begun = facts.played === null || request === undefined ? null : withOne([], grammar.played, facts.played)
      const asked = begun === null ? null : withOne(begun, grammar.request, request!)
      if (asked !== null) return here(asked, { after: true })
      const message = facts.messages.find(isNew)
      const thanked = message === undefined ? null : withOne([], grammar.message, message)
      return thanked === null ? null : freely(thanked)
    },
    time_check: () => {
      const { minute } = localDay(zone, atMs)
      const minuteMs = Math.floor(atMs / 60_000) * 60_000
      // Around the full hour the hour call says it.
      if (memory.sinceMs("time_check") < timeCheckEveryMs || minute < 8 || minute > 54) return null
      const validUntilMs = timeCheckUntilMs(minuteMs, timeCheckTalkMs)
      if (atMs > validUntilMs) return null
      const sentences = withOne([], grammar.timeCheck, clockFact(zone, minuteMs))
      return sentences === null
        ? null
        : { sentences, afterItemId: null, beforeItemId: null, validFromMs: minuteMs, validUntilMs }
    },
    back_announcement: () => {
      if (facts.played === null) return null
      const begun = withOne([], grammar.played, facts.played)
      if (begun === null) return null
      const more =
        facts.playedBefore !== null && chance("earlier", 2)
          ? also(begun, grammar.playedBefore, facts.playedBefore)
          : chance("detail", 2)
            ? also(begun, grammar.playedDetail, facts.played)
            : begun
      return here(more, { after: true })
    },
    preview: () => {
      const programme = facts.programmes.find((fact) => {
        const beginsMs = instantIn(fact.id)
        return (
          beginsMs !== null &&
          beginsMs - atMs >= programmePreviewMinMs &&
          beginsMs - atMs <= programmePreviewMaxMs &&
          !ask.said.some(
            (one) =>
              atMs - one.atMs < programmePreviewEveryMs && one.sentences.some((s) => factKey(s.fact) === factKey(fact))
          )
        )
      })
      const told = programme === undefined ? null : withOne([], grammar.programme, programme)
      if (told !== null)
        return {
          ...freely(told),
          validUntilMs: Math.min(atMs + announcementValidMs, instantIn(programme!.id)! - programmePreviewMinMs / 2)
        }
      if (facts.next === null || beforeItemId === null) return null
      const sentences = withOne([], grammar.next, facts.next)
      return sentences === null ? null : here(sentences, { before: true })
    }
  }
  const freely = (sentences: ReadonlyArray<Sentence>) => ({
    sentences,
    afterItemId: null,
    beforeItemId: null,
    validFromMs: atMs - announcementValidMs,
    validUntilMs: atMs + announcementValidMs
  })
  const here = (sentences: ReadonlyArray<Sentence>, { after = false, before = false }) => ({
    ...freely(sentences),
    afterItemId: after ? afterItemId : null,
    beforeItemId: before ? beforeItemId : null
  })

  const between = (["back_announcement", "preview"] as const).toSorted((a, b) => memory.sinceMs(b) - memory.sinceMs(a))
  for (const kind of ["daily_summary", "station_news", "shout_out", "time_check", ...between] as const) {
    if (!mayStill(kind)) continue
    const draft = drafts[kind]()
    if (draft !== null) return { kind, title: titles[kind], ...draft }
  }
  return null
}
/** Its length in ms as it is estimated without a sound: 150 words a minute. */
export const estimatedMs = (sentences: ReadonlyArray<Sentence>): number =>
  600 + textOf(sentences).split(/\s+/).length * 400
