import type { ItemLabel } from "../../schema/air/Air.ts"
import { mp3BurstMaxMs } from "../../engine/rules/air/limits.ts"
import { sampleRateHz } from "../../schema/time/Samples.ts"
import type { Mp3Chunk } from "../../engine/ports/Live.ts"
import { mp3FrameSamples } from "../encode/Mp3Frames.ts"

/** About six seconds. */
const heldChunksMax = 64

interface Run {
  readonly firstSample: number
  readonly bytes: Uint8Array
  readonly lastSample: number
}

interface Change {
  readonly atSample: number
  readonly label: ItemLabel
}

/** The MP3 output: the last seconds for new listeners, and everything after that for current ones. */
export class Mp3Window {
  #runs: Array<Run> = []
  #changes: Array<Change> = []
  #label: ItemLabel
  #nextFrame: number
  readonly #listeners = new Set<(chunk: Mp3Chunk) => void>()
  /** Not sent yet: it isn't certain that this process has the air. */
  #held: Array<Mp3Chunk> = []

  constructor(nextFrame: number, label: ItemLabel) {
    this.#nextFrame = nextFrame
    this.#label = label
  }

  /** First frame not sent to anybody. */
  get nextFrame(): number {
    return this.#nextFrame
  }

  /** The label applies from the first frame that begins at or after `atSample`. */
  label(atSample: number, label: ItemLabel): void {
    this.#changes = [...this.#changes, { atSample, label }].sort((a, b) => a.atSample - b.atSample)
  }

  /** Continues at another position, with nothing of before. */
  beginAt(nextFrame: number): void {
    this.#nextFrame = nextFrame
    this.#runs = []
    this.#changes = []
    this.#held = []
  }

  /** `isOnAir`: listeners receive it now, otherwise with the next frames for which it is true. */
  accept(firstFrame: number, bytes: Uint8Array, frames: number, isOnAir = true): void {
    if (firstFrame < this.#nextFrame) return
    this.#nextFrame = firstFrame + frames
    const firstSample = firstFrame * mp3FrameSamples
    const lastSample = this.#nextFrame * mp3FrameSamples - 1
    while (this.#changes[0] !== undefined && this.#changes[0].atSample <= lastSample) {
      this.#label = this.#changes.shift()!.label
      this.#held.push({ _tag: "Label", label: this.#label })
    }
    this.#runs.push({ firstSample, lastSample, bytes })
    const oldest = lastSample - (mp3BurstMaxMs * sampleRateHz) / 1000
    while (this.#runs[0]!.lastSample < oldest) this.#runs.shift()
    this.#held.push({ _tag: "Frames", bytes, firstSample })
    if (!isOnAir) {
      this.#held = this.#held.slice(-heldChunksMax)
      return
    }
    this.#send()
  }

  #send(): void {
    const held = this.#held
    this.#held = []
    for (const chunk of held) for (const listener of this.#listeners) listener(chunk)
  }

  /** Runs of the last `burstMs`, their label, and everything after that until closed. */
  listen(burstMs: number, next: (chunk: Mp3Chunk) => void) {
    // The burst already contains the frames that are held back: a listener would get them twice with the next ones.
    this.#send()
    const from = this.#nextFrame * mp3FrameSamples - (Math.min(burstMs, mp3BurstMaxMs) * sampleRateHz) / 1000
    this.#listeners.add(next)
    const runs = this.#runs.filter((run) => run.firstSample >= from)
    return {
      burst: runs.map((run) => run.bytes),
      label: this.#label,
      firstSample: runs[0]?.firstSample ?? this.#nextFrame * mp3FrameSamples,
      close: () => {
        this.#listeners.delete(next)
      }
    }
  }
}
