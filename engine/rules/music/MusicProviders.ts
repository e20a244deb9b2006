import { iso } from "../../../schema/time/Instant.ts"
import type { MusicProviderState } from "../../../schema/music/MusicProvider.ts"

/** Texts in brackets are directions, such as `[chorus]`; what remains is sung. */
export const hasWords = (lyrics: string): boolean => /\p{L}/u.test(lyrics.replaceAll(/\[[^\]]*\]/g, ""))

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
