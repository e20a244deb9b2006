import { Schema } from "effect"

const decibels = Schema.NullOr(Schema.Finite)

/**
 * Levels of the programme, measured where it goes to the encoders, each 100 ms. Null: silence, or not heard for long enough. Listeners hear
 * `atSample` about as much later as their stream is behind.
 */
export const MeterReading = Schema.Struct({
  atSample: Schema.Int,
  /** RMS of left and right with an integration time of 300 ms, in dBFS. */
  vuDb: Schema.Tuple([decibels, decibels]),
  /** Over 400 ms and over 3 s. */
  momentaryLufs: decibels,
  shortTermLufs: decibels,
  /** Gated, over the item on the air, and how much of it was measured. */
  integratedLufs: decibels,
  integratedSec: Schema.Finite,
  /** Of the last 100 ms, left and right; and the highest of the item. */
  truePeakDbtp: Schema.Tuple([decibels, decibels]),
  maxTruePeakDbtp: decibels
})
export type MeterReading = typeof MeterReading.Type
