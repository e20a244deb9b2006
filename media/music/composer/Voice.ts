/** One sound of one instrument. Times are in samples from the start of the piece. */
export interface Note {
  readonly at: number
  readonly length: number
  /** MIDI number; fractions are allowed. */
  readonly pitch: number
  readonly level: number
  /** 0 dull to 1 brilliant: how hard it is played, or how far the filter is open. */
  readonly bright: number
}

/** Something that sounds for a while and adds itself to a pair of buffers, from `from` to `to`. False once it is over. */
export interface Voice {
  readonly add: (left: Float32Array, right: Float32Array, from: number, to: number) => boolean
}

export const hertz = (pitch: number): number => 440 * 2 ** ((pitch - 69) / 12)
