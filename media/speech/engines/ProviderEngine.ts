import { Effect } from "effect"
import { SpeechFailed } from "../../../engine/ports/Speech.ts"
import { providerRequestsAtOnce, providerScriptTimeoutMs } from "../../../engine/rules/voices/limits.ts"
import { sentenceBySentence, type SpeechEngine, type SpokenPassage } from "../SpeechEngine.ts"
import { lineOf, type Sentence, sentencePauseMs } from "../SpokenText.ts"
import type { SpeechProvider } from "./Provider.ts"
import type { Voice } from "../../../schema/voices/Voice.ts"

/** One breath of several sentences. */
const joinSentences = (sentences: ReadonlyArray<Sentence>): Sentence => ({
  ...sentences.at(-1)!,
  words: sentences.flatMap(({ words }) => words)
})

/**
 * Sentences joined to passages: a provider shapes a paragraph better than its sentences one by one. The pauses that the script asks for, and
 * those of paragraphs, stay the station's.
 */
export const passagesOf = (sentences: ReadonlyArray<Sentence>, charsMax: number): ReadonlyArray<Sentence> => {
  const passages: Array<Sentence> = []
  let open: Array<Sentence> = []
  let chars = 0
  const close = () => {
    if (open.length > 0) passages.push(joinSentences(open))
    open = []
    chars = 0
  }
  for (const sentence of sentences) {
    const length = lineOf(sentence.words).text.length + 1
    if (chars + length > charsMax) close()
    open.push(sentence)
    chars += length
    if (sentence.paragraphEnd || sentence.pauseMs > sentencePauseMs) close()
  }
  close()
  return passages
}

/** Speaks all passages with one voice of the provider, or none. */
export const speakPassages = (
  { passageMaxChars, speak }: SpeechProvider,
  sentences: ReadonlyArray<Sentence>,
  voice: string
): Effect.Effect<ReadonlyArray<SpokenPassage>, SpeechFailed> =>
  sentenceBySentence(
    passagesOf(sentences, passageMaxChars),
    ({ words }) => speak({ text: lineOf(words).text, voice }),
    providerRequestsAtOnce
  )

/** A provider as an engine of the station. */
export const providerEngine = (
  name: string,
  provider: SpeechProvider,
  { price, voiceOf }: { readonly price: number | null; readonly voiceOf: (voice: Voice) => string | null }
): SpeechEngine => ({
  name,
  generator: provider.generator,
  pricePer1000Chars: price,
  timeoutMs: providerScriptTimeoutMs,
  speak: ({ sentences, voice }) => {
    const own = voiceOf(voice)
    return own === null
      ? Effect.fail(new SpeechFailed({ reason: "unknown_voice", detail: `${name} has no voice for ${voice.voiceId}.` }))
      : speakPassages(provider, sentences, own)
  }
})
