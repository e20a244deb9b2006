import { Effect, Layer } from "effect"
import { FetchHttpClient } from "effect/http"
import { OwnKeySpeech } from "../../../engine/ports/OwnKeySpeech.ts"
import { SpeechFailed } from "../../../engine/ports/Speech.ts"
import { providerScriptTimeoutMs, spokenCharsMax } from "../../../engine/rules/voices/limits.ts"
import { StationConfig } from "../../../engine/runtime/Config.ts"
import { makeEmbedded } from "../EmbeddedEngine.ts"
import { joinLines } from "../SpokenSound.ts"
import { sentencesOf } from "../SpokenText.ts"
import { stationCheck } from "../StationCheck.ts"
import { catalog, houseVoiceId } from "../VoiceCatalog.ts"
import { azureSpeech } from "./AzureSpeech.ts"
import { cartesia } from "./Cartesia.ts"
import { elevenLabs } from "./ElevenLabs.ts"
import { openAiSpeech } from "./OpenAiSpeech.ts"
import { speakPassages } from "./ProviderEngine.ts"
import { configuredPost, guardedPost } from "./ProviderRequest.ts"

const failure = (reason: SpeechFailed["reason"], detail: string) => new SpeechFailed({ reason, detail })

/** Azure's keys belong to a region. An owner stores them as `region:key`; the region then is part of an address. */
const regionOf = (key: string): readonly [region: string, key: string] | null => {
  const found = /^([a-z0-9]{2,30}):(\S+)$/.exec(key)
  return found === null ? null : [found[1]!, found[2]!]
}

/** The voice that speaks the script for comparison: the provider's own voices are unknown to the catalog. */
const reference = catalog.find(({ voice }) => voice.voiceId === houseVoiceId)!.voice

/**
 * The providers of the station's adapters, with keys of agents' owners. The sound is compared with its script as the sounds of the station's engines are,
 * which also gives the words their times where the provider gives none (OpenAI, Azure).
 */
export const OwnKeySpeechLive = Layer.effect(
  OwnKeySpeech,
  Effect.gen(function* () {
    const config = yield* StationConfig
    const post = yield* configuredPost
    const guarded = yield* guardedPost
    const check = yield* stationCheck(yield* makeEmbedded)
    const makers = {
      elevenlabs: (key: string) => elevenLabs({ url: config.elevenlabsUrl, key, model: config.elevenlabsModel }, post),
      cartesia: (key: string) => cartesia({ url: config.cartesiaUrl, key, model: config.cartesiaModel }, post),
      openai: (key: string) => openAiSpeech({ url: config.openaiUrl, key, model: config.openaiModel }, post),
      azure: (stored: string) => {
        const [region, key] = regionOf(stored) ?? [null, stored]
        if (region !== null)
          return azureSpeech({ url: `https://${region}.tts.speech.microsoft.com`, key, model: "" }, guarded)
        return config.azureUrl === null ? null : azureSpeech({ url: config.azureUrl, key, model: "" }, post)
      }
    }
    return OwnKeySpeech.of({
      speak: Effect.fnUntraced(function* ({ key, provider, text, voiceId }) {
        const maker = makers[provider](key)
        if (maker === null)
          return yield* failure("refused", "The station knows no region for this key. Store it as region:key.")
        const sentences = text.length > spokenCharsMax ? [] : sentencesOf(text)
        if (sentences.length === 0) return yield* failure("unreadable", "The text has no words that can be spoken.")
        const passages = yield* speakPassages(maker, sentences, voiceId).pipe(
          Effect.timeoutOrElse({
            duration: providerScriptTimeoutMs,
            orElse: () =>
              Effect.fail(
                failure("timeout", `The provider sent no whole sound within ${providerScriptTimeoutMs / 1_000} s.`)
              )
          })
        )
        const sound = { ...joinLines(passages), by: maker.generator }
        return yield* check({ sentences, voice: reference, role: "PRIMARY" }, passages, sound)
      })
    })
  })
).pipe(Layer.provide(FetchHttpClient.layer))
