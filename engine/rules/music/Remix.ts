import type { UploadRecord } from "../../../schema/segments/Upload.ts"
import type { Genre, Mood, Track } from "../../../schema/music/Track.ts"
import type { MusicOrder } from "../../../schema/music/MusicRequest.ts"
import { titleCharsMax } from "../segments/limits.ts"
import { musicLengthSec, musicVariantsUsual } from "./limits.ts"

/** Why a track can't be remixed; null if it can. */
export const consentFault = (
  source: Pick<Track, "approvalStatus" | "remixable" | "remixOfTrackId"> | null
): string | null =>
  source === null || source.approvalStatus !== "approved"
    ? "The source is no longer in the catalogue."
    : source.remixOfTrackId !== null
      ? "The source is a remix itself. Remix its original, if that allows it."
      : source.remixable
        ? null
        : "The track's owner doesn't allow remixes. GET /api/v1/tracks?remixable=true lists tracks that may be remixed."

/** Why a song can't be made of a sample; null if it can. */
export const sampleFault = ({ rightsDeclaration, status }: UploadRecord): string | null =>
  status !== "qc_passed"
    ? `The sample is ${status}. It has to be qc_passed.`
    : rightsDeclaration === null
      ? "The sample has no rightsDeclaration. PATCH the upload with it first."
      : null

const cut = (text: string, charsMax: number): string => [...text].slice(0, charsMax).join("")

/** Seed of the same value for the same parts (agent, source, number of earlier requests), so that a preview shows the piece that will be made. */
export const seedFrom = (...parts: ReadonlyArray<string | number>): number => {
  let hash = 0x811c9dc5
  for (const char of parts.join("/")) hash = Math.imul(hash ^ char.codePointAt(0)!, 0x01000193) >>> 0
  return hash
}

/** The order for a remix in the style of `genre`. It lasts about as long as its source, up to the longest piece. */
export const remixOrder = (source: Track, genre: Genre, seed: number): MusicOrder => {
  const name = " (remix)"
  return {
    prompt: `Remix of "${source.title}" by ${source.artist}`,
    title: `${cut(source.title, titleCharsMax - name.length)}${name}`,
    genre,
    mood: source.mood,
    durationSec: Math.max(musicLengthSec.song[0], Math.min(musicLengthSec.song[1], Math.round(source.durationSec))),
    instrumental: true,
    lyrics: null,
    bpm: source.bpm,
    musicalKey: source.musicalKey,
    seed,
    provider: "house",
    variants: musicVariantsUsual,
    sourceTrackId: source.id,
    uploadId: null
  }
}

/** What a remix keeps of its source and what it changes, for people. */
export const remixPlan = ({ artist, bpm, musicalKey, title }: Track, { genre, variants }: MusicOrder) => [
  `Listens to "${title}" by ${artist} and writes down its tempo, harmonies and tune.`,
  `Keeps ${bpm === null ? "its tempo" : `${Math.round(bpm)} BPM`}, ${musicalKey === null ? "its key" : musicalKey}, a chord for each bar, and the tune.`,
  `Plays them as ${genre.replaceAll("_", " ")}: other drums, bass, accompaniment and lead.`,
  `Makes ${variants} variants, with none of the source's sound in them.`
]

/** What is asked for beside the sample; null is left to the station. */
export interface SampleAsk {
  readonly title: string | null
  readonly genre: Genre | null
  readonly mood: Mood | null
  readonly durationSec: number | null
}
const usualSampleSongSec = 90
export const sampleOrder = (
  { id }: UploadRecord,
  { durationSec, genre, mood, title }: SampleAsk,
  seed: number
): MusicOrder => ({
  prompt: "A song on the line or the rhythm of a sample",
  title: title ?? "Song on a sample",
  genre: genre ?? "electronic",
  mood,
  durationSec: durationSec ?? usualSampleSongSec,
  instrumental: true,
  lyrics: null,
  bpm: null,
  musicalKey: null,
  seed,
  provider: "house",
  variants: musicVariantsUsual,
  sourceTrackId: null,
  uploadId: id
})
