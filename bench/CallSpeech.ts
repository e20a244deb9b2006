import { Effect } from "effect"
import { spawn } from "node:child_process"
import { Speech } from "../engine/ports/Speech.ts"
import { SpeechLive } from "../media/Speech.ts"
import { houseVoiceId } from "../media/VoiceCatalog.ts"
import { ffmpegPath } from "./Decode.ts"

/** What somebody says, as the recorder of a browser writes it: WebM with Opus. */
export const spokenWebm = async (text: string): Promise<Uint8Array> => {
  const sound = await Effect.runPromise(Effect.gen(function*() {
    const speech = yield* Speech
    return yield* speech.speak({ text, voiceId: houseVoiceId, role: "SPEED" })
  }).pipe(Effect.scoped, Effect.provide(SpeechLive)))
  const mono = sound.channels[0]!
  const ffmpeg = await ffmpegPath()
  return new Promise((resolve, reject) => {
    const child = spawn(ffmpeg, ["-v", "error", "-f", "f32le", "-ar", String(sound.sampleRateHz), "-ac", "1", "-i", "pipe:0", "-c:a", "libopus", "-b:a", "48k", "-f", "webm", "pipe:1"])
    const out: Array<Buffer> = []
    const said: Array<Buffer> = []
    child.stdout.on("data", (chunk: Buffer) => out.push(chunk))
    child.stderr.on("data", (chunk: Buffer) => said.push(chunk))
    child.stdin.on("error", () => undefined)
    child.on("error", reject)
    child.on("close", (code) => code === 0 ? resolve(Buffer.concat(out)) : reject(new Error(`ffmpeg could not write WebM: ${Buffer.concat(said).toString()}`)))
    child.stdin.end(Buffer.from(mono.buffer, mono.byteOffset, mono.byteLength))
  })
}
