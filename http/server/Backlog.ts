import type { Socket } from "node:net"
import { totalmem } from "node:os"
import { drainMinBytes, drainStallMs, heldMemoryShare } from "../../engine/rules/http/limits.ts"

/** Below what all connections may hold, so that the next byte isn't the next one too many. */
const keptShare = 0.9

/** A container may have less than the machine. */
export const heldMax = (): number =>
  Math.floor(Math.min(totalmem(), process.constrainedMemory() || Infinity) * heldMemoryShare)

interface Entry {
  readonly socket: Socket
  /** Its address; the connection itself where many share one. */
  readonly holder: string | Socket
  /** Whether its answers are made for it alone. Those that many get are in memory once, however many wait for them. */
  isOwn: boolean
  heldBytes: number
  /** Since when it has had something to take, or last took enough; null while it has nothing to take. */
  sinceMs: number | null
  /** How many bytes the kernel must have got from it by the end of its time. */
  goalBytes: number
}

/** Bytes given to the kernel. A large write is one to the stream above, so only the handle knows how far it has come. */
const progressOf = (socket: Socket): { readonly givenBytes: number; readonly waitingBytes: number } => {
  const { bytesWritten, writeQueueSize } = (
    socket as unknown as { readonly _handle: { readonly bytesWritten: number; readonly writeQueueSize: number } | null }
  )._handle ?? { bytesWritten: 0, writeQueueSize: 0 }
  return { givenBytes: bytesWritten - writeQueueSize, waitingBytes: writeQueueSize }
}

/**
 * What connections make the process hold: requests sent ahead of their answers, and answers that aren't taken. Readers that take too
 * little in their time are cut off, and so is what all together hold beyond the bound: first from the address that holds most.
 */
export class Backlog {
  readonly #entries = new Map<Socket, Entry>()
  readonly #holderOf: (socketAddress: string | undefined) => string | null
  readonly #maxBytes: number
  #heldBytes = 0
  #cutCount = 0

  constructor(options: {
    readonly holderOf: (socketAddress: string | undefined) => string | null
    readonly maxBytes?: number
  }) {
    this.#holderOf = options.holderOf
    this.#maxBytes = options.maxBytes ?? heldMax()
  }

  get heldBytes(): number {
    return this.#heldBytes
  }

  /** How many connections were cut off since the last call. */
  takeCutCount(): number {
    const count = this.#cutCount
    this.#cutCount = 0
    return count
  }

  enter(socket: Socket): void {
    const entry: Entry = {
      socket,
      holder: this.#holderOf(socket.remoteAddress) ?? socket,
      isOwn: false,
      heldBytes: 0,
      sinceMs: null,
      goalBytes: 0
    }
    this.#entries.set(socket, entry)
    socket.once("close", () => this.#forget(entry))
  }

  /** Whether the next answer is made for this connection alone. */
  answers(socket: Socket, isOwn: boolean): void {
    const entry = this.#entries.get(socket)
    if (entry !== undefined) entry.isOwn = isOwn
  }

  /** Looks at what a connection holds now. */
  measure(socket: Socket): void {
    const entry = this.#entries.get(socket)
    if (entry === undefined) return
    this.#count(entry)
    this.#limit()
  }

  /** Looks at all connections, and cuts off those whose reader takes nothing, or next to nothing. */
  sweep(nowMs: number): void {
    for (const entry of this.#entries.values()) {
      this.#count(entry)
      if (this.#isStalled(entry, nowMs)) this.#cut(entry)
    }
    this.#limit()
  }

  #isStalled(entry: Entry, nowMs: number): boolean {
    if (entry.socket.writableLength === 0) {
      entry.sinceMs = null
      return false
    }
    const { givenBytes, waitingBytes } = progressOf(entry.socket)
    if (entry.sinceMs !== null && givenBytes < entry.goalBytes) return nowMs - entry.sinceMs > drainStallMs
    entry.sinceMs = nowMs
    entry.goalBytes = givenBytes + Math.min(waitingBytes, drainMinBytes)
    return false
  }

  #count(entry: Entry): void {
    const heldBytes = entry.socket.readableLength + (entry.isOwn ? entry.socket.writableLength : 0)
    this.#heldBytes += heldBytes - entry.heldBytes
    entry.heldBytes = heldBytes
  }

  #limit(): void {
    if (this.#heldBytes <= this.#maxBytes) return
    const holders = new Map<string | Socket, { heldBytes: number; readonly entries: Array<Entry> }>()
    for (const entry of this.#entries.values()) {
      if (entry.heldBytes === 0) continue
      const holder = holders.get(entry.holder) ?? { heldBytes: 0, entries: [] }
      holder.heldBytes += entry.heldBytes
      holder.entries.push(entry)
      holders.set(entry.holder, holder)
    }
    for (const { entries } of holders.values()) entries.sort((one, other) => one.heldBytes - other.heldBytes)
    while (this.#heldBytes > this.#maxBytes * keptShare) {
      const most = [...holders.values()].reduce((one, other) => (other.heldBytes > one.heldBytes ? other : one))
      const entry = most.entries.pop()
      if (entry === undefined) return
      most.heldBytes -= entry.heldBytes
      this.#cut(entry)
    }
  }

  #cut(entry: Entry): void {
    this.#forget(entry)
    this.#cutCount += 1
    entry.socket.destroy()
  }

  #forget(entry: Entry): void {
    if (!this.#entries.delete(entry.socket)) return
    this.#heldBytes -= entry.heldBytes
  }
}
