/** A band of the equaliser: `peak` lifts or cuts around `hz`, shelves all below or above it. */
export interface EqBand {
  readonly kind: "peak" | "low" | "high"
  readonly hz: number
  readonly gainDb: number
  readonly q: number
}

export interface TimbreRecipe {
  readonly eq: ReadonlyArray<EqBand>
  /** Share of early reflections, 0 (dry booth) to 0.3 (a hall heard from its stage). */
  readonly room: number
}

/** Robert Bristow-Johnson's cookbook filters, in place. */
const equalise = (pcm: Float32Array, sampleRateHz: number, { kind, hz, gainDb, q }: EqBand): void => {
  const a = 10 ** (gainDb / 40)
  const w = (2 * Math.PI * Math.min(hz, sampleRateHz * 0.45)) / sampleRateHz
  const cos = Math.cos(w)
  const alpha = Math.sin(w) / (2 * q)
  const slope = 2 * Math.sqrt(a) * alpha
  const sign = kind === "high" ? -1 : 1
  const [b0, b1, b2, a0, a1, a2] =
    kind === "peak"
      ? ([1 + alpha * a, -2 * cos, 1 - alpha * a, 1 + alpha / a, -2 * cos, 1 - alpha / a] as const)
      : ([
          a * (a + 1 - sign * (a - 1) * cos + slope),
          sign * 2 * a * (a - 1 - sign * (a + 1) * cos),
          a * (a + 1 - sign * (a - 1) * cos - slope),
          a + 1 + sign * (a - 1) * cos + slope,
          -sign * 2 * (a - 1 + sign * (a + 1) * cos),
          a + 1 + sign * (a - 1) * cos - slope
        ] as const)
  let x1 = 0
  let x2 = 0
  let y1 = 0
  let y2 = 0
  for (let i = 0; i < pcm.length; i++) {
    const x = pcm[i]!
    const y = (b0 * x + b1 * x1 + b2 * x2 - a1 * y1 - a2 * y2) / a0
    x2 = x1
    x1 = x
    y2 = y1
    y1 = y
    pcm[i] = y
  }
}

/** Distances of six walls, in ms: no two share a factor, so that nothing rings. */
const wallsMs = [7.3, 11.9, 17.1, 23.7, 31.3, 41.9] as const

/** Duration of the farthest reflection after the last word. */
export const roomTailMs = 50

const reflect = (pcm: Float32Array, sampleRateHz: number, share: number): void => {
  const dry = pcm.slice()
  for (const [index, wallMs] of wallsMs.entries()) {
    const delay = Math.round((wallMs * sampleRateHz) / 1000)
    const gain = share * 0.75 ** index * (index % 2 === 0 ? 1 : -1)
    let dull = 0
    for (let i = delay; i < pcm.length; i++) {
      dull += 0.45 * (dry[i - delay]! - dull)
      pcm[i]! += gain * dull
    }
  }
}

/** The engine's breath noise has an offset: below 30 Hz there is only clipping risk. */
const centre = (pcm: Float32Array, sampleRateHz: number): void => {
  const keep = 1 - (2 * Math.PI * 30) / sampleRateHz
  let before = 0
  let level = 0
  for (let i = 0; i < pcm.length; i++) {
    const sample = pcm[i]!
    level = sample - before + keep * level
    before = sample
    pcm[i] = level
  }
}

/** The microphone and the room of a voice, applied in place. */
export const colour = (pcm: Float32Array, sampleRateHz: number, { eq, room }: TimbreRecipe): void => {
  centre(pcm, sampleRateHz)
  for (const band of eq) equalise(pcm, sampleRateHz, band)
  if (room > 0) reflect(pcm, sampleRateHz, room)
}
