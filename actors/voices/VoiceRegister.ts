import { Effect, Layer } from "effect"
import { Speech } from "../../engine/ports/Speech.ts"
import { VoicesWriter } from "../../engine/store/voices/Voices.ts"

/** At start the catalog is made to say what the speech engines offer; reads and claims then need no engine. */
export const VoiceRegisterLive = Layer.effectDiscard(
  Effect.gen(function* () {
    const speech = yield* Speech
    yield* (yield* VoicesWriter).replaceCatalog(speech.voices)
  })
)
