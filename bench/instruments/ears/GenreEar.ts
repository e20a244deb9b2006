import type { MusicMeasure } from "./MusicMeasure.ts"

/** Features that distinguish genres, measured from the sound alone and never from the score. */
export const featuresOf = (measure: MusicMeasure): ReadonlyArray<number> => [
  ...measure.octavesDb.slice(0, 9).map((level) => Math.max(-40, level)),
  Math.log2(measure.tempoBpm) * 2,
  measure.beatStrength,
  ...measure.onsetsPerSec,
  measure.peakToLoudnessDb,
  measure.sideToMidDb,
  measure.tonality,
  measure.sameness
]

export interface Heard {
  readonly genre: string
  readonly features: ReadonlyArray<number>
}

const mean = (values: ReadonlyArray<number>): number => values.reduce((sum, value) => sum + value, 0) / values.length
const column = (rows: ReadonlyArray<ReadonlyArray<number>>, at: number) => rows.map((row) => row[at]!)

/** The genre with the nearest mean, each feature in units of its spread within genres. */
export const genreOf = (known: ReadonlyArray<Heard>, features: ReadonlyArray<number>): string => {
  const genres = [...new Set(known.map(({ genre }) => genre))]
  const centres = new Map(
    genres.map((genre) => {
      const rows = known.filter((one) => one.genre === genre).map((one) => one.features)
      return [genre, features.map((_, at) => mean(column(rows, at)))] as const
    })
  )
  const spreads = features.map((_, at) => {
    const within = mean(known.map((one) => (one.features[at]! - centres.get(one.genre)![at]!) ** 2))
    const whole = column([...centres.values()], at)
    // A feature that hardly varies within the few known pieces must not decide alone.
    const between = mean(whole.map((value) => (value - mean(whole)) ** 2))
    return within + 0.02 * between + 1e-9
  })
  const distance = (genre: string) =>
    features.reduce((sum, value, at) => sum + (value - centres.get(genre)![at]!) ** 2 / spreads[at]!, 0)
  return genres.reduce((best, genre) => (distance(genre) < distance(best) ? genre : best))
}

/** Classifies each piece by all others. */
export const leaveOneOut = (
  pieces: ReadonlyArray<Heard>
): ReadonlyArray<{ readonly genre: string; readonly heardAs: string }> =>
  pieces.map((piece) => ({
    genre: piece.genre,
    heardAs: genreOf(
      pieces.filter((other) => other !== piece),
      piece.features
    )
  }))
