import { aacFrameSamples, partFrames, segmentFrames } from "../../engine/rules/air/limits.ts"
import type { HlsVariant } from "../../engine/ports/Live.ts"
import { fragment, type TimedLabel } from "./Fmp4.ts"

/** 16 AAC frames on the broadcast's timeline, ready to serve. Segment and part number follow from the epoch. */
export interface Part {
  readonly variant: HlsVariant
  readonly msn: number
  readonly part: number
  readonly bytes: Uint8Array<ArrayBuffer>
  /** Sound was cut before this part: its missing frames are silence. */
  readonly cut: boolean
}

/** ffmpeg's encoding of digital silence, stereo, at any bitrate. */
export const silentFrame = Uint8Array.from(Buffer.from("211004608c1c", "hex"))

export const partsPerSegment = segmentFrames / partFrames
export const partSamples = partFrames * aacFrameSamples
export const segmentSamples = segmentFrames * aacFrameSamples

/** Collects the frames of one rendition into parts. Missing frames become silence: a part is never short. */
export class PartPacker {
  readonly #variant: HlsVariant
  readonly #emit: (part: Part) => void
  #next: number
  #frames: Array<Uint8Array> = []
  #labels: Array<TimedLabel> = []
  #cut = false

  /** Expects frames from `firstFrame` on; fills the beginning of its part. */
  constructor(variant: HlsVariant, firstFrame: number, emit: (part: Part) => void) {
    this.#variant = variant
    this.#emit = emit
    this.#next = firstFrame - (firstFrame % partFrames)
    if (this.#next < firstFrame) this.#fill(firstFrame)
  }

  /** First frame that is in no part yet. */
  get nextPartFrame(): number {
    return this.#next - this.#frames.length
  }

  label(label: TimedLabel): void {
    this.#labels.push(label)
  }

  feed(firstFrame: number, frames: ReadonlyArray<Uint8Array>): void {
    if (firstFrame > this.#next) this.#fill(firstFrame)
    for (const frame of frames.slice(Math.max(0, this.#next - firstFrame))) this.#add(frame)
  }

  #fill(to: number): void {
    this.#cut = true
    while (this.#next < to) this.#add(silentFrame)
  }

  #add(frame: Uint8Array): void {
    this.#frames.push(frame)
    this.#next += 1
    if (this.#frames.length === partFrames) this.#pack()
  }

  #pack(): void {
    const firstFrame = this.#next - partFrames
    const number = firstFrame / partFrames
    const from = firstFrame * aacFrameSamples
    // Repeats the current item at the beginning of each segment, for players that tune in.
    const current =
      firstFrame % segmentFrames === 0 ? this.#labels.findLast((label) => label.atSample < from) : undefined
    const begun = this.#labels.filter((label) => label.atSample >= from && label.atSample < from + partSamples)
    const last = this.#labels.findLast((label) => label.atSample < from + partSamples)
    this.#labels = this.#labels.filter((label) => label === last || label.atSample >= from + partSamples)
    const bytes = fragment({
      sequence: number % 2 ** 32,
      firstFrame,
      frames: this.#frames,
      labels: current === undefined ? begun : [current, ...begun]
    })
    const cut = this.#cut
    this.#frames = []
    this.#cut = false
    this.#emit({
      variant: this.#variant,
      msn: Math.floor(number / partsPerSegment),
      part: number % partsPerSegment,
      bytes,
      cut
    })
  }
}
