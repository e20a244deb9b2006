/** One event of a stream. `only` names the one author who may have it; null is everybody. */
export interface LogEntry {
  readonly sequence: number
  readonly id: string
  readonly atMs: number
  readonly name: string
  readonly data: unknown
  readonly only: string | null
}

/**
 * The last events of one stream, and who hears of the next at once. Ids rise within an epoch, and a new epoch is a new start of
 * the process. What one author alone may have takes a number as well: the ids of others have gaps, and nobody's has a double.
 */
export class EventLog {
  readonly #epoch: number
  readonly #max: number
  readonly #maxAgeMs: number
  readonly #listeners = new Set<(entry: LogEntry) => void>()
  #kept: Array<LogEntry> = []
  #count = 0

  constructor(epoch: number, bounds: { readonly max: number; readonly maxAgeMs: number }) {
    this.#epoch = epoch
    this.#max = bounds.max
    this.#maxAgeMs = bounds.maxAgeMs
  }

  /** Where the stream stands: who has this id missed nothing before it. */
  get head(): string {
    return `${this.#epoch}-${this.#count}`
  }

  get last(): LogEntry | undefined {
    return this.#kept.at(-1)
  }

  append(name: string, data: unknown, atMs: number, only: string | null = null): LogEntry {
    this.#count += 1
    const entry: LogEntry = { sequence: this.#count, id: this.head, atMs, name, data, only }
    this.#kept.push(entry)
    if (this.#kept.length > this.#max) this.#kept.shift()
    for (const told of this.#listeners) told(entry)
    return entry
  }

  /** What came after `id`; null where nobody knows any more, because it is too old, of another epoch or no id at all. */
  since(id: string, nowMs: number): ReadonlyArray<LogEntry> | null {
    const parts = /^(\d+)-(\d+)$/.exec(id)
    const after = Number(parts?.[2])
    if (parts === null || Number(parts[1]) !== this.#epoch || after > this.#count) return null
    const missed = this.#kept.slice(Math.max(0, this.#kept.length - (this.#count - after)))
    return missed.length === this.#count - after && (missed[0]?.atMs ?? nowMs) > nowMs - this.#maxAgeMs ? missed : null
  }

  /** Calls at once for every entry from now on; the answer ends that. */
  listen(told: (entry: LogEntry) => void): () => void {
    this.#listeners.add(told)
    return () => this.#listeners.delete(told)
  }
}
