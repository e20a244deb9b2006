import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process"
import { once } from "node:events"
import { sampleRateHz } from "../../../schema/time/Samples.ts"
import { ffmpegPath } from "./Decode.ts"

const threshold = 0.35
const refractorySamples = sampleRateHz / 2

/** A click from a decoder: its sample in the decoded stream, and its time. */
export interface HeardClick {
  readonly sample: number
  readonly decodedMs: number
}

/** Decodes a stream as it arrives and notes the time of the first loud sample of every click. */
export class ClickEar {
  readonly #decoder: ChildProcessWithoutNullStreams
  readonly clicks: Array<HeardClick> = []
  /** Number of samples decoded so far. */
  decoded = 0
  #odd: Buffer = Buffer.alloc(0)

  private constructor(decoder: ChildProcessWithoutNullStreams) {
    this.#decoder = decoder
    decoder.stdin.on("error", () => undefined)
    decoder.stdout.on("data", (bytes: Buffer) => this.#hear(bytes))
  }

  static async open(format: "mp3" | "mp4"): Promise<ClickEar> {
    return new ClickEar(
      spawn(await ffmpegPath(), [
        "-v",
        "error",
        "-flags",
        "low_delay",
        "-probesize",
        "4096",
        "-analyzeduration",
        "0",
        "-f",
        format,
        "-i",
        "pipe:0",
        "-f",
        "s16le",
        "-ac",
        "1",
        "-ar",
        String(sampleRateHz),
        "-flush_packets",
        "1",
        "pipe:1"
      ])
    )
  }

  feed(bytes: Uint8Array): void {
    this.#decoder.stdin.write(bytes)
  }

  async close(): Promise<void> {
    if (this.#decoder.exitCode !== null) return
    this.#decoder.kill("SIGKILL")
    await once(this.#decoder, "exit")
  }

  #hear(bytes: Buffer): void {
    const decodedMs = Date.now()
    const whole = this.#odd.length === 0 ? bytes : Buffer.concat([this.#odd, bytes])
    const count = whole.length >> 1
    for (let at = 0; at < count; at++) {
      if (Math.abs(whole.readInt16LE(2 * at)) < threshold * 32_768) continue
      const sample = this.decoded + at
      const last = this.clicks.at(-1)
      if (last === undefined || sample - last.sample > refractorySamples) this.clicks.push({ sample, decodedMs })
    }
    this.decoded += count
    this.#odd = whole.subarray(2 * count)
  }
}
