import { Effect } from "effect"
import { Speech } from "../../engine/ports/Speech.ts"
import { EmbeddedSpeech } from "../../media/speech/Speech.ts"
import { houseVoiceId } from "../../media/speech/VoiceCatalog.ts"
import { throughFfmpeg } from "./Decode.ts"

/** Speech as ffmpeg encodes it with these options. */
const spoken = async (text: string, output: ReadonlyArray<string>): Promise<Uint8Array> => {
  const sound = await Effect.runPromise(
    Effect.gen(function* () {
      const speech = yield* Speech
      return yield* speech.speak({ text, voiceId: houseVoiceId, role: "SPEED" })
    }).pipe(Effect.scoped, Effect.provide(EmbeddedSpeech))
  )
  const mono = sound.channels[0]!
  return throughFfmpeg(
    new Uint8Array(mono.buffer, mono.byteOffset, mono.byteLength),
    ["-f", "f32le", "-ar", String(sound.sampleRateHz), "-ac", "1"],
    output
  )
}

/** In the format of a browser's recorder: WebM with Opus. */
export const spokenWebm = (text: string): Promise<Uint8Array> =>
  spoken(text, ["-c:a", "libopus", "-b:a", "48k", "-f", "webm"])

/** In the format of a browser's fake microphone. */
export const spokenWav = (text: string): Promise<Uint8Array> =>
  spoken(text, ["-c:a", "pcm_s16le", "-ar", "48000", "-bitexact", "-f", "wav"])
