import {
  hlsSessionCharsMax,
  hlsSessionSec,
  hlsSessionsPerAddressMax,
  listenerSmoothingSec,
  mp3PerAddressMax
} from "../../engine/rules/air/limits.ts"
import { HeldCount } from "../server/HeldCount.ts"

export interface Counts {
  readonly hls: number
  readonly mp3: number
  readonly total: number
}

/** Session id that tells players of one address apart. */
export interface HlsCaller {
  readonly address: string
  /** The player's User-Agent; null if absent. */
  readonly session: string | null
  readonly userAgent: string
}

const nameOf = ({ address, session, userAgent }: HlsCaller): string =>
  `${(session ?? address).slice(0, hlsSessionCharsMax)} ${userAgent.slice(0, hlsSessionCharsMax)}`

/**
 * Current listeners. An HLS listener is a session that loaded sound in the last three target durations; an MP3 listener
 * is an open socket. Both are sets, so a count can't go below zero.
 */
export class ListenerCount {
  readonly #max: number
  readonly #hls = new Map<string, { readonly address: string; readonly seenMs: number }>()
  readonly #hlsHeld = new HeldCount()
  readonly #mp3 = new Map<object, string>()
  readonly #mp3Held = new HeldCount()
  #smoothed = { hls: 0, mp3: 0, atMs: 0 }

  constructor(max: number) {
    this.#max = max
  }

  /** Whether a session may begin. Existing listeners are never refused, and nothing is counted before sound is loaded. */
  hasRoomFor(caller: HlsCaller, nowMs: number): boolean {
    return (
      this.#total(nowMs) < this.#max ||
      this.#hls.has(nameOf(caller)) ||
      this.#hls.has(nameOf({ ...caller, session: null })) ||
      this.#hls.has(caller.address)
    )
  }

  /** Records loaded sound; false if the house is full and this session is new. */
  recordHls(caller: HlsCaller, nowMs: number): boolean {
    this.#forget(nowMs)
    const { address } = caller
    const name = nameOf(caller)
    // Session ids are free to invent, so above a bound those of one address count as one.
    const key = this.#hls.has(name) || this.#hlsHeld.countOf(address) < hlsSessionsPerAddressMax ? name : address
    const known = this.#hls.get(key)
    if (known === undefined && this.#total(nowMs) >= this.#max) return false
    this.#hls.delete(key)
    this.#hls.set(key, { address: known?.address ?? address, seenMs: nowMs })
    if (known === undefined) this.#hlsHeld.change(address, 1)
    return true
  }

  joinMp3(socket: object, address: string, nowMs: number): "joined" | "full" | "address" {
    if (this.#total(nowMs) >= this.#max) return "full"
    if (this.#mp3Held.countOf(address) >= mp3PerAddressMax) return "address"
    this.#mp3Held.change(address, 1)
    this.#mp3.set(socket, address)
    return "joined"
  }

  leaveMp3(socket: object): void {
    const address = this.#mp3.get(socket)
    if (address === undefined) return
    this.#mp3.delete(socket)
    this.#mp3Held.change(address, -1)
  }

  count(nowMs: number): Counts {
    this.#forget(nowMs)
    return { hls: this.#hls.size, mp3: this.#mp3.size, total: this.#hls.size + this.#mp3.size }
  }

  /** The displayed count follows the exact one within 15 s, to avoid flicker. */
  smooth(nowMs: number): Counts {
    const exact = this.count(nowMs)
    const share = 1 - Math.exp(-Math.max(0, nowMs - this.#smoothed.atMs) / ((listenerSmoothingSec * 1_000) / 3))
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
    // Ordered by last use, so the walk ends at the first active session.
    for (const [name, { address, seenMs }] of this.#hls) {
      if (seenMs > nowMs - hlsSessionSec * 1_000) break
      this.#hls.delete(name)
      this.#hlsHeld.change(address, -1)
    }
  }
}
