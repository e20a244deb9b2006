import { Effect, Layer } from "effect"
import { join } from "node:path"
import { Speech } from "../../engine/ports/Speech.ts"
import { StationConfig } from "../../engine/runtime/Config.ts"
import { modelsFolder, modelsOf } from "../models/ModelStore.ts"
import { isUnfit, voiceModelIn } from "../models/VoiceModel.ts"
import { makeEmbedded } from "./EmbeddedEngine.ts"
import { makeNeuralEngine } from "./NeuralEngine.ts"
import { speechOver } from "./Speech.ts"
import { stationCheck } from "./StationCheck.ts"
import type { SpeechEngine } from "./SpeechEngine.ts"

/** A model on this machine: the configured one, else the best in `DATA_DIR/models`. */
const neuralEngine = Effect.gen(function* () {
  const { dataDir, ttsModelDir } = yield* StationConfig
  const modelDir = ttsModelDir ?? modelsOf(dataDir).voice
  if (modelDir === null) return null
  const model = voiceModelIn(modelDir)
  if (isUnfit(model)) {
    yield* Effect.logError(`TTS_MODEL_DIR can't be used, so the embedded engine speaks. ${model.unfit}`)
    return null
  }
  yield* Effect.logInfo(`The voices are spoken by ${model.name} (${model.kind}).`)
  return yield* makeNeuralEngine({ model, rememberIn: join(modelsFolder(dataDir), ".auditions.json") })
})

/** The engines that the operator set up, best first. Each entry makes one engine, or none if it isn't configured. */
const configuredEngines = Effect.gen(function* () {
  const engines: ReadonlyArray<SpeechEngine | null> = [yield* neuralEngine]
  return engines.filter((engine) => engine !== null)
})

/** The configured engines, and the embedded one, at which every chain ends. */
export const SpeechLive = Layer.effect(
  Speech,
  Effect.gen(function* () {
    const configured = yield* configuredEngines
    const embedded = yield* makeEmbedded
    const chain = [...configured, embedded]
    return yield* speechOver({ PRIMARY: chain, SPEED: chain }, yield* stationCheck(embedded))
  })
)
