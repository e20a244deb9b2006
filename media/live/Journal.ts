import { appendFile, mkdir, readdir, rm } from "node:fs/promises"
import { join } from "node:path"
import { journalBacklogMax, journalRetryMs, timeShiftSec } from "../../engine/rules/air/limits.ts"
import { sampleRateHz } from "../../schema/time/Samples.ts"
import type { HlsVariant } from "../../engine/ports/Live.ts"
import type { WindowLabel } from "./LiveWindow.ts"
import { type Part, segmentSamples } from "../encode/PartPacker.ts"

const segmentSec = segmentSamples / sampleRateHz

/** One folder holds an hour of segments, so that a day is deleted folder by folder. */
export const hourOf = (msn: number): number => Math.floor((msn * segmentSec) / 3_600)

export const segmentFile = (path: string, variant: string, msn: number): string =>
  join(path, String(hourOf(msn)), `${variant}.${msn}.m4s`)

export const itemsFile = (path: string, hour: number): string => join(path, String(hour), "items.jsonl")

export const discontinuitiesFile = (path: string): string => join(path, "discontinuities.jsonl")

export interface Discontinuity {
  readonly variant: HlsVariant
  readonly msn: number
  /** Their number in this variant up to and including this one. */
  readonly total: number
  /** First of the window: nothing before it is listed. */
  readonly anew?: boolean
}

/** Stores a discontinuity, so that their count never decreases; best effort, like the whole journal. */
export const markDiscontinuity = (path: string, discontinuity: Discontinuity): Promise<void> =>
  appendFile(discontinuitiesFile(path), `${JSON.stringify(discontinuity)}\n`).catch(() => {})

export interface JournalOptions {
  readonly path: string
  readonly monoMs: () => number
  /** Reason why writing stopped, null when it continues. */
  readonly onStopped: (reason: string | null) => void
  /** Writes bytes to disk; tests provide a full one. */
  readonly append?: (file: string, bytes: Uint8Array) => Promise<void>
}

/**
 * Keeps the broadcast on disk, for the window of the next start and for time shift. The air does not wait for it: on a full, read-only or
 * slow disk it stops, says so once, and later continues with a whole segment.
 */
export class Journal {
  readonly #options: JournalOptions
  readonly #append: (file: string, bytes: Uint8Array) => Promise<void>
  #queue: Promise<void> = Promise.resolve()
  #waiting = 0
  #stopped: string | null = null
  #retryAtMs = 0
  #hour = -1

  constructor(options: JournalOptions) {
    this.#options = options
    this.#append = options.append ?? ((file, bytes) => appendFile(file, bytes))
  }

  part(part: Part): void {
    // A missed write leaves a hole in its segment, which readers see; writing continues with the next whole one.
    if (this.#stopped !== null && (part.part !== 0 || this.#options.monoMs() < this.#retryAtMs)) return
    if (this.#waiting >= journalBacklogMax) return this.#stop("the disk does not keep up")
    const bytes = part.bytes.slice()
    this.#enqueue(hourOf(part.msn), segmentFile(this.#options.path, part.variant, part.msn), bytes)
  }

  item(label: WindowLabel): void {
    if (this.#stopped !== null || this.#waiting >= journalBacklogMax) return
    const hour = hourOf(Math.floor(label.atSample / segmentSamples))
    this.#enqueue(hour, itemsFile(this.#options.path, hour), Buffer.from(`${JSON.stringify(label)}\n`))
  }

  #enqueue(hour: number, file: string, bytes: Uint8Array): void {
    this.#waiting += 1
    this.#queue = this.#queue.then(async () => {
      try {
        if (hour !== this.#hour) await this.#open(hour)
        await this.#append(file, bytes)
        if (this.#stopped !== null) {
          this.#stopped = null
          this.#options.onStopped(null)
        }
      } catch (error) {
        this.#stop(error instanceof Error ? error.message : String(error))
      } finally {
        this.#waiting -= 1
      }
    })
  }

  async #open(hour: number): Promise<void> {
    await mkdir(join(this.#options.path, String(hour)), { recursive: true })
    // An hour more than is offered, for listeners at the far end of a playlist.
    const oldest = hour - Math.ceil(timeShiftSec / 3_600) - 1
    for (const name of await readdir(this.#options.path)) {
      if (/^\d+$/.test(name) && Number(name) < oldest)
        await rm(join(this.#options.path, name), { recursive: true, force: true })
    }
    this.#hour = hour
  }

  #stop(reason: string): void {
    this.#retryAtMs = this.#options.monoMs() + journalRetryMs
    this.#hour = -1
    if (this.#stopped !== null) return
    this.#stopped = reason
    this.#options.onStopped(reason)
  }

  /** Everything given so far is on disk or given up. */
  settle(): Promise<void> {
    return this.#queue
  }
}
