import { Result } from "effect"
import type { MusicAsked, MusicOrder, MusicProviderView } from "../../../schema/music/MusicRequest.ts"
import { Genre, type Mood } from "../../../schema/music/Track.ts"
import { musicDurationSec, musicTempoBpm, musicVariantsUsual } from "./limits.ts"
import { hasWords } from "./MusicProviders.ts"

/** Words of a prompt, without marks and capitals. */
const wordsOf = (text: string): string =>
  ` ${text
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .toLowerCase()
    .replaceAll(/[^a-z0-9#]+/g, " ")
    .trim()} `

/** Other names of genres. */
const genreWords: ReadonlyArray<readonly [string, Genre]> = [
  ["drum and bass", "drum_and_bass"],
  ["drum n bass", "drum_and_bass"],
  ["dnb", "drum_and_bass"],
  ["hip hop", "hip_hop"],
  ["hiphop", "hip_hop"],
  ["rap", "hip_hop"],
  ["lo fi", "lofi"],
  ["r b", "rnb"],
  ["r n b", "rnb"],
  ["orchestral", "classical"],
  ["orchestra", "classical"],
  ["film music", "soundtrack"],
  ["cinematic", "soundtrack"],
  ["bossa nova", "latin"],
  ["salsa", "latin"],
  ["synth wave", "synthwave"],
  ["swing", "jazz"],
  ["drone", "ambient"],
  ...Genre.literals.map((genre) => [genre.replaceAll("_", " "), genre] as const)
]
const moodWords: ReadonlyArray<readonly [string, Mood]> = [
  ["calm", "calm"],
  ["quiet", "calm"],
  ["peaceful", "calm"],
  ["relaxing", "calm"],
  ["bright", "bright"],
  ["happy", "bright"],
  ["sunny", "bright"],
  ["uplifting", "bright"],
  ["dark", "dark"],
  ["gloomy", "dark"],
  ["dreamy", "dreamy"],
  ["floating", "dreamy"],
  ["driving", "driving"],
  ["energetic", "driving"],
  ["melancholic", "melancholic"],
  ["melancholy", "melancholic"],
  ["sad", "melancholic"],
  ["playful", "playful"],
  ["funny", "playful"],
  ["romantic", "romantic"],
  ["tense", "tense"],
  ["suspenseful", "tense"],
  ["triumphant", "triumphant"],
  ["epic", "triumphant"],
  ["heroic", "triumphant"],
  ["warm", "warm"],
  ["cosy", "warm"],
  ["cozy", "warm"],
  ["weird", "weird"],
  ["strange", "weird"]
]
const firstOf = <Value>(words: string, all: ReadonlyArray<readonly [string, Value]>): Value | null => {
  let found: { readonly at: number; readonly value: Value } | null = null
  for (const [word, value] of all) {
    const at = words.indexOf(` ${word} `)
    if (at >= 0 && (found === null || at < found.at)) found = { at, value }
  }
  return found?.value ?? null
}

const keyName = /^([A-G])([b#♭♯]?)\s*(major|minor|maj|min|m)?$/i
/** A key as the composer names it: `D minor`. Null if it is none. */
export const parseKey = (text: string): string | null => {
  const match = keyName.exec(
    text
      .trim()
      .replaceAll(/-?flat\b/gi, "b")
      .replaceAll(/-?sharp\b/gi, "#")
      .replaceAll(/\s+(?=[b#])/g, "")
  )
  if (match === null) return null
  const [, tonic, sign, family] = match
  const isMinor = family === "m" || /^min/i.test(family ?? "")
  return `${tonic!.toUpperCase()}${sign!.replace("♭", "b").replace("♯", "#")} ${isMinor ? "minor" : "major"}`
}
const keyIn = (prompt: string): string | null => {
  const found = /\bin ([A-G](?:[b#♭♯]|[- ](?:flat|sharp))?)[ -](major|minor)\b/i.exec(prompt)
  return found === null ? null : parseKey(`${found[1]} ${found[2]}`)
}
const tempoIn = (prompt: string): number | null => {
  const bpm = Number(/\b(\d{2,3})\s?(?:bpm|beats per minute)\b/i.exec(prompt)?.[1] ?? Number.NaN)
  return bpm >= musicTempoBpm[0] && bpm <= musicTempoBpm[1] ? bpm : null
}

export interface OrderFault {
  readonly pointer: string
  readonly detail: string
}

/** The prompt without doubled spaces. */
export const tidyPrompt = (prompt: string): string => prompt.replaceAll(/\s+/g, " ").trim()
/** The beginning of a prompt, cut between words, as a title. */
export const titleFrom = (prompt: string): string => {
  const first = tidyPrompt(prompt)
    .split(/(?<=[.!?;:])\s|,\s/)[0]!
    .replace(/[.!?;:,]+$/, "")
  if ([...first].length <= 60) return first
  return [...first]
    .slice(0, 60)
    .join("")
    .replace(/\s+\S*$/, "")
}

/**
 * The order that a request means. What the prompt says of genre, mood, tempo and key counts where the field is absent. Lyrics are never dropped:
 * a provider that doesn't sing refuses them.
 */
export const orderOf = (
  asked: MusicAsked,
  providers: ReadonlyArray<MusicProviderView>,
  drawnSeed: number
): Result.Result<MusicOrder, OrderFault> => {
  const fault = (pointer: string, detail: string) => Result.fail({ pointer, detail })
  const lyrics = asked.lyrics === null || asked.lyrics.trim() === "" ? null : asked.lyrics
  if (lyrics !== null && asked.instrumental === true)
    return fault("/instrumental", "is true although lyrics are sent. Send false, or leave out the lyrics.")
  if (lyrics !== null && !hasWords(lyrics))
    return fault("/lyrics", "holds no words to sing, only directions. Send words, or leave it out for an instrumental.")
  const instrumental = asked.instrumental ?? lyrics === null
  const wired = providers.filter(({ wired }) => wired)
  const chosen =
    asked.provider === null
      ? instrumental
        ? wired.find(({ id }) => id === "house")
        : wired.find(({ lyrics }) => lyrics)
      : wired.find(({ id }) => id === asked.provider)
  const singers = wired.filter(({ lyrics }) => lyrics).map(({ id }) => id)
  const whoSings =
    singers.length === 0
      ? "This station has no provider that sings: leave out lyrics and send instrumental true."
      : `These providers sing: ${singers.join(", ")}.`
  if (chosen === undefined)
    return asked.provider === null
      ? fault("/lyrics", `can't be sung here. ${whoSings}`)
      : fault("/provider", `is not wired. Use one of: ${wired.map(({ id }) => id).join(", ")}.`)
  if (!instrumental && !chosen.lyrics)
    return fault(lyrics === null ? "/instrumental" : "/lyrics", `can't be sung by ${chosen.id}. ${whoSings}`)
  // Without lyrics some providers make an instrumental, others sing words that nobody has checked.
  if (!instrumental && lyrics === null)
    return fault("/lyrics", "is needed for singing. Send lyrics with instrumental false, or send instrumental true.")
  if (instrumental && !chosen.instrumental)
    return fault("/instrumental", `is not what ${chosen.id} makes. Send lyrics, or use the provider house.`)
  const durationSec = asked.durationSec ?? Math.min(musicDurationSec.usual, chosen.maxDurationSec)
  if (durationSec > chosen.maxDurationSec)
    return fault("/durationSec", `must be at most ${chosen.maxDurationSec} with the provider ${chosen.id}.`)
  const musicalKey = asked.musicalKey === null ? keyIn(asked.prompt) : parseKey(asked.musicalKey)
  if (asked.musicalKey !== null && musicalKey === null)
    return fault("/musicalKey", "is a key such as C major or F# minor.")
  const words = wordsOf(asked.prompt)
  return Result.succeed({
    prompt: tidyPrompt(asked.prompt),
    title: asked.title === null || asked.title === "" ? titleFrom(asked.prompt) : asked.title,
    genre: asked.genre ?? firstOf(words, genreWords) ?? "electronic",
    mood: asked.mood ?? firstOf(words, moodWords),
    durationSec,
    instrumental,
    lyrics,
    bpm: asked.bpm ?? tempoIn(asked.prompt),
    musicalKey,
    seed: asked.seed ?? drawnSeed,
    provider: chosen.id,
    variants: asked.variants ?? musicVariantsUsual,
    sourceTrackId: null,
    uploadId: null
  })
}

/** Seed of a piece: the first has the order's own. */
export const seedOf = ({ seed }: Pick<MusicOrder, "seed">, index: number): number =>
  (seed + index * 7_919) % 4_294_967_296

/** The house composer, which is always there, and the providers that the operator configured. */
export const providersOf = (
  configured: ReadonlyArray<Omit<MusicProviderView, "wired">>
): ReadonlyArray<MusicProviderView> => [
  {
    id: "house",
    name: "The station's composer",
    wired: true,
    maxDurationSec: musicDurationSec.most,
    instrumental: true,
    lyrics: false
  },
  ...configured.map(({ id, instrumental, lyrics, maxDurationSec, name }) => ({
    id,
    name,
    wired: true,
    maxDurationSec,
    instrumental,
    lyrics
  }))
]

/** Advice on prompts. */
export const promptTips: ReadonlyArray<string> = [
  "Say genre, mood, tempo and key in words, or send them as fields: fields win.",
  "Describe instruments and their parts: a walking bass, brushed drums, a muted trumpet.",
  "Don't name living artists; describe the sound that you mean.",
  "POST /api/music/generate/preview shows how a prompt is understood and costs nothing.",
  "Send a seed to get the same piece again; each variant has a seed of its own.",
  "Lyrics need a provider that sings; the house composer refuses them."
]
export const musicPolicy: ReadonlyArray<string> = [
  "Every generated track is reviewed by an operator before it airs.",
  "Generated sound is marked as synthetic in its files and on the air.",
  "No living artist is imitated, and no lyrics of others are sung.",
  "A request that fails or is rejected is given back to the quota.",
  "Variants that no one designates are deleted after 30 days."
]
