import { createHash, type Hash } from "node:crypto"
import { AirLayer, AirSpan, ItemLabel } from "../../schema/air/Air.ts"

/** Data of an item for the log. */
export interface Named {
  readonly itemId: string | null
  readonly label: ItemLabel
  readonly trace: ReadonlyArray<string>
}

/** A sound that has begun. `lastSample` is infinite until its end is known. */
interface Open extends Named {
  readonly trace: Array<string>
  firstSample: number
  layers: Array<{
    readonly layer: AirLayer["layer"]
    readonly assetId: string | null
    readonly gainDb: number
    readonly firstSample: number
    lastSample: number
  }>
  hash: Hash
  lastSample: number
  complete: boolean
  /** Another row of the same sound follows. */
  goesOn: boolean
}

export interface Sent {
  readonly span: AirSpan
  readonly goesOn: boolean
}

const openSpan = ({ itemId, label, trace }: Named, firstSample: number): Open => ({
  itemId,
  label,
  firstSample,
  trace: [...trace],
  layers: [],
  hash: createHash("sha256"),
  lastSample: Number.POSITIVE_INFINITY,
  complete: false,
  goesOn: false
})

/** A stretch without sound. */
export const pause: Named = {
  itemId: null,
  label: new ItemLabel({ title: "Pause", artist: null, kind: "other" }),
  trace: ["pause: meant, nothing sounds"]
}
const goesOn = "goes on"

/**
 * One row for each sound of the broadcast, from its first sample to its last, hashed on output. Rows overlap where sounds do, and pauses
 * have rows of their own: every sample has at least one. Sounds begin and end while mixing, a little ahead of the output; rows end in the
 * order of their sounds' ends.
 */
export class SpanLog {
  /** In the order of their beginnings. */
  #open: ReadonlyArray<Open> = []
  #pause: Open | null = null
  #sentTo: number

  constructor(firstSample: number) {
    this.#sentTo = firstSample
  }

  begin(named: Named, atSample: number): void {
    this.#open = [...this.#open, openSpan(named, Math.max(atSample, this.#sentTo))]
  }

  /** Ends the sound before `endSample`. A sound without samples is removed. */
  end(itemId: string | null, endSample: number, complete: boolean): void {
    const open = this.#sounding(itemId)
    if (open === undefined) return
    open.lastSample = endSample - 1
    open.complete = complete
    if (open.lastSample < open.firstSample) this.#open = this.#open.filter((each) => each !== open)
  }

  /** Ends the fallback's row at this length and continues it in another. */
  splitFallback(atSample: number, spanMaxSamples: number): void {
    const open = this.#sounding(null)
    if (open === undefined || atSample - open.firstSample < spanMaxSamples) return
    open.goesOn = true
    this.end(null, atSample, false)
    this.begin({ ...open, trace: [...open.trace.filter((line) => line !== goesOn), goesOn] }, atSample)
  }

  /** Adds a line for readers of the item's row. */
  note(itemId: string, what: string): void {
    this.#open.find((each) => each.itemId === itemId)?.trace.push(what)
  }

  /** A sound on the bus from `from` up to `to`. In the row of another item, it is a segue. */
  layer(
    layer: AirLayer["layer"],
    owner: { readonly itemId: string } | null,
    assetId: string | null,
    gainDb: number,
    from: number,
    to: number
  ): void {
    for (const span of this.#open) {
      const firstSample = Math.max(from, span.firstSample)
      const lastSample = Math.min(to - 1, span.lastSample)
      if (lastSample < firstSample) continue
      const role = layer === "programme" && owner?.itemId !== span.itemId ? "segue" : layer
      const known = span.layers.findLast(
        (each) => each.layer === role && each.assetId === assetId && each.gainDb === gainDb
      )
      if (known !== undefined && known.lastSample >= firstSample - 1)
        known.lastSample = Math.max(known.lastSample, lastSample)
      else span.layers.push({ layer: role, assetId, gainDb, firstSample, lastSample })
    }
  }

  /** Hashes frames on output; answers the rows that end with them. */
  hashSent(pcm: Float32Array): ReadonlyArray<Sent> {
    const over: Array<Sent> = []
    const frames = pcm.length / 2
    for (let at = 0; at < frames;) {
      const sounding = this.#open.filter(({ firstSample }) => firstSample <= this.#sentTo)
      // A sound that begins within these frames has already begun in the mix.
      const next = Math.min(
        ...this.#open.filter(({ firstSample }) => firstSample > this.#sentTo).map(({ firstSample }) => firstSample)
      )
      const to = Math.min(this.#sentTo + frames - at, next, ...sounding.map(({ lastSample }) => lastSample + 1))
      if (sounding.length > 0) over.push(...this.#pauseOver())
      else this.#pause ??= openSpan(pause, this.#sentTo)
      const bytes = Buffer.from(pcm.buffer, pcm.byteOffset + at * 8, (to - this.#sentTo) * 8)
      for (const each of this.#pause === null ? sounding : [this.#pause]) each.hash.update(bytes)
      at += to - this.#sentTo
      this.#sentTo = to
      over.push(...this.#ended(to - 1))
    }
    return over
  }

  #sounding(itemId: string | null): Open | undefined {
    return this.#open.find((each) => each.itemId === itemId && each.lastSample === Number.POSITIVE_INFINITY)
  }

  #pauseOver(): ReadonlyArray<Sent> {
    if (this.#pause === null) return []
    const over = this.#over({ ...this.#pause, complete: true }, this.#sentTo - 1)
    this.#pause = null
    return [over]
  }

  #ended(lastSample: number): ReadonlyArray<Sent> {
    const ended = this.#open.filter((each) => each.lastSample === lastSample)
    const [first] = ended
    if (first === undefined) return []
    this.#open = this.#open.filter((each) => each.lastSample !== lastSample)
    // Rows are in the order of their ends. The fallback's may be split anywhere, so no row that began after it is before it.
    const before = this.#open.filter(({ firstSample, itemId }) => itemId === null && firstSample < first.firstSample)
    return [
      ...before.map((each) => this.#split(each, lastSample)),
      ...ended.map((each) => this.#over(each, lastSample))
    ]
  }

  #split(open: Open, lastSample: number): Sent {
    const over = this.#over({ ...open, goesOn: true }, lastSample)
    if (!open.trace.includes(goesOn)) open.trace.push(goesOn)
    open.firstSample = lastSample + 1
    open.hash = createHash("sha256")
    open.layers = open.layers
      .filter((each) => each.lastSample > lastSample)
      .map((each) => ({ ...each, firstSample: Math.max(each.firstSample, open.firstSample) }))
    return over
  }

  #over({ complete, firstSample, goesOn, hash, itemId, label, layers, trace }: Open, lastSample: number): Sent {
    const since = this.#open.find((each) => each.itemId !== null && each.firstSample < firstSample)?.firstSample
    return {
      goesOn,
      span: new AirSpan({
        itemId,
        label,
        firstSample,
        lastSample,
        complete,
        trace: [...trace],
        pcmSha256: hash.digest("hex"),
        layers: layers
          .filter((each) => each.firstSample <= lastSample)
          .map((each) => new AirLayer({ ...each, lastSample: Math.min(each.lastSample, lastSample) })),
        ...(since === undefined ? {} : { stillSoundingFromSample: since })
      })
    }
  }
}
