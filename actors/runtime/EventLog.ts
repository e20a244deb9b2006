/** One event of a stream. `only` is the one author who may receive it; null means everybody. */
export interface LogEntry {
  readonly sequence: number
  readonly id: string
  readonly atMs: number
  readonly name: string
  readonly data: unknown
  readonly only: string | null
}

/**
 * Keeps the last events of one stream and calls listeners for new ones. Ids rise within an epoch; each process start begins a new epoch. An
 * event for one author also takes a number, so other readers see gaps in the ids and never a duplicate.
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

  /** Id of the newest event. A client that has this id has missed nothing. */
  get head(): string {
    return `${this.#epoch}-${this.#count}`
  }

  /** The kept events, oldest first. */
  get all(): ReadonlyArray<LogEntry> {
    return this.#kept
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

  /** Events after `id`. Null when `id` is too old, of another epoch, or malformed. */
  listSince(id: string, nowMs: number): ReadonlyArray<LogEntry> | null {
    const parts = /^(\d+)-(\d+)$/.exec(id)
    const after = Number(parts?.[2])
    if (parts === null || Number(parts[1]) !== this.#epoch || after > this.#count) return null
    const missed = this.#kept.slice(Math.max(0, this.#kept.length - (this.#count - after)))
    return missed.length === this.#count - after && (missed[0]?.atMs ?? nowMs) > nowMs - this.#maxAgeMs ? missed : null
  }

  /** Calls `told` for every new entry. The returned function unsubscribes. */
  listen(told: (entry: LogEntry) => void): () => void {
    this.#listeners.add(told)
    return () => this.#listeners.delete(told)
  }
}
