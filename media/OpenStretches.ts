import { createHash } from "node:crypto"
import { type AirEvent, AirSpan, ItemLabel } from "../schema/Air.ts"
import type { PcmRing } from "./PcmRing.ts"

type Started = Extract<AirEvent, { readonly _tag: "Started" }>

/** What a worker has begun and not yet accounted for: when it falls, the ring still knows what was sent of it. */
export class OpenStretches {
  readonly #nothing: Pick<Started, "itemId" | "label">
  #spannedTo: number
  #begun: ReadonlyArray<Started> = []

  constructor(firstSample: number, stationName: string) {
    this.#nothing = { itemId: null, label: new ItemLabel({ title: stationName, artist: null, kind: "other" }) }
    this.#spannedTo = firstSample
  }

  hear(event: AirEvent): void {
    if (event._tag === "Started") this.#begun = [...this.#begun, event]
    if (event._tag !== "Spanned") return
    this.#spannedTo = event.span.lastSample + 1
    // The last that began before is the one that goes on.
    this.#begun = this.#begun.filter((_, i) => (this.#begun[i + 1]?.atSample ?? Number.POSITIVE_INFINITY) > this.#spannedTo)
  }

  /** The stretches that fell, up to the last sample sent. What was begun behind that will be begun again. */
  fallen(ring: PcmRing, reason: string): ReadonlyArray<AirSpan> {
    const { oldest, writtenTo } = ring
    this.#begun = this.#begun.filter(({ atSample }) => atSample < writtenTo)
    const first = this.#begun[0] !== undefined && this.#begun[0].atSample <= this.#spannedTo ? [] : [{ ...this.#nothing, atSample: this.#spannedTo }]
    const stretches = [...first, ...this.#begun]
    return stretches.flatMap(({ atSample, itemId, label }, i) => {
      const from = Math.max(atSample, this.#spannedTo)
      const to = Math.min(stretches[i + 1]?.atSample ?? writtenTo, writtenTo)
      if (from >= to) return []
      return [new AirSpan({
        itemId, label, firstSample: from, lastSample: to - 1, complete: false, layers: [], trace: [`the air chain was restarted: ${reason}`],
        // A stretch longer than the ring can't be hashed any more.
        pcmSha256: from < oldest ? "" : createHash("sha256").update(new Uint8Array(ring.read(from, to).buffer)).digest("hex")
      })]
    })
  }
}
