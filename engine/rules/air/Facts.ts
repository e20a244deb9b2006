import type { Fact, FactKind, FactValue } from "../../../schema/air/Announcement.ts"
import type { DocketStatus } from "../../../schema/lore/Council.ts"
import type { Interaction } from "../../../schema/listeners/Message.ts"
import type { LoreCategory } from "../../../schema/lore/Lore.ts"
import { iso } from "../../../schema/time/Instant.ts"
import { dayMs, hourMs } from "../../../schema/time/Units.ts"
import { wallOf } from "../time/WeekSchedule.ts"
import { spokenNameCharsMax } from "./limits.ts"

/** A fact before its values are known to be speakable. */
type Values = Readonly<Record<string, FactValue | null>>

/** A name or title as it can be spoken; null if it has no letters, is too long, or is an address. */
const name = (text: string | null | undefined): FactValue | null => {
  const plain = (text ?? "")
    .normalize("NFC")
    .replace(/[\s\p{Cc}\p{Cf}]+/gu, " ")
    .replace(/[{}<>[\]|\\]/g, "")
    .trim()
  const isSayable =
    /[\p{L}\p{N}]/u.test(plain) && [...plain].length <= spokenNameCharsMax && !/:\/\/|www\./i.test(plain)
  return isSayable ? { text: plain, isName: true } : null
}
const words = (text: string | null): FactValue | null => (text === null ? null : { text, isName: false })
/** Null if a required value can't be spoken. */
const factOf = (kind: FactKind, id: string, required: Values, optional: Values = {}): Fact | null => {
  const values: Record<string, FactValue> = {}
  for (const [key, value] of Object.entries({ ...optional, ...required })) {
    if (value !== null) values[key] = value
    else if (key in required) return null
  }
  return { kind, id, values }
}
/** Identity of a fact, whatever its values. */
export const factKey = ({ id, kind }: Pick<Fact, "id" | "kind">): string => `${kind}:${id}`
/** Whether the fact, as it is known now, still has every value with which it was read. */
export const isUnchanged = (was: Fact, now: Fact | undefined): boolean =>
  now !== undefined &&
  Object.entries(was.values).every(([key, { isName, text }]) => {
    const value = now.values[key]
    return value?.text === text && value.isName === isName
  })

const ones = [
  "zero",
  "one",
  "two",
  "three",
  "four",
  "five",
  "six",
  "seven",
  "eight",
  "nine",
  "ten",
  "eleven",
  "twelve",
  "thirteen",
  "fourteen",
  "fifteen",
  "sixteen",
  "seventeen",
  "eighteen",
  "nineteen"
]
const tens = ["", "", "twenty", "thirty", "forty", "fifty"]
/** A whole number below 60 in words. */
const inWords = (n: number): string =>
  n < 20 ? ones[n]! : `${tens[Math.floor(n / 10)]}${n % 10 === 0 ? "" : `-${ones[n % 10]}`}`
const hourWord = (hour: number): string => ones[hour % 12 === 0 ? 12 : hour % 12]!
const weekdays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]
const partOfDay = (hour: number): string =>
  hour >= 5 && hour < 12
    ? "in the morning"
    : hour >= 12 && hour < 18
      ? "in the afternoon"
      : hour >= 18 && hour < 22
        ? "in the evening"
        : "at night"

const wallParts = (zone: string, atMs: number) => {
  const wall = wallOf(zone, atMs)
  const ofDay = ((wall % dayMs) + dayMs) % dayMs
  return {
    hour: Math.floor(ofDay / hourMs),
    minute: Math.floor((ofDay % hourMs) / 60_000),
    weekday: weekdays[(((Math.floor(wall / dayMs) + 4) % 7) + 7) % 7]!,
    date: new Date(wall).toISOString().slice(0, 10)
  }
}
/** "nine twenty-three", "nine oh five", "nine o'clock". */
const digital = (hour: number, minute: number): string =>
  `${hourWord(hour)} ${minute === 0 ? "o'clock" : minute < 10 ? `oh ${inWords(minute)}` : inWords(minute)}`
const minutes = (n: number): string => (n % 5 === 0 ? inWords(n) : `${inWords(n)} minute${n === 1 ? "" : "s"}`)
/** "twenty-three minutes past nine", "half past nine", "quarter to ten". */
const past = (hour: number, minute: number): string => {
  if (minute === 0) return `${hourWord(hour)} o'clock`
  if (minute === 30) return `half past ${hourWord(hour)}`
  const [distance, side, to] = minute < 30 ? [minute, "past", hour] : [60 - minute, "to", hour + 1]
  return `${distance === 15 ? "a quarter" : minutes(distance)} ${side} ${hourWord(to % 24)}`
}
/** The place whose time it is, by the name of the zone: "Berlin", "UTC". */
export const placeOf = (zone: string): string =>
  /^(Etc\/|[A-Z]{3,}$)/.test(zone) || !zone.includes("/") ? "UTC" : zone.split("/").at(-1)!.replaceAll("_", " ")

/** The time of the station's zone in the minute that begins at `minuteMs`. */
export const clockFact = (zone: string, minuteMs: number): Fact => {
  const { hour, minute, weekday } = wallParts(zone, minuteMs)
  return factOf("clock", `${iso(minuteMs)}[${zone}]`, {
    time: words(digital(hour, minute)),
    past: words(past(hour, minute)),
    part: words(partOfDay(hour)),
    weekday: words(weekday),
    place: name(placeOf(zone))
  })!
}
/** What is known of a track. */
export interface TrackFacts {
  readonly id: string
  readonly title: string
  readonly artist: string
  readonly genre: string | null
  readonly bpm: number | null
  readonly musicalKey: string | null
  /** A band of the station's own composer. */
  readonly isHouse: boolean
}
const keyName = (key: string | null): string | null => {
  const found = /^([A-G])([#♯b♭]?)\s*(major|minor)$/i.exec(key ?? "")
  if (found === null) return null
  const sign = found[2] === "" ? "" : found[2] === "#" || found[2] === "♯" ? " sharp" : " flat"
  return `${found[1]!.toUpperCase()}${sign} ${found[3]!.toLowerCase()}`
}
const genreNames: Readonly<Record<string, string>> = { lofi: "lo-fi", other: "" }
export const trackFact = ({ artist, bpm, genre, id, isHouse, musicalKey, title }: TrackFacts): Fact | null => {
  const style = genre === null ? "" : (genreNames[genre] ?? genre.replaceAll("_", " "))
  return factOf(
    "track",
    id,
    { title: name(title), artist: name(artist) },
    {
      genre: words(style === "" ? null : style),
      tempo: words(bpm === null ? null : `${Math.round(bpm)} beats a minute`),
      key: words(keyName(musicalKey)),
      band: words(isHouse ? "our own band" : null)
    }
  )
}
/** A programme of the week, with the time at which it begins. */
export const programmeFact = (
  zone: string,
  {
    blockId,
    host,
    startMs,
    title
  }: { readonly blockId: string; readonly startMs: number; readonly title: string; readonly host: string | null }
): Fact | null => {
  const { hour, minute } = wallParts(zone, startMs)
  return factOf(
    "programme",
    `${blockId}@${iso(startMs)}`,
    { programme: name(title), time: words(past(hour, minute)) },
    { host: name(host) }
  )
}
/** A song request of a listener who agreed to be named. */
export const requestFact = ({ id, label }: { readonly id: string; readonly label: string }): Fact | null =>
  factOf("request", id, { listener: name(label) })
const sorts: Readonly<Record<Interaction["type"], { readonly did: string; readonly sort: string }>> = {
  write_in: { did: "wrote to us", sort: "the letter" },
  dedication: { did: "sent a dedication", sort: "the dedication" },
  call_in: { did: "called us", sort: "the call" }
}
/** An approved message of a listener who agreed to be named. What it says is nobody's fact. */
export const messageFact = ({
  id,
  label,
  type
}: {
  readonly id: string
  readonly label: string
  readonly type: Interaction["type"]
}): Fact | null =>
  factOf("message", id, { listener: name(label), did: words(sorts[type].did), sort: words(sorts[type].sort) })
export const loreFact = ({
  category,
  id,
  title
}: {
  readonly id: string
  readonly title: string
  readonly category: LoreCategory
}): Fact | null =>
  factOf("lore", id, {
    title: name(title),
    sort: words(
      {
        milestone: "a milestone",
        rivalry: "a rivalry",
        recurring_bit: "a recurring bit",
        joke: "a joke",
        moment: "a moment",
        fact: "a fact"
      }[category]
    )
  })
const advice: Partial<Record<DocketStatus, string>> = {
  recognized: "recognize it",
  deferred: "wait",
  rejected: "reject it",
  needs_air: "give it air time",
  merged: "merge it"
}
/** The council's advice on an item; null if there is none to tell. */
export const councilFact = ({
  id,
  status,
  title,
  voters
}: {
  readonly id: string
  readonly title: string
  readonly status: DocketStatus
  readonly voters: number
}): Fact | null =>
  factOf(
    "council",
    id,
    { title: name(title), advice: words(advice[status] ?? null) },
    { voters: words(counted(voters, "voter")) }
  )
export const highlightFact = ({ id, title }: { readonly id: string; readonly title: string }): Fact | null =>
  factOf("highlight", id, { title: name(title) })

const counted = (n: number, one: string, many = `${one}s`): string | null =>
  n === 0 ? null : n === 1 ? `one ${one}` : `${n} ${many}`
/** What the station aired on a local day up to an instant. */
export interface DayFigures {
  readonly songs: number
  readonly talks: number
  readonly agents: number
  readonly requests: number
}
export const dayFact = (zone: string, untilMs: number, { agents, requests, songs, talks }: DayFigures): Fact | null => {
  const { date, hour, minute, weekday } = wallParts(zone, untilMs)
  return factOf(
    "day",
    `${date}@${iso(untilMs)}`,
    {
      songs: words(counted(songs, "piece of music", "pieces of music")),
      weekday: words(weekday),
      until: words(past(hour, minute))
    },
    {
      talks: words(counted(talks, "contribution")),
      agents: words(counted(agents, "agent")),
      requests: words(counted(requests, "song request"))
    }
  )
}
/** The instant at the end of the id of a day or a programme; null if it has none. */
export const instantIn = (factId: string): number | null => {
  const found = Date.parse(factId.slice(factId.lastIndexOf("@") + 1))
  return factId.includes("@") && Number.isFinite(found) ? found : null
}
/** The facts that need no record: the clock is right by itself. */
export const isOfClock = ({ kind }: Fact): boolean => kind === "clock"
export const localDay = (zone: string, atMs: number) => wallParts(zone, atMs)
