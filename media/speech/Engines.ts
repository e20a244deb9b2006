import { Effect, Layer } from "effect"
import { Speech } from "../../engine/ports/Speech.ts"
import { makeEmbedded } from "./EmbeddedEngine.ts"
import { speechOver } from "./Speech.ts"
import type { SpeechEngine } from "./SpeechEngine.ts"

/** The engines that the operator set up, best first. Each entry makes one engine, or none if it isn't configured. */
const configuredEngines = Effect.gen(function* () {
  const engines: ReadonlyArray<SpeechEngine | null> = []
  return engines.filter((engine) => engine !== null)
})

/** The configured engines, and the embedded one, at which every chain ends. */
export const SpeechLive = Layer.effect(
  Speech,
  Effect.gen(function* () {
    const configured = yield* configuredEngines
    const embedded = yield* makeEmbedded
    const chain = [...configured, embedded]
    return yield* speechOver({ PRIMARY: chain, SPEED: chain })
  })
)
