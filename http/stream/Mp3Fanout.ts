import type { Socket } from "node:net"
import {
  icyIntervalBytes,
  mp3BatchMs,
  mp3GroupsCount,
  mp3LateMs,
  mp3SettledAfterMs,
  mp3SettledBatches,
  mp3StallMs,
  mp3WelcomeBytes
} from "../../engine/rules/air/limits.ts"
import type { Mp3Chunk } from "../../engine/ports/Live.ts"
import type { ItemLabel } from "../../schema/air/Air.ts"

interface Listener {
  readonly socket: Socket
  readonly icy: IcyState | null
  readonly settlesMs: number
  /** Chunks before this one were in its burst. */
  from: number
  /** The part of its burst that comes with its first batch; null afterwards. */
  rest: Batch | null
  drainedMs: number
}

interface IcyState {
  untilMetadata: number
  label: ItemLabel
  told: ItemLabel | null
}

export const titleOf = ({ artist, title }: ItemLabel): string => (artist === null ? title : `${artist} - ${title}`)

/** One ICY metadata block: its length in 16-byte units, then the title without quotes, which would end it for players. */
export const icyBlock = (label: ItemLabel | null): Buffer => {
  if (label === null) return Buffer.from([0])
  const text = Buffer.from(`StreamTitle='${titleOf(label).replaceAll("'", "’").replaceAll(";", ",")}';`).subarray(
    0,
    255 * 16
  )
  const blocks = Math.ceil(text.length / 16)
  const block = Buffer.alloc(1 + blocks * 16)
  block[0] = blocks
  text.copy(block, 1)
  return block
}

/** Inserts metadata after every `icyIntervalBytes` of sound; `state` keeps the position. */
const interleave = (chunks: ReadonlyArray<Mp3Chunk>, state: IcyState): Buffer => {
  const out: Array<Uint8Array> = []
  for (const chunk of chunks) {
    if (chunk._tag === "Label") {
      state.label = chunk.label
      continue
    }
    let rest = chunk.bytes
    while (rest.length >= state.untilMetadata) {
      out.push(rest.subarray(0, state.untilMetadata), icyBlock(state.label === state.told ? null : state.label))
      rest = rest.subarray(state.untilMetadata)
      state.told = state.label
      state.untilMetadata = icyIntervalBytes
    }
    out.push(rest)
    state.untilMetadata -= rest.length
  }
  return Buffer.concat(out)
}

const chunksOf = (runs: ReadonlyArray<Uint8Array>): ReadonlyArray<Mp3Chunk> =>
  runs.map((bytes) => ({ _tag: "Frames", bytes, firstSample: 0 }))

const framesOf = (chunks: ReadonlyArray<Mp3Chunk>): Buffer =>
  Buffer.concat(chunks.flatMap((chunk) => (chunk._tag === "Frames" ? [chunk.bytes] : [])))

interface Batch {
  readonly chunks: ReadonlyArray<Mp3Chunk>
  readonly bytes: Buffer
}

interface Group {
  readonly listeners: Map<Socket, Listener>
  served: number
}

const groups = (count: number): ReadonlyArray<Group> =>
  Array.from({ length: count }, () => ({ listeners: new Map<Socket, Listener>(), served: 0 }))

/**
 * Sends the MP3 stream to many sockets. Listeners are in groups served in turn, each every `mp3BatchMs`: a group shares
 * one buffer, written once to each socket. Settled listeners have the burst as a reserve and are served less often with
 * more data, because the cost of a listener is the number of writes, not of bytes. Call `tick` every `mp3BatchMs /
 * mp3GroupsCount`.
 */
export class Mp3Fanout {
  readonly #fresh = groups(mp3GroupsCount)
  readonly #settled = groups(mp3GroupsCount * mp3SettledBatches)
  readonly #all = [...this.#fresh, ...this.#settled]
  readonly #groupOf = new Map<Socket, Group>()
  #chunks: Array<Mp3Chunk> = []
  #firstChunk = 0
  #turn = 0
  #settledCount = 0
  /** When a tick last found new chunks, and where they ended. */
  #heard = { atMs: Number.NEGATIVE_INFINITY, end: 0 }
  #isLate = false
  #welcomed: {
    readonly head: string
    readonly first: Uint8Array | undefined
    readonly last: Uint8Array | undefined
    readonly bytes: Buffer
    /** The runs of the burst that `bytes` hold. */
    readonly runs: ReadonlyArray<Uint8Array>
    readonly rest: Batch
  } | null = null
  readonly #onFault: (fault: unknown) => void

  /** `onFault` receives defects; each costs at most its own connection. */
  constructor(onFault: (fault: unknown) => void) {
    this.#onFault = onFault
  }

  push(chunk: Mp3Chunk): void {
    this.#chunks.push(chunk)
  }

  /**
   * Sends `head` and the beginning of the burst at once, then the rest of it with the group's first batch. Always whole frames. An edge gets all of it at
   * once, because its listeners may have nothing left, and each batch as soon as a new listener: what it lacks when its origin fails, all of its
   * listeners lack.
   */
  join(
    socket: Socket,
    head: string,
    burst: ReadonlyArray<Uint8Array>,
    label: ItemLabel,
    icy: boolean,
    nowMs: number,
    isEdge = false
  ): void {
    const state = icy ? { untilMetadata: icyIntervalBytes, label, told: null } : null
    const { bytes, rest, runs } = this.#welcome(head, burst, isEdge ? Number.POSITIVE_INFINITY : mp3WelcomeBytes)
    const listener: Listener = {
      socket,
      icy: state,
      settlesMs: isEdge ? Number.POSITIVE_INFINITY : nowMs + mp3SettledAfterMs,
      from: this.#end,
      rest: rest.chunks.length === 0 ? null : rest,
      drainedMs: nowMs
    }
    // The group that was served last: while a crowd arrives, its reserves don't delay the beginnings.
    this.#enter(this.#fresh[(this.#turn + this.#fresh.length - 1) % this.#fresh.length]!, listener)
    socket.write(
      state === null ? bytes : Buffer.concat([Buffer.from(head, "latin1"), interleave(chunksOf(runs), state)])
    )
  }

  /** Listeners that arrive together, as after an outage, share their first buffers. */
  #welcome(head: string, burst: ReadonlyArray<Uint8Array>, welcomeBytes: number) {
    const known = this.#welcomed
    if (known !== null && known.head === head && known.first === burst[0] && known.last === burst.at(-1)) return known
    let count = 0
    for (let held = 0; count < burst.length && held < welcomeBytes; count++) held += burst[count]!.length
    const runs = burst.slice(0, count)
    const chunks = chunksOf(burst.slice(count))
    const welcomed = {
      head,
      first: burst[0],
      last: burst.at(-1),
      bytes: Buffer.concat([Buffer.from(head, "latin1"), ...runs]),
      runs,
      rest: { chunks, bytes: framesOf(chunks) }
    }
    this.#welcomed = welcomed
    return welcomed
  }

  leave(socket: Socket): void {
    this.#groupOf.get(socket)?.listeners.delete(socket)
    this.#groupOf.delete(socket)
  }

  /** Takes all listeners out; returns their sockets. */
  leaveAll(): ReadonlyArray<Socket> {
    const all = [...this.#groupOf.keys()]
    for (const socket of all) this.leave(socket)
    return all
  }

  #enter(group: Group, listener: Listener): void {
    group.listeners.set(listener.socket, listener)
    this.#groupOf.set(listener.socket, group)
  }

  /** Serves the next groups; returns the sockets to close. */
  tick(nowMs: number): ReadonlyArray<Socket> {
    const lost: Array<Socket> = []
    if (this.#isLate) for (const group of this.#all) this.#serve(group, nowMs, lost)
    this.#noteSound(nowMs)
    // Settled groups first: a listener that settles now was just served.
    this.#serve(this.#settled[this.#turn % this.#settled.length]!, nowMs, lost)
    const fresh = this.#fresh[this.#turn % this.#fresh.length]!
    this.#serve(fresh, nowMs, lost)
    this.#settle(fresh, nowMs)
    this.#turn = (this.#turn + 1) % this.#settled.length
    this.#forget()
    return lost
  }

  /** After a pause, as when another process has taken the air, players have nothing left: a tick later, when all of it is here, everybody gets it. */
  #noteSound(nowMs: number): void {
    this.#isLate = false
    if (this.#end === this.#heard.end) return
    this.#isLate = nowMs - this.#heard.atMs >= mp3LateMs
    this.#heard = { atMs: nowMs, end: this.#end }
  }

  get #end(): number {
    return this.#firstChunk + this.#chunks.length
  }

  #since(index: number): ReadonlyArray<Mp3Chunk> {
    // An empty group's last position may already be evicted.
    return this.#chunks.slice(Math.max(0, index - this.#firstChunk))
  }

  #serve(group: Group, nowMs: number, lost: Array<Socket>): void {
    try {
      if (group.listeners.size > 0) this.#serveAll(group, nowMs, lost)
    } catch (fault) {
      // Skips a batch that fails for a whole group, so that later ones continue.
      this.#onFault(fault)
    } finally {
      group.served = this.#end
    }
  }

  #serveAll(group: Group, nowMs: number, lost: Array<Socket>): void {
    // Listeners that arrive in a crowd have the same beginning, and share their first batch too.
    const batches = new Map<number, Batch>()
    const batchFrom = (index: number): Batch => {
      const known = batches.get(index)
      if (known !== undefined) return known
      const chunks = this.#since(index)
      const batch = { chunks, bytes: framesOf(chunks) }
      batches.set(index, batch)
      return batch
    }
    for (const listener of group.listeners.values()) {
      if (this.#kept(listener, batchFrom(Math.max(listener.from, group.served)), nowMs)) continue
      this.leave(listener.socket)
      lost.push(listener.socket)
    }
  }

  /** Writes the due batch to a listener; false if it must be closed. */
  #kept(listener: Listener, { bytes, chunks }: Batch, nowMs: number): boolean {
    const { icy, socket } = listener
    try {
      if (socket.writableLength === 0) listener.drainedMs = nowMs
      if (nowMs - listener.drainedMs > mp3StallMs || socket.destroyed) return false
      const { rest } = listener
      if (rest !== null) socket.write(icy === null ? rest.bytes : interleave(rest.chunks, icy))
      const due = icy === null ? bytes : interleave(chunks, icy)
      if (due.length > 0) socket.write(due)
      listener.from = 0
      listener.rest = null
      return true
    } catch (fault) {
      this.#onFault(fault)
      return false
    }
  }

  #settle(group: Group, nowMs: number): void {
    for (const listener of group.listeners.values()) {
      if (nowMs < listener.settlesMs) continue
      listener.from = group.served
      group.listeners.delete(listener.socket)
      this.#enter(this.#settled[this.#settledCount++ % this.#settled.length]!, listener)
    }
  }

  #forget(): void {
    let oldest = this.#end
    for (const { listeners, served } of this.#all) if (listeners.size > 0) oldest = Math.min(oldest, served)
    if (oldest <= this.#firstChunk) return
    this.#chunks = this.#chunks.slice(oldest - this.#firstChunk)
    this.#firstChunk = oldest
  }

  static readonly tickMs = mp3BatchMs / mp3GroupsCount
}
