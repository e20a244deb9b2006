import { Effect } from "effect"
import { Speech } from "../../engine/ports/Speech.ts"
import { EmbeddedSpeech } from "../../media/speech/Speech.ts"
import { houseVoiceId } from "../../media/speech/VoiceCatalog.ts"
import { throughFfmpeg } from "./Decode.ts"

/** What somebody says, as ffmpeg makes it of these options. */
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

/** As the recorder of a browser writes it: WebM with Opus. */
export const spokenWebm = (text: string): Promise<Uint8Array> =>
  spoken(text, ["-c:a", "libopus", "-b:a", "48k", "-f", "webm"])

/** As a browser takes it for what its microphone hears. */
export const spokenWav = (text: string): Promise<Uint8Array> =>
  spoken(text, ["-c:a", "pcm_s16le", "-ar", "48000", "-bitexact", "-f", "wav"])
