import { iso } from "../../../schema/time/Instant.ts"
import type { SpeechEngineState } from "../../../schema/voices/Speech.ts"

/** US dollars of the characters that an engine spoke; null without a price. */
export const costUsd = ({ characters, pricePer1000Chars }: SpeechEngineState): number | null =>
  pricePer1000Chars === null ? null : Math.round(characters * pricePer1000Chars * 1_000) / 1_000_000

/** An engine as operators see it. */
export const engineView = ({ lastFailure, ...state }: SpeechEngineState) => ({
  ...state,
  lastFailure:
    lastFailure === null ? null : { reason: lastFailure.reason, detail: lastFailure.detail, at: iso(lastFailure.atMs) },
  costUsd: costUsd({ lastFailure, ...state })
})
