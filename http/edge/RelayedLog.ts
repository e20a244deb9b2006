import type { LogEntry, ReadableLog } from "../stream/events/EventFanout.ts"

/** Asks for everything that a new reader needs. */
export const fromBase = "base"

/**
 * An event stream of the origin with its ids, as the readers of an edge continue it. It begins with the last whole state, its base; events
 * of one author never reach an edge.
 */
export class RelayedLog implements ReadableLog {
  readonly #max: number
  readonly #isBase: (name: string) => boolean
  readonly #listeners = new Set<(entry: LogEntry) => void>()
  #kept: Array<LogEntry> = []
  #count = 0

  /** `isBase`: names of events that hold the whole state. */
  constructor(max: number, isBase: (name: string) => boolean) {
    this.#max = max
    this.#isBase = isBase
  }

  get head(): string {
    return this.#kept.at(-1)?.id ?? ""
  }

  get last(): LogEntry | undefined {
    return this.#kept.at(-1)
  }

  /** False when the whole state has to be asked for again: too much has changed since. */
  get isWhole(): boolean {
    return this.#kept[0] !== undefined && this.#isBase(this.#kept[0].name)
  }

  append(name: string, data: unknown, id: string, atMs: number): void {
    this.#count += 1
    const entry: LogEntry = { sequence: this.#count, id, atMs, name, data, only: null }
    if (this.#isBase(name)) this.#kept = [entry]
    else this.#kept.push(entry)
    if (this.#kept.length > this.#max) this.#kept.shift()
    for (const told of this.#listeners) told(entry)
  }

  listSince(id: string): ReadonlyArray<LogEntry> | null {
    if (id === fromBase) return this.isWhole ? this.#kept : null
    const at = this.#kept.findIndex((entry) => entry.id === id)
    return at === -1 ? null : this.#kept.slice(at + 1)
  }

  listen(told: (entry: LogEntry) => void): () => void {
    this.#listeners.add(told)
    return () => this.#listeners.delete(told)
  }
}
