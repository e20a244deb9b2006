import { Effect } from "effect"
import { Speech } from "../../../engine/ports/Speech.ts"
import { EmbeddedSpeech } from "../../../media/speech/Speech.ts"

/** A voice's real speech at the rate of `speechProviders`, with the engine's own times. */
export const spoken = (said: string) =>
  Effect.gen(function* () {
    const sound = yield* (yield* Speech).speak({ text: said, voiceId: "voice_garnet", role: "SPEED" })
    const pcm = sound.channels[0]!
    return {
      words: sound.words,
      pcm: Int16Array.from(
        { length: Math.floor((pcm.length * 24_000) / sound.sampleRateHz) },
        (_, i) => pcm[Math.floor((i * sound.sampleRateHz) / 24_000)]! * 32_767
      )
    }
  }).pipe(Effect.provide(EmbeddedSpeech))
