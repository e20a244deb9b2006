import type { Accent, TimbreWord } from "../../schema/voices/Voice.ts"
import type { EqBand } from "./Timbre.ts"

/** The engine's English voice files, by a listener's description. */
export const accents = {
  American: "gmw/en-US",
  "New York": "gmw/en-US-nyc",
  British: "gmw/en",
  "Received Pronunciation": "gmw/en-GB-x-rp",
  Scottish: "gmw/en-GB-scotland",
  Lancastrian: "gmw/en-GB-x-gbclan",
  "West Midlands": "gmw/en-GB-x-gbcwmd",
  Caribbean: "gmw/en-029"
} as const satisfies Record<Accent, string>

/** Effect of one word of a voice's timbre. The effects of all words add up. */
export interface TimbreTraits {
  readonly eq?: ReadonlyArray<EqBand>
  readonly room?: number
  readonly breath?: number
  readonly roughness?: number
  readonly flutter?: number
  readonly consonants?: number
  /** Strength of the formants above the third, in percent points. */
  readonly upperPct?: number
  /** Width of the formants, in percent points: wide ones are soft. */
  readonly widthPct?: number
  readonly intonation?: number
}

const band = (kind: EqBand["kind"], hz: number, gainDb: number, q = 0.8): EqBand => ({ kind, hz, gainDb, q })

export const timbres: Readonly<Record<TimbreWord, TimbreTraits>> = {
  warm: { eq: [band("low", 240, 3.5), band("high", 4_500, -2)] },
  resonant: { eq: [band("peak", 140, 4, 1.2)], room: 0.08, widthPct: -15 },
  clear: { eq: [band("peak", 2_600, 3)] },
  velvety: { eq: [band("low", 200, 4), band("high", 3_000, -4)], widthPct: 30, consonants: -15 },
  intimate: { eq: [band("low", 180, 3), band("peak", 5_200, 2.5)], breath: 8 },
  crisp: { eq: [band("peak", 4_200, 5, 1)], consonants: 30, upperPct: 15 },
  airy: { eq: [band("high", 5_200, 5), band("low", 250, -2)], breath: 24, widthPct: 20 },
  bright: { eq: [band("high", 2_900, 5)], upperPct: 20 },
  dark: { eq: [band("high", 2_000, -6), band("low", 260, 1.5)], upperPct: -20 },
  gravelly: { eq: [band("peak", 420, 2.5)], roughness: 3, flutter: 2 },
  nasal: { eq: [band("peak", 1_050, 6, 1.4), band("low", 260, -2.5)] },
  synthetic: { eq: [band("peak", 1_900, 3.5, 1.6)], intonation: -25, flutter: -2 },
  husky: { eq: [band("peak", 700, 3.5, 1)], breath: 30, roughness: 1, widthPct: 15 },
  thin: { eq: [band("low", 420, -6)], widthPct: -10 },
  hall: { eq: [band("high", 3_600, -1.5)], room: 0.2 }
}
