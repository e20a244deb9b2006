import { execFileSync } from "node:child_process"
import { createRequire } from "node:module"
import { existsSync } from "node:fs"

const require = createRequire(import.meta.url)

/** The bundled build: a feature of the oldest ffmpeg exists in all. */
export const bundledFfmpeg: string =
  process.env["FFMPEG_PATH"] !== undefined && existsSync(process.env["FFMPEG_PATH"])
    ? process.env["FFMPEG_PATH"]
    : (require("@ffmpeg-installer/ffmpeg") as { readonly path: string }).path

/** Decodes a stream to interleaved stereo float32 at 48 kHz. */
export const decode = (format: "aac" | "flac" | "mp3" | "mp4", bytes: Uint8Array): Float32Array => {
  const out = execFileSync(
    bundledFfmpeg,
    ["-v", "error", "-f", format, "-i", "pipe:0", "-f", "f32le", "-ac", "2", "-ar", "48000", "pipe:1"],
    { input: bytes, maxBuffer: 2 ** 30, stdio: ["pipe", "pipe", "ignore"] }
  )
  return new Float32Array(out.buffer.slice(out.byteOffset, out.byteOffset + out.length - (out.length % 8)))
}

/** A sound that differs at every sample, so that a missing or shifted one is noticed. */
export const sweep = (from: number, to: number): Float32Array<ArrayBuffer> => {
  const out = new Float32Array((to - from) * 2)
  for (let at = from; at < to; at++) {
    const t = (at % 48_000_000) / 48_000
    const value =
      0.25 * Math.sin(2 * Math.PI * (300 * t + 40 * Math.sin(2.3 * t))) +
      0.15 * Math.sin(2 * Math.PI * (1_100 * t + 25 * Math.sin(3.7 * t + 1)))
    out[2 * (at - from)] = value
    out[2 * (at - from) + 1] = 0.8 * value
  }
  return out
}

/** Signal to error in dB for each block of `blockSamples`, `heard` being `shift` samples late. */
export const fidelity = (
  wanted: Float32Array,
  heard: Float32Array,
  shift: number,
  blockSamples = 1_024
): Array<number> => {
  const result: Array<number> = []
  for (
    let at = 0;
    (at + blockSamples + shift) * 2 <= heard.length && (at + blockSamples) * 2 <= wanted.length;
    at += blockSamples
  ) {
    let signal = 0
    let error = 0
    for (let i = at * 2; i < (at + blockSamples) * 2; i++) {
      const value = wanted[i]!
      signal += value * value
      error += (value - heard[i + shift * 2]!) ** 2
    }
    result.push(10 * Math.log10(signal / Math.max(error, 1e-12)))
  }
  return result
}
