import type { EventLog, LogEntry } from "../../../actors/runtime/EventBus.ts"

import { keptBytes } from "../../../engine/runtime/keptBytes.ts"
import { sseBacklogMaxBytes, sseLifeHours, sseSliceMax } from "../../../engine/rules/http/limits.ts"

export type { LogEntry }

/** A log whose events are sent: the station's own, or one that an edge has of its origin. */
export type ReadableLog = Pick<EventLog, "head" | "listSince" | "listen">

/** Bytes for many readers: plain, and as an HTTP/1.1 chunk, each made once. */
export class Piece {
  readonly plain: Buffer
  #chunked: Buffer | undefined

  constructor(plain: Buffer) {
    this.plain = keptBytes(plain)
  }

  get chunked(): Buffer {
    return (this.#chunked ??= keptBytes(
      Buffer.concat([Buffer.from(`${this.plain.length.toString(16)}\r\n`), this.plain, Buffer.from("\r\n")])
    ))
  }
}

/** A reader's output, independent of the server. */
export interface Sink {
  readonly write: (piece: Piece) => void
  /** Bytes written but not yet sent. */
  readonly backlogBytes: () => number
  /** Closes it gracefully. */
  readonly end: () => void
  /** Aborts it. */
  readonly drop: () => void
}

export interface Reader {
  readonly sink: Sink
  /** The author whose own events it also gets, or the operator's role. */
  readonly viewer: string | null
  /** Names for which it also gets events; the viewer alone when absent. */
  readonly audiences?: ReadonlyArray<string>
}

/** The snapshot that begins a stream. */
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
  readonly audiences: ReadonlyArray<string>
  /** Position up to which the beginning has covered events. */
  readonly from: number
  readonly joinedMs: number
  /** Initial bytes that may still be pending: a reader isn't dropped for a large backlog at the start. */
  owedBytes: number
}

/** One round, to all readers present at its start. */
interface Round {
  readonly frames: ReadonlyArray<Frame>
  readonly readers: ReadonlyArray<Joined>
  readonly common: Piece
  /** Readers with events of their own. */
  readonly authors: ReadonlySet<string>
  at: number
}

const encodeEvent = (name: string, data: unknown, id: string | null) =>
  new Piece(Buffer.from(`${id === null ? "" : `id: ${id}\n`}event: ${name}\ndata: ${JSON.stringify(data)}\n\n`))

const audiencesOf = ({ audiences, viewer }: Reader): ReadonlyArray<string> =>
  audiences ?? (viewer === null ? [] : [viewer])
const isFor = (only: string | null, audiences: ReadonlyArray<string>) => only === null || audiences.includes(only)

const pieceOf = (frames: ReadonlyArray<Frame>, audiences: ReadonlyArray<string>, from: number): Piece => {
  const due = frames.filter(({ only, place }) => place > from && isFor(only, audiences))
  return due.length === 1 ? due[0]!.piece : new Piece(Buffer.concat(due.map(({ piece }) => piece.plain)))
}

/**
 * One event stream to many readers. Each event is encoded once. A round writes all new events to all readers, in
 * slices, so that the event loop serves others in between. Later events wait for the next round: under load, each write
 * carries more. Readers more than 256 kB behind are dropped.
 */
export class EventFanout {
  readonly #log: ReadableLog
  readonly #snapshot: (viewer: string | null) => Snapshot | null
  readonly #onWaiting: () => void
  readonly #readers = new Set<Joined>()
  readonly #encoded = new WeakMap<LogEntry, Piece>()
  #frames: Array<Frame> = []
  #place = 0
  #round: Round | null = null
  #welcome: { readonly snapshot: unknown; readonly head: string; readonly piece: Piece } | null = null
  readonly #unlisten: () => void

  /** `onWaiting` is called when `slice` has something to write. `snapshot` returns the same object until something changes. */
  constructor(log: ReadableLog, snapshot: (viewer: string | null) => Snapshot | null, onWaiting: () => void) {
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

  /** Writes the missed events or the snapshot, then everything that follows, without gaps or repeats. */
  join(reader: Reader, lastEventId: string | null, nowMs: number): () => void {
    const joined: Joined = {
      ...reader,
      audiences: audiencesOf(reader),
      from: this.#place,
      joinedMs: nowMs,
      owedBytes: 0
    }
    this.#readers.add(joined)
    for (const piece of this.#beginning(joined, lastEventId, nowMs)) {
      reader.sink.write(piece)
      joined.owedBytes += piece.plain.length
    }
    return () => this.#readers.delete(joined)
  }

  /** Transient events without an id, which are not replayed. */
  beat(name: string, data: unknown): void {
    this.#push(encodeEvent(name, data, null), null)
  }

  /** Ends streams that have reached the maximum duration. */
  expire(nowMs: number): void {
    for (const joined of this.#readers)
      if (nowMs - joined.joinedMs >= sseLifeHours * 3_600_000) this.#leave(joined, "end")
  }

  /** Writes to the next readers; false when all are up to date. */
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
    return { frames, readers: [...this.#readers], common: pieceOf(frames, [], 0), authors, at: 0 }
  }

  #serve(joined: Joined, { authors, common, frames }: Round): void {
    const { audiences, from, sink } = joined
    if (!this.#readers.has(joined)) return
    const piece =
      from >= frames[0]!.place || audiences.some((name) => authors.has(name))
        ? pieceOf(frames, audiences, from)
        : common
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
    const piece = encodeEvent(entry.name, entry.data, entry.id)
    this.#encoded.set(entry, piece)
    return piece
  }

  /** Shared by all readers that begin at the same place, so that reconnecting with different ids makes no copies. */
  #beginning({ audiences, viewer }: Joined, lastEventId: string | null, nowMs: number): ReadonlyArray<Piece> {
    const missed = lastEventId === null ? null : this.#log.listSince(lastEventId, nowMs)
    if (missed !== null)
      return [retry, ...missed.flatMap((entry) => (isFor(entry.only, audiences) ? [this.#pieceOf(entry)] : []))]
    const snapshot = this.#snapshot(viewer)
    if (snapshot === null) return [retry]
    if (this.#welcome?.snapshot !== snapshot || this.#welcome.head !== this.#log.head)
      this.#welcome = {
        snapshot,
        head: this.#log.head,
        piece: encodeEvent(snapshot.name, snapshot.data, this.#log.head)
      }
    return [retry, this.#welcome.piece]
  }
}

const retry = new Piece(Buffer.from("retry: 3000\n\n"))
