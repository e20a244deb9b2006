import { windowSegments } from "../../engine/rules/air/limits.ts"
import type { HlsVariant } from "../../engine/ports/Live.ts"
import { join, type TimedLabel } from "../encode/Fmp4.ts"
import { type Part, partsPerSegment } from "../encode/PartPacker.ts"

/** One segment of the window. `gap`: it was never made, because the station was off. */
export interface LiveSegment {
  readonly msn: number
  readonly parts: ReadonlyArray<Uint8Array<ArrayBuffer>>
  /** All its parts in one, once complete. */
  readonly whole: Uint8Array<ArrayBuffer> | null
  readonly gap: boolean
  /** Its sound does not continue the segment before. */
  readonly discontinuity: boolean
}

const beginSegment = (msn: number, discontinuity: boolean): LiveSegment => ({
  msn,
  parts: [],
  whole: null,
  gap: false,
  discontinuity
})

export const segmentBytes = (segment: LiveSegment): number => segment.parts.reduce((sum, part) => sum + part.length, 0)

/** An item as the playlist lists it. Its end is known when the next begins. */
export interface WindowLabel extends TimedLabel {
  readonly plannedEndSample: number | null
  readonly endSample: number | null
}

/**
 * Content of one variant at this instant: the segments a playlist lists and, for one more window, those it listed before. Pure data
 * without a clock.
 */
export class LiveWindow {
  readonly variant: HlsVariant
  #segments: Array<LiveSegment> = []
  #retired: Array<LiveSegment> = []
  #labels: ReadonlyArray<WindowLabel> = []
  #discontinuitySequence = 0
  #version = 0
  #anew = false

  constructor(variant: HlsVariant) {
    this.variant = variant
  }

  get segments(): ReadonlyArray<LiveSegment> {
    return this.#segments
  }

  get labels(): ReadonlyArray<WindowLabel> {
    return this.#labels
  }

  get discontinuitySequence(): number {
    return this.#discontinuitySequence
  }

  /** Total number of discontinuities so far. */
  get discontinuities(): number {
    return this.#discontinuitySequence + this.#segments.filter((segment) => segment.discontinuity).length
  }

  /** Grows with every change: a playlist text is valid as long as it stays. */
  get version(): number {
    return this.#version
  }

  get firstMsn(): number | null {
    return this.#segments[0]?.msn ?? null
  }

  /** Next part in the order of the broadcast; null while there is none. */
  get next(): { readonly msn: number; readonly part: number } | null {
    const last = this.#segments.at(-1)
    if (last === undefined) return null
    return last.whole !== null || last.gap ? { msn: last.msn + 1, part: 0 } : { msn: last.msn, part: last.parts.length }
  }

  /** Takes the next part; false for one that is already there. Skipped parts become a gap. */
  accept(part: Part): boolean {
    const next = this.next
    if (next !== null) {
      const ahead = (part.msn - next.msn) * partsPerSegment + part.part - next.part
      if (ahead < 0) return false
      if (ahead > 0) this.#skipTo(part.msn)
    }
    const last = this.#segments.at(-1)
    const open: LiveSegment =
      last !== undefined && last.msn === part.msn
        ? last
        : beginSegment(part.msn, this.#anew || (part.cut && last !== undefined))
    // A segment without its beginning is not listed: the window continues with the next whole one.
    if (open.parts.length !== part.part) return false
    if (open !== last) this.#segments.push(open)
    this.#anew = false
    const parts = [...open.parts, part.bytes]
    this.#segments[this.#segments.length - 1] = {
      ...open,
      parts,
      whole: parts.length === partsPerSegment ? join(parts) : null
    }
    this.#slide()
    this.#version += 1
    return true
  }

  /**
   * The broadcast continues far from where it stopped: nothing older is listed beside it, because players take neighbours in a playlist
   * for neighbours in time. Listed segments stay available for one more window.
   */
  beginAnew(): void {
    if (this.#segments.length === 0) return
    this.#discontinuitySequence = this.discontinuities
    this.#retired = this.#segments
    this.#segments = []
    this.#anew = true
    this.#version += 1
  }

  /** Segments that were never made are listed as gaps while any old one is in the window. */
  #skipTo(msn: number): void {
    const last = this.#segments.at(-1)
    if (last === undefined || msn <= last.msn) return
    if (msn - last.msn > windowSegments) {
      this.#discontinuitySequence += this.#segments.filter((segment) => segment.discontinuity).length
      this.#retired = []
      this.#segments = [beginSegment(msn, true)]
      return
    }
    if (last.whole === null && !last.gap) this.#segments[this.#segments.length - 1] = { ...last, parts: [], gap: true }
    for (let missing = last.msn + 1; missing < msn; missing++)
      this.#segments.push({ ...beginSegment(missing, false), gap: true })
    this.#segments.push(beginSegment(msn, true))
  }

  #slide(): void {
    while (this.#segments.filter((segment) => segment.whole !== null || segment.gap).length > windowSegments) {
      const old = this.#segments.shift()!
      if (old.discontinuity) this.#discontinuitySequence += 1
      this.#retired.push(old)
      if (this.#retired.length > windowSegments) this.#retired.shift()
    }
  }

  /** Items that begin from now on; an item ends where the next begins. */
  label(label: WindowLabel): void {
    const known = this.#labels
      .filter((other) => other.id !== label.id && other.atSample < label.atSample)
      .map((other) => (other.endSample === null ? { ...other, endSample: label.atSample } : other))
    this.#labels = [...known, label].slice(-64)
    this.#version += 1
  }

  find(msn: number): LiveSegment | null {
    return (
      this.#segments.find((segment) => segment.msn === msn) ??
      this.#retired.find((segment) => segment.msn === msn) ??
      null
    )
  }

  /**
   * Whether this part, or with null the whole segment, has arrived. A part number past the last means the first part of the next segment.
   */
  has(msn: number, part: number | null): boolean {
    const next = this.next
    if (next === null) return false
    const wanted = part === null ? (msn + 1) * partsPerSegment : msn * partsPerSegment + part + 1
    return next.msn * partsPerSegment + next.part >= wanted
  }

  /** The window as before the restart of the process. */
  restore(
    segments: ReadonlyArray<LiveSegment>,
    labels: ReadonlyArray<WindowLabel>,
    discontinuitySequence: number
  ): void {
    this.#segments = [...segments]
    this.#retired = []
    this.#anew = false
    this.#labels = labels
    this.#discontinuitySequence = discontinuitySequence
    this.#version += 1
  }
}
