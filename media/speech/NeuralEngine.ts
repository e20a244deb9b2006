import { Effect } from "effect"
import type { Scope } from "effect"
import { mkdir, readFile, rename, writeFile } from "node:fs/promises"
import { availableParallelism } from "node:os"
import { dirname } from "node:path"
import { neuralSentenceMinMs, neuralSentenceMsPerChar, neuralTimeoutMs } from "../../engine/rules/voices/limits.ts"
import { SpeechFailed } from "../../engine/ports/Speech.ts"
import type { Voice } from "../../schema/voices/Voice.ts"
import type { VoiceModel } from "../models/VoiceModel.ts"
import { makeNeuralProcess, type NeuralProcess } from "./NeuralProcess.ts"
import type { NeuralFacts } from "./NeuralWorker.ts"
import { examine, sentenceBySentence, type SpeechEngine, type SpokenLine } from "./SpeechEngine.ts"
import { lineOf } from "./SpokenText.ts"
import { type CastVoice, type Casting, candidatesOf, castAll, castOne, type Speaker } from "./VoiceCasting.ts"
import { catalog, recipeOfMade } from "./VoiceCatalog.ts"
import type { VoiceRecipe } from "./VoiceRecipe.ts"

const recipes = new Map(catalog.map(({ recipe, voice }) => [voice.voiceId, recipe]))

const castVoice = ({ accent, gender, voiceId }: Voice, { pitchHz: [low, high] }: VoiceRecipe): CastVoice => ({
  voiceId,
  gender,
  accent,
  pitchHz: (low + high) / 2
})

/** What each speaker says at the audition; long enough for a steady median. */
const auditionText = "The station is on the air, and the evening is long."
/** Tempo of a reader at speed 1. */
const readerWordsPerMin = 165

const timeoutMsOf = (text: string) => neuralSentenceMinMs + neuralSentenceMsPerChar * text.length

/** Pitches found at auditions, by model; a file, since a model says the same sentence a little differently each time. */
const makeAuditions = (file: string) => {
  const read = Effect.promise(async (): Promise<Record<string, Record<string, number>>> => {
    try {
      const found: unknown = JSON.parse(await readFile(file, "utf8"))
      return typeof found === "object" && found !== null ? (found as Record<string, Record<string, number>>) : {}
    } catch {
      return {}
    }
  })
  const write = (all: Record<string, Record<string, number>>) =>
    Effect.promise(async () => {
      try {
        await mkdir(dirname(file), { recursive: true })
        await writeFile(`${file}.new`, JSON.stringify(all))
        await rename(`${file}.new`, file)
      } catch {
        // Without a disk the next start listens again.
      }
    })
  return Effect.fnUntraced(function* (facts: NeuralFacts, speakOne: NeuralProcess["speak"]) {
    const all = yield* read
    const known = all[facts.fingerprint] ?? {}
    const speakers: Array<Speaker> = []
    for (const candidate of candidatesOf(facts.speakerNames, facts.speakers)) {
      const pitchHz =
        known[candidate.id] ??
        Math.round(
          (yield* speakOne(
            { text: auditionText, speaker: candidate.id, speed: 1, timbre: null },
            timeoutMsOf(auditionText)
          )).pitchHz
        )
      speakers.push({ ...candidate, pitchHz })
    }
    const heard = Object.fromEntries(speakers.map(({ id, pitchHz }) => [id, pitchHz]))
    if (JSON.stringify(heard) !== JSON.stringify(known)) yield* write({ ...all, [facts.fingerprint]: heard })
    return speakers
  })
}

/** What is known once a model has been loaded: its speakers, and who speaks which voice. */
interface Cast {
  readonly fingerprint: string
  readonly speakers: ReadonlyArray<Speaker>
  readonly castings: ReadonlyMap<string, Casting>
}

/** Speech by a model on this machine: Kokoro, Kitten, VITS, Piper, Matcha or Supertonic, by the files in its folder. */
export const makeNeuralEngine = Effect.fnUntraced(function* ({
  model,
  process: given,
  rememberIn
}: {
  readonly model: VoiceModel
  /** A file for what auditions found. */
  readonly rememberIn: string
  /** For tests: the process that speaks. */
  readonly process?: NeuralProcess
}): Effect.fn.Return<SpeechEngine, never, Scope.Scope> {
  const child =
    given ??
    (yield* makeNeuralProcess(new URL("./NeuralWorker.ts", import.meta.url), {
      modelDir: model.dir,
      // One core is left for the mixer.
      threads: Math.max(1, Math.min(4, availableParallelism() - 1))
    }))
  const audition = makeAuditions(rememberIn)
  let cast: Cast | null = null

  const castOnce = Effect.fnUntraced(function* () {
    if (cast !== null) return cast
    const facts = yield* child.facts
    const speakers = yield* audition(facts, child.speak)
    const castings = castAll(
      catalog.map(({ recipe, voice }) => castVoice(voice, recipe)),
      speakers
    )
    return (cast = { fingerprint: facts.fingerprint, speakers, castings })
  })

  const speakWith = (recipe: VoiceRecipe, { pitchRatio, speaker }: Casting) =>
    Effect.fnUntraced(function* (text: string): Effect.fn.Return<SpokenLine, SpeechFailed> {
      const speed = Math.max(0.7, Math.min(1.4, recipe.wordsPerMin / readerWordsPerMin)) / pitchRatio
      const { pcm, sampleRateHz } = yield* child.speak(
        { text, speaker, speed, timbre: recipe.timbre },
        timeoutMsOf(text)
      )
      // Played faster it is higher; the mastering brings it to the station's rate.
      return yield* examine(text, { pcm, sampleRateHz: Math.round(sampleRateHz * pitchRatio), marks: [] })
    })

  return {
    name: "neural",
    generator: { name: `${model.name} (sherpa-onnx)`, trained: true },
    pricePer1000Chars: 0,
    timeoutMs: neuralTimeoutMs,
    speak: Effect.fnUntraced(function* ({ sentences, voice }) {
      const recipe = recipes.get(voice.voiceId) ?? recipeOfMade(voice)
      if (recipe === null)
        return yield* new SpeechFailed({ reason: "unknown_voice", detail: `The voice model has no ${voice.voiceId}.` })
      const { castings, speakers } = yield* castOnce()
      const part = castings.get(voice.voiceId) ?? castOne(castVoice(voice, recipe), speakers)
      const speakLine = speakWith(recipe, part)
      return yield* sentenceBySentence(sentences, ({ words }) => speakLine(lineOf(words).text))
    })
  }
})
