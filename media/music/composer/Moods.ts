/** What a mood does to any style. `family` and `scale` are left to the style where null. */
export interface Mood {
  readonly family: "major" | "minor" | null
  readonly scale: string | null
  readonly tempo: number
  readonly bright: number
  readonly busy: number
  readonly wet: number
}

const plain: Mood = { family: null, scale: null, tempo: 1, bright: 0, busy: 1, wet: 1 }

const moods: Readonly<Record<string, Partial<Mood>>> = {
  calm: { family: "major", tempo: 0.92, bright: -0.2, busy: 0.75, wet: 1.2 },
  bright: { family: "major", tempo: 1.04, bright: 0.25, busy: 1.05 },
  dark: { family: "minor", scale: "phrygian", tempo: 0.97, bright: -0.3, wet: 1.15 },
  dreamy: { family: "major", scale: "lydian", tempo: 0.94, bright: -0.05, busy: 0.85, wet: 1.5 },
  driving: { family: "minor", tempo: 1.06, bright: 0.15, busy: 1.25, wet: 0.85 },
  melancholic: { family: "minor", tempo: 0.93, bright: -0.15, busy: 0.8, wet: 1.2 },
  playful: { family: "major", scale: "major pentatonic", tempo: 1.05, bright: 0.15, busy: 1.3, wet: 0.8 },
  romantic: { family: "major", tempo: 0.92, bright: -0.05, busy: 0.9, wet: 1.25 },
  tense: { family: "minor", scale: "harmonic minor", tempo: 1.03, bright: 0.05, busy: 1.15, wet: 0.9 },
  triumphant: { family: "major", tempo: 1.02, bright: 0.25, busy: 1.05, wet: 1.1 },
  warm: { family: "major", scale: "mixolydian", tempo: 0.96, bright: -0.2, busy: 0.9 },
  weird: { family: "minor", scale: "melodic minor", tempo: 1, bright: 0.1, busy: 1.2, wet: 1.25 }
}

/** Moods nobody has heard of change nothing. */
export const moodOf = (name: string | null): Mood => ({ ...plain, ...(name === null ? {} : (moods[name] ?? {})) })
