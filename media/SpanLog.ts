import { createHash, type Hash } from "node:crypto"
import { AirLayer, AirSpan, type ItemLabel } from "../schema/Air.ts"

interface Open {
  readonly itemId: string | null
  readonly label: ItemLabel
  readonly firstSample: number
  readonly trace: ReadonlyArray<string>
  readonly layers: Array<{ readonly layer: AirLayer["layer"]; readonly assetId: string | null; readonly gainDb: number; readonly firstSample: number; lastSample: number }>
  lastSample: number
  complete: boolean
}

/**
 * Cuts what is sent into stretches without gap or overlap, and hashes each as it leaves. Stretches are begun while mixing,
 * which is a little ahead of what leaves.
 */
export class SpanLog {
  readonly #waiting: Array<Open> = []
  #open: Open
  #hash: Hash = createHash("sha256")
  #sentTo: number

  constructor(firstSample: number, label: ItemLabel) {
    this.#sentTo = firstSample
    this.#open = this.#next(null, label, firstSample, [])
  }

  #next(itemId: string | null, label: ItemLabel, firstSample: number, trace: ReadonlyArray<string>): Open {
    return { itemId, label, firstSample, trace, layers: [], lastSample: Number.POSITIVE_INFINITY, complete: false }
  }

  get current(): { readonly itemId: string | null; readonly firstSample: number } {
    return this.#waiting.at(-1) ?? this.#open
  }

  /** From `atSample` on something else is on the air; `complete` says how what was before ended. */
  begin(itemId: string | null, label: ItemLabel, atSample: number, trace: ReadonlyArray<string>, complete: boolean): void {
    const before = this.#waiting.at(-1) ?? this.#open
    before.lastSample = atSample - 1
    before.complete = complete
    if (atSample <= before.firstSample && before === this.#open && before.firstSample === this.#sentTo) this.#open = this.#next(itemId, label, before.firstSample, trace)
    else this.#waiting.push(this.#next(itemId, label, atSample, trace))
  }

  /** This layer is on the bus at this cell. */
  layer(layer: AirLayer["layer"], assetId: string | null, gainDb: number, firstSample: number, lastSample: number): void {
    const { layers } = this.#waiting.at(-1) ?? this.#open
    const known = layers.findLast((each) => each.layer === layer && each.assetId === assetId)
    if (known !== undefined && known.lastSample >= firstSample - 1) known.lastSample = Math.max(known.lastSample, lastSample)
    else layers.push({ layer, assetId, gainDb, firstSample, lastSample })
  }

  /** These frames leave; answers the stretches that are over with them. */
  sent(pcm: Float32Array): ReadonlyArray<AirSpan> {
    const spans: Array<AirSpan> = []
    let at = 0
    const frames = pcm.length / 2
    while (at < frames) {
      const take = Math.min(frames - at, this.#open.lastSample + 1 - this.#sentTo)
      if (take > 0) this.#hash.update(Buffer.from(pcm.buffer, pcm.byteOffset + at * 8, take * 8))
      at += take
      this.#sentTo += take
      if (this.#sentTo <= this.#open.lastSample) continue
      const { complete, firstSample, itemId, label, lastSample, layers, trace } = this.#open
      if (lastSample >= firstSample) {
        spans.push(new AirSpan({
          itemId, label, firstSample, lastSample, complete, trace, pcmSha256: this.#hash.digest("hex"),
          layers: layers.filter((each) => each.firstSample <= lastSample).map((each) => new AirLayer({ ...each, firstSample: Math.max(each.firstSample, firstSample), lastSample: Math.min(each.lastSample, lastSample) }))
        }))
      }
      this.#hash = createHash("sha256")
      this.#open = this.#waiting.shift()!
    }
    return spans
  }
}
