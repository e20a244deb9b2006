import type { EventLog, LogEntry } from "../../../actors/runtime/EventBus.ts"
import { sseBacklogMaxBytes, sseLifeHours, sseSliceMax } from "../../../engine/rules/http/limits.ts"

/** Bytes that many readers get: as they are, and as one chunk of HTTP/1.1, each made once. */
export class Piece {
  readonly plain: Buffer
  #chunked: Buffer | undefined

  constructor(plain: Buffer) {
    this.plain = plain
  }

  get chunked(): Buffer {
    return (this.#chunked ??= Buffer.concat([
      Buffer.from(`${this.plain.length.toString(16)}\r\n`),
      this.plain,
      Buffer.from("\r\n")
    ]))
  }
}

/** Where a reader's bytes go, whichever server holds the connection. */
export interface Sink {
  readonly write: (piece: Piece) => void
  /** What was written and has not left yet. */
  readonly backlogBytes: () => number
  /** Closes it in order. */
  readonly end: () => void
  /** Cuts it off. */
  readonly drop: () => void
}

export interface Reader {
  readonly sink: Sink
  /** Whose own events it also gets. */
  readonly viewer: string | null
}

/** How things stand, as the first event of a stream. */
export interface Snapshot {
  readonly name: string
  readonly data: unknown
}

interface Frame {
  readonly place: number
  readonly only: string | null
  readonly piece: Piece
}

interface Joined extends Reader {
  /** What stands before this place, it has begun with. */
  readonly from: number
  readonly joinedMs: number
  /** What it was given at the beginning and may still have before it: nobody is let go for having missed much. */
  owedBytes: number
}

/** One round to all who were there when it began. */
interface Round {
  readonly frames: ReadonlyArray<Frame>
  readonly readers: ReadonlyArray<Joined>
  readonly common: Piece
  /** Who gets something of its own in it. */
  readonly authors: ReadonlySet<string>
  at: number
}

const written = (name: string, data: unknown, id: string | null) =>
  new Piece(Buffer.from(`${id === null ? "" : `id: ${id}\n`}event: ${name}\ndata: ${JSON.stringify(data)}\n\n`))

const isFor = (only: string | null, viewer: string | null) => only === null || only === viewer

const pieceOf = (frames: ReadonlyArray<Frame>, viewer: string | null, from: number): Piece => {
  const due = frames.filter(({ only, place }) => place > from && isFor(only, viewer))
  return due.length === 1 ? due[0]!.piece : new Piece(Buffer.concat(due.map(({ piece }) => piece.plain)))
}

/**
 * One stream of events to many readers. Each event is put into bytes once; a round writes all that has come up to all who are
 * there, some of them at a time, so that the loop serves others between. What comes meanwhile waits for the next round: the
 * busier it is, the more goes out with one write. Who falls behind by more than a quarter of a megabyte is let go.
 */
export class EventFanout {
  readonly #log: EventLog
  readonly #snapshot: (viewer: string | null) => Snapshot | null
  readonly #onWaiting: () => void
  readonly #readers = new Set<Joined>()
  readonly #encoded = new WeakMap<LogEntry, Piece>()
  #frames: Array<Frame> = []
  #place = 0
  #round: Round | null = null
  #welcome: { readonly snapshot: unknown; readonly head: string; readonly piece: Piece } | null = null
  readonly #unlisten: () => void

  /** `onWaiting` is called when there is something for `slice` to write. `snapshot` answers the same object as long as nothing has changed. */
  constructor(log: EventLog, snapshot: (viewer: string | null) => Snapshot | null, onWaiting: () => void) {
    this.#log = log
    this.#snapshot = snapshot
    this.#onWaiting = onWaiting
    this.#unlisten = log.listen((entry) => this.#push(this.#pieceOf(entry), entry.only))
  }

  get size(): number {
    return this.#readers.size
  }

  close(): void {
    this.#unlisten()
    for (const { sink } of this.#readers) sink.end()
    this.#readers.clear()
  }

  /** Writes what it missed, or how things stand, and from then on all that comes: nothing falls between, nothing comes twice. */
  join(reader: Reader, lastEventId: string | null, nowMs: number): () => void {
    const joined: Joined = { ...reader, from: this.#place, joinedMs: nowMs, owedBytes: 0 }
    this.#readers.add(joined)
    for (const piece of this.#beginning(reader.viewer, lastEventId, nowMs)) {
      reader.sink.write(piece)
      joined.owedBytes += piece.plain.length
    }
    return () => this.#readers.delete(joined)
  }

  /** What is true for a moment only: it has no id, and who wasn't there has missed nothing. */
  beat(name: string, data: unknown): void {
    this.#push(written(name, data, null), null)
  }

  /** Ends those that have been there for as long as one may. */
  expire(nowMs: number): void {
    for (const joined of this.#readers)
      if (nowMs - joined.joinedMs >= sseLifeHours * 3_600_000) this.#leave(joined, "end")
  }

  /** Writes to the next readers; false when all have all there is. */
  slice(): boolean {
    const round = (this.#round ??= this.#begun())
    if (round === null) return false
    const end = Math.min(round.at + sseSliceMax, round.readers.length)
    for (; round.at < end; round.at++) this.#serve(round.readers[round.at]!, round)
    if (round.at === round.readers.length) this.#round = null
    return this.#round !== null || this.#frames.length > 0
  }

  #push(piece: Piece, only: string | null): void {
    if (this.#readers.size === 0) return
    this.#place += 1
    this.#frames.push({ place: this.#place, only, piece })
    this.#onWaiting()
  }

  #begun(): Round | null {
    const frames = this.#frames
    if (frames.length === 0) return null
    this.#frames = []
    const authors = new Set(frames.flatMap(({ only }) => (only === null ? [] : [only])))
    return { frames, readers: [...this.#readers], common: pieceOf(frames, null, 0), authors, at: 0 }
  }

  #serve(joined: Joined, { authors, common, frames }: Round): void {
    const { from, sink, viewer } = joined
    if (!this.#readers.has(joined)) return
    const piece =
      from >= frames[0]!.place || (viewer !== null && authors.has(viewer)) ? pieceOf(frames, viewer, from) : common
    if (piece.plain.length === 0) return
    sink.write(piece)
    const backlogBytes = sink.backlogBytes()
    if (backlogBytes <= sseBacklogMaxBytes) joined.owedBytes = 0
    else if (backlogBytes > sseBacklogMaxBytes + joined.owedBytes) this.#leave(joined, "drop")
  }

  #leave(joined: Joined, how: "end" | "drop"): void {
    this.#readers.delete(joined)
    joined.sink[how]()
  }

  #pieceOf(entry: LogEntry): Piece {
    const known = this.#encoded.get(entry)
    if (known !== undefined) return known
    const piece = written(entry.name, entry.data, entry.id)
    this.#encoded.set(entry, piece)
    return piece
  }

  /** All of it is shared with others who begin there: whoever comes back again and again with ever other ids makes no copies. */
  #beginning(viewer: string | null, lastEventId: string | null, nowMs: number): ReadonlyArray<Piece> {
    const missed = lastEventId === null ? null : this.#log.since(lastEventId, nowMs)
    if (missed !== null)
      return [retry, ...missed.flatMap((entry) => (isFor(entry.only, viewer) ? [this.#pieceOf(entry)] : []))]
    const snapshot = this.#snapshot(viewer)
    if (snapshot === null) return [retry]
    if (this.#welcome?.snapshot !== snapshot || this.#welcome.head !== this.#log.head)
      this.#welcome = { snapshot, head: this.#log.head, piece: written(snapshot.name, snapshot.data, this.#log.head) }
    return [retry, this.#welcome.piece]
  }
}

const retry = new Piece(Buffer.from("retry: 3000\n\n"))
