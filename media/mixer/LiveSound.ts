import { liveBufferMaxMs, liveBufferMs } from "../../engine/rules/air/limits.ts"
import { sampleRateHz } from "../../schema/time/Samples.ts"
import { cellFrames } from "./Limiter.ts"
import type { LiveRing } from "./LiveRing.ts"

const fadeCells = 8
/** Below this, live sound fades out before the last of it is used up. */
export const liveDryFrames = (fadeCells + 1) * cellFrames
const bufferFrames = (liveBufferMs * sampleRateHz) / 1_000
const bufferMaxFrames = (liveBufferMaxMs * sampleRateHz) / 1_000

/**
 * Live sound on the bus, a cell at a time. It fades in once enough of it has arrived, and out before the last of it is used up, so that a
 * source that falters never clicks; until it is back, the emergency programme carries the broadcast. Each time it runs dry it waits for twice
 * as much: a slow source is heard in long stretches, not in shreds.
 */
export class LiveSound {
  readonly #ring: LiveRing
  readonly #cell = new Float32Array(cellFrames * 2)
  #neededFrames = bufferFrames
  #on = false
  #flows = false
  #level = 0

  constructor(ring: LiveRing) {
    this.#ring = ring
  }

  /** Begins with the newest sound: what arrived before is history. */
  begin(): void {
    this.#on = true
    this.#flows = false
    this.#neededFrames = bufferFrames
    this.#ring.keep(bufferFrames)
  }

  end(): void {
    this.#on = false
  }

  /** Level of the live sound after this cell, from 0 to 1, and before it. */
  add(out: Float32Array): { readonly from: number; readonly to: number } {
    const { frames } = this.#ring
    if (!this.#flows && frames >= this.#neededFrames) this.#flows = true
    else if (this.#flows && frames < liveDryFrames) {
      this.#flows = false
      this.#neededFrames = Math.min(2 * this.#neededFrames, bufferMaxFrames)
      if (this.#on) this.#ring.noteDry()
    }
    const from = this.#level
    const to = this.#on && this.#flows ? Math.min(1, from + 1 / fadeCells) : Math.max(0, from - 1 / fadeCells)
    this.#level = to
    if (from === 0 && to === 0) return { from, to }
    if (!this.#ring.take(this.#cell)) {
      this.#level = 0
      return { from: 0, to: 0 }
    }
    for (let frame = 0; frame < cellFrames; frame++) {
      const gain = Math.sin((Math.PI / 2) * (from + ((to - from) * frame) / cellFrames))
      out[frame * 2]! += this.#cell[frame * 2]! * gain
      out[frame * 2 + 1]! += this.#cell[frame * 2 + 1]! * gain
    }
    return { from, to }
  }
}
