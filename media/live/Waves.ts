import type { AirItem, StagedSound } from "../../schema/air/Air.ts"
import { captionItemsMax, waveLevels } from "../../engine/rules/air/limits.ts"
import { envelopeMs } from "../../engine/rules/sound/limits.ts"
import { sampleRateHz } from "../../schema/time/Samples.ts"

const stepSamples = (envelopeMs * sampleRateHz) / 1_000

/** Waveform of the audible part of a sound, 0 to 255 in `waveLevels` steps: the peak of each step. */
const levelsOf = ({ cue: { cueIn, cueOut }, envelope }: StagedSound): ReadonlyArray<number> => {
  const from = cueIn / stepSamples
  const each = (cueOut - cueIn) / stepSamples / waveLevels
  return Array.from({ length: waveLevels }, (_, at) => {
    const first = Math.floor(from + at * each)
    return Math.max(0, ...envelope.subarray(first, Math.max(first + 1, Math.floor(from + (at + 1) * each))))
  })
}

/** Waveforms of planned, current and recent items, for pages that draw them. */
export class Waves {
  readonly #sounds = new Map<string, StagedSound>()

  expect(items: ReadonlyArray<AirItem>): void {
    for (const { itemId, sound } of items) {
      this.#sounds.delete(itemId)
      this.#sounds.set(itemId, sound)
    }
    for (const itemId of [...this.#sounds.keys()].slice(0, -captionItemsMax)) this.#sounds.delete(itemId)
  }

  levelsOfItem(itemId: string): ReadonlyArray<number> | null {
    const sound = this.#sounds.get(itemId)
    return sound === undefined ? null : levelsOf(sound)
  }
}
