import { Effect } from "effect"
import { spawn } from "node:child_process"
import { sampleRateHz } from "../../../schema/time/Samples.ts"
import { resolveFfmpeg } from "../../../media/ffmpeg/Ffmpeg.ts"

let found: Promise<string> | undefined

/** The station's own ffmpeg. */
export const ffmpegPath = (): Promise<string> =>
  (found ??= Effect.runPromise(Effect.map(resolveFfmpeg(null), ({ ffmpeg }) => ffmpeg)))

/** Output of ffmpeg for these bytes; fails if ffmpeg fails or writes nothing. */
export const runFfmpeg = async (
  bytes: Uint8Array,
  from: ReadonlyArray<string>,
  to: ReadonlyArray<string>
): Promise<Buffer> => {
  const ffmpeg = await ffmpegPath()
  return new Promise((resolve, reject) => {
    const child = spawn(ffmpeg, ["-v", "error", ...from, "-i", "pipe:0", ...to, "pipe:1"])
    const out: Array<Buffer> = []
    const said: Array<Buffer> = []
    child.stdout.on("data", (chunk: Buffer) => out.push(chunk))
    child.stderr.on("data", (chunk: Buffer) => said.push(chunk))
    child.stdin.on("error", () => undefined)
    child.on("error", reject)
    child.on("close", (code) => {
      const whole = Buffer.concat(out)
      if (code !== 0 || whole.length === 0)
        return reject(new Error(`ffmpeg could not write ${to.at(-1)}: ${Buffer.concat(said).toString()}`))
      resolve(whole)
    })
    child.stdin.end(bytes)
  })
}

/** Decodes any format that ffmpeg reads to mono float32 PCM at the station's rate. */
export const decodeMono = async (bytes: Uint8Array): Promise<Float32Array> => {
  const whole = await runFfmpeg(bytes, [], ["-ac", "1", "-ar", String(sampleRateHz), "-f", "f32le"])
  return new Float32Array(whole.buffer.slice(whole.byteOffset, whole.byteOffset + (whole.length & ~3)))
}

/** Decoded sound of one of the station's addresses. */
export const soundAt = async (base: string, path: string, bearer?: string): Promise<Float32Array> => {
  const response = await fetch(
    new URL(path, base),
    bearer === undefined ? {} : { headers: { authorization: `Bearer ${bearer}` } }
  )
  if (!response.ok) throw new Error(`${path}: ${response.status}`)
  return decodeMono(new Uint8Array(await response.arrayBuffer()))
}
