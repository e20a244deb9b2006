import { Effect, Layer } from "effect"
import { Speech } from "../../engine/ports/Speech.ts"
import { VoicesWriter } from "../../engine/store/voices/Voices.ts"

/** Copies the speech engines' voices to the catalog at the start, so that reads and claims need no engine. */
export const VoiceRegisterLive = Layer.effectDiscard(
  Effect.gen(function* () {
    const speech = yield* Speech
    yield* (yield* VoicesWriter).replaceCatalog(speech.voices)
  })
)
