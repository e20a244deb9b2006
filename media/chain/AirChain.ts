import type { AirEvent, OutputId } from "../../schema/air/Air.ts"
import { encoderBehindMaxSec } from "../../engine/rules/air/limits.ts"
import { channelsCount, sampleRateHz } from "../../schema/time/Samples.ts"
import type { HlsVariant } from "../../engine/ports/Live.ts"
import { Encoder } from "../encode/Encoder.ts"
import { type Part, PartPacker } from "../encode/PartPacker.ts"
import type { PcmRing } from "../encode/PcmRing.ts"
import { renditions } from "../encode/Rendition.ts"
import type { AirSource } from "../mixer/AirSource.ts"

export interface AirSinks {
  readonly onPart: (part: Part) => void
  readonly onMp3: (firstFrame: number, frames: ReadonlyArray<Uint8Array>) => void
  readonly onEvent: (event: AirEvent) => void
  /** Mixed sound before encoding; valid during the call only. */
  readonly onPcm?: (block: Float32Array) => void
}
const blockSamples = 4_800
const variants = ["aac128", "aac64"] as const satisfies ReadonlyArray<HlsVariant>
/** Id shared by an item's event messages and date ranges; unique within 24 hours. */
export const labelId = (atSample: number): number => atSample % 2 ** 32
/** From the mixer to parts and MP3 frames. The caller says how far to go; the chain reads a clock only to watch its encoders. */
export class AirChain {
  readonly #source: AirSource
  readonly #ring: PcmRing
  readonly #sinks: AirSinks
  readonly #encoders: ReadonlyMap<OutputId, Encoder>
  readonly #packers: ReadonlyMap<HlsVariant, PartPacker>
  readonly #block = new Float32Array(blockSamples * channelsCount)

  constructor(options: {
    readonly source: AirSource
    readonly ring: PcmRing
    readonly sinks: AirSinks
    readonly ffmpeg: string
    readonly monoMs: () => number
    readonly nextAacFrame: { readonly aac128: number; readonly aac64: number }
    readonly nextMp3Frame: number
  }) {
    const { ffmpeg, monoMs, ring, sinks } = options
    this.#source = options.source
    this.#ring = ring
    this.#sinks = sinks
    this.#packers = new Map(
      variants.map((variant) => [variant, new PartPacker(variant, options.nextAacFrame[variant], sinks.onPart)])
    )
    const encoder = (id: OutputId) => {
      const packer = id === "mp3" ? null : this.#packers.get(id)!
      return new Encoder({
        rendition: renditions[id],
        ffmpeg,
        ring,
        monoMs,
        nextFrame: id === "mp3" ? options.nextMp3Frame : options.nextAacFrame[id],
        onFrames: (first, frames) => (packer === null ? sinks.onMp3(first, frames) : packer.feed(first, frames)),
        onReplaced: (reason) =>
          sinks.onEvent({ _tag: "EncoderReplaced", rendition: id, reason, atSample: ring.writtenTo })
      })
    }
    this.#encoders = new Map(([...variants, "mp3"] as const).map((id) => [id, encoder(id)]))
  }

  get encoders(): ReadonlyMap<OutputId, Encoder> {
    return this.#encoders
  }

  /** An item that an earlier chain began. */
  label(event: Extract<AirEvent, { readonly _tag: "Started" }>): void {
    for (const packer of this.#packers.values()) {
      packer.label({
        id: labelId(event.atSample),
        atSample: event.atSample,
        title: event.label.title,
        artist: event.label.artist,
        kind: event.label.kind,
        synthetic: event.label.synthetic
      })
    }
  }

  /** Mixes up to (not including) `sample` and feeds the encoders; less if they can't keep up. */
  renderTo(sample: number): void {
    const slowest = Math.min(...[...this.#encoders.values()].map((encoder) => encoder.fedTo))
    const to = Math.min(sample, slowest + encoderBehindMaxSec * sampleRateHz)
    while (this.#ring.writtenTo < to) {
      const frames = Math.min(blockSamples, to - this.#ring.writtenTo)
      const block = frames === blockSamples ? this.#block : this.#block.subarray(0, frames * channelsCount)
      for (const event of this.#source.render(block, frames)) {
        if (event._tag === "Started") this.label(event)
        this.#sinks.onEvent(event)
      }
      this.#ring.write(block)
      this.#sinks.onPcm?.(block)
    }
    for (const encoder of this.#encoders.values()) {
      encoder.feed()
      encoder.check()
    }
  }

  /** Whether the encoders have received everything mixed. */
  get fed(): boolean {
    return [...this.#encoders.values()].every((encoder) => encoder.running && encoder.fedTo >= this.#ring.writtenTo)
  }

  /** Lets the encoders finish their input. */
  async finish(): Promise<void> {
    await Promise.all([...this.#encoders.values()].map((encoder) => encoder.finish()))
  }

  close(): void {
    for (const encoder of this.#encoders.values()) encoder.kill()
  }
}
