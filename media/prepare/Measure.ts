import { Loudness } from "../../schema/Sound.ts"

/** Appended to a filter chain: passes the sound unchanged, and writes a summary to stderr at the end. */
export const measuring = "ebur128=peak=true:framelog=verbose"

/** `ebur128`'s output for sound below its absolute gate. */
export const ungatedLufs = -70

const number = (lines: ReadonlyArray<string>, name: string): number | null => {
  const pattern = new RegExp(`^\\s*${name}:\\s+(\\S+) `)
  for (const line of lines) {
    const text = pattern.exec(line)?.[1]
    if (text === undefined) continue
    const value = text === "-inf" ? Number.NEGATIVE_INFINITY : Number(text)
    return Number.isNaN(value) ? null : value
  }
  return null
}

/**
 * Reads the last summary in ffmpeg's output; null if there is none or it isn't a measurement. The headings repeat names (`Threshold`,
 * `Peak`), so each value is looked up under its own.
 */
export const readLoudness = (lines: ReadonlyArray<string>): Loudness | null => {
  const start = lines.findLastIndex((line) => /ebur128.*Summary:/.test(line))
  if (start < 0) return null
  const summary = lines.slice(start + 1)
  const peaks = summary.slice(
    Math.max(
      0,
      summary.findIndex((line) => /True peak:/.test(line))
    )
  )
  const integratedLufs = number(summary, "I")
  const rangeLu = number(summary, "LRA")
  const truePeakDbtp = number(peaks, "Peak")
  if (integratedLufs === null || truePeakDbtp === null) return null
  return new Loudness({
    integratedLufs: Math.max(ungatedLufs, integratedLufs),
    truePeakDbtp: Math.max(-120, truePeakDbtp),
    rangeLu: rangeLu ?? 0
  })
}
