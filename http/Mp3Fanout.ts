import type { Socket } from "node:net"
import { icyIntervalBytes, mp3BatchMs, mp3GroupsCount, mp3StallMs } from "../engine/Limits.ts"
import type { Mp3Chunk } from "../engine/ports/Live.ts"
import type { ItemLabel } from "../schema/Air.ts"

interface Listener {
  readonly socket: Socket
  readonly icy: IcyState | null
  /** Chunks before this one were in its burst. */
  from: number
  drainedMs: number
}

interface IcyState {
  untilMetadata: number
  label: ItemLabel
  told: ItemLabel | null
}

export const titleOf = ({ artist, title }: ItemLabel): string => artist === null ? title : `${artist} - ${title}`

/** One metadata block: its length in 16 bytes, then the title. A quote in a title would end it for the player. */
export const icyBlock = (label: ItemLabel | null): Buffer => {
  if (label === null) return Buffer.from([0])
  const text = Buffer.from(`StreamTitle='${titleOf(label).replaceAll("'", "’").replaceAll(";", ",")}';`).subarray(0, 255 * 16)
  const blocks = Math.ceil(text.length / 16)
  const block = Buffer.alloc(1 + blocks * 16)
  block[0] = blocks
  text.copy(block, 1)
  return block
}

/** Puts a metadata block after every `icyIntervalBytes` of sound; `state` remembers how far the interval has come. */
const interleaved = (chunks: ReadonlyArray<Mp3Chunk>, state: IcyState): Buffer => {
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

const framesOf = (chunks: ReadonlyArray<Mp3Chunk>): Buffer => Buffer.concat(chunks.flatMap((chunk) => chunk._tag === "Frames" ? [chunk.bytes] : []))

/**
 * The MP3 stream to many sockets. Listeners are dealt into groups that are served in turn, each every `mp3BatchMs`: all of a
 * group get the same buffer, written once to each socket. `tick` has to be called every `mp3BatchMs / mp3GroupsCount`.
 */
export class Mp3Fanout {
  readonly #groups: ReadonlyArray<{ readonly listeners: Map<Socket, Listener>; served: number }> =
    Array.from({ length: mp3GroupsCount }, () => ({ listeners: new Map<Socket, Listener>(), served: 0 }))
  #chunks: Array<Mp3Chunk> = []
  #firstChunk = 0
  #turn = 0
  #joined = 0

  push(chunk: Mp3Chunk): void {
    this.#chunks.push(chunk)
  }

  /** The socket takes `head` and the burst at once, then its group's turns. Whole frames always. */
  join(socket: Socket, head: string, burst: ReadonlyArray<Uint8Array>, label: ItemLabel, icy: boolean, nowMs: number): void {
    const state = icy ? { untilMetadata: icyIntervalBytes, label, told: null } : null
    const frames: ReadonlyArray<Mp3Chunk> = burst.map((bytes) => ({ _tag: "Frames", bytes, firstSample: 0 }))
    const listener: Listener = { socket, icy: state, from: this.#firstChunk + this.#chunks.length, drainedMs: nowMs }
    this.#groups[this.#joined++ % mp3GroupsCount]!.listeners.set(socket, listener)
    socket.write(Buffer.concat([Buffer.from(head), state === null ? framesOf(frames) : interleaved(frames, state)]))
  }

  leave(socket: Socket): void {
    for (const { listeners } of this.#groups) listeners.delete(socket)
  }

  /** Serves the next group; answers the sockets that were given up. */
  tick(nowMs: number): ReadonlyArray<Socket> {
    const group = this.#groups[this.#turn]!
    this.#turn = (this.#turn + 1) % mp3GroupsCount
    const end = this.#firstChunk + this.#chunks.length
    const since = (index: number) => this.#chunks.slice(index - this.#firstChunk)
    const fresh = since(Math.max(group.served, this.#firstChunk))
    const shared = framesOf(fresh)
    const lost: Array<Socket> = []
    for (const listener of group.listeners.values()) {
      const { icy, socket } = listener
      if (socket.writableLength === 0) listener.drainedMs = nowMs
      if (nowMs - listener.drainedMs > mp3StallMs || socket.destroyed) {
        lost.push(socket)
        continue
      }
      const isNew = listener.from > group.served
      if (icy !== null) socket.write(interleaved(isNew ? since(listener.from) : fresh, icy))
      else if (isNew) socket.write(framesOf(since(listener.from)))
      else if (shared.length > 0) socket.write(shared)
      listener.from = 0
    }
    for (const socket of lost) group.listeners.delete(socket)
    group.served = end
    const oldest = Math.min(...this.#groups.map(({ listeners, served }) => listeners.size === 0 ? end : served))
    if (oldest > this.#firstChunk) {
      this.#chunks = this.#chunks.slice(oldest - this.#firstChunk)
      this.#firstChunk = oldest
    }
    return lost
  }

  static readonly tickMs = mp3BatchMs / mp3GroupsCount
}
