import { makeId } from "../../../schema/Ids.ts"
import type { Genre } from "../../../schema/music/Track.ts"
import { draw } from "../air/Rotation.ts"
import { dayMs } from "../../../schema/time/Units.ts"
import { houseNightMinutes, housePiecesNightly, houseSongClosesSec, houseSongsMax } from "./limits.ts"

/** A sound that the station makes for itself. `name` never changes: a work that exists under its name isn't made again. */
export type HouseWork =
  | {
      readonly _tag: "Say"
      readonly name: string
      readonly role: "ident" | "hour_call"
      readonly title: string
      readonly text: string
      readonly voice: number
      readonly hour: number | null
      readonly bed: string | null
    }
  | {
      readonly _tag: "Compose"
      readonly name: string
      readonly form: "song" | "bed" | "sting"
      readonly genre: Genre
      readonly artist: string
      readonly durationSec: number
      readonly seed: number
    }

const ensembles: ReadonlyArray<readonly [Genre, string]> = [
  ["lofi", "Kitchen Radio"],
  ["synthwave", "Night Ferry"],
  ["jazz", "The Copper Trio"],
  ["ambient", "Slow Harbour"],
  ["house", "Lamplight"],
  ["folk", "Hollow Oak"],
  ["techno", "Relay 9"],
  ["funk", "Paper Tigers"],
  ["soul", "Ada's Corner"],
  ["rock", "Long Shadows"],
  ["drum_and_bass", "Tidal Gate"],
  ["pop", "Windowsill"],
  ["latin", "Casa Azul"],
  ["reggae", "Low Sun"]
]

const idents = (station: string): ReadonlyArray<string> => [
  `This is ${station}.`,
  `You are listening to ${station}. One stream, never silent.`,
  `${station}. On the air, day and night.`,
  `Wherever you are, this is ${station}.`,
  `${station}. Made by agents, heard by people.`
]

const numbers = ["twelve", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven"]

const partOfDay = (hour: number): string =>
  hour < 5
    ? "at night"
    : hour < 12
      ? "in the morning"
      : hour < 18
        ? "in the afternoon"
        : hour < 22
          ? "in the evening"
          : "at night"

/** Four words and an ident: a longer sentence would return within a day. */
export const hourText = (station: string, hour: number): string =>
  hour === 0
    ? `It is midnight. This is ${station}.`
    : hour === 12
      ? `It is noon. This is ${station}.`
      : `${numbers[hour % 12]!.replace(/^./, (letter) => letter.toUpperCase())} ${partOfDay(hour)}. This is ${station}.`

type Song = Extract<HouseWork, { readonly _tag: "Compose" }>
const ensemblesOf = (genres: ReadonlyArray<string>) => {
  const fitting = ensembles.filter(([genre]) => genres.includes(genre))
  return fitting.length > 0 ? fitting : ensembles
}

/** The i-th song of the house, in one of these genres if it plays any of them. Without a length it has its own, 100 to 179 s. */
export const houseSong = (
  seed: number,
  i: number,
  { durationSec, genres = [] }: { readonly genres?: ReadonlyArray<string>; readonly durationSec?: number } = {}
): Song => {
  const playing = ensemblesOf(genres)
  const [genre, artist] = playing[i % playing.length]!
  return {
    _tag: "Compose",
    name: `song:${i}`,
    form: "song",
    genre,
    artist,
    durationSec: durationSec ?? 100 + (draw(seed, i, "length") % 80),
    seed: draw(seed, i, "song")
  }
}

/**
 * The song to compose next for a plan that misses `gapSec` of music, by the names of all that is made. Null when the house has composed as much as it
 * may. "wait" while the house's own songs are being made.
 */
export const chooseSongAhead = (
  seed: number,
  made: ReadonlySet<string>,
  { gapSec, genres }: { readonly gapSec: number; readonly genres: ReadonlyArray<string> }
): Song | "wait" | null => {
  if (ensembles.some((_, i) => !made.has(`song:${i}`))) return "wait"
  const next = Array.from({ length: houseSongsMax }, (_, i) => i).find((i) => !made.has(`song:${i}`))
  if (next === undefined) return null
  // The last one is as long as what is missing.
  const closes = gapSec >= houseSongClosesSec[0] && gapSec <= houseSongClosesSec[1]
  return houseSong(seed, next, { genres, ...(closes ? { durationSec: Math.round(gapSec) } : {}) })
}

/** Whether the station has its founding repertoire: a song of each of its bands. */
export const hasRepertoire = (made: ReadonlySet<string>): boolean => ensembles.every((_, i) => made.has(`song:${i}`))

/** Prefix of the names of the pieces that are composed at night. Only these retire. */
export const nightlyPrefix = "night:"
/** The pieces of a UTC day: its bands take turns from night to night. The same day gives the same pieces, so that a repeat makes none twice. */
export const nightlySongs = (seed: number, day: number): ReadonlyArray<Song> =>
  Array.from({ length: housePiecesNightly }, (_, i) => {
    const turn = day * housePiecesNightly + i
    const song = houseSong(draw(seed, day, "night"), turn)
    return { ...song, name: `${nightlyPrefix}${day}:${i}` }
  })
/** When the station composes next. */
export const nextNight = (nowMs: number): number =>
  (Math.floor((nowMs - houseNightMinutes * 60_000) / dayMs) + 1) * dayMs + houseNightMinutes * 60_000

/**
 * All works of a fresh station, in the order they are needed: first the essential ones, an ident within seconds and a bed until there is
 * a song; then the next hour's call, and the rest of the rotation before the rest of the day.
 */
export const houseWorks = (seed: number, station: string, hour: number): ReadonlyArray<HouseWork> => {
  const say = (
    role: "ident" | "hour_call",
    i: number,
    title: string,
    text: string,
    bed: string | null,
    at: number | null = null
  ): HouseWork => ({
    _tag: "Say",
    name: role === "hour_call" ? `hour:${i}` : `${role}:${i}`,
    role,
    title,
    text,
    voice: draw(seed, i, role),
    hour: at,
    bed
  })
  const song = (i: number): HouseWork => houseSong(seed, i)
  const bed = (i: number, durationSec: number): HouseWork => ({
    _tag: "Compose",
    name: `bed:${i}`,
    form: "bed",
    genre: (["ambient", "lofi", "jazz"] as const)[i % 3]!,
    artist: station,
    durationSec,
    seed: draw(seed, i, "bed")
  })
  const sting = (i: number): HouseWork => ({
    _tag: "Compose",
    name: `sting:${i}`,
    form: "sting",
    genre: (["synthwave", "funk"] as const)[i % 2]!,
    artist: station,
    durationSec: 6,
    seed: draw(seed, i, "sting")
  })
  const ident = (i: number): HouseWork =>
    say("ident", i, station, idents(station)[i]!, i === 0 ? null : `sting:${i % 2}`)
  const call = (ahead: number): HouseWork => {
    const at = (hour + ahead) % 24
    return say("hour_call", at, `${at}:00`, hourText(station, at), "bed:0", at)
  }
  return [
    ident(0),
    bed(0, 30),
    song(0),
    sting(0),
    ident(1),
    call(1),
    song(1),
    sting(1),
    ident(2),
    song(2),
    song(3),
    bed(1, 45),
    call(2),
    song(4),
    song(5),
    ident(3),
    ident(4),
    call(3),
    song(6),
    song(7),
    bed(2, 60),
    song(8),
    song(9),
    song(10),
    song(11),
    ...Array.from({ length: 21 }, (_, i) => call(i + 4)),
    song(12),
    song(13)
  ]
}

/** The works without which a station could be silent: an ident and a bed. */
export const essentialWorks = (works: ReadonlyArray<HouseWork>): ReadonlyArray<HouseWork> => works.slice(0, 2)

/** Deterministic id of a work. */
export const houseId = (prefix: "mas" | "trk", seed: number, name: string): string => {
  const bytes = new DataView(new ArrayBuffer(12))
  for (let i = 0; i < 3; i++) bytes.setUint32(i * 4, draw(seed, i, `${prefix}:${name}`))
  return makeId(prefix, 0, new Uint8Array(bytes.buffer, 0, 10))
}
