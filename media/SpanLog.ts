import { createHash, type Hash } from "node:crypto"
import { AirLayer, AirSpan, type ItemLabel } from "../schema/Air.ts"

/** What the log has to know of an item. */
export interface Named {
  readonly itemId: string | null
  readonly label: ItemLabel
  readonly trace: ReadonlyArray<string>
}

interface Open extends Named {
  readonly firstSample: number
  readonly trace: Array<string>
  readonly layers: Array<{ readonly layer: AirLayer["layer"]; readonly assetId: string | null; readonly gainDb: number; readonly firstSample: number; lastSample: number }>
  lastSample: number
  complete: boolean
}

const opened = ({ itemId, label, trace }: Named, firstSample: number): Open =>
  ({ itemId, label, firstSample, trace: [...trace], layers: [], lastSample: Number.POSITIVE_INFINITY, complete: false })

/**
 * Cuts what is sent into stretches without gap or overlap, and hashes each as it leaves. Stretches are begun while mixing,
 * which is a little ahead of what leaves.
 */
export class SpanLog {
  /** What is leaving, and what was begun behind it: never empty. */
  readonly #open: Array<Open>
  #hash: Hash = createHash("sha256")
  #sentTo: number

  constructor(firstSample: number, first: Named) {
    this.#sentTo = firstSample
    this.#open = [opened(first, firstSample)]
  }

  get current(): { readonly itemId: string | null; readonly firstSample: number } {
    return this.#open.at(-1)!
  }

  /** From `atSample` on something else is on the air; `complete` says how what was before ended. */
  begin(named: Named, atSample: number, complete: boolean): void {
    const before = this.#open.at(-1)!
    const next = opened(named, Math.max(atSample, before.firstSample))
    before.lastSample = next.firstSample - 1
    before.complete = complete
    for (const each of before.layers.filter(({ lastSample }) => lastSample > before.lastSample)) {
      next.layers.push({ ...each, layer: each.layer === "programme" ? "segue" : each.layer, firstSample: Math.max(each.firstSample, next.firstSample) })
      each.lastSample = before.lastSample
    }
    // What ends where it begins was never there.
    if (before.lastSample < before.firstSample) this.#open.pop()
    this.#open.push(next)
  }

  /** Something that whoever reads of this stretch has to know; it may be about an item that goes on under another one's. */
  note(itemId: string, what: string): void {
    const span = this.#open.at(-1)!
    span.trace.push(span.itemId === itemId ? what : `${itemId}: ${what}`)
  }

  /** This is on the bus from `from` up to `to`. Of an item that isn't the stretch's own, the sound is a segue. */
  layer(layer: AirLayer["layer"], owner: { readonly itemId: string } | null, assetId: string | null, gainDb: number, from: number, to: number): void {
    for (const span of this.#open) {
      const firstSample = Math.max(from, span.firstSample)
      const lastSample = Math.min(to - 1, span.lastSample)
      if (lastSample < firstSample) continue
      const role = layer === "programme" && owner?.itemId !== span.itemId ? "segue" : layer
      const known = span.layers.findLast((each) => each.layer === role && each.assetId === assetId && each.gainDb === gainDb)
      if (known !== undefined && known.lastSample >= firstSample - 1) known.lastSample = Math.max(known.lastSample, lastSample)
      else span.layers.push({ layer: role, assetId, gainDb, firstSample, lastSample })
    }
  }

  /** These frames leave; answers the stretches that are over with them. */
  sent(pcm: Float32Array): ReadonlyArray<AirSpan> {
    const spans: Array<AirSpan> = []
    const frames = pcm.length / 2
    for (let at = 0; at < frames;) {
      const [open] = this.#open as [Open]
      const take = Math.min(frames - at, open.lastSample + 1 - this.#sentTo)
      this.#hash.update(Buffer.from(pcm.buffer, pcm.byteOffset + at * 8, take * 8))
      at += take
      this.#sentTo += take
      if (this.#sentTo <= open.lastSample) continue
      const { complete, firstSample, itemId, label, lastSample, layers, trace } = open
      spans.push(new AirSpan({ itemId, label, firstSample, lastSample, complete, trace, pcmSha256: this.#hash.digest("hex"), layers: layers.filter((each) => each.firstSample <= each.lastSample).map((each) => new AirLayer(each)) }))
      this.#hash = createHash("sha256")
      this.#open.shift()
    }
    return spans
  }
}
