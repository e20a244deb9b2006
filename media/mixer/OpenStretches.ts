import { createHash } from "node:crypto"
import { type AirEvent, AirSpan, type ItemLabel } from "../../schema/air/Air.ts"
import type { ItemId } from "../../schema/Ids.ts"
import { sortByEnd } from "../../schema/air/AsRunOrder.ts"
import type { PcmRing } from "../encode/PcmRing.ts"
import { pause } from "./SpanLog.ts"

interface Open {
  readonly itemId: ItemId | null
  readonly label: ItemLabel
  readonly firstSample: number
  readonly endSample: number
}

/** Stretches that a worker has begun and not yet reported: if it dies, the ring still knows what was sent of them. */
export class OpenStretches {
  #spannedTo: number
  #open: ReadonlyArray<Open> = []
  /** Stopped with a worker, and may continue with the next. */
  #fallen: ReadonlyArray<Open> = []

  constructor(firstSample: number) {
    this.#spannedTo = firstSample
  }

  /** Items known to have begun and not ended. */
  get sounding(): ReadonlyArray<ItemId> {
    return [...this.#open, ...this.#fallen].flatMap(({ itemId }) => itemId ?? [])
  }

  hear(event: AirEvent): void {
    if (event._tag === "Resumed") {
      this.#open = [
        ...this.#open,
        ...this.#fallen
          .filter(({ itemId }) => itemId === event.itemId)
          .map((each) => ({ ...each, firstSample: event.atSample }))
      ]
      this.#fallen = this.#fallen.filter(({ itemId }) => itemId !== event.itemId)
    } else if (event._tag === "Started") {
      this.#fallen = []
      this.#open = [
        ...this.#open,
        {
          itemId: event.itemId,
          label: event.label,
          firstSample: event.atSample,
          endSample: event.endSample ?? Number.POSITIVE_INFINITY
        }
      ]
    } else if (event._tag === "Spanned") {
      const {
        goesOn = false,
        span: { firstSample, itemId, lastSample }
      } = event
      this.#spannedTo = Math.max(this.#spannedTo, lastSample + 1)
      this.#open = this.#open.flatMap((each) =>
        each.itemId !== itemId || each.firstSample !== firstSample
          ? [each]
          : goesOn
            ? [{ ...each, firstSample: lastSample + 1 }]
            : []
      )
    }
  }

  /** The interrupted stretches, up to the last sample sent. Items that began behind it begin again. */
  fallen(ring: PcmRing, reason: string): ReadonlyArray<{ readonly span: AirSpan; readonly goesOn: boolean }> {
    const { oldest, writtenTo } = ring
    const begun = this.#open.filter(({ firstSample }) => firstSample < writtenTo)
    const sent = begun.map((each) => ({
      ...each,
      endSample: Math.min(each.endSample, writtenTo),
      goesOn: each.itemId !== null && each.endSample > writtenTo
    }))
    const untold = this.#untold(sent, writtenTo).map((each) => ({ ...each, goesOn: false }))
    const stretches = [...sent, ...untold]
      .filter(({ endSample, firstSample }) => firstSample < endSample)
      .map((each) => ({ ...each, lastSample: each.endSample - 1 }))
    this.#fallen = [
      ...this.#fallen,
      ...begun.filter(({ endSample, itemId }) => itemId !== null && endSample > writtenTo)
    ]
    this.#open = []
    this.#spannedTo = writtenTo
    return sortByEnd(stretches).map(({ firstSample, goesOn, itemId, label, lastSample, stillSoundingFromSample }) => ({
      goesOn,
      span: new AirSpan({
        itemId,
        label,
        firstSample,
        lastSample,
        complete: false,
        layers: [],
        trace: [`the air chain was restarted: ${reason}`],
        // A stretch longer than the ring can't be hashed any more.
        pcmSha256:
          firstSample < oldest
            ? ""
            : createHash("sha256")
                .update(new Uint8Array(ring.read(firstSample, lastSample + 1).buffer))
                .digest("hex"),
        ...(stillSoundingFromSample === undefined ? {} : { stillSoundingFromSample })
      })
    }))
  }

  /** Sent samples without any of these: a pause. */
  #untold(begun: ReadonlyArray<Open>, to: number): ReadonlyArray<Open> {
    let at = this.#spannedTo
    const untold: Array<Open> = []
    for (const { endSample, firstSample } of [
      ...begun.toSorted((a, b) => a.firstSample - b.firstSample),
      { firstSample: to, endSample: to }
    ]) {
      if (firstSample > at) untold.push({ itemId: null, label: pause.label, firstSample: at, endSample: firstSample })
      at = Math.max(at, endSample)
    }
    return untold
  }
}
