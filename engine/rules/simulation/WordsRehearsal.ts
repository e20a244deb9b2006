import type { AnnouncementKind, Fact } from "../../../schema/air/Announcement.ts"
import { AnnouncementKind as Kinds } from "../../../schema/air/Announcement.ts"
import { makeId } from "../../../schema/Ids.ts"
import { dayMs, hourMs } from "../../../schema/time/Units.ts"
import { auditOf, type AnnouncementFigures, type HeardAnnouncement } from "../air/AnnouncementAudit.ts"
import { type Grammar, grammar as wholeGrammar } from "../air/AnnouncementGrammar.ts"
import { announce, estimatedMs, type Said, timeCheckUntilMs } from "../air/Announcer.ts"
import {
  clockFact,
  councilFact,
  dayFact,
  factKey,
  highlightFact,
  isOfClock,
  isUnchanged,
  localDay,
  loreFact,
  messageFact,
  programmeFact,
  requestFact,
  trackFact
} from "../air/Facts.ts"
import { announcementLeadMs, dailySummaryHour, musicBetweenFillers, phraseRestMs } from "../air/limits.ts"
import { draw } from "../air/Rotation.ts"
import { instantOf, wallOf } from "../time/WeekSchedule.ts"

export interface WordsStage {
  readonly days: number
  readonly seed: number
  readonly zone: string
  readonly fromMs: number
  /** To prove that the audit finds faults: the announcer remembers nothing, nothing is checked again before it airs, other patterns. */
  readonly broken?: { readonly forgets?: boolean; readonly unchecked?: boolean; readonly grammar?: Grammar }
}
export interface WordsReport extends AnnouncementFigures {
  readonly heard: ReadonlyArray<HeardAnnouncement>
  /** Drafts that didn't air, by reason. */
  readonly dropped: Readonly<Record<string, number>>
}

/** What a fact said from one instant on; null once it is withdrawn. */
type Ledger = Map<string, Array<{ readonly fromMs: number; readonly fact: Fact | null }>>

const things = [
  "Harbour",
  "Lantern",
  "Copper",
  "Winter",
  "Paper",
  "Signal",
  "Meadow",
  "Static",
  "Cedar",
  "Tunnel",
  "Glass",
  "Salt"
]
const acts = [
  "Light",
  "Road",
  "Letters",
  "Engine",
  "Morning",
  "Parade",
  "Garden",
  "Frequency",
  "Bridge",
  "Weather",
  "Letters Home"
]
const bands = [
  "Kitchen Radio",
  "Night Ferry",
  "The Copper Trio",
  "Slow Harbour",
  "Lamplight",
  "Hollow Oak",
  "Relay 9",
  "Paper Tigers"
]
const genres = ["lofi", "synthwave", "jazz", "ambient", "house", "folk", "techno", "funk", "drum_and_bass", "soul"]
const people = ["Noor", "Ilse", "Tomás", "Wren", "Bao", "Marguerite", "Kofi", "June"]
const messageTypes = ["write_in", "dedication", "call_in"] as const
const categories = ["milestone", "rivalry", "recurring_bit", "joke", "moment", "fact"] as const
const advices = ["recognized", "deferred", "rejected", "needs_air"] as const

/**
 * Days of the station's own words without sound: songs, requests, messages, lore, council and highlights drawn from a seed, facts that are corrected or withdrawn
 * while an announcement waits, songs that are skipped, breaks that come late. The report is of what listeners would have heard.
 */
export const rehearseWords = ({ broken = {}, days, fromMs, seed, zone }: WordsStage): WordsReport => {
  const ledger: Ledger = new Map()
  const tell = (fromMs: number, fact: Fact | null, key = fact === null ? "" : factKey(fact)) => {
    const known = ledger.get(key)
    if (known === undefined) ledger.set(key, [{ fromMs, fact }])
    else known.push({ fromMs, fact })
  }
  const knownAt = (key: string, atMs: number): Fact | null =>
    ledger.get(key)?.findLast((entry) => entry.fromMs <= atMs)?.fact ?? null
  const id = (prefix: string, n: number): string => {
    const bytes = new DataView(new ArrayBuffer(12))
    bytes.setUint32(0, draw(seed, n, prefix))
    bytes.setUint32(4, draw(seed, n, `${prefix}+`))
    return makeId(prefix, 0, new Uint8Array(bytes.buffer, 0, 10))
  }
  const one = <A>(of: ReadonlyArray<A>, n: number, what: string): A => of[draw(seed, n, what) % of.length]!
  const chance = (n: number, what: string, of: number): boolean => draw(seed, n, what) % of === 0
  const title = (n: number, what: string): string =>
    `${one(things, n, `${what} thing`)} ${one(acts, n, `${what} act`)} ${n % 40}`

  const library = Array.from({ length: 240 }, (_, n) => {
    const isHouse = n % 3 !== 0
    const track = {
      id: id("trk", n),
      title: title(n, "song"),
      artist: isHouse ? one(bands, n, "band") : `Artist ${n % 25}`,
      genre: one(genres, n, "genre"),
      bpm: 70 + (draw(seed, n, "bpm") % 90),
      musicalKey: `${"ABCDEFG"[n % 7]} ${n % 2 === 0 ? "minor" : "major"}`,
      isHouse
    }
    tell(0, trackFact(track))
    return track
  })
  const untilMs = fromMs + days * dayMs
  const news: Array<{ readonly atMs: number; readonly key: string }> = []
  const announceNews = (atMs: number, fact: Fact) => {
    tell(atMs, fact)
    news.push({ atMs, key: factKey(fact) })
  }
  for (let n = 0, atMs = fromMs; atMs < untilMs; n++, atMs += hourMs + (draw(seed, n, "news") % (5 * hourMs))) {
    announceNews(atMs, loreFact({ id: id("lore", n), title: title(n, "lore"), category: one(categories, n, "sort") })!)
    if (n % 3 === 0)
      announceNews(
        atMs + 60_000,
        councilFact({
          id: id("doc", n),
          title: title(n, "motion"),
          status: one(advices, n, "advice"),
          voters: 1 + (n % 9)
        })!
      )
    if (n % 2 === 0) announceNews(atMs + 120_000, highlightFact({ id: `hl_${n}`, title: title(n, "highlight") })!)
  }
  const messages: Array<{ readonly atMs: number; readonly key: string }> = []
  for (let n = 0, atMs = fromMs; atMs < untilMs; n++, atMs += hourMs + (draw(seed, n, "message") % (6 * hourMs))) {
    const fact = messageFact({
      id: id("int", n),
      label: one(people, n, "writer"),
      type: one(messageTypes, n, "sort of message")
    })!
    tell(atMs, fact)
    messages.push({ atMs, key: factKey(fact) })
  }
  const ofLastDay = (told: ReadonlyArray<{ readonly atMs: number; readonly key: string }>, atMs: number) =>
    told.filter((each) => each.atMs <= atMs && atMs - each.atMs < dayMs).flatMap(({ key }) => knownAt(key, atMs) ?? [])
  const dayOf = (atMs: number) => Math.floor(wallOf(zone, atMs) / dayMs) * dayMs
  const counts = { songs: 0, talks: 0, agents: 0, requests: 0 }
  let countedDay = dayOf(fromMs)

  const heard: Array<HeardAnnouncement> = []
  let said: Array<Said> = []
  const dropped: Record<string, number> = {}
  const drop = (why: string) => {
    dropped[why] = (dropped[why] ?? 0) + 1
  }
  const spokenMs = (kind: AnnouncementKind, atMs: number): number =>
    heard.reduce((sum, each) => (each.kind === kind && atMs - each.atMs < 7 * dayMs ? sum + each.lengthMs : sum), 0)
  const on = new Set<AnnouncementKind>(Kinds.literals)
  const drawn = (n: number) => library[draw(seed, n, "pick") % library.length]!

  let since = 0
  for (let n = 1, atMs = fromMs; atMs < untilMs; n++) {
    const song = drawn(n)
    const itemId = id("itm", n)
    const request = chance(n, "requested", 30) ? { id: id("sreq", n), label: one(people, n, "listener") } : null
    if (request !== null) tell(atMs, requestFact(request))
    atMs += (100 + (draw(seed, n, "length") % 190)) * 1_000
    if (dayOf(atMs) !== countedDay) {
      countedDay = dayOf(atMs)
      Object.assign(counts, { songs: 0, talks: 0, agents: 0, requests: 0 })
    }
    counts.songs++
    if (request !== null) counts.requests++
    // A contribution of an agent takes the place of an announcement.
    if (chance(n, "segment", 12)) {
      counts.talks++
      counts.agents = Math.min(counts.talks, 6)
      since = 0
      atMs += (20 + (draw(seed, n, "talk") % 160)) * 1_000
      continue
    }
    const isNight = localDay(zone, atMs).hour < 6
    if (++since < (isNight ? musicBetweenFillers + 2 : musicBetweenFillers)) continue
    const draftMs = atMs - announcementLeadMs - (draw(seed, n, "lead") % 120_000)
    const next = drawn(n + 1)
    const summaryMs = instantOf(zone, dayOf(atMs) + dailySummaryHour * hourMs)
    const day = summaryMs <= draftMs ? dayFact(zone, summaryMs, counts) : null
    if (day !== null && !ledger.has(factKey(day))) tell(draftMs, day)
    const begins = [9, 12, 20].map((hour) => {
      const startMs = instantOf(zone, dayOf(atMs) + hour * hourMs)
      return {
        blockId: id("blk", hour),
        startMs,
        title: ["Morning Post", "Noon Desk", "Harbour Hour"][[9, 12, 20].indexOf(hour)]!,
        host: hour === 12 ? null : "Mira Vale"
      }
    })
    const programmes = begins.flatMap((block) => programmeFact(zone, block) ?? [])
    for (const fact of programmes) if (!ledger.has(factKey(fact))) tell(0, fact)
    const before = drawn(n - 1)
    const draft = announce({
      break: { atMs, afterItemId: itemId, beforeItemId: id("itm", n + 1) },
      facts: {
        played: knownAt(`track:${song.id}`, draftMs),
        playedBefore: n > 1 && before !== song ? knownAt(`track:${before.id}`, draftMs) : null,
        next: knownAt(`track:${next.id}`, draftMs),
        requests: request === null ? [] : [knownAt(`request:${request.id}`, draftMs)].flatMap((fact) => fact ?? []),
        messages: ofLastDay(messages, draftMs),
        programmes,
        news: ofLastDay(news, draftMs).toReversed(),
        day: day === null ? null : knownAt(factKey(day), draftMs)
      },
      said: broken.forgets === true ? [] : said,
      spokenMs: Object.fromEntries(Kinds.literals.map((kind) => [kind, spokenMs(kind, atMs)])),
      on,
      zone,
      seed,
      ...(broken.grammar === undefined ? {} : { grammar: broken.grammar })
    })
    if (draft === null) {
      drop("nothing due")
      continue
    }
    // Now and then a fact is corrected or withdrawn while its announcement waits.
    const { fact: stated } = draft.sentences[0]!
    if (!isOfClock(stated) && chance(n, "withdrawn", 25)) {
      const isTrack = stated.kind === "track"
      const corrected: Fact = {
        ...stated,
        values: { ...stated.values, title: { text: title(n, "new"), isName: true } }
      }
      tell(draftMs + 1_000, isTrack ? corrected : null, factKey(stated))
    }
    const lengthMs = estimatedMs(draft.sentences)
    // The break itself may come later than it was planned, and the song before it may be skipped.
    const airMs = atMs + (chance(n, "late", 5) ? (draw(seed, n, "by") % 40) * 1_000 : 0)
    const isLate =
      airMs < draft.validFromMs ||
      airMs > (draft.kind === "time_check" ? timeCheckUntilMs(draft.validFromMs, lengthMs) : draft.validUntilMs)
    if (isLate) drop("late")
    else if (draft.afterItemId !== null && chance(n, "skipped", 40)) drop("song skipped")
    else if (draft.beforeItemId !== null && chance(n, "replaced", 25)) drop("next item replaced")
    else if (
      broken.unchecked !== true &&
      draft.sentences.some(
        ({ fact }) => !isOfClock(fact) && !isUnchanged(fact, knownAt(factKey(fact), airMs) ?? undefined)
      )
    )
      drop("fact withdrawn or corrected")
    else {
      heard.push({ kind: draft.kind, atMs: airMs, lengthMs, sentences: draft.sentences })
      said = [
        ...said.filter((each) => airMs - each.atMs < phraseRestMs),
        { kind: draft.kind, atMs: airMs, sentences: draft.sentences }
      ]
      since = 0
      atMs = airMs + lengthMs
    }
  }
  return {
    heard,
    dropped,
    ...auditOf(heard, {
      approved: knownAt,
      clockAt: (atMs) => clockFact(zone, Math.floor(atMs / 60_000) * 60_000),
      patterns: new Set(Object.values(wholeGrammar).flat())
    })
  }
}
