import type { Socket } from "node:net"
import { totalmem } from "node:os"
import { drainMinBytes, drainStallMs, heldMemoryShare } from "../../engine/rules/http/limits.ts"

/** Cut-off below the hard bound, so that the next byte doesn't exceed it. */
const keptShare = 0.9

/** A container may have less memory than the machine. */
export const findHeldMax = (): number =>
  Math.floor(Math.min(totalmem(), process.constrainedMemory() || Infinity) * heldMemoryShare)

interface Entry {
  readonly socket: Socket
  /** Its address, or the connection itself behind a proxy. */
  readonly holder: string | Socket
  /** Whether its answers are unshared. Shared answers are in memory once, however many clients wait for them. */
  isOwn: boolean
  heldBytes: number
  /** Since when it has had pending bytes, or last took enough; null without pending bytes. */
  sinceMs: number | null
  /** Bytes that the kernel must have taken by the end of its time. */
  goalBytes: number
}

/** Bytes given to the kernel, read from the handle, because the stream counts a large write as one. */
const progressOf = (socket: Socket): { readonly givenBytes: number; readonly waitingBytes: number } => {
  const { bytesWritten, writeQueueSize } = (
    socket as unknown as { readonly _handle: { readonly bytesWritten: number; readonly writeQueueSize: number } | null }
  )._handle ?? { bytesWritten: 0, writeQueueSize: 0 }
  return { givenBytes: bytesWritten - writeQueueSize, waitingBytes: writeQueueSize }
}

/**
 * Bounds the memory held by connections: pipelined requests and untaken answers. It closes readers that are too slow
 * and, above the total bound, the connections of the address that holds most.
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
    this.#maxBytes = options.maxBytes ?? findHeldMax()
  }

  get heldBytes(): number {
    return this.#heldBytes
  }

  /** Connections closed since the last call. */
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

  /** Whether the next answer is unshared. */
  setOwn(socket: Socket, isOwn: boolean): void {
    const entry = this.#entries.get(socket)
    if (entry !== undefined) entry.isOwn = isOwn
  }

  /** Updates the bytes that a connection holds. */
  measure(socket: Socket): void {
    const entry = this.#entries.get(socket)
    if (entry === undefined) return
    this.#count(entry)
    this.#limit()
  }

  /** Checks all connections and closes those that take too little. */
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
