import { join } from "../../../media/encode/Fmp4.ts"
import { mp3FrameSamples, mp3Splitter } from "../../../media/encode/Mp3Frames.ts"
import { sampleRateHz } from "../../../schema/time/Samples.ts"
import { pause } from "../Children.ts"
import { decodeMono } from "./Decode.ts"

const frameMs = (mp3FrameSamples * 1_000) / sampleRateHz

/** Frames that arrived together; ms of `performance.now()`. */
interface Arrival {
  readonly atMs: number
  readonly bytes: Uint8Array
}

/** Its player had nothing to play until `atMs`, for so long. */
export interface Stall {
  readonly atMs: number
  readonly ms: number
}

/** A player of the MP3 stream, which plays from its first byte on and stops when it has nothing. */
export interface Mp3Ear {
  readonly arrivals: ReadonlyArray<Arrival>
  readonly stalls: ReadonlyArray<Stall>
  /** Sound that arrived since then, as a decoder that begins there makes it. */
  readonly soundSince: (sinceMs: number) => Promise<Float32Array>
  /** Connections that ended. */
  readonly ended: () => number
  readonly stop: () => Promise<void>
}

export const listenToMp3 = (base: string): Mp3Ear => {
  const end = new AbortController()
  const arrivals: Array<Arrival> = []
  const stalls: Array<Stall> = []
  let ended = 0
  /** When the player will have played everything it has received; ms of `performance.now()`. */
  let playedMs = Number.NaN
  const hear = (pieces: ReadonlyArray<Uint8Array>) => {
    if (pieces.length === 0) return
    const atMs = performance.now()
    if (atMs > playedMs) stalls.push({ atMs, ms: atMs - playedMs })
    playedMs = (Number.isNaN(playedMs) ? atMs : Math.max(playedMs, atMs)) + pieces.length * frameMs
    arrivals.push({ atMs, bytes: Buffer.concat(pieces) })
  }
  const listening = (async () => {
    while (!end.signal.aborted) {
      const splitter = mp3Splitter()
      const response = await fetch(new URL("/live.mp3", base), { signal: end.signal }).catch(() => null)
      const reader = response?.body?.getReader()
      for (;;) {
        const read = await reader?.read().catch(() => undefined)
        if (read === undefined || read.done) break
        hear(splitter.push(read.value))
      }
      if (end.signal.aborted) return
      ended += 1
      await pause(100)
    }
  })()
  return {
    arrivals,
    stalls,
    soundSince: (sinceMs) =>
      decodeMono(join(arrivals.filter(({ atMs }) => atMs >= sinceMs).map(({ bytes }) => new Uint8Array(bytes)))),
    ended: () => ended,
    stop: async () => {
      end.abort()
      await listening
    }
  }
}
