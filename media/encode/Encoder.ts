import { type ChildProcessByStdio, spawn } from "node:child_process"
import type { Readable, Writable } from "node:stream"
import {
  encoderQueueMaxBytes,
  encoderRestartMaxMs,
  encoderStallMs,
  encoderWarmFrames,
  mixTickMs,
  starvedMaxMs
} from "../../engine/rules/air/limits.ts"
import { sampleRateHz } from "../../schema/time/Samples.ts"
import type { PcmRing } from "./PcmRing.ts"
import { pulseOfProcess, Starvation } from "../clock/Pulse.ts"
import { encoderArguments, type Rendition } from "./Rendition.ts"
import { callAfter } from "../clock/Ticker.ts"

type Child = ChildProcessByStdio<Writable, Readable, null>

export interface EncoderOptions {
  readonly rendition: Rendition
  readonly ffmpeg: string
  readonly ring: PcmRing
  /** The first frame wanted, counted from the epoch. */
  readonly nextFrame: number
  readonly monoMs: () => number
  /** Frames in order, without gap or repetition across any number of children. */
  readonly onFrames: (firstFrame: number, frames: ReadonlyArray<Uint8Array>) => void
  readonly onReplaced: (reason: string) => void
}

/**
 * One rendition, encoded by a child process that may die at any time: the next child is fed from the ring, faster than real time, and the
 * frame count continues.
 */
export class Encoder {
  readonly #options: EncoderOptions
  #child: Child | null = null
  #nextFrame: number
  #fedTo = 0
  #spawnedAtMs = 0
  #checkedAtMs = 0
  /** Time in which the child had input and was heard, but gave no output. */
  #silentMs = 0
  readonly #starvation = new Starvation()
  #failures = 0
  #restarts = 0
  #closing = false
  #cancelRestart: (() => void) | null = null

  constructor(options: EncoderOptions) {
    this.#options = options
    this.#nextFrame = options.nextFrame
    this.#start()
  }

  /** Next frame to come out, counted from the epoch. */
  get nextFrame(): number {
    return this.#nextFrame
  }

  get restarts(): number {
    return this.#restarts
  }

  get running(): boolean {
    return this.#child !== null
  }

  get spawnedAtMs(): number {
    return this.#spawnedAtMs
  }

  get pid(): number | null {
    return this.#child?.pid ?? null
  }

  /** First sample the child has not received. A dead encoder delays nothing else. */
  get fedTo(): number {
    return this.#child === null ? Number.POSITIVE_INFINITY : this.#fedTo
  }

  #start(): void {
    const { ffmpeg, monoMs, rendition, ring } = this.#options
    this.#cancelRestart = null
    if (this.#nextFrame * rendition.frameSamples < ring.oldest)
      this.#nextFrame = Math.ceil(ring.oldest / rendition.frameSamples)
    const firstFed = this.#nextFrame - encoderWarmFrames
    this.#fedTo = firstFed * rendition.frameSamples
    this.#spawnedAtMs = this.#checkedAtMs = monoMs()
    this.#heard()
    const child = spawn(ffmpeg, encoderArguments(rendition), { stdio: ["pipe", "pipe", "ignore"] })
    this.#child = child
    const frames = rendition.splitter()
    let frame = firstFed - rendition.primingFrames
    child.stdout.on("data", (chunk: Uint8Array) => {
      if (this.#child !== child) return
      try {
        const whole = frames.push(chunk)
        const first = frame
        frame += whole.length
        this.#emit(first, whole)
      } catch (error) {
        this.#replace(child, error instanceof Error ? error.message : String(error))
      }
    })
    // The next child reads from the ring what a dying one no longer takes.
    child.stdin.on("error", () => {})
    child.stdin.on("drain", () => this.feed())
    child.on("error", (error) => this.#replace(child, error.message))
    child.on("close", (code, signal) => this.#replace(child, signal ?? `exit ${code}`))
    this.feed()
  }

  #emit(firstFrame: number, frames: ReadonlyArray<Uint8Array>): void {
    if (frames.length === 0) return
    this.#heard()
    const fresh = frames.slice(Math.max(0, this.#nextFrame - firstFrame))
    if (fresh.length === 0) return
    const first = this.#nextFrame
    this.#nextFrame += fresh.length
    this.#options.onFrames(first, fresh)
  }

  #heard(): void {
    this.#silentMs = 0
    this.#starvation.noteHeartbeat()
  }

  #replace(child: Child, reason: string): void {
    if (this.#child !== child) return
    this.#child = null
    child.stdin.destroy()
    child.stdout.destroy()
    child.kill("SIGKILL")
    if (this.#closing) return
    this.#restarts += 1
    this.#options.onReplaced(reason)
    // A child that had caught up before it died is replaced at once; one that never does, with growing delay.
    const delayMs = this.#failures === 0 ? 0 : Math.min(encoderRestartMaxMs, 50 * 2 ** this.#failures)
    this.#failures += 1
    if (delayMs === 0) this.#start()
    else this.#cancelRestart = callAfter(delayMs, () => this.#start())
  }

  /** Feeds the child from the ring, as far as it takes input. */
  feed(): void {
    const { ring } = this.#options
    const child = this.#child
    if (child === null || this.#closing) return
    while (this.#fedTo < ring.writtenTo && child.stdin.writableLength < encoderQueueMaxBytes) {
      const to = Math.min(ring.writtenTo, this.#fedTo + sampleRateHz)
      // Without a copy: the mixer is never far enough ahead to overwrite samples that an encoder has not read.
      for (const piece of ring.pieces(this.#fedTo, to)) child.stdin.write(piece)
      this.#fedTo = to
    }
  }

  /** Replaces a child that takes input and gives no output. Call it at every tick. */
  check(): void {
    const { monoMs, rendition, ring } = this.#options
    const child = this.#child
    const nowMs = monoMs()
    // While this thread slept it could read nothing: that is not the child's silence.
    const listenedMs = Math.min(nowMs - this.#checkedAtMs, mixTickMs * 1.5)
    this.#checkedAtMs = nowMs
    if (child === null) return
    const owedMs = ((ring.writtenTo - this.#nextFrame * rendition.frameSamples) * 1000) / sampleRateHz
    if (owedMs <= encoderStallMs) this.#failures = 0
    // Frames that the child can't have finished yet.
    if (owedMs <= mixTickMs * 1.5) return this.#heard()
    this.#silentMs += listenedMs
    if (this.#silentMs <= mixTickMs * 2) return
    const starves = this.#starvation.isStarving(child.pid === undefined ? null : pulseOfProcess(child.pid), nowMs)
    const patienceMs = starves ? starvedMaxMs : Math.min(starvedMaxMs, encoderStallMs * 2 ** this.#failures)
    if (owedMs > encoderStallMs && this.#silentMs > patienceMs) this.#replace(child, "no output while fed")
  }

  /** End of input: lets the child finish. */
  finish(): Promise<void> {
    this.#closing = true
    this.#cancelRestart?.()
    const child = this.#child
    if (child === null) return Promise.resolve()
    return new Promise((resolve) => {
      child.once("close", () => resolve())
      child.stdin.end()
    })
  }

  kill(): void {
    this.#closing = true
    this.#cancelRestart?.()
    this.#child?.kill("SIGKILL")
  }
}
