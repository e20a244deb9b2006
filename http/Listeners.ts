import { hlsSessionSec, listenerSmoothingSec, mp3PerAddressMax } from "../engine/Limits.ts"

export interface Counts {
  readonly hls: number
  readonly mp3: number
  readonly total: number
}

/**
 * Who listens now. An HLS listener is a session, not its requests: seen in the last three target durations. An MP3 listener is
 * an open socket. Both are held as sets, so a count can't go below zero.
 */
export class Listeners {
  readonly #max: number
  readonly #hls = new Map<string, number>()
  readonly #mp3 = new Map<object, string>()
  readonly #perAddress = new Map<string, number>()
  #smoothed = { hls: 0, mp3: 0, atMs: 0 }

  constructor(max: number) {
    this.#max = max
  }

  /** False when the house is full and this session is new: those who listen already are never sent away. */
  sawHls(session: string, nowMs: number): boolean {
    const known = this.#hls.delete(session)
    if (!known && this.#total(nowMs) >= this.#max) return false
    this.#hls.set(session, nowMs)
    return true
  }

  joinMp3(socket: object, address: string, nowMs: number): "joined" | "full" | "address" {
    if (this.#total(nowMs) >= this.#max) return "full"
    const here = this.#perAddress.get(address) ?? 0
    if (here >= mp3PerAddressMax) return "address"
    this.#perAddress.set(address, here + 1)
    this.#mp3.set(socket, address)
    return "joined"
  }

  leaveMp3(socket: object): void {
    const address = this.#mp3.get(socket)
    if (address === undefined) return
    this.#mp3.delete(socket)
    const left = this.#perAddress.get(address)! - 1
    if (left === 0) this.#perAddress.delete(address)
    else this.#perAddress.set(address, left)
  }

  counts(nowMs: number): Counts {
    this.#forget(nowMs)
    return { hls: this.#hls.size, mp3: this.#mp3.size, total: this.#hls.size + this.#mp3.size }
  }

  /** What people are shown: follows the exact counts within 15 s, so that it doesn't flicker. */
  smoothed(nowMs: number): Counts {
    const exact = this.counts(nowMs)
    const share = 1 - Math.exp(-Math.max(0, nowMs - this.#smoothed.atMs) / (listenerSmoothingSec * 1_000 / 3))
    const hls = this.#smoothed.hls + (exact.hls - this.#smoothed.hls) * share
    const mp3 = this.#smoothed.mp3 + (exact.mp3 - this.#smoothed.mp3) * share
    this.#smoothed = { hls, mp3, atMs: nowMs }
    return { hls: Math.round(hls), mp3: Math.round(mp3), total: Math.round(hls) + Math.round(mp3) }
  }

  #total(nowMs: number): number {
    this.#forget(nowMs)
    return this.#hls.size + this.#mp3.size
  }

  #forget(nowMs: number): void {
    // In the order in which they were last seen: the first that counts ends the walk.
    for (const [session, seenMs] of this.#hls) {
      if (seenMs > nowMs - hlsSessionSec * 1_000) break
      this.#hls.delete(session)
    }
  }
}
