import { Effect } from "effect"
import { Speech } from "../../../engine/ports/Speech.ts"
import { EmbeddedSpeech } from "../../../media/speech/Speech.ts"
import { houseVoiceId } from "../../../media/speech/VoiceCatalog.ts"
import { runFfmpeg } from "../ears/Decode.ts"

/** Speech as ffmpeg encodes it with these options. */
const encodeSpeech = async (text: string, output: ReadonlyArray<string>): Promise<Uint8Array> => {
  const sound = await Effect.runPromise(
    Effect.gen(function* () {
      const speech = yield* Speech
      return yield* speech.speak({ text, voiceId: houseVoiceId, role: "SPEED" })
    }).pipe(Effect.scoped, Effect.provide(EmbeddedSpeech))
  )
  const mono = sound.channels[0]!
  return runFfmpeg(
    new Uint8Array(mono.buffer, mono.byteOffset, mono.byteLength),
    ["-f", "f32le", "-ar", String(sound.sampleRateHz), "-ac", "1"],
    output
  )
}

/** In the format of a browser's recorder: WebM with Opus. */
export const speakWebm = (text: string): Promise<Uint8Array> =>
  encodeSpeech(text, ["-c:a", "libopus", "-b:a", "48k", "-f", "webm"])

/** In the format of a browser's fake microphone. */
export const speakWav = (text: string): Promise<Uint8Array> =>
  encodeSpeech(text, ["-c:a", "pcm_s16le", "-ar", "48000", "-bitexact", "-f", "wav"])
