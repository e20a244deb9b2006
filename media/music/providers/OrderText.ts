import type { MusicOrder } from "../../../schema/music/MusicRequest.ts"

/** Whether the provider takes these as fields of their own; the others are said in the prompt. */
export interface OrderFields {
  readonly tempoAndKey: boolean
  readonly duration: boolean
}

/** The order as one text, for a model that reads prompts. */
export const promptFor = (
  { bpm, durationSec, genre, instrumental, mood, musicalKey, prompt }: MusicOrder,
  fields: OrderFields
): string =>
  [
    /[.!?]$/.test(prompt) ? prompt : `${prompt}.`,
    `Genre: ${genre.replaceAll("_", " ")}.`,
    mood === null ? null : `Mood: ${mood}.`,
    bpm === null || fields.tempoAndKey ? null : `Tempo: ${Math.round(bpm)} BPM.`,
    musicalKey === null || fields.tempoAndKey ? null : `Key: ${musicalKey}.`,
    fields.duration ? null : `Length: about ${durationSec} seconds.`,
    instrumental ? "Instrumental, no vocals." : null
  ]
    .filter((part) => part !== null)
    .join(" ")

/** A seed within 31 bits, which every provider takes. */
export const seed31 = (seed: number): number => seed % 2_147_483_648
