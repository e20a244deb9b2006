import {
  hlsSessionCharsMax,
  hlsSessionSec,
  hlsSessionsPerAddressMax,
  edgeReportSec,
  edgesMax,
  listenerSmoothingSec,
  mp3PerAddressMax
} from "../../engine/rules/air/limits.ts"
import type { EdgeReport } from "../../schema/air/EdgeReport.ts"
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
 * is an open socket. Both are sets, so a count can't go below zero. Listeners of edges count as these report them.
 */
export class ListenerCount {
  readonly #max: number
  readonly #hls = new Map<string, { readonly address: string; readonly seenMs: number }>()
  readonly #hlsHeld = new HeldCount()
  readonly #mp3 = new Map<object, string>()
  readonly #mp3Held = new HeldCount()
  readonly #edges = new Map<string, EdgeReport & { readonly atMs: number }>()
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

  /** What an edge reports with each of its requests; the last report counts until it is too old. Above the bound, further edges are ignored. */
  recordEdge(report: EdgeReport, nowMs: number): void {
    if (this.#edges.size >= edgesMax && !this.#edges.has(report.id)) this.#forgetEdges(nowMs)
    if (this.#edges.size < edgesMax || this.#edges.has(report.id))
      this.#edges.set(report.id, { ...report, atMs: nowMs })
  }

  count(nowMs: number): Counts {
    this.#forget(nowMs)
    this.#forgetEdges(nowMs)
    let [hls, mp3] = [this.#hls.size, this.#mp3.size]
    for (const edge of this.#edges.values()) [hls, mp3] = [hls + edge.hls, mp3 + edge.mp3]
    return { hls, mp3, total: hls + mp3 }
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

  #forgetEdges(nowMs: number): void {
    for (const { atMs, id } of this.#edges.values()) if (atMs <= nowMs - edgeReportSec * 1_000) this.#edges.delete(id)
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
