import type { AirItem } from "../../schema/air/Air.ts"
import { sampleRateHz } from "../../schema/time/Samples.ts"
import { cellFrames } from "./Limiter.ts"

const stepSamples = sampleRateHz / 100
/** Envelope values below this are breath and room noise. */
const voiced = 12
const aheadSteps = 25
/** Pauses shorter than this belong to the speech. */
const holdSteps = 45
const downPerCell = cellFrames / (sampleRateHz * 0.18)
const upPerCell = cellFrames / (sampleRateHz * 0.45)

export const lookAheadSamples = aheadSteps * stepSamples

/** A current or future voice. */
export interface Voice {
  readonly item: AirItem
  readonly startSample: number
  readonly endSample: number
}

const seen = new WeakMap<Uint8Array, Uint8Array>()

/** For every 10 ms, from 250 ms before the first, whether the sound below the voice has to be down. */
const findSpeech = (envelope: Uint8Array): Uint8Array => {
  const known = seen.get(envelope)
  if (known !== undefined) return known
  const steps = new Uint8Array(envelope.length + aheadSteps)
  let lastVoiced = Number.NEGATIVE_INFINITY
  for (let step = 0; step < steps.length; step++) {
    if ((envelope[step] ?? 0) >= voiced) lastVoiced = step
    steps[step] = step - lastVoiced <= holdSteps + aheadSteps ? 1 : 0
  }
  seen.set(envelope, steps)
  return steps
}

/** The envelope is known in advance: the sound below a voice gives way before its first word and returns after its last. */
export const isSpeakingAt = ({ endSample, item, startSample }: Voice, atSample: number): boolean => {
  if (atSample >= endSample || atSample < startSample - lookAheadSamples) return false
  const steps = findSpeech(item.sound.envelope)
  return steps[Math.floor((item.sound.cue.cueIn + atSample - startSample) / stepSamples) + aheadSteps] === 1
}

/** Depth of the ducking, 0…1. It never jumps, even if the plan changes. */
export class Duck {
  #depth: number | null = null

  /** At the start and at the end of a cell. */
  advance(down: boolean): readonly [from: number, to: number] {
    const from = this.#depth ?? Number(down)
    this.#depth = down ? Math.min(1, from + downPerCell) : Math.max(0, from - upPerCell)
    return [from, this.#depth]
  }
}
