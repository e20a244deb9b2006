import { type ChildProcess, spawn } from "node:child_process"
import type { AirEvent } from "../../schema/air/Air.ts"
import { encoderQueueMaxBytes, probeSilenceSec, probeStuckSec } from "../../engine/rules/air/limits.ts"
import { sampleRateHz } from "../../schema/time/Samples.ts"
import { ListenerEar } from "./ListenerEar.ts"

type Started = Extract<AirEvent, { readonly _tag: "Started" }>

/** Decodes one output as a listener's player does. Replaces a decoder that dies. */
class Decoder {
  readonly #spawn: () => ChildProcess
  readonly #head: Uint8Array
  ear = new ListenerEar()
  #child: ChildProcess | null = null

  constructor(ffmpeg: string, format: "mp4" | "mp3", head: Uint8Array) {
    this.#head = head
    this.#spawn = () =>
      spawn(
        ffmpeg,
        [
          "-v",
          "quiet",
          "-nostdin",
          "-probesize",
          format === "mp4" ? "32" : "2048",
          "-analyzeduration",
          "0",
          "-f",
          format,
          "-i",
          "pipe:0",
          "-f",
          "f32le",
          "-ar",
          String(sampleRateHz),
          "-ac",
          "2",
          "-flush_packets",
          "1",
          "pipe:1"
        ],
        { stdio: ["pipe", "pipe", "ignore"] }
      )
  }

  write(bytes: Uint8Array): void {
    const child = this.#child ?? this.#start()
    if (child.stdin!.writableLength > encoderQueueMaxBytes) child.kill("SIGKILL")
    else child.stdin!.write(bytes)
  }

  #start(): ChildProcess {
    const child = this.#spawn()
    this.#child = child
    this.ear = new ListenerEar()
    let rest = new Uint8Array(0)
    child.stdout!.on("data", (chunk: Uint8Array) => {
      const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
      const whole = bytes.length - (bytes.length % 8)
      this.ear.push(new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + whole)))
      rest = bytes.slice(whole)
    })
    child.stdin!.on("error", () => {})
    child.on("error", () => {})
    child.on("close", () => {
      if (this.#child === child) this.#child = null
    })
    if (this.#head.length > 0) child.stdin!.write(this.#head)
    return child
  }

  close(): void {
    this.#child?.kill("SIGKILL")
  }
}

export interface ProbeVerdict {
  readonly silent: boolean
  readonly loudnessLufs: number | null
  /** The current fault, or null. */
  readonly alarm: string | null
}

/**
 * The station's own listener: decodes what listeners receive and reports silence or a stuck programme. Takes the time as an argument, so
 * that tests skip minutes.
 */
export class ListenerProbe {
  readonly #hls: Decoder
  readonly #mp3: Decoder
  #heardAtMs: number
  #item: { readonly sinceMs: number; readonly untilMs: number }

  constructor(options: { readonly ffmpeg: string; readonly init: Uint8Array; readonly nowMs: number }) {
    this.#hls = new Decoder(options.ffmpeg, "mp4", options.init)
    this.#mp3 = new Decoder(options.ffmpeg, "mp3", new Uint8Array(0))
    this.#heardAtMs = options.nowMs
    this.#item = { sinceMs: options.nowMs, untilMs: 0 }
  }

  part(bytes: Uint8Array, nowMs: number): void {
    this.#heardAtMs = nowMs
    this.#hls.write(bytes)
  }

  mp3(bytes: Uint8Array): void {
    this.#mp3.write(bytes)
  }

  /** Idents and fillers are excluded: a stuck station sounds like a loop of them. */
  onStarted(event: Started, nowMs: number): void {
    if (event.itemId === null || (event.label.kind !== "segment" && event.label.kind !== "music")) return
    const lengthMs = event.endSample === null ? 0 : ((event.endSample - event.atSample) * 1000) / sampleRateHz
    this.#item = { sinceMs: nowMs, untilMs: nowMs + lengthMs }
  }

  look(nowMs: number): ProbeVerdict {
    const silentHls = this.#hls.ear.silentSec >= probeSilenceSec
    const silentMp3 = this.#mp3.ear.silentSec >= probeSilenceSec
    const nothing = nowMs - this.#heardAtMs >= probeSilenceSec * 1000
    const stuck = nowMs - this.#item.sinceMs >= probeStuckSec * 1000 && nowMs > this.#item.untilMs
    return {
      silent: silentHls || silentMp3 || nothing,
      loudnessLufs: this.#hls.ear.loudnessLufs,
      alarm:
        silentHls || silentMp3
          ? "the listener probe hears silence"
          : stuck
            ? "the listener probe hears nothing new"
            : null
    }
  }

  /** The alarm was raised: restarts the count. */
  resetCount(nowMs: number): void {
    this.#item = { sinceMs: nowMs, untilMs: 0 }
  }

  close(): void {
    this.#hls.close()
    this.#mp3.close()
  }
}
