import { AirPlanApplied, type AirItem, type AirPlan, StalePlan } from "../../schema/air/Air.ts"

/** The plan in force and its items that have not begun, in order. */
export class Agenda {
  #fence = -1
  #revision = -1
  #answer: { readonly entry: AirPlan["entry"]; readonly applied: AirPlanApplied } | null = null
  #items: ReadonlyArray<AirItem> = []

  /** The next item; undefined if nothing is planned. */
  get next(): AirItem | undefined {
    return this.#items[0]
  }

  /** Items that begin before a sample. */
  listBefore(sample: number): ReadonlyArray<AirItem> {
    return this.#items.filter(({ startSample }) => startSample < sample)
  }

  /** Answer to a plan that changes nothing: an older one, or the one in force again. */
  answerTo({ entry, fence, revision }: AirPlan): AirPlanApplied | StalePlan | null {
    if (fence < this.#fence || (fence === this.#fence && revision < this.#revision))
      return new StalePlan({ fence: this.#fence, revision: this.#revision })
    return fence === this.#fence && revision === this.#revision && this.#answer?.entry === entry
      ? this.#answer.applied
      : null
  }

  /** Replaces the plan with these items, all moved by the same amount. */
  adopt(
    { entry, fence, revision }: AirPlan,
    items: ReadonlyArray<AirItem>,
    shiftSamples: number,
    renderedTo: number
  ): AirPlanApplied {
    const applied = new AirPlanApplied({ revision, shiftSamples, renderedTo })
    this.#fence = fence
    this.#revision = revision
    this.#answer = { entry, applied }
    this.#items = items
      .map((item) => (shiftSamples === 0 ? item : { ...item, startSample: item.startSample + shiftSamples }))
      .sort((a, b) => a.startSample - b.startSample)
    return applied
  }

  /** Removes the first item, if it begins before a sample. */
  take(sample: number): AirItem | undefined {
    const [first, ...rest] = this.#items
    if (first === undefined || first.startSample >= sample) return undefined
    this.#items = rest
    return first
  }

  /** Returns an item that begins later than planned, with the reason. */
  move(item: AirItem, startSample: number, why: string): void {
    const moved = { ...item, startSample, trace: [...item.trace.filter((line) => line !== why), why] }
    this.#items = [...this.#items, moved].sort((a, b) => a.startSample - b.startSample)
  }
}
