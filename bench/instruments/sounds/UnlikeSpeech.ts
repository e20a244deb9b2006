/** Numbers from 0 to 1, the same for the same seed. */
export const seeded = (seed: number) => {
  let state = seed
  return (): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff
    return state / 0x7fffffff
  }
}

/** Makes a sound longer or shorter at the same pitch: overlapping windows, each moved to where it fits the one before (WSOLA). */
export const stretch = (sound: Float32Array, factor: number, sampleRateHz: number): Float32Array => {
  const window = 2 * Math.round(sampleRateHz * 0.015)
  const hop = window / 2
  const length = Math.round(sound.length * factor)
  const out = new Float32Array(length + window)
  const reach = Math.round(sampleRateHz * 0.008)
  const last = sound.length - window - 1
  if (last < 0) return sound
  let before = -hop
  for (let at = 0; at + window < out.length; at += hop) {
    const wanted = Math.min(last, Math.round(at / factor))
    let [from, fit] = [wanted, -Infinity]
    const to = at === 0 ? -1 : Math.min(last, wanted + reach)
    for (let shift = Math.max(0, wanted - reach); shift <= to; shift += 2) {
      let alike = 0
      for (let i = 0; i < hop; i += 4) alike += sound[shift + i]! * (sound[before + hop + i] ?? 0)
      if (alike > fit) [from, fit] = [shift, alike]
    }
    for (let i = 0; i < window; i++)
      out[at + i] = out[at + i]! + sound[from + i]! * (0.5 - 0.5 * Math.cos((2 * Math.PI * i) / window))
    before = from
  }
  return out.subarray(0, length)
}

/**
 * The same words as another speaker might say them: each faster or slower, some after a pause, in a room, with noise. Answers the sound and when its
 * words begin.
 */
export const unlike = (
  pcm: Float32Array,
  sampleRateHz: number,
  startsMs: ReadonlyArray<number>,
  draw: () => number
): { readonly pcm: Float32Array; readonly startsMs: ReadonlyArray<number> } => {
  const pace = 0.8 + 0.5 * draw()
  const parts: Array<Float32Array> = []
  const starts: Array<number> = []
  let length = 0
  const add = (part: Float32Array) => {
    parts.push(part)
    length += part.length
  }
  const sampleOf = (ms: number) => Math.round((ms * sampleRateHz) / 1_000)
  for (const [k, startMs] of startsMs.entries()) {
    const word = pcm.subarray(sampleOf(startMs), k + 1 < startsMs.length ? sampleOf(startsMs[k + 1]!) : pcm.length)
    starts.push((length * 1_000) / sampleRateHz)
    const factor = pace * (0.75 + 0.6 * draw())
    add(word.length > sampleRateHz * 0.05 ? stretch(word, factor, sampleRateHz) : word)
    if (k + 1 < startsMs.length && draw() < 0.12)
      add(new Float32Array(Math.round(sampleRateHz * (0.08 + 0.3 * draw()))))
  }
  const sound = new Float32Array(length)
  let at = 0
  for (const part of parts) {
    sound.set(part, at)
    at += part.length
  }
  const echo = Math.round(sampleRateHz * 0.037)
  for (let i = echo; i < length; i++) sound[i] = sound[i]! + 0.25 * sound[i - echo]!
  for (let i = 0; i < length; i++) sound[i] = sound[i]! + (draw() - 0.5) * 0.004
  return { pcm: sound, startsMs: starts }
}
