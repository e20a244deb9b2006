import { describe, expect, it } from "vitest"
import { grammar } from "../../../../engine/rules/air/AnnouncementGrammar.ts"
import { announce, type AnnouncementAsk, timeCheckUntilMs } from "../../../../engine/rules/air/Announcer.ts"
import {
  clockFact,
  councilFact,
  dayFact,
  isUnchanged,
  messageFact,
  placeOf,
  programmeFact,
  requestFact,
  trackFact
} from "../../../../engine/rules/air/Facts.ts"
import { phrasesOf } from "../../../../engine/rules/air/Phrases.ts"
import { hourText } from "../../../../engine/rules/music/HouseCatalogue.ts"
import { rehearseWords } from "../../../../engine/rules/simulation/WordsRehearsal.ts"
import {
  type AnnouncementKind,
  AnnouncementKind as Kinds,
  Sentence,
  slotsOf,
  textOf
} from "../../../../schema/air/Announcement.ts"
import { testId } from "../../../support/air/Airables.ts"

const stage = { days: 2, seed: 7, zone: "Europe/Berlin", fromMs: Date.UTC(2026, 9, 24) }
const song = trackFact({
  id: testId("trk", 1),
  title: "Glass Road",
  artist: "Night Ferry",
  genre: "jazz",
  bpm: 90,
  musicalKey: "A minor",
  isHouse: true
})!
const berlin = (atMs: number) => clockFact("Europe/Berlin", atMs).values["time"]!.text
const ask = (more: Partial<AnnouncementAsk> = {}): AnnouncementAsk => ({
  break: { atMs: Date.UTC(2026, 5, 3, 9, 23, 10), afterItemId: testId("itm", 1), beforeItemId: testId("itm", 2) },
  facts: {
    played: song,
    playedBefore: null,
    next: song,
    requests: [],
    messages: [],
    programmes: [],
    news: [],
    day: null
  },
  said: [],
  spokenMs: {},
  on: new Set<AnnouncementKind>(Kinds.literals),
  zone: "Europe/Berlin",
  seed: 1,
  ...more
})

describe("a sentence of the station", () => {
  it("can't be made without a fact, nor with a value that its fact doesn't have", () => {
    expect(() => new Sentence({ pattern: "here is something for you.", fact: song })).toThrow()
    expect(() => new Sentence({ pattern: "{title} won {prize}.", fact: song })).toThrow()
    // @ts-expect-error a sentence states a fact
    expect(() => new Sentence({ pattern: "{title}." })).toThrow()
    expect(new Sentence({ pattern: "{artist}, with {title}.", fact: song }).text).toBe("Night Ferry, with Glass Road.")
  })

  it("tells the time of the station's zone, also around clock changes", () => {
    // 25 October 2026: at 01:00 UTC the clocks of Berlin go back from three to two.
    expect(berlin(Date.UTC(2026, 9, 25, 0, 30))).toBe("two thirty")
    expect(berlin(Date.UTC(2026, 9, 25, 1, 30))).toBe("two thirty")
    expect(berlin(Date.UTC(2026, 9, 25, 2, 5))).toBe("three oh five")
    // 29 March 2026: from two to three.
    expect(berlin(Date.UTC(2026, 2, 29, 0, 59))).toBe("one fifty-nine")
    expect(berlin(Date.UTC(2026, 2, 29, 1, 0))).toBe("three o'clock")
    const past = (hour: number, minute: number) =>
      clockFact("UTC", Date.UTC(2026, 5, 3, hour, minute)).values["past"]!.text
    expect([past(9, 30), past(9, 45), past(23, 50), past(0, 1), past(12, 15), past(9, 37)]).toEqual([
      "half past nine",
      "a quarter to ten",
      "ten to twelve",
      "one minute past twelve",
      "a quarter past twelve",
      "twenty-three minutes to ten"
    ])
    expect([
      placeOf("America/New_York"),
      placeOf("UTC"),
      placeOf("Etc/UTC"),
      placeOf("America/Argentina/Buenos_Aires")
    ]).toEqual(["New York", "UTC", "UTC", "Buenos Aires"])
    expect(clockFact("Asia/Kathmandu", Date.UTC(2026, 5, 3, 9, 0)).values["time"]!.text).toBe("two forty-five")
  })

  it("says no name that can't be spoken, and notices a corrected fact", () => {
    expect(trackFact({ ...songFacts, title: "https://spam.example" })).toBeNull()
    expect(trackFact({ ...songFacts, title: "★★★" })).toBeNull()
    expect(trackFact({ ...songFacts, title: "x".repeat(200) })).toBeNull()
    expect(trackFact({ ...songFacts, title: "A {artist} \n B" })!.values["title"]!.text).toBe("A artist B")
    expect(isUnchanged(song, trackFact({ ...songFacts, title: "Another" })!)).toBe(false)
    expect(isUnchanged(song, undefined)).toBe(false)
    expect(isUnchanged(song, trackFact(songFacts)!)).toBe(true)
  })
})
const songFacts = {
  id: testId("trk", 1),
  title: "Glass Road",
  artist: "Night Ferry",
  genre: "jazz",
  bpm: 90,
  musicalKey: "A minor",
  isHouse: true
}

describe("the words of a break", () => {
  it("tell the minute that is right when they are heard, also for those who hear them later", () => {
    const draft = announce(ask())!
    expect(draft.kind).toBe("time_check")
    expect(draft.validFromMs).toBe(Date.UTC(2026, 5, 3, 9, 23))
    expect(timeCheckUntilMs(draft.validFromMs, 3_000)).toBe(Date.UTC(2026, 5, 3, 9, 23, 49))
    expect(textOf(draft.sentences)).toMatch(/eleven twenty-three|twenty-three minutes past eleven/i)
    // Too late in the minute, or near the hour call: something else is said.
    for (const at of [Date.UTC(2026, 5, 3, 9, 23, 55), Date.UTC(2026, 5, 3, 9, 57, 10)])
      expect(announce(ask({ break: { ...ask().break, atMs: at } }))!.kind).toBe("back_announcement")
  })

  it("name a listener who agreed, and say nothing of a kind that is off or has spent its minutes", () => {
    const noor = requestFact({ id: testId("sreq", 1), label: "Noor" })!
    const draft = announce(ask({ facts: { ...ask().facts, requests: [noor] } }))!
    expect([draft.kind, draft.afterItemId]).toEqual(["shout_out", testId("itm", 1)])
    expect(textOf(draft.sentences)).toContain("Noor")
    expect(draft.sentences.map(({ fact }) => fact.kind)).toEqual(["track", "request"])
    const [wrote, called] = [
      messageFact({ id: testId("int", 1), label: "Ilse", type: "write_in" })!,
      messageFact({ id: testId("int", 2), label: "Bao", type: "call_in" })!
    ]
    const told = { ...ask().facts, requests: [noor], messages: [wrote, called] }
    const thanks = announce(ask({ facts: told, said: [{ ...draft, atMs: ask().break.atMs }] }))!
    expect([thanks.kind, thanks.afterItemId]).toEqual(["shout_out", null])
    expect(thanks.sentences.map(({ fact }) => fact)).toEqual([wrote])
    expect(textOf(thanks.sentences)).toContain("Ilse")
    const only = (kind: AnnouncementKind, more: Partial<AnnouncementAsk> = {}) =>
      announce(ask({ on: new Set([kind]), ...more }))
    expect(announce(ask({ on: new Set() }))).toBeNull()
    expect(only("preview")).toMatchObject({ kind: "preview", beforeItemId: testId("itm", 2), afterItemId: null })
    expect(only("preview", { spokenMs: { preview: 31 * 60_000 } })).toBeNull()
    expect(only("daily_summary")).toBeNull()
    const evening = Date.UTC(2026, 5, 3, 18, 12)
    const day = dayFact("Europe/Berlin", Date.UTC(2026, 5, 3, 18), { songs: 312, talks: 1, agents: 1, requests: 0 })!
    const summary = only("daily_summary", { break: { ...ask().break, atMs: evening }, facts: { ...ask().facts, day } })!
    expect(textOf(summary.sentences)).toMatch(/312 pieces of music.*one (contribution|agent)/i)
  })

  it("announce a programme by the week, and give the council's outcome as advice", () => {
    const startMs = Date.UTC(2026, 5, 3, 11)
    const show = programmeFact("Europe/Berlin", { blockId: "blk_1", startMs, title: "Harbour Hour", host: null })!
    const preview = announce(ask({ on: new Set(["preview"]), facts: { ...ask().facts, programmes: [show] } }))!
    expect(textOf(preview.sentences)).toMatch(/Harbour Hour.*one o'clock|one o'clock.*Harbour Hour/i)
    expect(preview.validUntilMs).toBeLessThan(startMs)
    expect(councilFact({ id: "doc_1", title: "Louder Mornings", status: "expired", voters: 0 })).toBeNull()
    const rejected = councilFact({ id: "doc_1", title: "Louder Mornings", status: "rejected", voters: 1 })!
    const news = announce(ask({ facts: { ...ask().facts, news: [rejected] } }))!
    expect(news.kind).toBe("station_news")
    expect(textOf(news.sentences)).toMatch(/Louder Mornings/)
    expect(textOf(news.sentences)).toMatch(/reject it/)
  })

  it("have several patterns of every sort whose own words may return, and calls of the hours that do", () => {
    for (const [sort, patterns] of Object.entries(grammar)) {
      expect(new Set(patterns).size, sort).toBe(patterns.length)
      for (const pattern of patterns) expect(slotsOf(pattern).length, pattern).toBeGreaterThan(0)
    }
    const plain = (patterns: ReadonlyArray<string>) =>
      patterns.filter((pattern) => {
        const values = Object.fromEntries(slotsOf(pattern).map((slot) => [slot, { text: "x", isName: true }]))
        return phrasesOf([new Sentence({ pattern, fact: { kind: "track", id: "1", values } })]).size === 0
      }).length
    for (const sort of ["played", "next", "request", "message", "lore", "highlight"] as const)
      expect(plain(grammar[sort]), sort).toBeGreaterThanOrEqual(5)
    for (let hour = 0; hour < 24; hour++)
      expect(hourText("Longwave", hour).replace(" This is Longwave.", "").split(/\s+/).length).toBeLessThanOrEqual(4)
  })
})

describe("days of the station's own words", () => {
  it("repeat no phrase of five words within a day, and say nothing but approved facts, within their minutes", () => {
    const report = rehearseWords(stage)
    expect(report.announcements).toBeGreaterThan(100)
    expect(new Set(report.heard.map(({ kind }) => kind))).toEqual(new Set(Kinds.literals))
    expect([report.repeated, report.ungrounded]).toEqual([[], []])
    expect(report.dropped["fact withdrawn or corrected"]).toBeGreaterThan(0)
    expect(report.minutesPerWeekMax).toBeLessThan(135)
    expect(rehearseWords({ ...stage, days: 0.3 }).heard).toEqual(rehearseWords({ ...stage, days: 0.3 }).heard)
  })

  it("are found faulty when the announcer forgets, checks no fact again, or says what no fact gave", () => {
    expect(rehearseWords({ ...stage, broken: { forgets: true } }).repeated.length).toBeGreaterThan(0)
    expect(rehearseWords({ ...stage, broken: { unchecked: true } }).ungrounded[0]?.why).toMatch(
      /not approved|doesn't say/
    )
    const boasting = { ...grammar, played: ["that was the best song of all, {title}."] }
    expect(rehearseWords({ ...stage, broken: { grammar: boasting } }).ungrounded[0]?.why).toBe(
      "its pattern isn't in the grammar"
    )
  })
})
