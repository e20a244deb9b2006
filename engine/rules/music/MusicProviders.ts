import { iso } from "../../../schema/time/Instant.ts"
import type { MusicProviderState } from "../../../schema/music/MusicProvider.ts"
import type { MusicOrder, MusicProviderView } from "../../../schema/music/MusicRequest.ts"
import { musicDurationSec } from "./limits.ts"

/** What the operator configured. */
export interface MusicSettings {
  readonly aceStepUrl: string | null
  readonly aceStepModel: string | null
  readonly minimaxMusicKey: string | null
  readonly minimaxMusicModel: string
  readonly musicUrl: string | null
  readonly musicModel: string
  readonly musicMaxSec: number
  readonly musicSings: "on" | "off"
}

/** Models of MiniMax that make songs only. */
const songsOnly = /^music-(01|1\.5|2\.0|2\.5)$/

/** The providers that the operator configured, in the order in which a singer is chosen. */
export const configuredProviders = (settings: MusicSettings): ReadonlyArray<Omit<MusicProviderView, "wired">> => [
  ...(settings.aceStepUrl === null
    ? []
    : [
        {
          id: "ace-step",
          name: settings.aceStepModel === null ? "ACE-Step 1.5" : `ACE-Step 1.5 (${settings.aceStepModel})`,
          maxDurationSec: musicDurationSec.most,
          instrumental: true,
          lyrics: true
        }
      ]),
  ...(settings.minimaxMusicKey === null
    ? []
    : [
        {
          id: "minimax",
          name: `MiniMax ${settings.minimaxMusicModel}`,
          maxDurationSec: musicDurationSec.most,
          instrumental: !songsOnly.test(settings.minimaxMusicModel),
          lyrics: true
        }
      ]),
  ...(settings.musicUrl === null
    ? []
    : [
        {
          id: "endpoint",
          name: settings.musicModel,
          maxDurationSec: settings.musicMaxSec,
          instrumental: true,
          lyrics: settings.musicSings === "on"
        }
      ])
]

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

/** Texts in brackets are directions, such as `[chorus]`; what remains is sung. */
export const hasWords = (lyrics: string): boolean => /\p{L}/u.test(lyrics.replaceAll(/\[[^\]]*\]/g, ""))

/** A seed within 31 bits, which every provider takes. */
export const seed31 = (seed: number): number => seed % 2_147_483_648

/** US dollars of the pieces that a provider made; null without a price. */
export const musicCostUsd = ({ pieces, pricePerPiece }: MusicProviderState): number | null =>
  pricePerPiece === null ? null : Math.round(pieces * pricePerPiece * 10_000) / 10_000

/** A provider as operators see it. */
export const providerView = ({ lastFailure, ...state }: MusicProviderState) => ({
  ...state,
  lastFailure:
    lastFailure === null ? null : { reason: lastFailure.reason, detail: lastFailure.detail, at: iso(lastFailure.atMs) },
  costUsd: musicCostUsd({ lastFailure, ...state })
})
