/** A quarter of a sine up from nothing or down to it: two that cross keep their power. */
export interface Fade {
  readonly from: number
  readonly samples: number
  readonly direction: "in" | "out"
}

/** Multiplies the gains of the frames `[from, to)` by a fade. Fades of one sound multiply, so none begins with a jump. */
export const fade = (
  gains: Float32Array,
  from: number,
  to: number,
  { direction, from: begin, samples }: Fade
): void => {
  if (direction === "in" ? from >= begin + samples : to <= begin) return
  for (let at = from; at < to; at++) {
    const done = Math.min(1, Math.max(0, (at - begin + 0.5) / samples))
    gains[at - from]! *= Math.sin((Math.PI / 2) * (direction === "in" ? done : 1 - done))
  }
}

const scale = 1 / 32_768

/** Adds frames of s16 sound to a cell from its frame `offset` on, each at its own gain. */
export const addFrames = (cell: Float32Array, offset: number, frames: Int16Array, gains: Float32Array): void => {
  for (let frame = 0; frame * 2 < frames.length; frame++) {
    const gain = gains[frame]! * scale
    cell[(offset + frame) * 2]! += frames[frame * 2]! * gain
    cell[(offset + frame) * 2 + 1]! += frames[frame * 2 + 1]! * gain
  }
}

export const linear = (db: number): number => 10 ** (db / 20)
