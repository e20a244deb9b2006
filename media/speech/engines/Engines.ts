import { paidSpeechEngines } from "../../../engine/rules/voices/limits.ts"
import { Effect, Layer } from "effect"
import { FetchHttpClient } from "effect/http"
import { Speech } from "../../../engine/ports/Speech.ts"
import { StationConfig } from "../../../engine/runtime/Config.ts"
import { join } from "node:path"
import { modelsFolder, modelsOf } from "../../models/ModelStore.ts"
import { isUnfit, voiceModelIn } from "../../models/VoiceModel.ts"
import { makeEmbedded } from "../EmbeddedEngine.ts"
import { makeNeuralEngine } from "../NeuralEngine.ts"
import { azureSpeech } from "./AzureSpeech.ts"
import { cartesia } from "./Cartesia.ts"
import { elevenLabs } from "./ElevenLabs.ts"
import { openAiSpeech } from "./OpenAiSpeech.ts"
import type { MakeProvider, ProviderPlace } from "./Provider.ts"
import { providerEngine } from "./ProviderEngine.ts"
import { configuredPost } from "./ProviderRequest.ts"
import { voicePool } from "./VoicePool.ts"
import { makeSpeech } from "../Speech.ts"
import { stationCheck } from "../StationCheck.ts"
import type { SpeechEngine } from "../SpeechEngine.ts"

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
  const config = yield* StationConfig
  const post = yield* configuredPost
  const makeEngine = (
    name: string,
    make: MakeProvider,
    place: ProviderPlace | null,
    voices: string | null,
    price: number | null
  ) =>
    place === null || voices === null
      ? null
      : providerEngine(name, make(place, post), { price, voiceOf: voicePool(voices) })
  const providerPlaceOf = (url: string | null, key: string | null, model: string): ProviderPlace | null =>
    url === null || key === null ? null : { url, key, model }
  const { azureKey, azureUrl, cartesiaKey, cartesiaModel, cartesiaUrl } = config
  const { elevenlabsKey, elevenlabsModel, elevenlabsUrl, ttsKey, ttsModel, ttsUrl } = config
  const engines: ReadonlyArray<SpeechEngine | null> = [
    makeEngine(
      "elevenlabs",
      elevenLabs,
      providerPlaceOf(elevenlabsUrl, elevenlabsKey, elevenlabsModel),
      config.elevenlabsVoices,
      config.elevenlabsPrice
    ),
    makeEngine(
      "cartesia",
      cartesia,
      providerPlaceOf(cartesiaUrl, cartesiaKey, cartesiaModel),
      config.cartesiaVoices,
      config.cartesiaPrice
    ),
    makeEngine(
      "azure",
      azureSpeech,
      providerPlaceOf(azureUrl, azureKey, "neural"),
      config.azureVoices,
      config.azurePrice
    ),
    makeEngine(
      "endpoint",
      openAiSpeech,
      ttsUrl === null ? null : { url: ttsUrl, key: ttsKey, model: ttsModel },
      config.ttsVoices,
      config.ttsPrice
    ),
    yield* neuralEngine
  ]
  return engines.filter((engine) => engine !== null)
})

const paid: ReadonlySet<string> = new Set(paidSpeechEngines)

/** The configured engines in the chains of their roles, and the embedded one, at which every chain ends. */
export const SpeechLive = Layer.effect(
  Speech,
  Effect.gen(function* () {
    const { primaryEngines, speedEngines } = yield* StationConfig
    const configured = yield* configuredEngines
    const embedded = yield* makeEmbedded
    const chain = (names: string | null, isDefault: (name: string) => boolean) => {
      const named = names?.split(",") ?? configured.map(({ name }) => name).filter(isDefault)
      const before = named.slice(0, named.includes(embedded.name) ? named.indexOf(embedded.name) : named.length)
      return [...before.flatMap((name) => configured.filter((engine) => engine.name === name)), embedded]
    }
    return yield* makeSpeech(
      {
        PRIMARY: chain(primaryEngines, () => true),
        SPEED: chain(speedEngines, (name) => !paid.has(name)),
        paid: chain(null, (name) => paid.has(name))
      },
      yield* stationCheck(embedded)
    )
  })
).pipe(Layer.provide(FetchHttpClient.layer))
