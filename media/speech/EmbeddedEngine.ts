import { Effect, Semaphore } from "effect"
import { speechTimeoutSec } from "../../engine/rules/voices/limits.ts"
import { SpeechFailed } from "../../engine/ports/Speech.ts"
import type { SpeechGenerator } from "../../schema/Synthetic.ts"
import { type EspeakAsk, type EspeakProcess, makeEspeakProcess } from "./EspeakProcess.ts"
import { failover } from "./Failover.ts"
import { readingsOf } from "./SpeechDelivery.ts"
import { sentenceBySentence, type Script, type SpeechEngine, type SpokenLine } from "./SpeechEngine.ts"
import { lineOf } from "./SpokenText.ts"
import { catalog, recipeOfMade } from "./VoiceCatalog.ts"
import { variantFile } from "./VoiceRecipe.ts"

/** Speech by rules and formants, without a model of anybody's voice. */
const espeak: SpeechGenerator = { name: "eSpeak NG", trained: false }

const recipes = new Map(catalog.map(({ recipe, voice }) => [voice.voiceId, recipe]))

/** eSpeak NG on given processes, asked in this order for each sentence. One script at a time: the machine has few cores. */
export const makeEmbeddedEngine = Effect.fnUntraced(function* (processes: ReadonlyArray<EspeakProcess>) {
  const members = processes.map(({ speak }, index) => ({ name: `eSpeak NG, process ${index + 1}`, speak }))
  // A sentence without sound is not the engine's fault.
  const { speak: speakLine } = yield* failover<EspeakAsk, SpokenLine>(({ reason }) => reason !== "silent")
  const inTurn = yield* Semaphore.make(1)
  const speak = ({ role, sentences, voice }: Script) =>
    Effect.suspend(() => {
      const recipe = recipes.get(voice.voiceId) ?? recipeOfMade(voice)
      if (recipe === null)
        return Effect.fail(new SpeechFailed({ reason: "unknown_voice", detail: `eSpeak NG has no ${voice.voiceId}.` }))
      const variantName = `longwave-${voice.voiceId}`
      const variant = variantFile(variantName, recipe)
      const readings = readingsOf(sentences, recipe, role)
      return sentenceBySentence(sentences, (sentence, index) =>
        speakLine(members, {
          text: lineOf(sentence.words).text,
          accentFile: recipe.accentFile,
          variantName,
          variantFile: variant,
          timbre: recipe.timbre,
          ...readings[index]!
        })
      )
    }).pipe(inTurn.withPermit)
  const engine: SpeechEngine = {
    name: "embedded",
    generator: espeak,
    pricePer1000Chars: 0,
    timeoutMs: speechTimeoutSec * 1_000,
    speak
  }
  return engine
})

/** The engine that every chain ends at: eSpeak NG with word events, its command line build if that fails. */
export const makeEmbedded = Effect.gen(function* () {
  const script = new URL("./EspeakWorker.ts", import.meta.url)
  return yield* makeEmbeddedEngine([
    yield* makeEspeakProcess(script, { engine: "echogarden" }),
    yield* makeEspeakProcess(script, { engine: "command-line" })
  ])
})
