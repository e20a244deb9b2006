import { sampleRateHz } from "../engine/Limits.ts"

const stepSamples = sampleRateHz / 100
/** Envelope values below this are breath and room, not a voice. */
const voiced = 12
const aheadSteps = 25
const holdSteps = 45
const attackPerStep = 1 / 18
const releasePerStep = 1 / 45

/**
 * How far a voice is present, 0…1, every 10 ms from 250 ms before its first sample on. The envelope is known before it is heard,
 * so what lies under it gives way before the first word and comes back after the last.
 */
export const presenceOf = (envelope: Uint8Array): Float32Array => {
  const length = envelope.length + aheadSteps + holdSteps + Math.ceil(1 / releasePerStep)
  const presence = new Float32Array(length)
  let lastVoiced = Number.NEGATIVE_INFINITY
  let value = 0
  for (let step = 0; step < length; step++) {
    if ((envelope[step] ?? 0) >= voiced) lastVoiced = step
    const speaking = step - lastVoiced <= holdSteps + aheadSteps
    value = speaking ? Math.min(1, value + attackPerStep) : Math.max(0, value - releasePerStep)
    presence[step] = value
  }
  return presence
}

/** Presence at a sample counted from the voice's first one; may be negative. */
export const presenceAt = (presence: Float32Array, sample: number): number => {
  const at = sample / stepSamples + aheadSteps
  if (at < 0 || at >= presence.length - 1) return 0
  const step = Math.floor(at)
  return presence[step]! + (presence[step + 1]! - presence[step]!) * (at - step)
}
